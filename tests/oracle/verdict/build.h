/* How random programs are put together, piece by piece. Internal to the generator. */
#ifndef FORE_TESTS_ORACLE_VERDICT_BUILD_H
#define FORE_TESTS_ORACLE_VERDICT_BUILD_H

#include "oracle/verdict/program.h"

#include <string.h>

/* What keeps the threads' sections apart, and so decides who sees what of the variables. */
enum guard {
    GUARD_NONE,
    GUARD_LOCK,
    GUARD_WRITE, /* of a lock for readers and writers */
    GUARD_CHAN,  /* a buffer of one or two: to send is to enter, to receive is to leave */
    GUARD_TOKEN, /* the other way round: somebody must fill it first */
    GUARD_CAS,
    GUARD_FIRST, /* by fetch-and-add: the first one only */
    GUARD_SEM,
    GUARD_TRY,
    GUARD_ONCE,
};

/* Two operations that must not come in one of the two orders, and between their threads something
 * by which one sees whether the other has come. */
enum duel { DUEL_CLOSED, DUEL_TWICE, DUEL_MEET, DUEL_HOLD, DUEL_NEST, DUELS };

/* How a third thread tells the second side of a duel; NONE: it sees for itself. */
enum courier {
    COURIER_NONE,
    COURIER_VARIABLE,
    COURIER_MESSAGE,
    COURIER_ATOMIC,
    COURIER_PIPE,
    COURIERS
};

/* How the second thread of a relay lets the third one go. */
enum relay {
    RELAY_ROOM, /* it takes a message out of a full buffer */
    RELAY_MEETING,
    RELAY_MESSAGE,
    RELAY_CLOSE,
    RELAY_GROUP,
    RELAY_UNITS,
    RELAY_ROUND,
    RELAY_SIGNAL,
    RELAY_TIMER,
    RELAY_ONCE,
    RELAYS
};

struct builder {
    struct program *p;
    struct fore_rng *r;
    unsigned t, reg;
    int ops; /* that the thread may still have */
    enum guard guard;
    bool held[LOCKS], inside;
    unsigned barrier; /* its size */
    /* Of a duel: */
    enum duel duel;
    enum courier courier;
    enum relay relay;
    unsigned side; /* 1, 2; 3: the courier; 0: this thread is on no side */
    bool swap;     /* the first side strikes the second one's blow */
    bool late;     /* both strike outside of their sections */
    unsigned learnt;
};

enum { M = 0, N = 1, RW = 2 }; /* locks */
enum { C = 0, D = 1, E = 2 };  /* channels: the guard's, and two for what is risky */
enum { X = 0, Y = 1, Z = 2 };  /* variables */
enum { WAIT_ROOM = 6, MOST_OPS = 9 };

unsigned below(struct builder *b, unsigned n);
bool chance(struct builder *b, unsigned percent);
/* Returns where it stands. Without room it is left out, unless it closes something. */
unsigned add(struct builder *b, enum op op, unsigned x, unsigned y, unsigned z,
             unsigned w);
unsigned fresh_reg(struct builder *b);
/* if register == value; returns what if_end needs. */
unsigned if_begin(struct builder *b, unsigned reg, unsigned value, bool negated);
void if_end(struct builder *b, unsigned at);
bool has_room(const struct builder *b, int ops);

/* Locks the other lock and unlocks it. */
void add_inner_lock(struct builder *b);
void add_select(struct builder *b, bool otherwise);
/* Something that can go wrong. */
void add_risk(struct builder *b);
/* If the register says so, something that can go wrong. */
void add_decision(struct builder *b, unsigned reg);
/* What a section may hold: an access, a decision, a risk; of a duel, this side's part. */
void add_content(struct builder *b);
void add_contents(struct builder *b);

/* section.c: contents, kept apart from those of others by the guard. */
void add_section(struct builder *b);

/* duel.c: this side's part; and how the two see each other, other than by a guard. */
void add_duel(struct builder *b);
void duel_condition(struct builder *b);
void duel_group(struct builder *b);
void duel_barrier(struct builder *b);
void duel_flag(struct builder *b);
void duel_pipe(struct builder *b);
void duel_message(struct builder *b);
void duel_timer(struct builder *b);
void add_blow(struct builder *b, bool second);
/* Strikes if the register says so: rather if it is what it was at first, or what it became. */
void strike_if(struct builder *b, unsigned reg, bool became);

/* relay.c: this side's part, of three; and what comes before them all. */
void duel_relay(struct builder *b);
void relay_prepare(struct builder *b);

#endif
