/* Variables of packages of a Go executable, from its debug information: what is at an address, down
 * to the field. Anything malformed, stripped or compressed makes an address unknown, never a
 * crash. */
#ifndef FORE_RING_GOVARS_H
#define FORE_RING_GOVARS_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fore_govars;

/* `image` is the executable, which stays the caller's and must outlive the answer. NULL if it says
 * nothing of variables. */
struct fore_govars *fore_govars_open(const void *image, size_t n);
void fore_govars_free(struct fore_govars *v);

/* Where the text of the program begins. All addresses are those of the file: a position-independent program
 * lies elsewhere when it runs. */
uint64_t fore_govars_text(const struct fore_govars *v);

/* "main.tank.level", "main.forks[2]": the part of a variable that is at an address. */
bool fore_govars_name(struct fore_govars *v, uint64_t address, struct fore_strbuf *name);

/* A part of a variable: where it is, its size and its type as in leaf.h; and the whole variable. */
struct fore_govar {
    uint64_t address, size;
    char type;
    uint64_t whole, whole_size;
};

/* The other way round: the part of this name. */
bool fore_govars_find(struct fore_govars *v, const char *name, struct fore_govar *out);

/* "main.tank.level" where main.tank is a structure: `whole` is where the type's descriptor is, from the beginning of
 * those of all types on; `address` is as far behind that as the member is behind the beginning of a tank. */
bool fore_govars_find_field(struct fore_govars *v, const char *name,
                            struct fore_govar *out);

#endif
