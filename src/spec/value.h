/* Values of program variables as propositions see them: integers (also booleans and
 * characters) and doubles. */
#ifndef FORE_SPEC_VALUE_H
#define FORE_SPEC_VALUE_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct fore_val {
    bool real;
    union {
        int64_t i;
        double r;
    };
};

static inline struct fore_val fore_val_int(int64_t i)
{
    return (struct fore_val){.real = false, .i = i};
}

static inline struct fore_val fore_val_real(double r)
{
    return (struct fore_val){.real = true, .r = r};
}

static inline double fore_val_double(struct fore_val v)
{
    return v.real ? v.r : (double)v.i;
}

static inline bool fore_val_true(struct fore_val v)
{
    return v.real ? v.r != 0 : v.i != 0;
}

/* Integers wrap around; a division by zero gives not-a-number, which compares false with
 * everything (and true by `!=`). `op` is one of + - * / %. */
struct fore_val fore_val_arith(char op, struct fore_val a, struct fore_val b);
bool fore_val_same(struct fore_val a, struct fore_val b);
bool fore_val_less(struct fore_val a, struct fore_val b);
bool fore_val_less_equal(struct fore_val a, struct fore_val b);
void fore_spec_val_text(struct fore_val v, struct fore_strbuf *out);
/* An integer (decimal or 0x), a double, a character in '', true, false or nil, at the
 * start of s; returns how many bytes it took, 0 if there is none. */
size_t fore_val_scan(const char *s, size_t n, struct fore_val *out);

#endif
