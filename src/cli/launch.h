/* Starts the program to be watched and reads the rings that it and its children write. */
#ifndef FORE_CLI_LAUNCH_H
#define FORE_CLI_LAUNCH_H

#include "cli/cli.h"
#include "trace/format.h"
#include "trace/merge.h"

#include <sys/types.h>

struct fore_launch {
    char folder[4096]; /* of the rings; removed by _release */
    pid_t pid;
    bool running;
    int status; /* as a shell reports it: 128 + signal if one ended the program */
};

/* How to start it. */
struct fore_launch_how {
    char *const *argv;    /* ends with NULL */
    const char *seed;     /* FORESEE_SEED, or NULL */
    const char *schedule; /* FORESEE_SCHEDULE: a file, or NULL */
    bool silent;          /* without its input and output */
};

enum fore_status fore_launch_start(struct fore_launch *l,
                                   const struct fore_launch_how *how,
                                   struct fore_err *e) FORE_MUST_USE;
/* Waits until the program has ended or `ms` have passed; true if it has ended. */
bool fore_launch_wait(struct fore_launch *l, unsigned ms);
void fore_launch_kill(struct fore_launch *l);
void fore_launch_release(struct fore_launch *l);

/* One ring file that is merged into a trace in memory. */
struct fore_ring_reader {
    char *path;
    int fd;
    const char *base;
    size_t room; /* mapped; the file may still grow into it */
    struct fore_trace trace;
    struct fore_sink sink; /* collects, up to `most` events */
    struct fore_trace_collector collector;
    size_t most;
    bool full;
    struct fore_merge merge;
    uint64_t start_ns;
    uint32_t steps, steps_done; /* of a forced schedule */
};

struct fore_rings {
    size_t most; /* events that one trace may have; 0: as many as fit into 2 GB */
    FORE_VEC(struct fore_ring_reader *) v;
};

/* Looks for new files in `folder` and reads on in the known ones. */
void fore_rings_poll(struct fore_rings *r, const char *folder);
/* The program has ended: reads the rest. In the order in which the processes started. */
enum fore_status fore_rings_finish(struct fore_rings *r, const char *folder,
                                   struct fore_err *e) FORE_MUST_USE;
void fore_rings_release(struct fore_rings *r);
/* The ring files of a folder, sorted; the caller frees names and vector. */
struct fore_paths {
    FORE_VEC(char *) v;
};
void fore_rings_list(const char *folder, struct fore_paths *out);
void fore_paths_release(struct fore_paths *p);

/* run.fst, run-2.fst, run-3.fst ...: the name for the i-th process, from 0. */
void fore_launch_name(const char *name, size_t i, struct fore_strbuf *out);
/* In cmd_record.c: the format for -o; each ring of a folder as a trace of its own. */
const struct fore_format *fore_launch_format(const char *output, struct fore_err *e);
enum fore_status fore_launch_convert(const char *from, const char *to,
                                     const struct fore_format *format,
                                     struct fore_err *e) FORE_MUST_USE;
enum fore_status fore_launch_write(struct fore_cli *c, const char *folder,
                                   const char *output, const struct fore_format *format,
                                   size_t *count, struct fore_err *e) FORE_MUST_USE;
/* Says that nothing was recorded, and what to do about it. */
void fore_launch_untraced(struct fore_cli *c, const char *program);

/* The words behind the verb as an argument vector, in the arena. */
char **fore_launch_argv(struct fore_arena *a, const struct fore_words *w, size_t from);
/* Remembers the command in the store, for `replay`; gives it back, or NULL. */
void fore_launch_remember(char *const *argv);
char **fore_launch_recall(struct fore_arena *a);

#endif
