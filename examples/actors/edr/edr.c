/* The erroneous register of [ds2, section 4.2]: three agents, of which 1 leads. Every agent
 * answers reads at once from its own copy, and a write is acknowledged when the first replica
 * has it, so a read that starts after the write may still miss it (not-linearizable). */
#include <foresee/actor.h>

#define CLIENTS 8
#define LEADER 1

enum { WRITE, READ, WRITE_REPLICA, WRITE_REPLICA_ACK, WRITE_ACK, READ_ACK };

static const struct foresee_message messages[] = {
    [WRITE] = {"Write", "value"},
    [READ] = {"Read", ""},
    [WRITE_REPLICA] = {"WriteReplica", "value client"},
    [WRITE_REPLICA_ACK] = {"WriteReplicaAck", "client"},
    [WRITE_ACK] = {"WriteAck", ""},
    [READ_ACK] = {"ReadAck", "value"},
};

struct replica {
    int64_t value;
    int8_t waits[CLIENTS]; /* writes that are not acknowledged yet, by client */
};

static int64_t entry(int64_t client)
{
    return client < 0 && client >= -CLIENTS ? -client - 1 : -1;
}

static void on_write(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct replica *me = state;
    if (foresee_self(f) != LEADER) {
        FORESEE_SEND(f, LEADER, WRITE, m->field[0]);
        return;
    }
    me->value = m->field[0];
    if (entry(m->from) >= 0)
        me->waits[entry(m->from)] = 1;
    FORESEE_BROADCAST(f, WRITE_REPLICA, me->value, m->from);
}

static void on_read(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct replica *me = state;
    FORESEE_SEND(f, m->from, READ_ACK, me->value);
}

static void on_write_replica(struct foresee *f, void *state,
                             const struct foresee_received *m)
{
    struct replica *me = state;
    me->value = m->field[0];
    FORESEE_SEND(f, m->from, WRITE_REPLICA_ACK, m->field[1]);
}

static void on_write_ack(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct replica *me = state;
    int64_t client = m->field[0], i = entry(client);
    if (i < 0 || !me->waits[i])
        return;
    me->waits[i] = 0;
    FORESEE_SEND(f, client, WRITE_ACK);
}

static const foresee_handler replica_on[] = {
    [WRITE] = on_write,
    [READ] = on_read,
    [WRITE_REPLICA] = on_write_replica,
    [WRITE_REPLICA_ACK] = on_write_ack,
    [WRITE_ACK] = 0,
    [READ_ACK] = 0,
};

static const struct foresee_role roles[] = {
    {"replica", sizeof(struct replica), 0, replica_on, 0},
};

const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system,
    FORESEE_ACTOR_ABI,
    "edr",
    messages,
    sizeof messages / sizeof *messages,
    roles,
    1,
};
