/* Finds the variables of packages of a Go executable in its debug information: which one is at
 * an address, down to the field. Anything malformed, stripped or compressed makes an address
 * unknown, never a crash. */
#ifndef FORE_RING_GOVARS_H
#define FORE_RING_GOVARS_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fore_govars;

/* `image` is the executable, which belongs to the caller and must outlive the result. NULL if it
 * has no information about variables. */
struct fore_govars *fore_govars_open(const void *image, size_t n);
void fore_govars_free(struct fore_govars *v);

/* Where the text of the program begins. All addresses are those of the file: a position-independent program
 * lies elsewhere when it runs. */
uint64_t fore_govars_text(const struct fore_govars *v);

/* "main.tank.level", "main.forks[2]": the name of the part of a variable at an address. */
bool fore_govars_name(struct fore_govars *v, uint64_t address, struct fore_strbuf *name);

/* A part of a variable: its address, its size and its type as in leaf.h; and the whole variable. */
struct fore_govar {
    uint64_t address, size;
    char type;
    uint64_t whole, whole_size;
};

/* Finds the part of a variable that has this name. */
bool fore_govars_find(struct fore_govars *v, const char *name, struct fore_govar *out);

/* Is there a whole variable of this name, whatever its type? */
bool fore_govars_has(const struct fore_govars *v, const char *name);

/* Finds "main.tank.level" where main.tank is a structure: `whole` is the offset of the type's
 * descriptor among those of all types; `address` is the offset of the member in a tank. */
bool fore_govars_find_field(struct fore_govars *v, const char *name,
                            struct fore_govar *out);

#endif
