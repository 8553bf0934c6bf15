/* A record of a state:
 *
 *     depth  faults  path: length, bytes  events: length, bytes  judge's fingerprint (8)  world
 *
 * The path is what a witness needs: per step, the message's number and how it came. The events
 * are the history so far; the judge's state follows from them, and is looked up by its
 * fingerprint where it is known already. */
#include "explore/levels.h"

#include "base/bitset.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/progress.h"
#include "explore/circle.h"

#include <string.h>

#define STATES_PER_TURN 32
#define HOW_BITS 3

_Static_assert(FORE_HOWS <= 1 << HOW_BITS, "a step is a message's number and its how");

void fore_levels_init(struct fore_levels *k, struct fore_explorer *s,
                      struct fore_transport *t, const struct fore_levels_plan *plan)
{
    *k = (struct fore_levels){.s = s, .t = t, .plan = plan, .saved_ns = fore_now_ns()};
    size_t queue = plan->bytes / 10; /* each; the rest is for batches under way */
    fore_store_init(&k->store, plan->wide, plan->bytes / 10 * 6, plan->folder, &k->err);
    fore_backlog_init(&k->now, queue, plan->folder, &k->err);
    fore_backlog_init(&k->next, queue, plan->folder, &k->err);
    k->path = k->events = k->in = (struct fore_strbuf)FORE_STRBUF_INIT;
    for (int i = 0; i < FORE_BUGS; i++)
        k->bugs[i].path = k->bugs[i].why = (struct fore_strbuf)FORE_STRBUF_INIT;
    for (uint32_t i = 0; i < t->ranks; i++)
        fore_vec_push(&k->out, (struct fore_strbuf)FORE_STRBUF_INIT);
    fore_symmetry_init(&k->symmetry, &s->world);
    if (s->opt->no_symmetry)
        k->symmetry.group.n = 1;
    fore_vec_ensure(&k->causes, fore_causes_words(&s->world));
}

void fore_levels_release(struct fore_levels *k)
{
    fore_symmetry_release(&k->symmetry);
    fore_store_release(&k->store);
    fore_backlog_release(&k->now);
    fore_backlog_release(&k->next);
    fore_vec_release(&k->dead_now);
    fore_vec_release(&k->dead_next);
    fore_vec_release(&k->causes);
    fore_strbuf_release(&k->path);
    fore_strbuf_release(&k->events);
    fore_strbuf_release(&k->in);
    for (int i = 0; i < FORE_BUGS; i++) {
        fore_strbuf_release(&k->bugs[i].path);
        fore_strbuf_release(&k->bugs[i].why);
    }
    for (size_t i = 0; i < k->out.n; i++)
        fore_strbuf_release(&k->out.at[i]);
    fore_vec_release(&k->out);
    fore_free(k->lately);
}

uint32_t fore_levels_owner(const struct fore_levels *k, struct fore_print p)
{
    return k->t->ranks == 1 ? 0 : (uint32_t)(fore_hash_u64(p.at) % k->t->ranks);
}

static char *pack_step(const struct fore_receipt *r, char *out)
{
    return fore_varint_put(out, (uint64_t)r->msg << HOW_BITS | r->how);
}

/* The events of the last step. */
static char *pack_events(const struct fore_actors *w, char *out)
{
    const struct fore_receipt *r = &fore_vec_last(&w->steps);
    if (r->op >= 0)
        out = fore_varint_put(out, (uint64_t)r->op << 1);
    for (size_t i = r->first_reply; i < w->replies.n; i++) {
        const struct fore_reply *a = &w->replies.at[i];
        if (a->repeated)
            continue;
        out = fore_varint_put(out, (uint64_t)a->op << 1 | 1);
        out = fore_varint_put(out, fore_zigzag(a->result));
    }
    return out;
}

size_t fore_levels_record_most(const struct fore_levels *k)
{
    const struct fore_actors *w = &k->s->world;
    size_t replies = w->replies.n; /* those of the one step */
    return (8 + 2 * replies) * FORE_VARINT_MAX + k->path.n + k->events.n +
           fore_actors_packed_most(w);
}

/* A length of three bytes whatever it is, so that it can be written afterwards. */
static char *put_length(char *at, size_t n)
{
    at[0] = (char)(n | 0x80);
    at[1] = (char)(n >> 7 | 0x80);
    at[2] = (char)(n >> 14);
    return at + 3;
}

char *fore_levels_pack(const struct fore_levels *k, char *out)
{
    const struct fore_actors *w = &k->s->world;
    bool step = w->steps.n;
    out = fore_varint_put(out, k->depth + step);
    out = fore_varint_put(out, k->faults + (step && w->steps.at[0].how != FORE_DELIVER));
    char *length = out;
    out += 3;
    memcpy(out, k->path.at, k->path.n);
    out += k->path.n;
    if (step)
        out = pack_step(&w->steps.at[0], out);
    put_length(length, (size_t)(out - length) - 3);
    length = out;
    out += 3;
    memcpy(out, k->events.at, k->events.n);
    out += k->events.n;
    if (step)
        out = pack_events(w, out);
    put_length(length, (size_t)(out - length) - 3);
    uint64_t hash = fore_judge_hash(&k->s->histories.judge, k->judge_after);
    memcpy(out, &hash, sizeof hash);
    return fore_actors_pack(w, out + sizeof hash);
}

static bool take_bytes(struct fore_bytes_in *in, struct fore_strbuf *to)
{
    size_t n = fore_varint_get(in);
    if (in->bad || n > (size_t)(in->end - in->at))
        return false;
    fore_strbuf_clear(to);
    fore_strbuf_add(to, in->at, n);
    in->at += n;
    return true;
}

/* The judge's state after the events, from the start. */
static uint32_t follow_events(struct fore_levels *k)
{
    struct fore_judge *j = &k->s->histories.judge;
    struct fore_bytes_in in = {k->events.at, k->events.at + k->events.n, false};
    uint32_t judge = k->s->histories.nodes.at[k->s->history.at[0]].state;
    while (in.at < in.end && !in.bad) {
        uint64_t e = fore_varint_get(&in);
        if (e >> 1 >= k->s->world.harness->ops.n)
            return FORE_JUDGE_BROKEN;
        judge = e & 1 ? fore_judge_respond(j, judge, (uint32_t)(e >> 1),
                                           fore_unzigzag(fore_varint_get(&in)))
                      : fore_judge_invoke(j, judge, (uint32_t)(e >> 1));
    }
    return judge;
}

/* Makes the record's state the world. */
static bool unpack_record(struct fore_levels *k, const char *at, size_t n)
{
    struct fore_bytes_in in = {at, at + n, false};
    uint64_t hash;
    k->depth = (uint32_t)fore_varint_get(&in);
    k->faults = (uint32_t)fore_varint_get(&in);
    if (!take_bytes(&in, &k->path) || !take_bytes(&in, &k->events) ||
        (size_t)(in.end - in.at) < sizeof hash)
        return false;
    memcpy(&hash, in.at, sizeof hash);
    in.at += sizeof hash;
    uint64_t *known = fore_map_get(&k->s->histories.judge.known, hash);
    k->judge = known ? (uint32_t)*known : follow_events(k);
    return k->judge != FORE_JUDGE_BROKEN && fore_actors_unpack(&k->s->world, &in);
}

static void keep_record(struct fore_levels *k)
{
    char *at = fore_backlog_room(&k->next, fore_levels_record_most(k));
    fore_backlog_commit(&k->next, (size_t)(fore_levels_pack(k, at) - at));
}

void fore_levels_settle(struct fore_levels *k)
{
    fore_store_settle(&k->store);
    for (size_t i = 0; i < k->store.maybes.n; i++) {
        uint64_t record = k->maybe_from + k->store.maybes.at[i].index;
        if (!k->store.maybes.at[i].old)
            continue;
        fore_vec_ensure(&k->dead_next, FORE_BITSET_WORDS(record + 1));
        fore_bit_add(k->dead_next.at, record);
    }
    fore_vec_clear(&k->store.maybes);
    k->maybe_from = k->next.count;
}

/* True if the state may be new: its record has a place in the next level. */
static bool visit_print(struct fore_levels *k, struct fore_print p)
{
    if (fore_store_full(&k->store)) {
        fore_levels_settle(k);
        fore_store_spill(&k->store);
    }
    if (!k->store.maybes.n)
        k->maybe_from = k->next.count;
    return fore_store_visit(&k->store, p) != FORE_SEEN_BEFORE;
}

void fore_levels_accept(struct fore_levels *k, struct fore_print p, const char *record,
                        size_t n)
{
    if (!visit_print(k, p))
        return;
    memcpy(fore_backlog_room(&k->next, n), record, n);
    fore_backlog_commit(&k->next, n);
}

bool fore_levels_load(struct fore_levels *k, struct fore_backlog *to, const char *record,
                      size_t n)
{
    if (!unpack_record(k, record, n))
        return false;
    if (fore_levels_owner(k, fore_symmetry_print(&k->symmetry, k->s, k->judge)) ==
        k->t->rank) {
        memcpy(fore_backlog_room(to, n), record, n);
        fore_backlog_commit(to, n);
    }
    return true;
}

/* Fewer faults, then fewer steps; then the first in some order, whichever worker found it. */
static bool is_simpler(const struct fore_level_bug *a, const struct fore_level_bug *b)
{
    if (a->faults != b->faults)
        return a->faults < b->faults;
    if (a->steps != b->steps)
        return a->steps < b->steps;
    size_t n = a->path.n < b->path.n ? a->path.n : b->path.n;
    int c = memcmp(a->path.at, b->path.at, n);
    return c ? c < 0 : a->path.n < b->path.n;
}

void fore_levels_merge_bug(struct fore_level_bug *into, struct fore_level_bug *from)
{
    uint64_t count = into->count + from->count;
    if (from->found && (!into->found || is_simpler(from, into))) {
        struct fore_level_bug old = *into;
        *into = *from;
        *from = old;
    }
    into->count = count;
}

static void note_bug(struct fore_levels *k, enum fore_bug kind,
                     struct fore_level_bug *bug, const char *why)
{
    struct fore_row *r = &k->s->row;
    bug->found = true;
    fore_strbuf_puts(&bug->why, why);
    fore_levels_merge_bug(&k->bugs[kind], bug);
    fore_strbuf_release(&bug->path);
    fore_strbuf_release(&bug->why);
    k->s->bugs[kind].count++; /* for progress */
    if (!r->first_bug_ns)
        r->first_bug_ns = fore_now_ns() - k->s->started_ns;
}

static void add_step(struct fore_level_bug *bug, const struct fore_receipt *r)
{
    char text[FORE_VARINT_MAX];
    fore_strbuf_add(&bug->path, text, (size_t)(pack_step(r, text) - text));
    bug->steps++;
    bug->faults += r->how != FORE_DELIVER;
}

static void note_bug_here(struct fore_levels *k, enum fore_bug kind, const char *why)
{
    const struct fore_actors *w = &k->s->world;
    struct fore_level_bug bug = {.count = 1,
                                 .steps = k->depth,
                                 .faults = k->faults,
                                 .path = FORE_STRBUF_INIT,
                                 .why = FORE_STRBUF_INIT};
    fore_strbuf_add(&bug.path, k->path.at, k->path.n);
    if (w->steps.n)
        add_step(&bug, &w->steps.at[0]);
    note_bug(k, kind, &bug, why);
}

void fore_levels_note_walk(struct fore_levels *k, const struct fore_explorer *s,
                           enum fore_bug kind, const char *why)
{
    struct fore_level_bug bug = {.path = FORE_STRBUF_INIT, .why = FORE_STRBUF_INIT};
    for (size_t i = 0; i < s->world.steps.n; i++)
        add_step(&bug, &s->world.steps.at[i]);
    note_bug(k, kind, &bug, why);
}

/* The state that the last step led to. */
static void arrive_at_state(struct fore_levels *k)
{
    struct fore_explorer *s = k->s;
    if (s->world.trouble) {
        note_bug_here(k,
                      s->world.trouble == FORE_TROUBLE_REQUIRED ? FORE_BUG_REQUIRED
                                                                : FORE_BUG_SYSTEM,
                      s->world.why.at);
        return;
    }
    uint32_t judge = k->judge_after =
        fore_judge_follow(&s->histories.judge, k->judge, &s->world);
    if (judge == FORE_JUDGE_BROKEN) {
        fore_causes_note(&s->world, k->causes.at);
        note_bug_here(k, FORE_BUG_NOT_LINEARIZABLE, "");
        return;
    }
    struct fore_print p = fore_symmetry_print(&k->symmetry, k->s, judge);
    fore_store_expect(&k->store, p);
    fore_causes_note(&s->world, k->causes.at);
    uint32_t owner = fore_levels_owner(k, p);
    if (owner != k->t->rank)
        fore_levels_send(k, owner, p);
    else if (visit_print(k, p))
        keep_record(k);
}

static void count_state(struct fore_levels *k)
{
    struct fore_explorer *s = k->s;
    const struct fore_actors *w = &s->world;
    uint64_t most = s->opt->max_states;
    s->row.states++;
    atomic_fetch_add_explicit(s->ended, 1, memory_order_relaxed);
    if (!w->pending) {
        s->row.schedules++;
        s->row.incomplete += (w->invoked & ~w->answered) != 0;
        if (w->invoked & ~w->answered)
            note_bug_here(k, FORE_BUG_BLOCKED, "");
    }
    if (most && s->row.states * k->t->ranks >= most) {
        s->row.bound = FORE_BOUND_STATES;
        s->stop = true;
    }
}

static void take_steps(struct fore_levels *k)
{
    struct fore_explorer *s = k->s;
    for (uint32_t m = fore_actors_first(&s->world); m; m = fore_actors_next(&s->world, m))
        for (enum fore_how how = FORE_DELIVER; how < FORE_HOWS;
             how = fore_explorer_next_how(s, m, how)) {
            s->row.transitions++;
            fore_explorer_bare_step(s, m, how);
            arrive_at_state(k);
            fore_actors_undo(&s->world);
        }
}

static void expand_one_state(struct fore_levels *k)
{
    struct fore_explorer *s = k->s;
    size_t n;
    uint64_t index = k->taken++;
    const char *record = fore_backlog_next(&k->now, &n);
    if (!record)
        return;
    if (index / 64 < k->dead_now.n && fore_bit_has(k->dead_now.at, index))
        return;
    FORE_BUG_IF(!unpack_record(k, record, n));
    count_state(k);
    if (s->opt->max_depth && k->depth >= s->opt->max_depth) {
        if (s->world.pending)
            s->row.bound = FORE_BOUND_DEPTH;
        return;
    }
    take_steps(k);
}

bool fore_levels_used_up(const struct fore_levels *k)
{
    return k->taken >= k->now.count;
}

void fore_levels_advance(struct fore_levels *k)
{
    FORE_BUG_IF(!fore_levels_used_up(k));
    fore_levels_settle(k);
    struct fore_backlog old = k->now;
    fore_backlog_clear(&old);
    k->now = k->next;
    k->next = old;
    fore_vec_clear(&k->dead_now);
    for (size_t i = 0; i < k->dead_next.n; i++)
        fore_vec_push(&k->dead_now, k->dead_next.at[i]);
    fore_vec_clear(&k->dead_next);
    k->taken = 0;
    k->maybe_from = 0;
    k->level++;
}

/* The first state belongs to its rank like any other. */
void fore_levels_start(struct fore_levels *k)
{
    const struct fore_explorer *s = k->s;
    k->judge = k->judge_after = s->histories.nodes.at[s->history.at[0]].state;
    struct fore_print p = fore_symmetry_print(&k->symmetry, k->s, k->judge);
    if (fore_levels_owner(k, p) == k->t->rank && visit_print(k, p))
        keep_record(k);
    struct fore_backlog empty = k->now;
    k->now = k->next;
    k->next = empty;
}

enum fore_levels_turn fore_levels_turn(struct fore_levels *k)
{
    bool moved = fore_levels_talk(k);
    if (k->ended)
        return FORE_TURN_DONE;
    if (k->beside && k->asked == FORE_WAVE_WORK && !k->s->stop)
        k->beside(k, k->user);
    bool works = k->asked == FORE_WAVE_WORK && !k->stopping;
    for (int i = 0; works && i < STATES_PER_TURN && !fore_levels_used_up(k); i++) {
        expand_one_state(k);
        moved = true;
        if (k->s->stop || k->store.failed || k->now.failed || k->next.failed)
            break;
    }
    return moved ? FORE_TURN_BUSY : FORE_TURN_IDLE;
}

void fore_levels_run(struct fore_levels *k)
{
    enum fore_levels_turn turn;
    while ((turn = fore_levels_turn(k)) != FORE_TURN_DONE)
        if (turn == FORE_TURN_IDLE) {
            fore_explorer_poll(k->s);
            k->t->idle(k->t);
        }
}
