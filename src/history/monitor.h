/* Linearizability while the history grows: after every event it is known whether what has
 * happened so far is linearizable. For explorers, which copy the monitor at every branch.
 *
 * The monitor holds the set of configurations (object state; of each open operation: not
 * yet in effect, or in effect with this result) that the events so far allow. Operations
 * take effect only at a response, and any open operation may. Configurations whose result
 * differs from the answer are dropped; an answered operation is forgotten. No
 * configuration left: the history is not linearizable. Keyed models are watched key by
 * key. */
#ifndef FORE_HISTORY_MONITOR_H
#define FORE_HISTORY_MONITOR_H

#include "history/model.h"

/* Values of operations come from `values`, which copies of the monitor share. */
struct fore_history_monitor {
    const struct fore_model *model;
    struct fore_vals *values;
    fore_val init;
    FORE_VEC(struct fore_monitor_part)
    parts; /* one for each key, in order of appearance */
    bool violated;
};

void fore_monitor_init(struct fore_history_monitor *m, const struct fore_model *model,
                       struct fore_vals *values, fore_val init);
void fore_monitor_release(struct fore_history_monitor *m);
/* `into` must not be initialised, or released. */
void fore_monitor_copy(struct fore_history_monitor *into,
                       const struct fore_history_monitor *from);

/* Opens the operation `id`, which no open operation may have. `op` gives f, args and, for
 * keyed models, the key in `op->object`; the other fields are not looked at. */
void fore_monitor_invoke(struct fore_history_monitor *m, uint64_t id,
                         const struct fore_op *op);
/* Answers operation `id`. False if the history is now, or was already, not linearizable.
 */
bool fore_monitor_respond(struct fore_history_monitor *m, uint64_t id, fore_val result);

/* Two monitors with equal fingerprints answer all futures alike; depends on ids,
 * operations and values, not on the order in which values were made. */
uint64_t fore_monitor_fingerprint(const struct fore_history_monitor *m);

#endif
