/* A first-in-first-out queue on two agents. Agent 1 keeps the items and has each change copied
 * to agent 2 before it answers; agent 2 passes requests on.
 *
 * With BUG each agent keeps a queue of its own, to save the way, and only an empty one asks the
 * other: items can overtake each other (not-linearizable). */
#include <foresee/actor.h>

#define ITEMS 4
#define KEEPER 1

enum { ENQUEUE, DEQUEUE, COPY, COPIED, PULL, ENQUEUED, DEQUEUED };

static const struct foresee_message messages[] = {
    [ENQUEUE] = {"Enqueue", "item client"},
    [DEQUEUE] = {"Dequeue", "client"},
    [COPY] = {"Copy", "serial item client"},
    [COPIED] = {"Copied", "item client"},
    [PULL] = {"Pull", "client"},
    [ENQUEUED] = {"Enqueued", ""},
    [DEQUEUED] = {"Dequeued", "item"},
};

struct agent {
    int64_t item[ITEMS];
    int64_t n;
    int64_t serial; /* changes so far; a copy holds the latest */
};

static void put(struct foresee *f, struct agent *me, int64_t item)
{
    foresee_require(f, me->n < ITEMS, "the queue has room for four items");
    if (me->n < ITEMS)
        me->item[me->n++] = item;
}

static int64_t take(struct agent *me)
{
    int64_t first = me->n ? me->item[0] : FORESEE_NIL;
    for (int64_t i = 1; i < me->n; i++)
        me->item[i - 1] = me->item[i];
    if (me->n)
        me->item[--me->n] = 0;
    return first;
}

#ifdef BUG
static void on_enqueue(struct foresee *f, void *state, const struct foresee_received *m)
{
    put(f, state, m->field[0]);
    FORESEE_SEND(f, m->field[1], ENQUEUED);
}

static void on_dequeue(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct agent *me = state;
    if (me->n)
        FORESEE_SEND(f, m->field[0], DEQUEUED, take(me));
    else
        FORESEE_BROADCAST(f, PULL, m->field[0]);
}
#else
/* Only the keeper changes the queue; the copy's answer releases the client's. */
static void on_enqueue(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct agent *me = state;
    if (foresee_self(f) != KEEPER) {
        FORESEE_SEND(f, KEEPER, ENQUEUE, m->field[0], m->field[1]);
        return;
    }
    put(f, me, m->field[0]);
    FORESEE_BROADCAST(f, COPY, ++me->serial, FORESEE_NIL, m->field[1]);
}

static void on_dequeue(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct agent *me = state;
    if (foresee_self(f) != KEEPER) {
        FORESEE_SEND(f, KEEPER, DEQUEUE, m->field[0]);
        return;
    }
    int64_t item = take(me);
    if (item == FORESEE_NIL)
        FORESEE_SEND(f, m->field[0], DEQUEUED, item);
    else
        FORESEE_BROADCAST(f, COPY, ++me->serial, item, m->field[0]);
}
#endif

static void on_copy(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct agent *me = state;
    if (m->field[0] > me->serial)
        me->serial = m->field[0];
    FORESEE_SEND(f, m->from, COPIED, m->field[1], m->field[2]);
}

static void on_copied(struct foresee *f, void *state, const struct foresee_received *m)
{
    (void)state;
    if (m->field[0] == FORESEE_NIL)
        FORESEE_SEND(f, m->field[1], ENQUEUED);
    else
        FORESEE_SEND(f, m->field[1], DEQUEUED, m->field[0]);
}

static void on_pull(struct foresee *f, void *state, const struct foresee_received *m)
{
    FORESEE_SEND(f, m->field[0], DEQUEUED, take(state));
}

static const foresee_handler agent_on[] = {
    [ENQUEUE] = on_enqueue, [DEQUEUE] = on_dequeue, [COPY] = on_copy,
    [COPIED] = on_copied,   [PULL] = on_pull,       [ENQUEUED] = 0,
    [DEQUEUED] = 0,
};

static const struct foresee_role roles[] = {
    {"agent", sizeof(struct agent), 0, agent_on, 0},
};

const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system,
    FORESEE_ACTOR_ABI,
    "queue",
    messages,
    sizeof messages / sizeof *messages,
    roles,
    1,
};
