/* Texts that grow: most histories of appends, puts and gets are decided by one walk along
 * their events, because what a get saw tells the order of the appends before it. */
#ifndef FORE_HISTORY_TEXTS_H
#define FORE_HISTORY_TEXTS_H

#include "history/history.h"

struct fore_texts;

/* Walks along all objects of the history. NULL if they are no texts that grow. */
struct fore_texts *fore_texts_walk(const struct fore_history *h, fore_val init);
void fore_texts_free(struct fore_texts *t);
/* Was a linearization of the object found? If not, nothing is known. */
bool fore_texts_found(const struct fore_texts *t, uint32_t object);
/* How many operations the object has. */
size_t fore_texts_count(const struct fore_texts *t, uint32_t object);
/* Writes the linearization of the object; there must be room for all its operations. Returns how many
 * it has: operations that never returned may be missing. */
size_t fore_texts_order(const struct fore_texts *t, uint32_t object, uint32_t *order);

#endif
