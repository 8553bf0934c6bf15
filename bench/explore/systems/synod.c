/* Paxos for one decision: proposers ask acceptors for a promise, then to accept; a proposer whom a
 * majority has answered tells the learner what was decided. Proposers do not try again.
 *
 * With BUG a proposer does not take over a value that an acceptor has accepted already: two values
 * can be decided. */
#include <foresee/actor.h>

#define LEARNER 1

enum { GO, PREPARE, PROMISE, ACCEPT, ACCEPTED, DECIDED };

static const struct foresee_message messages[] = {
    [GO] = {"Go", ""},
    [PREPARE] = {"Prepare", "ballot"},
    [PROMISE] = {"Promise", "ballot accepted value"},
    [ACCEPT] = {"Accept", "ballot value"},
    [ACCEPTED] = {"Accepted", "ballot"},
    [DECIDED] = {"Decided", "value"},
};

/* Agents: the learner is 1, then the acceptors, then the proposers. */
struct learner {
    int8_t value;
};

struct acceptor {
    int8_t promised, accepted, value;
};

struct proposer {
    int8_t ballot, value, best, promises, accepts, acceptors;
};

static void start_proposer(struct foresee *f, void *state,
                           const int64_t args[FORESEE_FIELDS])
{
    struct proposer *me = state;
    (void)f;
    me->ballot = (int8_t)args[0];
    me->value = (int8_t)args[0];
    me->acceptors = (int8_t)args[1];
}

static void ask_all(struct foresee *f, const struct proposer *me, int kind)
{
    for (int64_t a = 2; a < 2 + me->acceptors; a++)
        if (kind == PREPARE)
            FORESEE_SEND(f, a, PREPARE, me->ballot);
        else
            FORESEE_SEND(f, a, ACCEPT, me->ballot, me->value);
}

static void on_go(struct foresee *f, void *state, const struct foresee_received *m)
{
    (void)m;
    ask_all(f, state, PREPARE);
}

static void on_prepare(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct acceptor *me = state;
    if (m->field[0] <= me->promised)
        return;
    me->promised = (int8_t)m->field[0];
    FORESEE_SEND(f, m->from, PROMISE, m->field[0], me->accepted, me->value);
}

static void on_promise(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct proposer *me = state;
#ifndef BUG
    if (m->field[1] > me->best && me->promises <= me->acceptors / 2) {
        me->best = (int8_t)m->field[1];
        me->value = (int8_t)m->field[2];
    }
#endif
    if (++me->promises == me->acceptors / 2 + 1)
        ask_all(f, me, ACCEPT);
}

static void on_accept(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct acceptor *me = state;
    if (m->field[0] < me->promised)
        return;
    me->promised = me->accepted = (int8_t)m->field[0];
    me->value = (int8_t)m->field[1];
    FORESEE_SEND(f, m->from, ACCEPTED, m->field[0]);
}

static void on_accepted(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct proposer *me = state;
    (void)m;
    if (++me->accepts == me->acceptors / 2 + 1)
        FORESEE_SEND(f, LEARNER, DECIDED, me->value);
}

static void on_decided(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct learner *me = state;
    foresee_require(f, !me->value || me->value == m->field[0], "two values are decided");
    me->value = (int8_t)m->field[0];
}

static const foresee_handler learner_on[] = {[DECIDED] = on_decided};
static const foresee_handler acceptor_on[] = {
    [PREPARE] = on_prepare, [ACCEPT] = on_accept, [DECIDED] = 0};
static const foresee_handler proposer_on[] = {
    [GO] = on_go, [PROMISE] = on_promise, [ACCEPTED] = on_accepted, [DECIDED] = 0};

static const struct foresee_role roles[] = {
    {"learner", sizeof(struct learner), 0, learner_on, 0},
    {"acceptor", sizeof(struct acceptor), 0, acceptor_on, 0},
    {"proposer", sizeof(struct proposer), start_proposer, proposer_on, 0},
};

const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system,
    FORESEE_ACTOR_ABI,
    "synod",
    messages,
    sizeof messages / sizeof *messages,
    roles,
    3,
};
