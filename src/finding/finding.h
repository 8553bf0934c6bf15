/* What an analysis found: rule, verdict, places, witness, words. Everything a report needs is
 * in here as text, so that reports know no traces, and findings can be stored and read back. */
#ifndef FORE_FINDING_FINDING_H
#define FORE_FINDING_FINDING_H

#include "base/arena.h"
#include "base/jsonw.h"
#include "base/vec.h"
#include "finding/called.h"
#include "finding/deed.h"
#include "finding/excerpt.h"
#include "finding/graph.h"
#include "finding/rule.h"
#include "finding/source.h"
#include "machine/claim.h"
#include "trace/trace.h"

enum fore_truth { FORE_UNKNOWN = -1, FORE_NO = 0, FORE_YES = 1 };

/* Texts are never NULL; "" is none. */
struct fore_place {
    const char *role;     /* "send", "receive", "holds", "waits" … */
    const char *thread;   /* its label */
    const char *name;     /* its display name */
    const char *path;     /* its creation path */
    const char *event;    /* in the notation */
    const char *location; /* "main.go:4:2" */
    const char *function;
    const char *source; /* that source line, trimmed, if it could be read */
    uint64_t index;     /* of the event within its thread, from 0 */
    enum fore_truth committed;
    bool hidden;    /* about an object that only a library knows */
    uint32_t frame; /* 1 + its place in the finding's frames; 0: none */
    const char
        *begins; /* the function that its goroutine begins in; NULL or "": not known */
};

struct fore_step {
    const char *thread, *name, *path, *event, *location;
    const char *note;  /* "differs", "blocks", "BAD" … */
    const char *state; /* variables and monitor after the step: "w=24 v=40 | p . . | 1" */
    uint64_t index;
    bool irrelevant;        /* not needed to understand; shown with --full */
    struct fore_deed *deed; /* NULL: only the texts are known */
    /* The event that it was made of, until fore_findings_observe has described it. Its kind is
     * NONE if there is nothing (more) to describe. */
    struct fore_event raw;
};

/* A place in a function, and the call that led there: 1 + its place among the frames. */
struct fore_call_frame {
    const char *function, *location;
    uint32_t up;
    uint32_t where; /* its place in the trace, as long as the trace is there */
};

/* A thread that places or steps mention. */
struct fore_thread_note {
    const char *thread, *name, *path;
    const char *called;  /* the name that the finding uses for it */
    const char *first;   /* the outermost function that it was seen in */
    const char *started; /* where it was created */
    uint64_t events;
};

/* A labelled line of the report: "why", "observed", "then", "runs" … */
struct fore_fact {
    const char *label, *text;
};

/* The labels that are looked for; all others are only shown. */
#define FORE_FACT_ONLY_POSSIBLE "only possible"
#define FORE_FACT_HOLDS_IF "holds if"
#define FORE_FACT_NEAR                                                                   \
    "near" /* a place may belong to the access of a neighbouring byte */
#define FORE_FACT_OBSERVED "observed"

/* bound: NULL if everything was looked at, otherwise what ended it ("time", "window 2"). */
struct fore_completeness {
    bool exhausted;
    const char *bound;
    /* the bound is one of foresee's own: only some of very many similar cases were tried */
    bool sampled;
};

/* The result of running the program on the witness. */
struct fore_confirmation {
    enum fore_tried result;
    const char *reason; /* "" if confirmed */
    uint32_t step;      /* the step of the witness that the program came to */
};

struct fore_finding {
    uint64_t id;
    const struct fore_rule *rule;
    enum fore_level level; /* the rule's level, unless the finding has its own */
    enum fore_verdict verdict;
    const char *message, *explanation;
    /* the channel, lock or variable that it is about: JSON "channel" etc. */
    const char *object;
    enum fore_object_kind object_kind;
    FORE_VEC(struct fore_place) places;
    FORE_VEC(struct fore_step) witness;
    /* The steps of the places' threads in the observed run, near the places. */
    FORE_VEC(struct fore_step) observed;
    FORE_VEC(struct fore_call_frame) frames;
    FORE_VEC(struct fore_thread_note) threads;
    FORE_VEC(struct fore_fact) facts;
    struct fore_graph graph;       /* a picture; without nodes: none */
    struct fore_timeline timeline; /* the operations; without intervals: none */
    const char *witness_trace;     /* the witness as a .trace file, or "" */
    enum fore_witness_of witness_of;
    const char *trace; /* name of the trace that it is about */
    const char *test;  /* the test (benchmark, example, init) that it belongs to, or "" */
    FORE_VEC(const char *) also_in; /* other tests that show it, too */
    const char *package;            /* the package of the test, or "" */
    const char *alone;              /* the command that runs that test alone, or "" */
    struct fore_confirmation confirmation;
    struct fore_completeness completeness;
    uint64_t count; /* how many findings at the same places it stands for */
    bool suppressed;
    bool conjecture; /* reported only if a forced run confirms it */
    bool drags;      /* a wait because of which other threads are stuck, too */
    const char *
        doubt; /* why it is only possible, in few words; NULL if it is not, or was stored */
};

struct fore_trace_summary {
    const char *name;
    uint64_t events, threads, lost;
    bool truncated;
    const char *file; /* the file that keeps it, if that is not its name; or NULL */
};

struct fore_stats {
    const char *analysis, *json; /* an object */
};

struct fore_findings {
    struct fore_arena arena; /* holds every text */
    FORE_VEC(struct fore_finding *) list;
    FORE_VEC(struct fore_trace_summary) traces;
    FORE_VEC(struct fore_stats) stats;
    struct fore_graph
        graph; /* the graph that `export --graph` asked for; texts in the arena */
    FORE_VEC(const char *) remarks; /* one-line summaries by analyses, for people */
    struct fore_completeness completeness;
    size_t withheld;          /* number of possible findings that were not asked for */
    const char *withheld_why; /* the reason of most of these */
    struct fore_sources sources;
    struct fore_excerpts excerpts; /* lines around the places */
    struct fore_shared_names names;
    /* Called before the first finding is described, if there is one: gives names to callers that
     * are known by address. */
    void (*name_callers)(struct fore_tables *t);
    struct fore_tables *unnamed;
};

void fore_findings_init(struct fore_findings *f);
/* Does that now, so that copies of the tables made later have the names. */
void fore_findings_name_callers(struct fore_findings *f);
void fore_findings_release(struct fore_findings *f);

/* Releases what the finding owns outside the arena, for callers that take it out of the list. */
void fore_finding_release(struct fore_finding *x);
/* Adds an observed or confirmed finding, with the rule's level, count 1 and exhausted
 * completeness. Findings about other runs are added by fore_findings_claim. */
struct fore_finding *fore_findings_add(struct fore_findings *f, const char *rule,
                                       enum fore_verdict verdict);
/* Adds a finding that was stored earlier. */
struct fore_finding *fore_findings_restore(struct fore_findings *f, const char *rule,
                                           enum fore_verdict verdict);
/* Adds a finding for a claim (not NONE) about a run of `p`, with its reasons. */
struct fore_finding *fore_findings_claim(struct fore_findings *f, const char *rule,
                                         const struct fore_program *p,
                                         const struct fore_claim *c);
/* Replaces the finding's verdict and reason by those of a later claim about its witness. */
void fore_finding_claim_again(struct fore_findings *f, struct fore_finding *x,
                              const struct fore_program *p, const struct fore_claim *c);
/* The finding came true after all, in the observed run or in a forced one: drops the claim and
 * its reasons. */
void fore_finding_happened(struct fore_finding *x, enum fore_verdict how);
void fore_findings_trace(struct fore_findings *f, const struct fore_trace *t);
void fore_findings_remark(struct fore_findings *f, const char *fmt, ...)
    FORE_PRINTF(2, 3);
/* The stats object of an analysis; a later one replaces an earlier one. */
void fore_findings_stats(struct fore_findings *f, const char *analysis, const char *json);
/* Notes a limit that was reached, so that a report without findings proves nothing. */
void fore_findings_incomplete(struct fore_findings *f, const char *fmt, ...)
    FORE_PRINTF(2, 3);
/* The same for a limit of the analysis itself, which tries only some of very many similar
 * candidates. The report mentions it; the exit status does not, since no budget of the user's
 * ended. */
void fore_findings_sampled(struct fore_findings *f, const char *fmt, ...)
    FORE_PRINTF(2, 3);

/* Moves everything but traces and graph to the end of `into`; `from` is left empty. */
void fore_findings_join(struct fore_findings *into, struct fore_findings *from);

const char *fore_findings_printf(struct fore_findings *f, const char *fmt, ...)
    FORE_PRINTF(2, 3);
void fore_finding_fact(struct fore_findings *f, struct fore_finding *x, const char *label,
                       const char *fmt, ...) FORE_PRINTF(4, 5);
bool fore_finding_has_fact(const struct fore_finding *x, const char *label);
/* Adds a place or a step from an event of a trace. `index` is the event's position in its
 * thread. The pointers are good until the next call for the same finding. */
struct fore_place *fore_finding_place(struct fore_findings *f, struct fore_finding *x,
                                      const char *role, const struct fore_trace *t,
                                      const struct fore_event *e, uint64_t index);
/* Adds a place that has no event: in the thread of this creation path or label, at "main.c:4:2". */
void fore_finding_location(struct fore_findings *f, struct fore_finding *x,
                           const char *role, const char *thread, const char *location);
struct fore_step *fore_finding_step(struct fore_findings *f, struct fore_finding *x,
                                    const struct fore_trace *t,
                                    const struct fore_event *e,
                                    const struct fore_case *cases, uint64_t index);
/* The event at position `at` of the trace, added to the observed run. */
void fore_finding_observed_step(struct fore_findings *f, struct fore_finding *x,
                                const struct fore_trace *t, size_t at, uint64_t index);
/* Fills in what pictures need to know of a step. Not done for all steps, because most steps of
 * long witnesses are never drawn. */
void fore_finding_tell_step(struct fore_findings *f, struct fore_finding *x,
                            const struct fore_trace *t, const struct fore_case *cases,
                            struct fore_step *s);
/* Adds a fact with the callers of the event's place, innermost first, if they were recorded. */
/* The place itself, or, of one in a header of the system, that where the user's code called it. */
uint32_t fore_finding_users_place(const struct fore_tables *tab, uint32_t where);
/* " from f f.go:4, from g g.go:7": the callers of the operation at `where`, or "". Of those in headers of the system
 * only the one that the user called. */
const char *fore_finding_from(struct fore_findings *f, const struct fore_tables *tab,
                              uint32_t where);
void fore_finding_callers(struct fore_findings *f, struct fore_finding *x,
                          const struct fore_trace *t, const struct fore_event *e);
/* A witness as text, written some events at a time: a long witness need not be in memory twice. */
struct fore_witness_text {
    struct fore_arena scratch;
    char *text;
    size_t size;
    FILE *out;
    struct fore_sink *sink;
    struct fore_tables tables; /* borrowed from the trace, for reading only */
};
enum fore_status fore_witness_text_open(struct fore_witness_text *w,
                                        const struct fore_trace *t,
                                        struct fore_err *e) FORE_MUST_USE;
void fore_witness_text_add(struct fore_witness_text *w, const struct fore_event *events,
                           size_t n, const struct fore_case *cases);
/* Makes the text the finding's witness, ending with what is expected of it. */
enum fore_status fore_witness_text_close(struct fore_witness_text *w,
                                         struct fore_findings *f, struct fore_finding *x,
                                         const struct fore_expect *expects, size_t n,
                                         struct fore_err *e) FORE_MUST_USE;
/* Writes the events as the finding's witness trace: names from `t`'s tables, line order is
 * the schedule, `expects` closes it. */
enum fore_status fore_finding_witness(struct fore_findings *f, struct fore_finding *x,
                                      const struct fore_trace *t,
                                      const struct fore_event *events, size_t n,
                                      const struct fore_case *cases,
                                      const struct fore_expect *expects,
                                      size_t expect_count,
                                      struct fore_err *e) FORE_MUST_USE;

/* Fills in deeds, observed run and threads of the findings from the `from`-th on, which must all
 * be about `t`: of their threads' events those near the places, at most some hundreds. */
void fore_findings_observe(struct fore_findings *f, size_t from,
                           const struct fore_trace *t);

/* Are all of its places in hidden parts of libraries? */
bool fore_finding_hidden(const struct fore_finding *x);

/* Gives every finding its stable id and sorts: errors first, then by strength and id. Findings
 * with the same id are merged, their counts added; so is a predicted wait whose places are those of an observed one. */
void fore_findings_seal(struct fore_findings *f);
/* Do both tell of waits, at the same places? */
bool fore_finding_same_waits(const struct fore_finding *x, const struct fore_finding *y);
/* NULL if none or several match the hex prefix. */
struct fore_finding *fore_findings_by_id(const struct fore_findings *f,
                                         const char *prefix);
void fore_finding_id_text(uint64_t id, char out[17]);

#endif
