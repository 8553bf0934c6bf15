/* Two-phase commit: a set on two participants (2 and 3), an element is on both or on none. The
 * coordinator (1) asks for votes, then tells the decision, and answers when both have carried
 * it out. A participant that has voted keeps readers waiting until it knows the decision.
 *
 * With BUG it answers them at once, from before the vote: one reader sees the element, a later
 * one elsewhere does not (not-linearizable). */
#include <foresee/actor.h>

#define READERS 4
#define ELEMENTS 4
#define COORDINATOR 1

enum { ADD, CONTAINS, PREPARE, VOTE, DECIDE, DONE, ADDED, ANSWER };

static const struct foresee_message messages[] = {
    [ADD] = {"Add", "element"},
    [CONTAINS] = {"Contains", "element"},
    [PREPARE] = {"Prepare", "element client"},
    [VOTE] = {"Vote", "element client yes"},
    [DECIDE] = {"Decide", "element client commit"},
    [DONE] = {"Done", "element client commit"},
    [ADDED] = {"Added", "fresh"},
    [ANSWER] = {"Answer", "there"},
};

struct coordinator {
    struct {
        int32_t votes, no, done;
    } add[ELEMENTS];
};

struct participant {
    int8_t there[ELEMENTS];
    int8_t voted[ELEMENTS]; /* for an element whose decision is not known yet */
    struct {
        int64_t client, element;
    } waits[READERS];
};

static void on_add(struct foresee *f, void *state, const struct foresee_received *m)
{
    (void)state;
    FORESEE_BROADCAST(f, PREPARE, m->field[0], m->from);
}

static void on_vote(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct coordinator *me = state;
    int64_t x = m->field[0];
    me->add[x].no += !m->field[2];
    if (++me->add[x].votes == foresee_agents(f) - 1)
        FORESEE_BROADCAST(f, DECIDE, x, m->field[1], !me->add[x].no);
}

static void on_done(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct coordinator *me = state;
    if (++me->add[m->field[0]].done == foresee_agents(f) - 1)
        FORESEE_SEND(f, m->field[1], ADDED, m->field[2]);
}

static void on_prepare(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct participant *me = state;
    int64_t x = m->field[0];
    int yes = !me->there[x] && !me->voted[x];
    if (yes)
        me->voted[x] = 1;
    FORESEE_SEND(f, m->from, VOTE, x, m->field[1], yes);
}

static void on_contains(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct participant *me = state;
    int64_t x = m->field[0];
#ifndef BUG
    for (int i = 0; me->voted[x] && i < READERS; i++)
        if (!me->waits[i].client) {
            me->waits[i].client = m->from;
            me->waits[i].element = x;
            return;
        }
#endif
    FORESEE_SEND(f, m->from, ANSWER, me->there[x]);
}

static void on_decide(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct participant *me = state;
    int64_t x = m->field[0];
    if (m->field[2])
        me->there[x] = 1;
    me->voted[x] = 0;
    FORESEE_SEND(f, m->from, DONE, x, m->field[1], m->field[2]);
    for (int i = 0; i < READERS; i++)
        if (me->waits[i].client && me->waits[i].element == x) {
            FORESEE_SEND(f, me->waits[i].client, ANSWER, me->there[x]);
            me->waits[i].client = me->waits[i].element = 0;
        }
}

static const foresee_handler coordinator_on[] = {
    [ADD] = on_add,
    [VOTE] = on_vote,
    [DONE] = on_done,
    [ANSWER] = 0,
};

static const foresee_handler participant_on[] = {
    [CONTAINS] = on_contains,
    [PREPARE] = on_prepare,
    [DECIDE] = on_decide,
    [ANSWER] = 0,
};

static const struct foresee_role roles[] = {
    {"coordinator", sizeof(struct coordinator), 0, coordinator_on, 0},
    {"participant", sizeof(struct participant), 0, participant_on, 0},
};

const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system,
    FORESEE_ACTOR_ABI,
    "2pc",
    messages,
    sizeof messages / sizeof *messages,
    roles,
    2,
};
