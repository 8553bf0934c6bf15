/* A register replicated by Zab, ZooKeeper's atomic broadcast. Server 1 leads epoch 1 at the
 * start. Broadcast: the leader proposes, a majority acknowledges, the leader commits; servers
 * deliver in the order of the leader's counter. Recovery: a server whose timer fires asks for a
 * new epoch, takes over the newest history among a majority, has it acknowledged, and then
 * leads. A read is a `sync`: it goes through the broadcast like a write.
 *
 * With BUG reads are answered at once by whichever server is asked, as ZooKeeper does without
 * sync: they may miss what was acknowledged (not-linearizable).
 *
 * Timers fire only as often as the harness says, and clients do not ask again, so an operation
 * that a change of leaders loses is never answered: look with --only not-linearizable. */
#include <foresee/actor.h>

#define HISTORY 3

enum {
    WRITE,
    READ,
    PROPOSE,
    ACK,
    COMMIT,
    TIMEOUT,
    NEW_EPOCH,
    ACK_EPOCH,
    NEW_LEADER,
    ACK_LEADER,
    WRITTEN,
    VALUE
};
enum { FOLLOWING, ELECTING, SYNCING, LEADING };
enum { TX_WRITE = 1, TX_READ };

static const struct foresee_message messages[] = {
    [WRITE] = {"Write", "value client"},
    [READ] = {"Read", "client"},
    [PROPOSE] = {"Propose", "epoch counter kind value client"},
    [ACK] = {"Ack", "epoch counter"},
    [COMMIT] = {"Commit", "epoch counter"},
    [TIMEOUT] = {"Timeout", ""},
    [NEW_EPOCH] = {"NewEpoch", "epoch"},
    [ACK_EPOCH] = {"AckEpoch", "epoch last_epoch length value1 value2 value3"},
    [NEW_LEADER] = {"NewLeader", "epoch length value1 value2 value3"},
    [ACK_LEADER] = {"AckLeader", "epoch"},
    [WRITTEN] = {"Written", ""},
    [VALUE] = {"Value", "value"},
};

/* A transaction. Reads leave the register as it is: their value is FORESEE_NIL. */
struct tx {
    int64_t kind, value, client;
};

struct server {
    int64_t epoch, last_epoch; /* promised; of the history */
    int64_t role, leader;
    struct tx history[HISTORY];
    int64_t length, committed; /* transactions known; how many of them may be delivered */
    int64_t delivered, value;
    int32_t acks[HISTORY], followers; /* sets of servers, as bits */
    int64_t best_epoch, best_length,
        best[HISTORY]; /* newest history seen while electing */
};

static void start(struct foresee *f, void *state, const int64_t *args)
{
    struct server *me = state;
    (void)args;
    me->epoch = me->last_epoch = me->leader = 1;
    me->role = foresee_self(f) == 1 ? LEADING : FOLLOWING;
}

static int is_majority(const struct foresee *f, int32_t set)
{
    int n = 0;
    for (; set; set &= set - 1)
        n++;
    return n > foresee_agents(f) / 2;
}

/* Delivers what is committed, in order; the leader that proposed it answers. */
static void deliver(struct foresee *f, struct server *me)
{
    while (me->delivered < me->committed && me->delivered < me->length) {
        const struct tx *t = &me->history[me->delivered++];
        if (t->value != FORESEE_NIL)
            me->value = t->value;
        if (me->role == LEADING && t->kind == TX_WRITE)
            FORESEE_SEND(f, t->client, WRITTEN);
        else if (me->role == LEADING && t->kind == TX_READ)
            FORESEE_SEND(f, t->client, VALUE, me->value);
    }
}

static void propose(struct foresee *f, struct server *me, int64_t kind, int64_t value,
                    int64_t client)
{
    foresee_require(f, me->length < HISTORY,
                    "the history has room for three transactions");
    if (me->length == HISTORY)
        return;
    me->history[me->length++] = (struct tx){kind, value, client};
    me->acks[me->length - 1] = 1 << foresee_self(f);
    FORESEE_BROADCAST(f, PROPOSE, me->epoch, me->length, kind, value, client);
}

static void on_write(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    if (me->role == LEADING)
        propose(f, me, TX_WRITE, m->field[0], m->field[1]);
    else if (me->role == FOLLOWING && me->leader != m->from)
        FORESEE_SEND(f, me->leader, WRITE, m->field[0], m->field[1]);
}

static void on_read(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
#ifdef BUG
    FORESEE_SEND(f, m->field[0], VALUE, me->value);
#else
    if (me->role == LEADING)
        propose(f, me, TX_READ, FORESEE_NIL, m->field[0]);
    else if (me->role == FOLLOWING && me->leader != m->from)
        FORESEE_SEND(f, me->leader, READ, m->field[0]);
#endif
}

/* Proposals of one epoch may arrive in any order: they are acknowledged as soon as those
 * before them are there. */
static void on_propose(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    if (m->field[0] != me->epoch || me->role != FOLLOWING)
        return;
    me->history[m->field[1] - 1] = (struct tx){m->field[2], m->field[3], m->field[4]};
    while (me->length < HISTORY && me->history[me->length].kind) {
        me->length++;
        FORESEE_SEND(f, me->leader, ACK, me->epoch, me->length);
    }
    me->last_epoch = me->epoch;
    deliver(f, me);
}

/* Commits in order: a transaction is committed when it and all before it have a majority. */
static void on_ack(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    if (me->role != LEADING || m->field[0] != me->epoch)
        return;
    me->acks[m->field[1] - 1] |= 1 << m->from;
    while (me->committed < me->length && is_majority(f, me->acks[me->committed])) {
        me->committed++;
        FORESEE_BROADCAST(f, COMMIT, me->epoch, me->committed);
    }
    deliver(f, me);
}

static void on_commit(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    if (m->field[0] != me->epoch || me->role != FOLLOWING)
        return;
    if (m->field[1] > me->committed)
        me->committed = m->field[1];
    deliver(f, me);
}

static void on_timeout(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    (void)m;
    if (me->role == LEADING)
        return;
    me->epoch++;
    me->role = ELECTING;
    me->leader = foresee_self(f);
    me->followers = 1 << foresee_self(f);
    me->best_epoch = me->last_epoch;
    me->best_length = me->length;
    for (int i = 0; i < HISTORY; i++)
        me->best[i] = me->history[i].kind ? me->history[i].value : FORESEE_NIL;
    FORESEE_BROADCAST(f, NEW_EPOCH, me->epoch);
}

static void on_new_epoch(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    if (m->field[0] <= me->epoch)
        return;
    me->epoch = m->field[0];
    me->role = FOLLOWING;
    me->leader = m->from;
    FORESEE_SEND(f, m->from, ACK_EPOCH, me->epoch, me->last_epoch, me->length,
                 me->history[0].value, me->history[1].value, me->history[2].value);
}

/* Takes over a history; whom its transactions belong to is no longer known. */
static void adopt(struct server *me, int64_t length, const int64_t *values)
{
    for (int i = 0; i < HISTORY; i++)
        if (i >= length)
            me->history[i] = (struct tx){0, 0, 0};
        else if (!me->history[i].kind || me->history[i].value != values[i])
            me->history[i] = (struct tx){TX_WRITE + TX_READ, values[i], 0};
    me->length = length;
    me->last_epoch = me->epoch;
}

static void on_ack_epoch(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    if (me->role != ELECTING || m->field[0] != me->epoch)
        return;
    me->followers |= 1 << m->from;
    if (m->field[1] > me->best_epoch ||
        (m->field[1] == me->best_epoch && m->field[2] > me->best_length)) {
        me->best_epoch = m->field[1];
        me->best_length = m->field[2];
        for (int i = 0; i < HISTORY; i++)
            me->best[i] = m->field[3 + i];
    }
    if (!is_majority(f, me->followers))
        return;
    me->role = SYNCING;
    me->followers = 1 << foresee_self(f);
    adopt(me, me->best_length, me->best);
    FORESEE_BROADCAST(f, NEW_LEADER, me->epoch, me->length, me->best[0], me->best[1],
                      me->best[2]);
}

static void on_new_leader(struct foresee *f, void *state,
                          const struct foresee_received *m)
{
    struct server *me = state;
    if (m->field[0] < me->epoch || (me->role != FOLLOWING && m->field[0] == me->epoch))
        return;
    me->epoch = m->field[0];
    me->role = FOLLOWING;
    me->leader = m->from;
    adopt(me, m->field[1], m->field + 2);
    FORESEE_SEND(f, m->from, ACK_LEADER, me->epoch);
}

static void on_ack_leader(struct foresee *f, void *state,
                          const struct foresee_received *m)
{
    struct server *me = state;
    if (me->role != SYNCING || m->field[0] != me->epoch)
        return;
    me->followers |= 1 << m->from;
    if (!is_majority(f, me->followers))
        return;
    me->committed = me->length;
    deliver(f, me);
    me->role = LEADING;
    if (me->committed)
        FORESEE_BROADCAST(f, COMMIT, me->epoch, me->committed);
}

static const foresee_handler server_on[] = {
    [WRITE] = on_write,
    [READ] = on_read,
    [PROPOSE] = on_propose,
    [ACK] = on_ack,
    [COMMIT] = on_commit,
    [TIMEOUT] = on_timeout,
    [NEW_EPOCH] = on_new_epoch,
    [ACK_EPOCH] = on_ack_epoch,
    [NEW_LEADER] = on_new_leader,
    [ACK_LEADER] = on_ack_leader,
    [WRITTEN] = 0,
    [VALUE] = 0,
};

static const struct foresee_role roles[] = {
    {"server", sizeof(struct server), start, server_on, 0},
};

const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system,
    FORESEE_ACTOR_ABI,
    "zab",
    messages,
    sizeof messages / sizeof *messages,
    roles,
    1,
};
