/* Small deterministic automata over letters 0 … letters-1, with at most one bad state,
 * which is never left. */
#ifndef FORE_SPEC_DFA_H
#define FORE_SPEC_DFA_H

#include <stdbool.h>
#include <stdint.h>

struct fore_dfa {
    uint32_t states, letters, start;
    uint32_t bad;   /* UINT32_MAX: none can be reached */
    uint32_t *next; /* states x letters; the caller's to free with fore_dfa_release */
};

void fore_dfa_release(struct fore_dfa *d);
/* The smallest automaton that is bad after the same words over the letters in `use`
 * (NULL: all). States are numbered in order of discovery from the start, letter by
 * letter, so two automata say the same if and only if they are equal. Letters not in `use`
 * keep their columns, with every state leading to itself. */
void fore_dfa_minimise(const struct fore_dfa *d, const bool *bad_states,
                       const uint64_t *use, struct fore_dfa *out);

#endif
