/* Names of a Go program begin with the path of a package ("example.com/shop/pool.stats"); a user writes its name
 * ("pool.stats"). */
#ifndef FORE_RING_GONAME_H
#define FORE_RING_GONAME_H

#include "base/strbuf.h"
#include "base/vec.h"

#include <stdbool.h>

struct fore_gopackage {
    const char *path, *name;
};

struct fore_gopackages {
    FORE_VEC(struct fore_gopackage) v;
};

/* Does `asked` mean the program's variable `name`, or a part of it? It may use the path of the
 * package, the package's name, or the last element of the path. `base` is then the user's word
 * for `name`. */
bool fore_goname_asked(const struct fore_gopackages *packages, const char *name,
                       const char *asked, bool by_path, struct fore_strbuf *base);

#endif
