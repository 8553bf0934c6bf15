/* Histories inside traces: the events invoke, return, fail and info. */
#ifndef FORE_HISTORY_FORMAT_TRACE_H
#define FORE_HISTORY_FORMAT_TRACE_H

#include "history/format.h"
#include "trace/trace.h"

extern const struct fore_history_format fore_history_format_trace;

/* A sink for the events of a trace that hands their operations to `to` as records. */
struct fore_trace_records {
    struct fore_sink sink;
    struct fore_record_sink *to;
    uint32_t only;           /* this object; 0: all */
    struct fore_map open;    /* with `only`: thread or number -> object */
    struct fore_map numbers; /* an operation's number -> the thread that invoked it */
    FORE_VEC(fore_val) args;
    enum fore_status status;
    struct fore_err *err;
};
void fore_trace_records_init(struct fore_trace_records *r, struct fore_record_sink *to,
                             struct fore_err *e);
void fore_trace_records_release(struct fore_trace_records *r);

/* Some operations of a history as a trace that stands for itself: with the initial state (NULL:
 * the object's own), without answers at `cut` or later, and with what it breaks. */
void fore_history_witness_text(const struct fore_history *h, const uint32_t *ops,
                               size_t n, uint32_t cut, const fore_val *init,
                               const char *broken, struct fore_strbuf *out);

#endif
