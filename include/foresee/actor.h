/* Actor systems for `foresee explore`, written as C shared objects.
 *
 * A system is a table of message types and a table of roles. A role has a plain state (no
 * pointers, only bytes: it is copied, hashed and restored) and one handler per message type.
 * A handler may change its own state, send, create actors, and nothing else: what it does
 * must follow from the state and the message alone. foresee decides which pending message is
 * received next, and tries every order. `foresee new actor NAME` writes a skeleton.
 *
 *     enum { PING, PONG };
 *     static const struct foresee_message messages[] = {{"Ping", "n"}, {"Pong", "n"}};
 *
 *     static void on_ping(struct foresee *f, void *state, const struct foresee_received *m)
 *     {
 *         FORESEE_SEND(f, m->from, PONG, m->field[0]);
 *     }
 *
 * Actors have positive numbers, the harness's clients negative ones, 0 is nobody. A message
 * to a client is a response. All fields are 64-bit integers; names of the harness (keys like
 * `k1`) arrive as integers that can be compared and passed on; FORESEE_NIL is "no value". */
#ifndef FORESEE_ACTOR_H
#define FORESEE_ACTOR_H

#include <stddef.h>
#include <stdint.h>

#define FORESEE_ACTOR_ABI 1u
#define FORESEE_FIELDS 10 /* a message has at most so many */
#define FORESEE_NIL INT64_MIN

struct foresee; /* what a handler is called with */

struct foresee_received {
    int64_t from, to; /* `to` is the actor that handles it */
    uint32_t kind;    /* index into the system's messages */
    uint32_t fields;
    int64_t field[FORESEE_FIELDS];
};

typedef void (*foresee_handler)(struct foresee *f, void *state,
                                const struct foresee_received *m);

struct foresee_message {
    const char *name;
    const char *fields; /* their names, separated by blanks; "" for none */
};

struct foresee_role {
    const char *name;
    size_t state_size;
    /* Fills the state of a new actor, which is cleared. May be NULL. `args` are what the
     * harness or foresee_spawn gave (cleared beyond that). */
    void (*start)(struct foresee *f, void *state, const int64_t args[FORESEE_FIELDS]);
    const foresee_handler *on; /* one per message type; NULL: must not arrive */
    /* After a crash: keeps what survives in `state` and resets the rest. NULL: everything
     * is lost and `start` runs again. Only called when crashes are asked for. */
    void (*restart)(struct foresee *f, void *state);
};

struct foresee_actor_system {
    uint32_t size; /* sizeof(struct foresee_actor_system) */
    uint32_t abi;  /* FORESEE_ACTOR_ABI */
    const char *name;
    const struct foresee_message *messages;
    uint32_t message_count;
    const struct foresee_role *roles;
    uint32_t role_count;
};

/* The one symbol that a shared object exports. */
extern const struct foresee_actor_system foresee_actor_system;

/* What [properties] of a harness may ask of states: whether something holds of an actor. A shared
 * object may export it besides. */
struct foresee_proposition {
    const char *name;
    uint32_t role; /* index into the system's roles; of other roles it does not hold */
    int (*holds)(const void *state, int64_t self);
};

struct foresee_propositions {
    uint32_t size; /* sizeof(struct foresee_propositions) */
    uint32_t count;
    const struct foresee_proposition *at;
};

extern const struct foresee_propositions foresee_propositions;

/* How states and messages name agents: what it takes to see that agents which a harness treats
 * alike are interchangeable. A shared object may export it besides, if handlers treat agents
 * alike: they compare agents' numbers for equality only, and use them to send. */
struct foresee_symmetry {
    uint32_t size; /* sizeof(struct foresee_symmetry) */
    /* One per role: makes agent i of the state agent to[i], for i from 1 to `agents`: numbers of
     * agents are replaced, and what is kept for each agent changes its place. */
    void (*const *rename)(void *state, const int64_t *to, int64_t agents);
    const uint32_t
        *fields; /* per message type: which fields are agents' numbers, as bits */
};

extern const struct foresee_symmetry foresee_symmetry;

struct foresee_actor_ops {
    /* v[0] is the kind of message or role, the fields follow. */
    void (*send)(struct foresee *f, int64_t to, size_t n, const int64_t *v);
    int64_t (*spawn)(struct foresee *f, size_t n, const int64_t *v);
    void (*broken)(struct foresee *f, const char *why);
};

struct foresee {
    const struct foresee_actor_ops *ops;
    int64_t self;   /* the actor that runs */
    int64_t agents; /* the harness's agents are 1 .. agents */
};

static inline int64_t foresee_self(const struct foresee *f)
{
    return f->self;
}

static inline int64_t foresee_agents(const struct foresee *f)
{
    return f->agents;
}

#define FORESEE_VALUES(...)                                                              \
    sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[])                \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    }

/* FORESEE_SEND(f, to, kind, fields…): as many as the type has. A timer is a message to
 * oneself: it may arrive at any later moment. */
#define FORESEE_SEND(f, to, ...) (f)->ops->send((f), (to), FORESEE_VALUES(__VA_ARGS__))

/* FORESEE_BROADCAST(f, kind, fields…): to every agent but oneself, in ascending order. */
#define FORESEE_BROADCAST(f, ...)                                                        \
    do {                                                                                 \
        for (int64_t foresee_to_ = 1; foresee_to_ <= (f)->agents; foresee_to_++)         \
            if (foresee_to_ != (f)->self)                                                \
                FORESEE_SEND((f), foresee_to_, __VA_ARGS__);                             \
    } while (0)

/* FORESEE_SPAWN(f, role, args…) creates an actor and returns its number, which depends on who
 * creates it and how many it has created, not on the schedule. */
#define FORESEE_SPAWN(f, ...) (f)->ops->spawn((f), FORESEE_VALUES(__VA_ARGS__))

/* The system's own assertion: reported with the schedule that led there. */
static inline void foresee_require(struct foresee *f, int holds, const char *why)
{
    if (!holds)
        f->ops->broken(f, why);
}

#endif
