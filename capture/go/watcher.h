/* The program that finds the accesses to the variables of a specification in the user's sources (watch/watch.go). The user's own
 * Go builds it, once. */
#ifndef FORE_GO_WATCHER_H
#define FORE_GO_WATCHER_H

#include "capture/go/gotool.h"

/* In the environment of the compiler: where that program is. */
#define FORE_GO_WATCHER "FORESEE_WATCHER"

/* Its path, below `folder`, for the arena's life; NULL: it cannot be built, or accesses by these names (main.level;pool.hits) are not
 * all that there are to these variables. `args`: of the go command, among which files may be named. */
const char *fore_go_watcher(struct fore_gotool *g, const char *folder, const char *names,
                            const char *const *args);
/* An argument for the compiler, which is for us: its packages have calls around accesses by these names. */
void fore_go_watcher_flag(const char *names, struct fore_strbuf *out);
/* The names, if it is that argument, or NULL. */
const char *fore_go_watcher_names(const char *flag);
/* The files of a package, with calls around these accesses; other files lie in `folder`. False: then all accesses have to be
 * instrumented. They are lines of `out`. */
bool fore_go_watcher_put(const char *names, const char *folder, const char *const *files,
                         size_t n, struct fore_strbuf *out);

#endif
