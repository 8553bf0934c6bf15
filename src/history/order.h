/* Checks orders, independently of the algorithm that found them. */
#ifndef FORE_HISTORY_ORDER_H
#define FORE_HISTORY_ORDER_H

#include "history/search.h"

/* Does `order` (indices of part->ops) keep real time, hold every completed operation and
 * at most once each, and does the object allow it? An independent check of witnesses. */
bool fore_order_holds(const struct fore_part *part, const uint32_t *order, size_t n);
/* The same without asking the object. */
bool fore_order_fits(const struct fore_part *part, const uint32_t *order, size_t n);

#endif
