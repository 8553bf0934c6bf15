/* The user's go command: what it says about itself, and running it traced. */
#ifndef FORE_GO_GOTOOL_H
#define FORE_GO_GOTOOL_H

#include "base/arena.h"
#include "base/child.h"
#include "base/vec.h"
#include "capture/go/overlay.h"

struct fore_gotool {
    struct fore_arena arena;
    const char *command; /* "go", or $FORESEE_GO */
    struct fore_go_install install;
    const char *flags;   /* GOFLAGS, from the environment or from `go env -w` */
    const char *modules; /* GOMODCACHE */
    const char *module;  /* go.mod of the main module; "" or /dev/null: there is none */
    bool mirrored;
};

/* Asks `go env`, in the current directory, so that a toolchain line in go.mod counts. */
enum fore_status fore_gotool_ask(struct fore_gotool *g, struct fore_err *e) FORE_MUST_USE;
void fore_gotool_release(struct fore_gotool *g);
/* Newer Go commands overlay nothing below GOMODCACHE, which is where toolchains are that go
 * downloaded itself. Such a one is used through a folder of links below `folder`. */
enum fore_status fore_gotool_mirror(struct fore_gotool *g, const char *folder,
                                    struct fore_err *e) FORE_MUST_USE;

/* Whose reads and writes are recorded. */
enum fore_go_memory { FORE_GO_NO_MEMORY, FORE_GO_MODULE, FORE_GO_ALL };

struct fore_go_run {
    const struct fore_gotool *tool;
    const char *overlay;     /* its JSON file */
    const char *rings;       /* where the programs leave their traces and executables */
    const char *options;     /* for FORESEE: "max_trace=… linger_ms=…" */
    const char *const *args; /* of go: its verb first, NULL-terminated */
    bool atomics;            /* calls of sync/atomic are to be calls */
    enum fore_go_memory memory;
    bool named; /* of memory only the variables of a specification are recorded */
    const char
        *names; /* of these variables, if accesses by name are all (watcher.h), or NULL */
    const char *watcher; /* the program that finds them */
    bool exec; /* programs are started by `foresee go exec`, which finds variables, and
                 * notes how they are started */
};

/* For base/child.h: the process becomes go, with these arguments. `ctx`: struct fore_go_run. */
int fore_go_prepare(struct fore_child_program *p);

/* Is this flag among go's own arguments? */
bool fore_go_has_flag(const char *const *args, const char *name);
/* Is a plugin to be built? */
bool fore_go_makes_plugin(const char *const *args);
/* Is -race among go's own arguments, or in GOFLAGS? */
bool fore_go_races(const struct fore_gotool *g, const char *const *args);
/* The value of -overlay among go's own arguments, or NULL. */
const char *fore_go_user_overlay(const char *const *args);

#endif
