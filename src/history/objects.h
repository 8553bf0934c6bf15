/* What the files with the built-in sequential objects share; the table of all is fore_models. */
#ifndef FORE_HISTORY_OBJECTS_H
#define FORE_HISTORY_OBJECTS_H

#include "history/model.h"

#define OPS(table) .ops = (table), .n_ops = sizeof(table) / sizeof *(table)
#define STEP_ARGS                                                                        \
    const struct fore_model *m, struct fore_vals *t, fore_val state,                     \
        const struct fore_op *op, fore_val *next, fore_val *result

/* In collections.c. */
extern const struct fore_model fore_object_set, fore_object_multiset, fore_object_queue,
    fore_object_pqueue, fore_object_stack, fore_object_log, fore_object_ids;

#endif
