/* A map replicated by Multi-Paxos [ds2, section 4.5]. Agent 1 leads. A write runs both phases
 * for its own slot of the log; a read asks the leader, who answers with the newest write of
 * that key in its log. */
#include <foresee/actor.h>

#define SLOTS 4
#define LEADER 1

enum {
    PROPOSE_COMMAND,
    PROPOSE,
    PREPARE,
    PROMISE,
    ACCEPT,
    ACCEPTED,
    REQUEST,
    READ_PREPARE,
    READ_PROMISE,
    WRITE_REPLY,
    READ_REPLY
};

static const struct foresee_message messages[] = {
    [PROPOSE_COMMAND] = {"ProposeCommand", "key value"},
    [PROPOSE] = {"Propose", "key value client"},
    [PREPARE] = {"Prepare", "slot ballot"},
    [PROMISE] = {"Promise", "slot ballot"},
    [ACCEPT] = {"Accept", "slot ballot key value"},
    [ACCEPTED] = {"Accepted", "slot ballot"},
    [REQUEST] = {"Request", "key"},
    [READ_PREPARE] = {"ReadPrepare", "key client"},
    [READ_PROMISE] = {"ReadPromise", "value client"},
    [WRITE_REPLY] = {"WriteReply", ""},
    [READ_REPLY] = {"ReadReply", "value"},
};

struct agent {
    struct {
        int64_t key, value;
    } log[SLOTS];            /* what was accepted; key 0: nothing */
    int64_t promised[SLOTS]; /* ballots */
    /* Of the leader: its proposals. */
    struct {
        int64_t key, value, client;
        int32_t promises, accepts;
    } proposal[SLOTS];
    int64_t next;
};

static int majority(const struct foresee *f)
{
    return (int)foresee_agents(f) / 2 + 1;
}

/* To every agent, oneself too. */
static void to_all(struct foresee *f, int64_t kind, int64_t slot, const struct agent *me)
{
    for (int64_t to = 1; to <= foresee_agents(f); to++)
        if (kind == PREPARE)
            FORESEE_SEND(f, to, PREPARE, slot, foresee_self(f));
        else
            FORESEE_SEND(f, to, ACCEPT, slot, foresee_self(f), me->proposal[slot].key,
                         me->proposal[slot].value);
}

static void on_propose_command(struct foresee *f, void *state,
                               const struct foresee_received *m)
{
    (void)state;
    FORESEE_SEND(f, LEADER, PROPOSE, m->field[0], m->field[1], m->from);
}

static void on_propose(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct agent *me = state;
    foresee_require(f, me->next < SLOTS, "the log has four slots");
    int64_t slot = me->next++ % SLOTS;
    me->proposal[slot].key = m->field[0];
    me->proposal[slot].value = m->field[1];
    me->proposal[slot].client = m->field[2];
    to_all(f, PREPARE, slot, me);
}

static void on_prepare(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct agent *me = state;
    if (m->field[1] < me->promised[m->field[0]])
        return;
    me->promised[m->field[0]] = m->field[1];
    FORESEE_SEND(f, m->from, PROMISE, m->field[0], m->field[1]);
}

static void on_promise(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct agent *me = state;
    if (!me->proposal[m->field[0]].client)
        return; /* forgotten in a crash */
    if (++me->proposal[m->field[0]].promises == majority(f))
        to_all(f, ACCEPT, m->field[0], me);
}

static void on_accept(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct agent *me = state;
    int64_t slot = m->field[0];
    if (m->field[1] < me->promised[slot])
        return;
    me->log[slot].key = m->field[2];
    me->log[slot].value = m->field[3];
    FORESEE_SEND(f, m->from, ACCEPTED, slot, m->field[1]);
}

static void on_accepted(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct agent *me = state;
    if (!me->proposal[m->field[0]].client)
        return;
    if (++me->proposal[m->field[0]].accepts == majority(f))
        FORESEE_SEND(f, me->proposal[m->field[0]].client, WRITE_REPLY);
}

static void on_request(struct foresee *f, void *state, const struct foresee_received *m)
{
    (void)state;
    FORESEE_SEND(f, LEADER, READ_PREPARE, m->field[0], m->from);
}

static void on_read_prepare(struct foresee *f, void *state,
                            const struct foresee_received *m)
{
    struct agent *me = state;
    int64_t value = FORESEE_NIL;
    for (int slot = 0; slot < SLOTS; slot++)
        if (me->log[slot].key == m->field[0])
            value = me->log[slot].value;
    FORESEE_SEND(f, m->from, READ_PROMISE, value, m->field[1]);
}

static void on_read_promise(struct foresee *f, void *state,
                            const struct foresee_received *m)
{
    (void)state;
    FORESEE_SEND(f, m->field[1], READ_REPLY, m->field[0]);
}

static const foresee_handler agent_on[] = {
    [PROPOSE_COMMAND] = on_propose_command,
    [PROPOSE] = on_propose,
    [PREPARE] = on_prepare,
    [PROMISE] = on_promise,
    [ACCEPT] = on_accept,
    [ACCEPTED] = on_accepted,
    [REQUEST] = on_request,
    [READ_PREPARE] = on_read_prepare,
    [READ_PROMISE] = on_read_promise,
    [WRITE_REPLY] = 0,
    [READ_REPLY] = 0,
};

static const struct foresee_role roles[] = {
    {"agent", sizeof(struct agent), 0, agent_on, 0},
};

const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system,
    FORESEE_ACTOR_ABI,
    "paxos",
    messages,
    sizeof messages / sizeof *messages,
    roles,
    1,
};
