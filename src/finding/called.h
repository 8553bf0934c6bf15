/* One name for each thread, the same wherever a finding speaks of it. */
#ifndef FORE_FINDING_CALLED_H
#define FORE_FINDING_CALLED_H

#include "base/vec.h"
#include "trace/trace.h"

struct fore_findings;

/* What tells a thread from the others of its trace. */
enum fore_shared_name {
    FORE_NAME_ALONE,  /* its name */
    FORE_NAME_SHARED, /* others have the same name: its number, too */
    FORE_NAME_AMBIGUOUS, /* functions of other packages look the same: the package's path, too */
};

/* Which threads of a trace share their name with another one; made when it is first asked for. */
struct fore_shared_names {
    const struct fore_tables *of;
    FORE_VEC(uint8_t) shared; /* enum fore_shared_name, by thread */
};

/* "worker"; "thread 5 (worker)" if another thread of the trace is called so, too; "thread 5" without
 * a name. Of `goroutine 7 (example.org/pool.run)` it is "pool.run", or "goroutine 7 (pool.run)" if that is
 * shared. A label that is no number is a name: "T0". */
const char *fore_findings_called(struct fore_findings *f, const struct fore_tables *t,
                                 uint32_t thread);
/* The same of a thread of which only label and name are known, and whether others have that name. */
void fore_called(const char *label, const char *name, enum fore_shared_name shared,
                 struct fore_strbuf *out);

#endif
