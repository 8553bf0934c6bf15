/* Finds the sources of a program that was built with -trimpath: its files are then named by
 * their module ("example.com/pool/queue.go", or "example.com/dep@v1.2.0/dep.go" of another one).
 * Found from the folder in which the program ran: the go.mod there or above, its replacements by
 * folders, and the vendor folder beside it. */
#ifndef FORE_RING_GOMODULE_H
#define FORE_RING_GOMODULE_H

#include "base/strbuf.h"
#include "base/vec.h"

#include <stdbool.h>

struct fore_gomodule_place {
    char *module, *folder;
};

struct fore_gomodule {
    FORE_VEC(struct fore_gomodule_place) places; /* the program's own first */
};

void fore_gomodule_find(struct fore_gomodule *m, const char *folder);
void fore_gomodule_release(struct fore_gomodule *m);
/* Finds the file of a trimmed name; false: there is none. */
bool fore_gomodule_file(const struct fore_gomodule *m, const char *name,
                        struct fore_strbuf *out);

#endif
