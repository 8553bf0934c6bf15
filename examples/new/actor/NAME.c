/* NAME: an actor system for `foresee explore`. As it stands, it is a register on two agents:
 * agent 1 keeps the value, agent 2 passes everything on to it. Change it into yours. */
#include <foresee/actor.h>

#define KEEPER 1

/* The message types: a name, and the names of the fields. */
enum { WRITE, READ, WRITTEN, VALUE };
static const struct foresee_message messages[] = {
    [WRITE] = {"Write", "value client"},
    [READ] = {"Read", "client"},
    [WRITTEN] = {"Written", ""},
    [VALUE] = {"Value", "value"},
};

/* The state of an agent: plain data, no pointers. It begins cleared. */
struct agent {
    int64_t value;
};

/* A handler may change its state and send. Clients have negative numbers; what is sent to one
 * is an answer. */
static void on_write(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct agent *me = state;
    int64_t value = m->field[0], client = m->field[1];
    if (foresee_self(f) != KEEPER) {
        FORESEE_SEND(f, KEEPER, WRITE, value, client);
        return;
    }
    me->value = value;
    FORESEE_SEND(f, client, WRITTEN);
}

static void on_read(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct agent *me = state;
    int64_t client = m->field[0];
    if (foresee_self(f) != KEEPER)
        FORESEE_SEND(f, KEEPER, READ, client);
    else
        FORESEE_SEND(f, client, VALUE, me->value);
}

static const foresee_handler agent_on[] = {
    [WRITE] = on_write,
    [READ] = on_read,
    [WRITTEN] = 0, /* only clients get these */
    [VALUE] = 0,
};

static const struct foresee_role roles[] = {
    {"agent", sizeof(struct agent), 0, agent_on, 0},
};

const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system,
    FORESEE_ACTOR_ABI,
    "NAME",
    messages,
    sizeof messages / sizeof *messages,
    roles,
    sizeof roles / sizeof *roles,
};
