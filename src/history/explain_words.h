/* Writes the part of an explanation that is words: orders, objections, forced pairs. */
#ifndef FORE_HISTORY_EXPLAIN_WORDS_H
#define FORE_HISTORY_EXPLAIN_WORDS_H

#include "history/explain.h"
#include "history/shrink.h"

void fore_lin_words(const struct fore_history *h, const struct fore_shrunk *s,
                    struct fore_arena *a, struct fore_lin_explanation *x);

#endif
