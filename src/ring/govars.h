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

/* The other way round: where the part of this name is, its size and its type as in leaf.h. */
bool fore_govars_find(struct fore_govars *v, const char *name, uint64_t *address,
                      uint64_t *size, char *type);

#endif
