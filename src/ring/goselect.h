/* Finds the cases of a select statement in Go source, because the compiled program does not have
 * their lines. */
#ifndef FORE_TRACE_GOSELECT_H
#define FORE_TRACE_GOSELECT_H

#include "base/map.h"
#include "base/vec.h"

struct fore_goselect_case {
    uint32_t line; /* from 1 */
    uint32_t kind; /* enum fore_case_kind */
};

struct fore_goselect {
    FORE_VEC(struct fore_goselect_case) v;
};

/* Appends the cases of the first select that begins on `line` of the source `text`, in their
 * order; none if there is none. The source need not be valid. */
void fore_goselect_read(struct fore_bytes text, uint32_t line, struct fore_goselect *out);

#endif
