/* An actor system loaded from a shared object. It is checked once, here, so that no other code
 * has to check it. */
#ifndef FORE_ACTOR_SYSTEM_H
#define FORE_ACTOR_SYSTEM_H

#include "base/err.h"
#include "foresee/actor.h"

#include <stdint.h>

struct fore_arena;

struct fore_kind_info {
    const char *name;
    uint32_t fields;
    const char *field[FORESEE_FIELDS];
};

struct fore_system {
    const struct foresee_actor_system *def;
    const char *name;
    struct fore_kind_info *kinds;                    /* def->message_count entries */
    const struct foresee_propositions *propositions; /* or NULL */
    const struct foresee_symmetry *symmetry;         /* or NULL */
    void *handle;                                    /* of dlopen, or NULL */
};

/* Checks a definition that is already in memory. */
enum fore_status fore_system_init(struct fore_system *s, struct fore_arena *a,
                                  const struct foresee_actor_system *def,
                                  struct fore_err *e) FORE_MUST_USE;
/* Loads the shared object at `path`. Its code runs from here on: call this in the supervised
 * child. */
enum fore_status fore_system_load(struct fore_system *s, struct fore_arena *a,
                                  const char *path, struct fore_err *e) FORE_MUST_USE;
void fore_system_release(struct fore_system *s);

int fore_system_kind(const struct fore_system *s, const char *name);        /* or -1 */
int fore_system_role(const struct fore_system *s, const char *name);        /* or -1 */
int fore_system_proposition(const struct fore_system *s, const char *name); /* or -1 */
int fore_kind_field(const struct fore_kind_info *k, const char *name);      /* or -1 */

#endif
