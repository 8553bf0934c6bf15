/* The state of a world as bytes, so that another worker, another process or a later run can go
 * on from it. The path that led to the state is not part of it; messages keep their numbers. */
#ifndef FORE_ACTOR_PACK_H
#define FORE_ACTOR_PACK_H

#include "actor/actors.h"
#include "base/varint.h"

/* At most so many bytes. */
size_t fore_actors_packed_most(const struct fore_actors *w);
/* Returns the end of the bytes that it wrote. */
char *fore_actors_pack(const struct fore_actors *w, char *out);
/* Makes the packed state the start of `w`, a world of the same system and harness. False if the
 * bytes are damaged; then `w` is only good for another attempt. */
bool fore_actors_unpack(struct fore_actors *w, struct fore_bytes_in *in);

#endif
