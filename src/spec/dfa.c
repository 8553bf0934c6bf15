#include "spec/dfa.h"

#include "base/bitset.h"
#include "base/map.h"

#include <string.h>

void fore_dfa_release(struct fore_dfa *d)
{
    fore_free(d->next);
    *d = (struct fore_dfa){0};
}

static bool letter_is_used(const uint64_t *use, uint32_t letter)
{
    return !use || fore_bit_has(use, letter);
}

/* One round of refinement: states stay together if they were and their successors were.
 * The number of classes afterwards. */
static uint32_t refine(const struct fore_dfa *d, const bool *bad, const uint64_t *use,
                       const uint32_t *from, uint32_t *to)
{
    struct fore_intern classes = {0};
    uint32_t *signature = fore_calloc(d->letters + 1, sizeof *signature);
    for (uint32_t q = 0; q < d->states; q++) {
        signature[0] = from[q];
        for (uint32_t x = 0; x < d->letters; x++)
            signature[1 + x] =
                letter_is_used(use, x) && !bad[q] ? from[d->next[q * d->letters + x]] : 0;
        to[q] =
            fore_intern(&classes, signature, (d->letters + 1) * sizeof *signature) - 1;
    }
    uint32_t n = (uint32_t)fore_intern_count(&classes);
    fore_intern_release(&classes);
    fore_free(signature);
    return n;
}

/* Numbers the classes from the start on and fills `out`. `member` is one state per class.
 */
static void renumber(const struct fore_dfa *d, const bool *bad, const uint64_t *use,
                     const uint32_t *class, const uint32_t *member, uint32_t classes,
                     struct fore_dfa *out)
{
    uint32_t *number = fore_alloc((classes + 1) * sizeof *number);
    uint32_t *order = fore_alloc((classes + 1) * sizeof *order);
    memset(number, 0xff, classes * sizeof *number);
    *out = (struct fore_dfa){.letters = d->letters, .bad = UINT32_MAX};
    out->next = fore_calloc((size_t)classes * d->letters + 1, sizeof *out->next);
    number[class[d->start]] = 0;
    order[out->states++] = class[d->start];
    for (uint32_t q = 0; q < out->states; q++) {
        uint32_t from = member[order[q]];
        if (bad[from])
            out->bad = q;
        for (uint32_t x = 0; x < d->letters; x++) {
            uint32_t to = class[d->next[from * d->letters + x]];
            if (bad[from] || !letter_is_used(use, x))
                to = class[from];
            if (number[to] == UINT32_MAX) {
                number[to] = out->states;
                order[out->states++] = to;
            }
            out->next[q * d->letters + x] = number[to];
        }
    }
    fore_free(number);
    fore_free(order);
}

void fore_dfa_minimise(const struct fore_dfa *d, const bool *bad_states,
                       const uint64_t *use, struct fore_dfa *out)
{
    uint32_t *from = fore_calloc(d->states, sizeof *from);
    uint32_t *to = fore_calloc(d->states, sizeof *to);
    uint32_t classes = 1, before = 0;
    for (uint32_t q = 0; q < d->states; q++)
        from[q] = bad_states[q];
    while (classes != before) { /* classes only ever split */
        before = classes;
        classes = refine(d, bad_states, use, from, to);
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t q = d->states; q-- > 0;) /* `to` now holds a member of each class */
        to[from[q]] = q;
    renumber(d, bad_states, use, from, to, classes, out);
    fore_free(from);
    fore_free(to);
}
