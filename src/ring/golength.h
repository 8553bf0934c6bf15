/* Finds out whether a Go program's sources ask for the length of a channel. The compiler makes
 * that a plain read, which no hook sees, and a program may wait for it. It is decided by names:
 * len(x) where the same package declares x as a channel. */
#ifndef FORE_RING_GOLENGTH_H
#define FORE_RING_GOLENGTH_H

#include "base/map.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct fore_golength {
    struct fore_map
        channels; /* hashes of package and name -> bits: with how many indices */
};

void fore_golength_release(struct fore_golength *g);
/* Reads the declarations of a source of the package; all sources must be read before the first
 * question about any. */
void fore_golength_declare(struct fore_golength *g, uint64_t package,
                           struct fore_bytes source);
/* The first line after line `after` that asks for the length of a channel; 0: none. */
uint32_t fore_golength_asked(const struct fore_golength *g, uint64_t package,
                             struct fore_bytes source, uint32_t after);

#endif
