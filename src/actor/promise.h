/* [properties] of a harness: the conditions that must come about on every fair run. */
#ifndef FORE_ACTOR_PROMISE_H
#define FORE_ACTOR_PROMISE_H

#include "actor/harness.h"

/* Reads `NAME: eventually ATOM` or `NAME: ATOM leads-to ATOM` from `*at` up to `end`, moving
 * `*at`. Returns NULL, or what is wrong where `*at` is. */
const char *fore_promise_read(struct fore_harness *h, struct fore_arena *a,
                              const struct fore_system *s, const char **at,
                              const char *end, uint64_t line);

#endif
