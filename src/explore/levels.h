/* A search that visits every state once, level by level: all states at one number of receives
 * from the start, then those one further. Any number of ranks take part; a state belongs to the
 * rank that its fingerprint names, which alone decides whether it is new. Ranks talk over a
 * transport and take turns, so that a simulator can play hundreds of them in one thread.
 *
 *     levels.c          a rank: what it takes from its queue, what comes of that
 *     levels_talk.c     batches of states, waves that find out when a level is over
 *     levels_result.c   counts and bugs of all ranks, gathered
 *     checkpoint.c      the search as files, for a later run on any number of ranks */
#ifndef FORE_EXPLORE_LEVELS_H
#define FORE_EXPLORE_LEVELS_H

#include "actor/pack.h"
#include "explore/backlog.h"
#include "explore/explorer.h"
#include "explore/store.h"
#include "explore/symmetry.h"
#include "explore/transport.h"

/* What the root asks of all ranks with a wave. Each rank answers when it is done. */
enum fore_wave {
    FORE_WAVE_WORK,  /* when the level's states are used up */
    FORE_WAVE_PAUSE, /* at once; no more states are taken */
    FORE_WAVE_SAVE,  /* when its part of the search is written to disk */
    FORE_WAVE_END,   /* at once, with its results */
};

/* What a wave brings back: sums over ranks. */
struct fore_sums {
    uint64_t sent, received; /* batches */
    uint64_t next;           /* states that wait for the next level */
    uint64_t states;
    bool failed; /* a rank could not write */
};

/* The simplest schedule that shows a bug: steps as numbers of messages, good from the start. */
struct fore_level_bug {
    uint64_t
        count; /* steps that led to it from states of the levels; steps of walks do not count */
    bool found;
    uint32_t steps, faults;
    struct fore_strbuf path, why;
};

/* How a search is run, the same for all ranks. */
struct fore_levels_plan {
    size_t bytes;       /* memory that a rank may use; 0: no limit */
    const char *folder; /* for what does not fit */
    bool wide;          /* 128-bit fingerprints */
    bool first_only;    /* stop some time after the first violation */
    const char *save;   /* a folder for checkpoints, or NULL */
    double save_every;  /* seconds; 0: only when the search is stopped */
};

struct fore_levels {
    struct fore_explorer *s;
    struct fore_transport *t;
    const struct fore_levels_plan *plan;
    struct fore_err err;
    struct fore_symmetry symmetry;
    struct fore_store store;
    struct fore_backlog now, next;
    FORE_VEC(uint64_t)
    dead_now, dead_next; /* which records were visited before, as bits */
    uint64_t taken;      /* records read from `now` */
    uint64_t maybe_from; /* the record of `next` to which store.maybes.at[0] belongs */
    uint32_t level;
    /* The state whose successors are being made. */
    struct fore_strbuf path, events; /* packed, as in a record */
    uint32_t depth, faults;
    uint32_t judge, judge_after; /* the judge's state, and the one after the last step */
    FORE_VEC(uint64_t) causes;   /* which kinds of messages cause which */
    struct fore_level_bug bugs[FORE_BUGS];
    /* Talk. */
    FORE_VEC(struct fore_strbuf) out; /* batches to fill, by rank */
    struct fore_print *lately; /* prints sent to other ranks, the latest for each slot */
    /* how many slots; how many were written since it has that size */
    size_t latelys, latelys_new;
    struct fore_strbuf in;
    uint64_t sent, received;
    uint64_t wave;
    enum fore_wave asked;
    bool reported, alerted, stopping, ended;
    uint32_t reports; /* reports of children, for this wave */
    struct fore_sums sums;
    uint64_t saved_ns, saves;
    uint32_t saved_parts; /* number of parts of the latest complete checkpoint */
    const char *lost;     /* a rank was: what to say */
    /* Other work to do beside, every turn; or NULL. */
    void (*beside)(struct fore_levels *k, void *user);
    void *user;
};

enum fore_levels_turn { FORE_TURN_BUSY, FORE_TURN_IDLE, FORE_TURN_DONE };

void fore_levels_init(struct fore_levels *k, struct fore_explorer *s,
                      struct fore_transport *t, const struct fore_levels_plan *plan);
void fore_levels_release(struct fore_levels *k);
/* Starts the search; on every rank, once, before the first turn. */
void fore_levels_start(struct fore_levels *k);
/* A few states' work. */
enum fore_levels_turn fore_levels_turn(struct fore_levels *k);
/* Takes turns until the end. */
void fore_levels_run(struct fore_levels *k);
/* After the end, on the root: puts counts and bugs of all ranks into `into`, an explorer at the
 * start. */
void fore_levels_results(struct fore_levels *k, struct fore_explorer *into);

/* Inside. */
bool fore_levels_used_up(const struct fore_levels *k); /* this level's states */
void fore_levels_advance(struct fore_levels *k);       /* to the next level */
/* Accepts a state with its fingerprint from another rank, or from a checkpoint. */
void fore_levels_accept(struct fore_levels *k, struct fore_print p, const char *record,
                        size_t n);
/* Puts a saved state, which was visited already, into `to` if it belongs to this rank. False if
 * it is damaged. */
bool fore_levels_load(struct fore_levels *k, struct fore_backlog *to, const char *record,
                      size_t n);
/* Notes a bug shown by another explorer's path from the start. */
void fore_levels_note_walk(struct fore_levels *k, const struct fore_explorer *s,
                           enum fore_bug kind, const char *why);
/* Keeps the simpler one in `into`. */
void fore_levels_merge_bug(struct fore_level_bug *into, struct fore_level_bug *from);
uint32_t fore_levels_owner(const struct fore_levels *k, struct fore_print p);
void fore_levels_send(struct fore_levels *k, uint32_t owner, struct fore_print p);
/* Turns records that turned out to be old into dead records of the next level. */
void fore_levels_settle(struct fore_levels *k);
bool fore_levels_talk(struct fore_levels *k); /* true if a message came */
void fore_levels_pack_results(const struct fore_levels *k, struct fore_strbuf *out);
bool fore_levels_merge_results(struct fore_levels *k, struct fore_bytes_in *in);
/* The record of the world's present state: the state that was taken, or one step on. */
size_t fore_levels_record_most(const struct fore_levels *k);
char *fore_levels_pack(const struct fore_levels *k, char *out);

#endif
