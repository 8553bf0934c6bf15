/* Reads ring files as a format: runs the merger over a whole file. */
#ifndef FORE_RING_FSR_READ_H
#define FORE_RING_FSR_READ_H

#include "trace/format.h"

bool fore_fsr_matches(const char *head, size_t n);
enum fore_status fore_fsr_read(struct fore_input *in, struct fore_tables *tables,
                               struct fore_sink *s, struct fore_err *e) FORE_MUST_USE;

#endif
