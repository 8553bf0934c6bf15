/* Do a Go program's sources ask for the length of a channel? The compiler makes a plain read of that, which no hook sees,
 * and a program may wait for it. Names tell: len(x) where the same package declares x as a channel. */
#ifndef FORE_RING_GOLENGTH_H
#define FORE_RING_GOLENGTH_H

#include "base/map.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct fore_golength {
    struct fore_map channels; /* hashes of package and name */
};

void fore_golength_release(struct fore_golength *g);
/* What a source of the package declares; all of them are read before the first is asked about. */
void fore_golength_declare(struct fore_golength *g, uint64_t package,
                           struct fore_bytes source);
/* The line on which the length of a channel is asked for; 0: none. */
uint32_t fore_golength_asked(const struct fore_golength *g, uint64_t package,
                             struct fore_bytes source);

#endif
