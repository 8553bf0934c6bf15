/* Finds systems and harnesses. A name is looked for in the folders of $FORESEE_PATH, then beside
 * the executable (and in examples/actors there), then in lib/foresee; a name that contains a
 * slash or ends in .so is a path. A harness NAME belongs to a system if it is beside it as
 * NAME.harness or SYSTEM.NAME.harness; a name that contains a slash or ends in .harness is a
 * path. */
#ifndef FORE_ACTOR_FIND_H
#define FORE_ACTOR_FIND_H

#include "base/arena.h"
#include "base/err.h"

struct fore_found {
    const char *system, *system_name; /* its path, and its name for people */
    const char *harness, *harness_name;
};

/* The names of the systems that fore_system_find can find, sorted. */
const char **fore_system_list(struct fore_arena *a, size_t *n);

/* harness NULL: the first one by name. */
enum fore_status fore_system_find(struct fore_arena *a, const char *system,
                                  const char *harness, struct fore_found *out,
                                  struct fore_err *e) FORE_MUST_USE;

#endif
