/* Open Chord [ds2, section 4.4]: node 2 joins a ring that so far is node 1 alone. Until it has
 * learnt its successor it believes to be alone too and answers from its own, empty store, so a
 * client that asks it reads what is long gone (not-linearizable; figure 7 of the paper). */
#include <foresee/actor.h>

#define KEYS 4
#define FIRST 1 /* the node that was there before */

enum {
    UPLOAD,
    UPLOAD_RESPONSE,
    REQUEST,
    RESPONSE,
    FIND_SUCCESSOR,
    SUCCESSOR_FOUND,
    UPDATE_PREDECESSOR,
    WRITE_REPLY,
    READ_REPLY
};

static const struct foresee_message messages[] = {
    [UPLOAD] = {"UploadEntry", "key value client"},
    [UPLOAD_RESPONSE] = {"UploadEntryResponse", "key client"},
    [REQUEST] = {"Request", "key client"},
    [RESPONSE] = {"Response", "key value client"},
    [FIND_SUCCESSOR] = {"FindSuccessor", "node"},
    [SUCCESSOR_FOUND] = {"SuccessorFound", "node"},
    [UPDATE_PREDECESSOR] = {"UpdatePredecessor", "node"},
    [WRITE_REPLY] = {"WriteReply", ""},
    [READ_REPLY] = {"ReadReply", "value"},
};

struct node {
    int64_t successor, predecessor; /* oneself: alone */
    struct {
        int64_t key, value;
    } entry[KEYS];
};

static void start(struct foresee *f, void *state, const int64_t *args)
{
    struct node *me = state;
    (void)args;
    me->successor = foresee_self(f);
}

static int64_t *place(struct foresee *f, struct node *me, int64_t key)
{
    for (int i = 0; i < KEYS; i++) {
        if (!me->entry[i].key) {
            me->entry[i].key = key;
            me->entry[i].value = FORESEE_NIL;
        }
        if (me->entry[i].key == key)
            return &me->entry[i].value;
    }
    foresee_require(f, 0, "a node has room for four keys");
    return &me->entry[0].value;
}

/* Who is to be told: the node that passed the request on, or oneself. */
static int64_t origin(const struct foresee *f, const struct foresee_received *m)
{
    return m->from > 0 ? m->from : foresee_self(f);
}

static void on_upload(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct node *me = state;
    if (me->successor != foresee_self(f)) {
        FORESEE_SEND(f, me->successor, UPLOAD, m->field[0], m->field[1], m->field[2]);
        return;
    }
    *place(f, me, m->field[0]) = m->field[1];
    FORESEE_SEND(f, origin(f, m), UPLOAD_RESPONSE, m->field[0], m->field[2]);
}

static void on_upload_response(struct foresee *f, void *state,
                               const struct foresee_received *m)
{
    (void)state;
    FORESEE_SEND(f, m->field[1], WRITE_REPLY);
}

static void on_request(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct node *me = state;
    if (me->successor != foresee_self(f)) {
        FORESEE_SEND(f, me->successor, REQUEST, m->field[0], m->field[1]);
        return;
    }
    FORESEE_SEND(f, origin(f, m), RESPONSE, m->field[0], *place(f, me, m->field[0]),
                 m->field[1]);
}

static void on_response(struct foresee *f, void *state, const struct foresee_received *m)
{
    (void)state;
    FORESEE_SEND(f, m->field[2], READ_REPLY, m->field[1]);
}

static void on_find_successor(struct foresee *f, void *state,
                              const struct foresee_received *m)
{
    (void)state;
    FORESEE_SEND(f, m->field[0], SUCCESSOR_FOUND, foresee_self(f));
    FORESEE_SEND(f, m->field[0], UPDATE_PREDECESSOR, foresee_self(f));
}

static void on_successor_found(struct foresee *f, void *state,
                               const struct foresee_received *m)
{
    struct node *me = state;
    (void)f;
    me->successor = m->field[0];
}

static void on_update_predecessor(struct foresee *f, void *state,
                                  const struct foresee_received *m)
{
    struct node *me = state;
    (void)f;
    me->predecessor = m->field[0];
}

static const foresee_handler node_on[] = {
    [UPLOAD] = on_upload,
    [UPLOAD_RESPONSE] = on_upload_response,
    [REQUEST] = on_request,
    [RESPONSE] = on_response,
    [FIND_SUCCESSOR] = on_find_successor,
    [SUCCESSOR_FOUND] = on_successor_found,
    [UPDATE_PREDECESSOR] = on_update_predecessor,
    [WRITE_REPLY] = 0,
    [READ_REPLY] = 0,
};

static const struct foresee_role roles[] = {
    {"node", sizeof(struct node), start, node_on, 0},
};

const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system,
    FORESEE_ACTOR_ABI,
    "chord",
    messages,
    sizeof messages / sizeof *messages,
    roles,
    1,
};
