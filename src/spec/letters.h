/* Letters of a property: which of the 2^k can occur at all, and how a set of them reads.
 */
#ifndef FORE_SPEC_LETTERS_H
#define FORE_SPEC_LETTERS_H

#include "spec/spec.h"

enum { FORE_LETTERS_BITS = 10 }; /* properties with more atoms are not made explicit */

/* `set` is a bitset of 2^atom_count letters, filled with those that some values of the
 * variables give. Exact for propositions that compare variables with constants; every
 * combination counts as possible for others. Not-a-number is left out. */
void fore_letters_possible(const struct fore_spec *s, const struct fore_property *p,
                           uint64_t *set);
/* A short expression for `set`, over the names of the atoms; letters outside of
 * `possible` may be counted in or out as it reads best. */
void fore_letters_text(const struct fore_spec *s, const struct fore_property *p,
                       const uint64_t *set, const uint64_t *possible,
                       struct fore_strbuf *out);

#endif
