/* Another register [ds2, section 4.3]: every agent leads the operations that it receives.
 * A write is acknowledged at its first acknowledgement. A read compares what the replicas
 * have with the agent's register of that moment; if they disagree it is never answered. */
#include <foresee/actor.h>

#define CLIENTS 8

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
    [READ] = {"Read", ""},
    [WRITE_REPLICA] = {"WriteReplica", "value client"},
    [WRITE_REPLICA_ACK] = {"WriteReplicaAck", "client"},
    [READ_REPLICA] = {"ReadReplica", "client"},
    [READ_REPLICA_ACK] = {"ReadReplicaAck", "client value"},
    [WRITE_ACK] = {"WriteAck", ""},
    [READ_ACK] = {"ReadAck", "value"},
};

struct replica {
    int64_t value;
    int8_t writes[CLIENTS]; /* acknowledgements, by client; 0: no such operation */
    struct {
        int64_t value;
        int32_t acks, same;
    } reads[CLIENTS];
};

static void on_write(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct replica *me = state;
    me->value = m->field[0];
    me->writes[-m->from - 1] = 1;
    FORESEE_BROADCAST(f, WRITE_REPLICA, me->value, m->from);
}

static void on_read(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct replica *me = state;
    me->reads[-m->from - 1].value = me->value;
    me->reads[-m->from - 1].acks = me->reads[-m->from - 1].same = 1;
    FORESEE_BROADCAST(f, READ_REPLICA, m->from);
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
    int64_t client = m->field[0];
    if (!me->writes[-client - 1])
        return;
    me->writes[-client - 1] = 0;
    FORESEE_SEND(f, client, WRITE_ACK);
}

static void on_read_ack(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct replica *me = state;
    int64_t client = m->field[0], i = -client - 1;
    if (!me->reads[i].acks)
        return;
    me->reads[i].value = me->value;
    me->reads[i].acks++;
    if (m->field[1] == me->value)
        me->reads[i].same++;
    if (me->reads[i].acks <= foresee_agents(f) / 2 ||
        me->reads[i].same <= me->reads[i].acks / 2)
        return;
    FORESEE_SEND(f, client, READ_ACK, me->value);
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
    "adr",
    messages,
    sizeof messages / sizeof *messages,
    roles,
    1,
};
