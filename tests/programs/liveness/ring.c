/* A ring of agents with one token; each agent also has a timer that rings again and again, so that
 * only fairness brings the token on.
 *   LOSES: the second agent drops the token
 *   FORWARDS: agents pass requests on to each other instead of answering them
 * Whoever has the token answers the requests it has seen. */
#include "foresee/actor.h"

enum { TOKEN, TICK, ASK, DONE };
static const struct foresee_message messages[] = {
    {"Token", ""}, {"Tick", ""}, {"Ask", "client"}, {"Done", ""}};

struct node {
    int64_t had;  /* the token was here */
    int64_t owed; /* a client that waits, or 0 */
};

static int64_t next_of(struct foresee *f)
{
    return f->self % foresee_agents(f) + 1;
}

static void on_token(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct node *me = state;
    (void)m;
    me->had = 1;
    if (me->owed) {
        FORESEE_SEND(f, me->owed, DONE);
        me->owed = 0;
    }
#ifdef LOSES
    if (f->self == 2)
        return;
#endif
    FORESEE_SEND(f, next_of(f), TOKEN);
}

static void on_tick(struct foresee *f, void *state, const struct foresee_received *m)
{
    (void)state, (void)m;
    FORESEE_SEND(f, f->self, TICK);
}

static void on_ask(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct node *me = state;
#ifdef FORWARDS
    (void)me;
    FORESEE_SEND(f, next_of(f), ASK, m->field[0]);
#else
    me->owed = m->field[0];
    (void)f;
#endif
}

static const foresee_handler on[] = {on_token, on_tick, on_ask, 0};
static const struct foresee_role roles[] = {{"node", sizeof(struct node), 0, on, 0}};
const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system, FORESEE_ACTOR_ABI, "ring", messages, 4, roles, 1};

static int had_token(const void *state, int64_t self)
{
    (void)self;
    return ((const struct node *)state)->had != 0;
}

static const struct foresee_proposition propositions[] = {{"had_token", 0, had_token}};
const struct foresee_propositions foresee_propositions = {sizeof foresee_propositions, 1,
                                                          propositions};
