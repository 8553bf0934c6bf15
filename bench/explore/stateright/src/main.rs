//! The protocols of bench/explore for Stateright: protocols NAME [bug] first|all bfs|dfs THREADS.
//! Requests are in the network at the start; an operation is invoked when its request is received
//! and answered when the answer is sent, as in foresee. States and messages are small arrays.
use stateright::actor::{Actor, ActorModel, Envelope, Id, Network, Out};
use stateright::semantics::{ConsistencyTester, LinearizabilityTester, SequentialSpec};
use stateright::{Checker, Expectation, HasDiscoveries, Model};
use std::borrow::Cow;

#[derive(Clone, Debug, Eq, Hash, PartialEq, Ord, PartialOrd)]
struct Msg(u8, [i8; 3]);
type State = [i8; 32];
type Handler = fn(usize, &mut State, usize, &Msg, &mut Out<Server>, bool);

const CLIENTS: usize = 100; // client i is 100 + i
const ANSWER: u8 = 99; // client's number and result

#[derive(Clone)]
struct Server {
    on: Handler,
    start: State,
    bug: bool,
}

impl Actor for Server {
    type Msg = Msg;
    type State = State;
    type Timer = ();
    type Random = ();
    type Storage = ();
    fn on_start(&self, _: Id, _: &Option<()>, _: &mut Out<Self>) -> State {
        self.start
    }
    fn on_msg(&self, id: Id, state: &mut Cow<State>, src: Id, msg: Msg, o: &mut Out<Self>) {
        let mut next = **state;
        (self.on)(id.into(), &mut next, src.into(), &msg, o, self.bug);
        if next != **state {
            *state.to_mut() = next;
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Op {
    Write(i8),
    Read,
    Enqueue(i8),
    Dequeue,
    Add(i8),
    Contains(i8),
}

/// A value, a queue or a set, by the operations that are asked of it.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
struct Object([i8; 4]);

impl SequentialSpec for Object {
    type Op = Op;
    type Ret = i8;
    fn invoke(&mut self, op: &Op) -> i8 {
        match *op {
            Op::Write(v) => {
                self.0[0] = v;
                0
            }
            Op::Read => self.0[0],
            Op::Enqueue(v) => {
                let end = self.0.iter().position(|&x| x == 0).unwrap();
                self.0[end] = v;
                0
            }
            Op::Dequeue => {
                let first = self.0[0];
                self.0.rotate_left(1);
                self.0[3] = 0;
                first
            }
            Op::Add(x) => {
                let fresh = self.0[x as usize] == 0;
                self.0[x as usize] = 1;
                fresh as i8
            }
            Op::Contains(x) => self.0[x as usize],
        }
    }
}

/// What is asked: the operation, the server, the request.
#[derive(Clone)]
struct Cfg {
    asked: Vec<(Op, usize, Msg)>,
}

type History = LinearizabilityTester<usize, Object>;

fn record_in(cfg: &Cfg, history: &History, env: Envelope<&Msg>) -> Option<History> {
    let src: usize = env.src.into();
    if src < CLIENTS {
        return None;
    }
    let mut h = history.clone();
    let _ = h.on_invoke(src, cfg.asked[src - CLIENTS].0);
    Some(h)
}

fn record_out(_: &Cfg, history: &History, env: Envelope<&Msg>) -> Option<History> {
    if env.msg.0 != ANSWER {
        return None;
    }
    let mut h = history.clone();
    let _ = h.on_return(env.dst.into(), env.msg.1[0]);
    Some(h)
}

fn answer(o: &mut Out<Server>, client: i8, result: i8) {
    o.send(Id::from(CLIENTS + client as usize), Msg(ANSWER, [result, 0, 0]));
}

fn send(o: &mut Out<Server>, to: usize, kind: u8, fields: [i8; 3]) {
    o.send(Id::from(to), Msg(kind, fields));
}

// The primary-backup register of examples/actors/dr. State: value, then per client acknowledgements
// of writes (1..), then of reads value, count, agreements (9 + 3 * client).
fn on_dr(me: usize, s: &mut State, src: usize, m: &Msg, o: &mut Out<Server>, _: bool) {
    let client = (src as i8) - CLIENTS as i8;
    match m.0 {
        0 if me == 1 => send(o, 0, 0, m.1), // the client is forgotten
        0 => {
            s[0] = m.1[0];
            if client >= 0 {
                s[1 + client as usize] = 1;
            }
            send(o, 1, 2, [m.1[0], client, 0]);
        }
        1 if me == 1 => send(o, 0, 1, m.1),
        1 => {
            let r = 9 + 3 * m.1[0] as usize;
            s[r] = s[0];
            s[r + 1] = 1;
            s[r + 2] = 1;
            send(o, 1, 4, m.1);
        }
        2 => {
            s[0] = m.1[0];
            send(o, src, 3, [m.1[1], 0, 0]);
        }
        3 => {
            let c = m.1[0];
            if c >= 0 && s[1 + c as usize] == 1 {
                s[1 + c as usize] = 0;
                answer(o, c, 0);
            }
        }
        4 => send(o, src, 5, [m.1[0], s[0], 0]),
        _ => {
            let r = 9 + 3 * m.1[0] as usize;
            if s[r + 1] == 0 {
                return;
            }
            s[r + 1] += 1;
            s[r + 2] += (m.1[1] == s[r]) as i8;
            if s[r + 2] > s[r + 1] / 2 {
                answer(o, m.1[0], s[r]);
                s[r] = 0;
                s[r + 1] = 0;
                s[r + 2] = 0;
            }
        }
    }
}

// examples/actors/edr. State: value, writes that wait (1 + client).
fn on_edr(me: usize, s: &mut State, src: usize, m: &Msg, o: &mut Out<Server>, _: bool) {
    let client = (src as i8) - CLIENTS as i8;
    match m.0 {
        0 => {
            s[0] = m.1[0];
            s[1 + client as usize] = 1;
            for to in 0..3 {
                if to != me {
                    send(o, to, 2, [m.1[0], client, 0]);
                }
            }
        }
        1 => answer(o, client, s[0]),
        2 => {
            s[0] = m.1[0];
            send(o, src, 3, [m.1[1], 0, 0]);
        }
        _ => {
            let c = m.1[0];
            if s[1 + c as usize] == 1 {
                s[1 + c as usize] = 0;
                answer(o, c, 0);
            }
        }
    }
}

// examples/actors/queue with its bug. State: number of items, items.
fn take(s: &mut State) -> i8 {
    if s[0] == 0 {
        return 0;
    }
    let first = s[1];
    s[0] -= 1;
    s[1] = s[2];
    s[2] = 0;
    first
}

fn on_queue(me: usize, s: &mut State, src: usize, m: &Msg, o: &mut Out<Server>, _: bool) {
    let client = (src as i8) - CLIENTS as i8;
    match m.0 {
        0 => {
            s[0] += 1;
            s[s[0] as usize] = m.1[0];
            answer(o, client, 0);
        }
        1 if s[0] > 0 => answer(o, client, take(s)),
        1 => send(o, 1 - me, 2, [client, 0, 0]),
        _ => answer(o, m.1[0], take(s)),
    }
}

// examples/actors/2pc with its bug: 0 is the coordinator. State of 0: votes, noes, dones by element
// (3 * x); of the others: there (x), voted (8 + x).
fn on_2pc(_: usize, s: &mut State, src: usize, m: &Msg, o: &mut Out<Server>, _: bool) {
    let x = m.1[0] as usize;
    let client = (src as i8) - CLIENTS as i8;
    let all = |o: &mut Out<Server>, kind, fields| {
        for to in 1..3 {
            send(o, to, kind, fields);
        }
    };
    match m.0 {
        0 => all(o, 2, [m.1[0], client, 0]),
        1 => answer(o, client, s[x]),
        2 => {
            let yes = (s[x] == 0 && s[8 + x] == 0) as i8;
            s[8 + x] |= yes;
            send(o, src, 3, [m.1[0], m.1[1], yes]);
        }
        3 => {
            s[3 * x] += 1;
            s[3 * x + 1] += 1 - m.1[2];
            if s[3 * x] == 2 {
                all(o, 4, [m.1[0], m.1[1], (s[3 * x + 1] == 0) as i8]);
            }
        }
        4 => {
            s[x] |= m.1[2];
            s[8 + x] = 0;
            send(o, src, 5, m.1);
        }
        _ => {
            s[3 * x + 2] += 1;
            if s[3 * x + 2] == 2 {
                answer(o, m.1[1], m.1[2]);
            }
        }
    }
}

// systems/abd. State: stamp, value, then per client phase, count, stamp, value, writes, what.
fn on_abd(me: usize, s: &mut State, src: usize, m: &Msg, o: &mut Out<Server>, bug: bool) {
    let client = if src >= CLIENTS { (src - CLIENTS) as i8 } else { m.1[0] };
    let r = 2 + 6 * client as usize;
    let others = |o: &mut Out<Server>, kind, fields| {
        for to in 0..3 {
            if to != me {
                send(o, to, kind, fields);
            }
        }
    };
    match m.0 {
        0 | 1 => {
            s[r] = 1;
            s[r + 1] = 1;
            s[r + 2] = s[0];
            s[r + 3] = s[1];
            s[r + 4] = (m.0 == 0) as i8;
            s[r + 5] = m.1[0];
            others(o, 2, [client, 0, 0]);
        }
        2 => send(o, src, 3, [client, s[0], s[1]]),
        3 if s[r] == 1 => {
            if m.1[1] > s[r + 2] {
                s[r + 2] = m.1[1];
                s[r + 3] = m.1[2];
            }
            if s[r + 4] == 1 {
                s[r + 2] = (s[r + 2] / 4 + 1) * 4 + me as i8 + 1;
                s[r + 3] = s[r + 5];
            } else if bug {
                answer(o, client, s[r + 3]);
                s[r..r + 6].fill(0);
                return;
            }
            s[r] = 2;
            if s[r + 2] > s[0] {
                s[0] = s[r + 2];
                s[1] = s[r + 3];
            }
            others(o, 4, [client, s[r + 2], s[r + 3]]);
        }
        4 => {
            if m.1[1] > s[0] {
                s[0] = m.1[1];
                s[1] = m.1[2];
            }
            send(o, src, 5, [client, 0, 0]);
        }
        5 if s[r] == 2 => {
            answer(o, client, if s[r + 4] == 1 { 0 } else { s[r + 3] });
            s[r..r + 6].fill(0);
        }
        _ => {}
    }
}

// systems/synod: 0 learns, 1 to 3 accept, 4 and 5 propose. State of a proposer: ballot, value, best,
// promises, accepts; of an acceptor: promised, accepted, value; of the learner: value, wrong.
fn on_synod(me: usize, s: &mut State, src: usize, m: &Msg, o: &mut Out<Server>, bug: bool) {
    match m.0 {
        0 => (1..4).for_each(|a| send(o, a, 1, [s[0], 0, 0])),
        1 if m.1[0] > s[0] => {
            s[0] = m.1[0];
            send(o, src, 2, [m.1[0], s[1], s[2]]);
        }
        2 => {
            if !bug && m.1[1] > s[2] && s[3] <= 1 {
                s[2] = m.1[1];
                s[1] = m.1[2];
            }
            s[3] += 1;
            if s[3] == 2 {
                (1..4).for_each(|a| send(o, a, 3, [s[0], s[1], 0]));
            }
        }
        3 if m.1[0] >= s[0] => {
            s[0] = m.1[0];
            s[1] = m.1[0];
            s[2] = m.1[1];
            send(o, src, 4, [m.1[0], 0, 0]);
        }
        4 => {
            s[4] += 1;
            if s[4] == 2 {
                send(o, 0, 5, [s[1], 0, 0]);
            }
        }
        5 => {
            assert!(me == 0);
            s[1] |= (s[0] != 0 && s[0] != m.1[0]) as i8;
            s[0] = m.1[0];
        }
        _ => {}
    }
}

fn protocol(name: &str, bug: bool) -> ActorModel<Server, Cfg, History> {
    let w = |v, at| (Op::Write(v), at, Msg(0, [v, 0, 0]));
    let dr_read = |c, at| (Op::Read, at, Msg(1, [c, 0, 0]));
    let read = |at| (Op::Read, at, Msg(1, [0, 0, 0]));
    let (on, servers, asked): (Handler, usize, Vec<(Op, usize, Msg)>) = match name {
        "dr" => (
            on_dr,
            2,
            vec![w(1, 0), w(2, 1), dr_read(2, 1), dr_read(3, 0), dr_read(4, 1)],
        ),
        "edr" => (on_edr, 3, vec![w(1, 0), w(2, 0), read(1), read(2)]),
        "queue" => {
            let enqueue = |v, at| (Op::Enqueue(v), at, Msg(0, [v, 0, 0]));
            let dequeue = |at| (Op::Dequeue, at, Msg(1, [0, 0, 0]));
            (on_queue, 2, vec![enqueue(7, 0), enqueue(8, 1), dequeue(1), dequeue(0)])
        }
        "2pc" => {
            let add = |x| (Op::Add(x), 0, Msg(0, [x, 0, 0]));
            let has = |x, at| (Op::Contains(x), at, Msg(1, [x, 0, 0]));
            (on_2pc, 3, vec![add(1), add(2), has(1, 1), has(1, 2)])
        }
        "abd" => (on_abd, 3, vec![w(1, 0), read(1), read(2)]),
        "synod" => (on_synod, 6, vec![]),
        _ => panic!("no protocol {name}"),
    };
    let mut first: Vec<Envelope<Msg>> = asked
        .iter()
        .enumerate()
        .map(|(i, (_, at, msg))| Envelope {
            src: Id::from(CLIENTS + i),
            dst: Id::from(*at),
            msg: msg.clone(),
        })
        .collect();
    let mut model = ActorModel::new(Cfg { asked }, History::new(Object([0; 4])));
    for i in 0..servers {
        let mut start = [0; 32];
        if name == "synod" && i >= 4 {
            start[0] = i as i8 - 3;
            start[1] = i as i8 - 3;
            first.push(Envelope { src: Id::from(i), dst: Id::from(i), msg: Msg(0, [0; 3]) });
        }
        model = model.actor(Server { on, start, bug });
    }
    model
        .init_network(Network::new_unordered_nonduplicating(first))
        .property(Expectation::Always, "right", |model, state| {
            if model.cfg.asked.is_empty() {
                state.actor_states[0][1] == 0
            } else {
                state.history.serialized_history().is_some()
            }
        })
        .record_msg_in(record_in)
        .record_msg_out(record_out)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let bug = args[2] == "bug";
    let [all, search, threads] = &args[args.len() - 3..] else { panic!("arguments") };
    let checker = protocol(&args[1], bug)
        .checker()
        .threads(threads.parse().unwrap())
        .finish_when(if all == "all" { HasDiscoveries::All } else { HasDiscoveries::AnyFailures });
    let report = |states: usize, wrong: Option<usize>| {
        println!(
            "{{\"states\": {states}, \"violation\": {}}}",
            wrong.map_or("null".to_string(), |n| n.to_string())
        )
    };
    if search == "bfs" {
        let c = checker.spawn_bfs().join();
        report(c.unique_state_count(), c.discovery("right").map(|p| p.into_actions().len()));
    } else {
        let c = checker.spawn_dfs().join();
        report(c.unique_state_count(), c.discovery("right").map(|p| p.into_actions().len()));
    }
}
