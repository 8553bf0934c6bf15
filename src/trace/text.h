/* Pieces of the text notation that its reader and its writers share. */
#ifndef FORE_TRACE_TEXT_H
#define FORE_TRACE_TEXT_H

#include "trace/format.h"

/* A name (identifier, or a string where it is none), a thread's label (may be a number), a
 * place (a path, or a string where it is none), a file of a location. */
void fore_text_name(const char *s, size_t n, struct fore_strbuf *out);
void fore_text_label(const struct fore_tables *t, uint32_t thread,
                     struct fore_strbuf *out);
void fore_text_where(const struct fore_tables *t, uint32_t where,
                     struct fore_strbuf *out);
void fore_text_object(const struct fore_tables *t, uint32_t object,
                      struct fore_strbuf *out);
/* Is the text a place as the notation writes it? `*bytes` gets the length of its range, or 0. */
bool fore_text_place(const char *s, size_t n, uint64_t *bytes);

/* Like fore_event_text, but a receive on an unbuffered channel names the send that it took
 * (`1/3#x?`) only if asked to. */
void fore_text_event(const struct fore_tables *t, const struct fore_event *e,
                     const struct fore_case *cases, bool which_send,
                     struct fore_strbuf *out);

/* "chan", "wg": a kind of objects as declarations name it. */
extern const char *const fore_text_kinds[FORE_OBJ_KINDS];

/* ".acq", by enum fore_memory_order; "" for plain. */
extern const char *const fore_text_orders[6];

#endif
