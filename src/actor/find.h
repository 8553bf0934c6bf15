/* Where systems and harnesses are. A name is looked for in the folders of $FORESEE_PATH, then
 * beside the executable (and in examples/actors there), then in lib/foresee; what contains a
 * slash or ends in .so is a path. A harness NAME belongs to a system if it is beside it as
 * NAME.harness or SYSTEM.NAME.harness; what contains a slash or ends in .harness is a path. */
#ifndef FORE_ACTOR_FIND_H
#define FORE_ACTOR_FIND_H

#include "base/arena.h"
#include "base/err.h"

struct fore_found {
    const char *system, *system_name; /* path and what people call it */
    const char *harness, *harness_name;
};

/* Names of the systems that a name would be looked for among, sorted. */
const char **fore_system_list(struct fore_arena *a, size_t *n);

/* harness NULL: the first one that there is, by name. */
enum fore_status fore_system_find(struct fore_arena *a, const char *system,
                                  const char *harness, struct fore_found *out,
                                  struct fore_err *e) FORE_MUST_USE;

#endif
