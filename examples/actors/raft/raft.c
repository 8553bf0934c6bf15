/* A register replicated by Raft: elections, log replication, commitment by majority. Server 1
 * leads term 1 at the start; a Timeout makes a server a candidate. Writes and reads are entries
 * of the log, and are answered by the leader that applies them. Only an entry of the leader's
 * own term is committed by counting replicas.
 *
 * With BUG the leader answers reads from its own state. A leader that was deposed and does not
 * know it yet then answers with old values (not-linearizable).
 *
 * With FORGETS the vote is not on disk: a server that crashes after it voted may vote twice, so
 * that one term has two leaders (look with --faults crash=1).
 *
 * Timers fire only as often as the harness says, and clients do not ask again, so an operation
 * that a change of leaders loses is never answered: look with --only not-linearizable. */
#include <foresee/actor.h>

#define LOG 4

enum { WRITE, READ, TIMEOUT, REQUEST_VOTE, VOTE, APPEND, APPENDED, WRITTEN, VALUE };
enum { FOLLOWER, CANDIDATE, LEADER };
enum { ENTRY_NOTHING, ENTRY_WRITE, ENTRY_READ };

static const struct foresee_message messages[] = {
    [WRITE] = {"Write", "value client"},
    [READ] = {"Read", "client"},
    [TIMEOUT] = {"Timeout", ""},
    [REQUEST_VOTE] = {"RequestVote", "term last_index last_term"},
    [VOTE] = {"Vote", "term granted"},
    /* One entry at `index`; the one before it must match. */
    [APPEND] = {"Append", "term index prev_term entry_term kind value client commit"},
    [APPENDED] = {"Appended", "term index ok"},
    [WRITTEN] = {"Written", ""},
    [VALUE] = {"Value", "value"},
};

struct entry {
    int64_t term, kind, value, client;
};

struct server {
    int64_t term, voted_for, role, leader;
    struct entry log[LOG]; /* entries 1 .. last are log[0 .. last - 1] */
    int64_t last, commit, applied;
    int64_t value;              /* of the register, after `applied` entries */
    int32_t votes, stored[LOG]; /* sets of servers, as bits */
};

static void start(struct foresee *f, void *state, const int64_t *args)
{
    struct server *me = state;
    (void)args;
    me->term = me->leader = 1;
    me->role = foresee_self(f) == 1 ? LEADER : FOLLOWER;
}

/* What is on disk: term, vote and log. */
static void restart(struct foresee *f, void *state)
{
    struct server *me = state;
    (void)f;
#ifdef FORGETS
    me->voted_for = 0;
#endif
    me->role = FOLLOWER;
    me->leader = me->commit = me->applied = me->value = me->votes = 0;
    for (int i = 0; i < LOG; i++)
        me->stored[i] = 0;
}

static int is_majority(const struct foresee *f, int32_t set)
{
    int n = 0;
    for (; set; set &= set - 1)
        n++;
    return n > foresee_agents(f) / 2;
}

static int64_t term_at(const struct server *me, int64_t index)
{
    return index ? me->log[index - 1].term : 0;
}

static void see_term(struct server *me, int64_t term)
{
    if (term <= me->term)
        return;
    me->term = term;
    me->role = FOLLOWER;
    me->voted_for = me->leader = 0;
    me->votes = 0;
}

static void send_entry(struct foresee *f, const struct server *me, int64_t to,
                       int64_t index)
{
    const struct entry *e = &me->log[index - 1];
    FORESEE_SEND(f, to, APPEND, me->term, index, term_at(me, index - 1), e->term, e->kind,
                 e->value, e->client, me->commit);
}

/* Carries out what is committed; the leader answers. */
static void apply(struct foresee *f, struct server *me)
{
    while (me->applied < me->commit) {
        const struct entry *e = &me->log[me->applied++];
        if (e->kind == ENTRY_WRITE)
            me->value = e->value;
        if (me->role != LEADER)
            continue;
        if (e->kind == ENTRY_WRITE)
            FORESEE_SEND(f, e->client, WRITTEN);
        else
            FORESEE_SEND(f, e->client, VALUE, me->value);
    }
}

static void add_entry(struct foresee *f, struct server *me, int64_t kind, int64_t value,
                      int64_t client)
{
    foresee_require(f, me->last < LOG, "the log has room for four entries");
    if (me->last == LOG)
        return;
    me->log[me->last++] = (struct entry){me->term, kind, value, client};
    me->stored[me->last - 1] = 1 << foresee_self(f);
    for (int64_t to = 1; to <= foresee_agents(f); to++)
        if (to != foresee_self(f))
            send_entry(f, me, to, me->last);
}

static void on_write(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    if (me->role == LEADER)
        add_entry(f, me, ENTRY_WRITE, m->field[0], m->field[1]);
    else if (me->leader && me->leader != m->from)
        FORESEE_SEND(f, me->leader, WRITE, m->field[0], m->field[1]);
}

static void on_read(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
#ifdef BUG
    if (me->role == LEADER) {
        FORESEE_SEND(f, m->field[0], VALUE, me->value);
        return;
    }
#endif
    if (me->role == LEADER)
        add_entry(f, me, ENTRY_READ, 0, m->field[0]);
    else if (me->leader && me->leader != m->from)
        FORESEE_SEND(f, me->leader, READ, m->field[0]);
}

static void on_timeout(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    (void)m;
    if (me->role == LEADER)
        return;
    me->term++;
    me->role = CANDIDATE;
    me->leader = 0;
    me->voted_for = foresee_self(f);
    me->votes = 1 << foresee_self(f);
    FORESEE_BROADCAST(f, REQUEST_VOTE, me->term, me->last, term_at(me, me->last));
}

static void on_request_vote(struct foresee *f, void *state,
                            const struct foresee_received *m)
{
    struct server *me = state;
    see_term(me, m->field[0]);
    int64_t mine = term_at(me, me->last);
    int newer = m->field[2] > mine || (m->field[2] == mine && m->field[1] >= me->last);
    int granted = m->field[0] == me->term && newer && me->role == FOLLOWER &&
                  (!me->voted_for || me->voted_for == m->from);
    if (granted)
        me->voted_for = m->from;
    FORESEE_SEND(f, m->from, VOTE, me->term, granted);
}

static void on_vote(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    see_term(me, m->field[0]);
    if (me->role != CANDIDATE || m->field[0] != me->term || !m->field[1])
        return;
    me->votes |= 1 << m->from;
    if (!is_majority(f, me->votes))
        return;
    me->role = LEADER;
    me->leader = foresee_self(f);
    for (int i = 0; i < LOG; i++)
        me->stored[i] = 1 << foresee_self(f);
}

static void on_append(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    int64_t index = m->field[1];
    see_term(me, m->field[0]);
    if (m->field[0] < me->term) {
        FORESEE_SEND(f, m->from, APPENDED, me->term, index, 0);
        return;
    }
    me->role = FOLLOWER;
    me->leader = m->from;
    int fits = index <= me->last + 1 && term_at(me, index - 1) == m->field[2];
    if (fits && (index > me->last || term_at(me, index) != m->field[3])) {
        for (int64_t i = index; i < LOG; i++)
            me->log[i] = (struct entry){0, 0, 0, 0};
        me->log[index - 1] =
            (struct entry){m->field[3], m->field[4], m->field[5], m->field[6]};
        me->last = index;
    }
    if (fits && m->field[7] > me->commit)
        me->commit = m->field[7] < index ? m->field[7] : index;
    apply(f, me);
    FORESEE_SEND(f, m->from, APPENDED, me->term, index, fits);
}

static void on_appended(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct server *me = state;
    int64_t index = m->field[1];
    see_term(me, m->field[0]);
    if (me->role != LEADER || m->field[0] != me->term)
        return;
    if (!m->field[2]) {
        if (index > 1)
            send_entry(f, me, m->from, index - 1);
        return;
    }
    me->stored[index - 1] |= 1 << m->from;
    if (index < me->last && !(me->stored[index] & 1 << m->from))
        send_entry(f, me, m->from, index + 1);
    if (index > me->commit && me->log[index - 1].term == me->term &&
        is_majority(f, me->stored[index - 1])) {
        me->commit = index;
        apply(f, me);
    }
}

static const foresee_handler server_on[] = {
    [WRITE] = on_write,
    [READ] = on_read,
    [TIMEOUT] = on_timeout,
    [REQUEST_VOTE] = on_request_vote,
    [VOTE] = on_vote,
    [APPEND] = on_append,
    [APPENDED] = on_appended,
    [WRITTEN] = 0,
    [VALUE] = 0,
};

static const struct foresee_role roles[] = {
    {"server", sizeof(struct server), start, server_on, restart},
};

const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system,
    FORESEE_ACTOR_ABI,
    "raft",
    messages,
    sizeof messages / sizeof *messages,
    roles,
    1,
};
