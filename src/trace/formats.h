/* The readers and writers behind the table of formats. */
#ifndef FORE_TRACE_FORMATS_H
#define FORE_TRACE_FORMATS_H

#include "trace/format.h"

bool fore_text_matches(const char *head, size_t n);
enum fore_status fore_text_read(struct fore_input *in, struct fore_tables *tables,
                                struct fore_sink *s, struct fore_err *e) FORE_MUST_USE;
struct fore_sink *fore_text_write(struct fore_arena *a, FILE *to);

bool fore_fst_matches(const char *head, size_t n);
enum fore_status fore_fst_read(struct fore_input *in, struct fore_tables *tables,
                               struct fore_sink *s, struct fore_err *e) FORE_MUST_USE;
struct fore_sink *fore_fst_write(struct fore_arena *a, FILE *to);

bool fore_std_matches(const char *head, size_t n);
enum fore_status fore_std_read(struct fore_input *in, struct fore_tables *tables,
                               struct fore_sink *s, struct fore_err *e) FORE_MUST_USE;

#endif
