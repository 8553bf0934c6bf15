/* Starts the program that is to be watched. */
#ifndef FORE_CLI_LAUNCH_H
#define FORE_CLI_LAUNCH_H

#include "base/child.h"
#include "cli/rings.h"
#include "trace/format.h"

#include <sys/types.h>

struct fore_launch {
    char folder[4096]; /* of the rings */
    bool owns_folder;  /* _release removes it */
    pid_t pid;
    bool running;
    bool leads;
    bool interrupted; /* it was told to end */
    uint64_t since;   /* when it was not yet */
    int status;       /* as a shell reports it: 128 + signal if one ended the program */
};

/* How to start it. */
struct fore_launch_how {
    char *const *argv;    /* ends with NULL */
    const char *seed;     /* FORESEE_SEED, or NULL */
    const char *schedule; /* FORESEE_SCHEDULE: a file, or NULL */
    bool silent;          /* without its input and output */
    const char *linger;   /* FORESEE_LINGER, or NULL */
    char room[96];        /* FORESEE_ROOM; "": the recording may grow without bound */
    /* folder of the rings, which is kept; NULL: one is made for the run */
    const char *folder;
    bool leads; /* it only leads other programs: they are told to end, too */
    /* Called in its process, with the variables above in its environment, as in base/child.h; or
     * NULL. */
    int (*prepare)(struct fore_child_program *p);
    void *ctx;
    char *scratch; /* gets the name of the folder, if not NULL: see struct fore_cli */
};

/* A row for the option of verbs that start a program. */
#define FORE_LINGER_OPTION                                                               \
    {                                                                                    \
        "linger", 0, "MS",                                                               \
            "C programs: milliseconds for which threads may go on when main "            \
            "returns (default 200)"                                                      \
    }
/* Option rows of verbs that read while the program runs. */
#define FORE_ROOM_OPTIONS                                                                \
    {"on-full", 0, "POLICY",                                                             \
     "when --room is full: wait (default: the program waits until foresee "              \
     "has read some of it; it goes on unrecorded if foresee does nothing for "           \
     "10 s) or drop (do not record the rest of the run)"},                               \
        {"max-trace", 0, "SIZE",                                                         \
         "the most that the recording takes on disk, like 512M or 4G (default 256M, 4G " \
         "for .fsr)"},                                                                   \
    {                                                                                    \
        "room", 0, "M",                                                                  \
            "megabytes for what the program has recorded and foresee has not "           \
            "read yet (default 256; 4096 for .fsr); long runs are analysed in "          \
            "parts"                                                                      \
    }
/* Reads a size of --max-trace such as "512M", in bytes. */
enum fore_status fore_launch_size(const char *text, uint64_t *out,
                                  struct fore_err *e) FORE_MUST_USE;
/* `reads`: foresee reads the rings while the program runs. */
enum fore_status fore_launch_room(const struct fore_params *p, bool reads,
                                  struct fore_launch_how *how,
                                  struct fore_err *e) FORE_MUST_USE;

enum fore_status fore_launch_start(struct fore_launch *l,
                                   const struct fore_launch_how *how,
                                   struct fore_err *e) FORE_MUST_USE;
/* Waits until the program has ended, `ms` have passed or a signal has come; true if it has ended. */
bool fore_launch_wait(struct fore_launch *l, unsigned ms);
void fore_launch_kill(struct fore_launch *l);
/* To be called again and again: if foresee is told to end, tells the program to end, and kills
 * it a second later. */
void fore_launch_pass_on(struct fore_launch *l, const struct fore_budget *b);
void fore_launch_release(struct fore_launch *l);

/* The name for the i-th process, from 0: run.fst, run-2.fst, run-3.fst ... */
void fore_launch_name(const char *name, size_t i, struct fore_strbuf *out);
/* In cmd_record.c: the format for -o; a ring file as a trace. */
const struct fore_format *fore_launch_format(const char *output, struct fore_err *e);
enum fore_status fore_launch_convert(const char *from, const char *to,
                                     const struct fore_format *format,
                                     struct fore_err *e) FORE_MUST_USE;
/* What to do about that. */
const char *fore_launch_advice(const struct fore_ring_header *h);
/* Says that nothing was recorded, and what the user can do about it. */
void fore_launch_untraced(struct fore_cli *c, const char *program);

/* The words behind the verb as an argument vector, in the arena. */
char **fore_launch_argv(struct fore_arena *a, const struct fore_words *w, size_t from);
/* Remembers the command in the store, for `replay`; recalls it, or gives NULL. */
void fore_launch_remember(char *const *argv);
char **fore_launch_recall(struct fore_arena *a);

#endif
