/* Agent 1 asks all others; each answers twice; agent 1 remembers who did, and tells its client
 * when all have. */
#include "foresee/actor.h"

enum { ASK, PING, PONG, ANSWER };
static const struct foresee_message messages[] = {
    {"Ask", "client"}, {"Ping", ""}, {"Pong", "by"}, {"Answer", "value"}};

struct node {
    int64_t client, heard[5];
};

static void on_ask(struct foresee *f, void *state, const struct foresee_received *m)
{
    ((struct node *)state)->client = m->field[0];
    FORESEE_BROADCAST(f, PING);
}

static void on_ping(struct foresee *f, void *state, const struct foresee_received *m)
{
    (void)state;
    FORESEE_SEND(f, m->from, PONG, f->self);
    FORESEE_SEND(f, m->from, PONG, f->self);
}

static void on_pong(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct node *me = state;
    int all = 1;
    me->heard[m->field[0]] = 1;
    for (int64_t i = 1; i <= foresee_agents(f); i++)
        all &= i == f->self || me->heard[i];
    if (all && me->client) {
        FORESEE_SEND(f, me->client, ANSWER, 0);
        me->client = 0;
    }
}

static const foresee_handler on[] = {on_ask, on_ping, on_pong, 0};
static const struct foresee_role roles[] = {{"node", sizeof(struct node), 0, on, 0}};
const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system, FORESEE_ACTOR_ABI, "poll", messages, 4, roles, 1};

static void rename_node(void *state, const int64_t *to, int64_t agents)
{
    struct node *me = state, old = *me;
    for (int64_t i = 1; i <= agents; i++)
        me->heard[to[i]] = old.heard[i];
}

static void (*const renames[])(void *, const int64_t *, int64_t) = {rename_node};
static const uint32_t fields[] = {0, 0, 1, 0};
const struct foresee_symmetry foresee_symmetry = {sizeof foresee_symmetry, renames, fields};
