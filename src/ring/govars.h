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

/* "main.tank.level", "main.forks[2]": the part of a variable that is at an address. */
bool fore_govars_name(struct fore_govars *v, uint64_t address, struct fore_strbuf *name);

#endif
