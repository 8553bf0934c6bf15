/* A primary-backup register [ds2, algorithm 2]. Agent 1 leads. A write is acknowledged when a
 * majority has it; a read is answered when a majority agrees with what the leader had.
 *
 * Two flaws of the original are kept, because its published figures show them: a forwarded
 * write forgets its client, so nobody is told; and a read on which the replicas disagree is
 * never asked again. Both leave operations without an answer (blocked-forever). */
#include <foresee/actor.h>

#define CLIENTS 8
#define LEADER 1

enum {
    WRITE,
    READ,
    WRITE_REPLICA,
    WRITE_REPLICA_ACK,
    READ_REPLICA,
    READ_REPLICA_ACK,
    WRITE_ACK,
    READ_ACK
};

static const struct foresee_message messages[] = {
    [WRITE] = {"Write", "value"},
    [READ] = {"Read", "client"},
    [WRITE_REPLICA] = {"WriteReplica", "value client"},
    [WRITE_REPLICA_ACK] = {"WriteReplicaAck", "client"},
    [READ_REPLICA] = {"ReadReplica", "client"},
    [READ_REPLICA_ACK] = {"ReadReplicaAck", "client value"},
    [WRITE_ACK] = {"WriteAck", ""},
    [READ_ACK] = {"ReadAck", "value"},
};

struct replica {
    int64_t value;
    int32_t writes[CLIENTS]; /* acknowledgements by client; 0: no such operation */
    struct {
        int64_t value;
        int32_t acks, same;
    } reads[CLIENTS];
};

/* The tracker's entry of a client, or -1 if it is none (clients are negative). */
static int64_t entry(int64_t client)
{
    return client < 0 && client >= -CLIENTS ? -client - 1 : -1;
}

static int majority(const struct foresee *f)
{
    return (int)foresee_agents(f) / 2 + 1;
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
        me->writes[entry(m->from)] = 1;
    FORESEE_BROADCAST(f, WRITE_REPLICA, me->value, m->from);
}

static void on_read(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct replica *me = state;
    int64_t client = m->field[0];
    if (foresee_self(f) != LEADER) {
        FORESEE_SEND(f, LEADER, READ, client);
        return;
    }
    me->reads[entry(client)].value = me->value;
    me->reads[entry(client)].acks = me->reads[entry(client)].same = 1;
    FORESEE_BROADCAST(f, READ_REPLICA, client);
}

static void on_write_replica(struct foresee *f, void *state,
                             const struct foresee_received *m)
{
    struct replica *me = state;
    me->value = m->field[0];
    FORESEE_SEND(f, m->from, WRITE_REPLICA_ACK, m->field[1]);
}

static void on_read_replica(struct foresee *f, void *state,
                            const struct foresee_received *m)
{
    struct replica *me = state;
    FORESEE_SEND(f, m->from, READ_REPLICA_ACK, m->field[0], me->value);
}

static void on_write_ack(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct replica *me = state;
    int64_t client = m->field[0], i = entry(client);
    if (i < 0 || !me->writes[i] || ++me->writes[i] < majority(f))
        return;
    me->writes[i] = 0;
    FORESEE_SEND(f, client, WRITE_ACK);
}

static void on_read_ack(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct replica *me = state;
    int64_t client = m->field[0], i = entry(client);
    if (!me->reads[i].acks)
        return;
    me->reads[i].acks++;
    if (m->field[1] == me->reads[i].value)
        me->reads[i].same++;
    if (me->reads[i].acks < majority(f) || me->reads[i].same <= me->reads[i].acks / 2)
        return;
    FORESEE_SEND(f, client, READ_ACK, me->reads[i].value);
    me->reads[i].acks = me->reads[i].same = 0;
    me->reads[i].value = 0;
}

static const foresee_handler replica_on[] = {
    [WRITE] = on_write,
    [READ] = on_read,
    [WRITE_REPLICA] = on_write_replica,
    [WRITE_REPLICA_ACK] = on_write_ack,
    [READ_REPLICA] = on_read_replica,
    [READ_REPLICA_ACK] = on_read_ack,
    [WRITE_ACK] = 0,
    [READ_ACK] = 0,
};

static const struct foresee_role roles[] = {
    {"replica", sizeof(struct replica), 0, replica_on, 0},
};

const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system,
    FORESEE_ACTOR_ABI,
    "dr",
    messages,
    sizeof messages / sizeof *messages,
    roles,
    1,
};
