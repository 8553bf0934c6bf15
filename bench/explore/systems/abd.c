/* A register on three servers after Attiya, Bar-Noy and Dolev. A client's request goes to a server,
 * which asks all for their latest value; when a majority (itself included) has answered, it has a
 * majority store what it writes or has read, and answers.
 *
 * With BUG a read answers as soon as it knows a value, and does not store it: a later read may ask
 * others and find an older one (not-linearizable). */
#include <foresee/actor.h>

#define CLIENTS 6

enum { WRITE, READ, QUERY, HAVE, STORE, STORED, WRITTEN, VALUE };

static const struct foresee_message messages[] = {
    [WRITE] = {"Write", "value client"},
    [READ] = {"Read", "client"},
    [QUERY] = {"Query", "client"},
    [HAVE] = {"Have", "client stamp value"},
    [STORE] = {"Store", "client stamp value"},
    [STORED] = {"Stored", "client"},
    [WRITTEN] = {"Written", ""},
    [VALUE] = {"Value", "value"},
};

struct request {
    int8_t phase, count, stamp, value, writes, write;
};

struct server {
    int8_t stamp, value; /* stamps: 4 * number + server */
    struct request of[CLIENTS];
};

static struct request *request_of(struct server *me, int64_t client)
{
    return &me->of[-client - 1];
}

static void begin(struct foresee *f, struct server *me, int64_t client, int writes,
                  int64_t value)
{
    *request_of(me, client) =
        (struct request){1, 1, me->stamp, me->value, (int8_t)writes, (int8_t)value};
    FORESEE_BROADCAST(f, QUERY, client);
}

static void on_write(struct foresee *f, void *state, const struct foresee_received *m)
{
    begin(f, state, m->field[1], 1, m->field[0]);
}

static void on_read(struct foresee *f, void *state, const struct foresee_received *m)
{
    begin(f, state, m->field[0], 0, 0);
}

static void on_query(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    FORESEE_SEND(f, m->from, HAVE, m->field[0], me->stamp, me->value);
}

static void finish(struct foresee *f, struct request *r, int64_t client)
{
    if (r->writes)
        FORESEE_SEND(f, client, WRITTEN);
    else
        FORESEE_SEND(f, client, VALUE, r->value);
    *r = (struct request){0};
}

static void on_have(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    int64_t client = m->field[0];
    struct request *r = request_of(me, client);
    if (r->phase != 1)
        return;
    if (m->field[1] > r->stamp) {
        r->stamp = (int8_t)m->field[1];
        r->value = (int8_t)m->field[2];
    }
    if (++r->count <= foresee_agents(f) / 2)
        return;
    if (r->writes) {
        r->stamp = (int8_t)((r->stamp / 4 + 1) * 4 + foresee_self(f));
        r->value = r->write;
    }
#ifdef BUG
    if (!r->writes) {
        finish(f, r, client);
        return;
    }
#endif
    r->phase = 2;
    r->count = 1;
    if (r->stamp > me->stamp) {
        me->stamp = r->stamp;
        me->value = r->value;
    }
    FORESEE_BROADCAST(f, STORE, client, r->stamp, r->value);
}

static void on_store(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    if (m->field[1] > me->stamp) {
        me->stamp = (int8_t)m->field[1];
        me->value = (int8_t)m->field[2];
    }
    FORESEE_SEND(f, m->from, STORED, m->field[0]);
}

static void on_stored(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct request *r = request_of(state, m->field[0]);
    if (r->phase == 2 && ++r->count > foresee_agents(f) / 2)
        finish(f, r, m->field[0]);
}

static const foresee_handler server_on[] = {
    [WRITE] = on_write, [READ] = on_read,     [QUERY] = on_query, [HAVE] = on_have,
    [STORE] = on_store, [STORED] = on_stored, [WRITTEN] = 0,      [VALUE] = 0,
};

static const struct foresee_role roles[] = {
    {"server", sizeof(struct server), 0, server_on, 0},
};

const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system,
    FORESEE_ACTOR_ABI,
    "abd",
    messages,
    sizeof messages / sizeof *messages,
    roles,
    1,
};
