/* Who, where and which steps, in the words that the findings of all analyses use. Texts live as long
 * as the findings. */
#ifndef FORE_ANALYSIS_TELL_TELL_H
#define FORE_ANALYSIS_TELL_TELL_H

#include "finding/finding.h"
#include "machine/witness.h"

/* What findings call the thread: fore_findings_called. */
const char *fore_tell_who(struct fore_findings *f, const struct fore_trace *t,
                          uint32_t thread);
/* " at main.go:4", or "". */
const char *fore_tell_at(struct fore_findings *f, const struct fore_trace *t,
                         uint32_t where);
/* Who waits where for a lock, and who holds it since where (0: that is not known). */
struct fore_tell_wait {
    uint32_t thread, lock, where, owner, since;
};
/* "worker waits for the lock audit_log (bank.c:19), which report holds since bank.c:24". */
void fore_tell_lock_wait(struct fore_findings *f, const struct fore_trace *t,
                         const struct fore_tell_wait *w, struct fore_strbuf *out);
/* Adds the witness' events from `from` on as steps of the finding; linear in their number. Returns
 * the first of these steps; the k-th from there is the event `from` + k. */
struct fore_step *fore_tell_steps(struct fore_findings *f, struct fore_finding *x,
                                  const struct fore_trace *t,
                                  const struct fore_witness *w, size_t from);

#endif
