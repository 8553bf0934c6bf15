/* The formats of histories, as rows of one table: a format is one file and one row. */
#ifndef FORE_HISTORY_FORMAT_H
#define FORE_HISTORY_FORMAT_H

#include "base/budget.h"
#include "base/file.h"
#include "history/history.h"

#include <stdio.h>

/* Takes the records that a reader finds. */
struct fore_record_sink {
    enum fore_status (*record)(struct fore_record_sink *s, const struct fore_record *r,
                               struct fore_err *e);
    struct fore_vals *values; /* where the records' values are made */
};

struct fore_history_format {
    const char *name, *extension, *summary;
    enum fore_dialect dialect;
    /* Does a file with these first bytes (up to 4096) have this format? */
    bool (*matches)(const char *head, size_t n);
    enum fore_status (*read)(const char *file, const char *text, size_t n,
                             struct fore_record_sink *s, struct fore_err *e);
    enum fore_status (*write)(const struct fore_history *h, FILE *to, struct fore_err *e);
};

extern const struct fore_history_format
    *const fore_history_formats[]; /* ends with NULL */
const struct fore_history_format *fore_history_format_named(const char *name);
const struct fore_history_format *fore_history_format_of(const char *text, size_t n);

/* Reads a file, or "-". `model` NULL: guessed from the operations' names; `format` NULL:
 * recognised by content. On failure `h` is released. */
enum fore_status fore_history_load(struct fore_history *h, const char *path,
                                   const struct fore_model *model,
                                   const struct fore_history_format *format,
                                   struct fore_err *e) FORE_MUST_USE;
/* The same within a budget: when it is spent it fails, and `budget->spent` says why. */
enum fore_status fore_history_load_within(struct fore_history *h, const char *path,
                                          const struct fore_model *model,
                                          const struct fore_history_format *format,
                                          struct fore_budget *budget,
                                          struct fore_err *e) FORE_MUST_USE;
enum fore_status fore_history_read(struct fore_history *h, const char *name,
                                   const char *text, size_t n,
                                   const struct fore_model *model,
                                   const struct fore_history_format *format,
                                   struct fore_err *e) FORE_MUST_USE;

/* A source that can hand over its records, more than once. */
struct fore_record_source {
    enum fore_status (*read)(const struct fore_record_source *s,
                             struct fore_record_sink *to, struct fore_err *e);
    struct fore_budget *budget; /* NULL: no limit */
};
enum fore_status fore_history_from(struct fore_history *h, const char *name,
                                   const struct fore_record_source *from,
                                   const struct fore_model *model,
                                   enum fore_dialect dialect,
                                   struct fore_err *e) FORE_MUST_USE;

/* The events of a history in order, for writers. An operation that never returned is given
 * up (`info`) before its process invokes the next one. The caller frees. */
struct fore_history_event {
    uint32_t op;
    enum fore_record_type type; /* invoke, ok or info */
};
struct fore_history_event *fore_history_events(const struct fore_history *h, size_t *n);
/* Does a process have several answered operations open at once? Then they need numbers. */
bool fore_history_overlaps(const struct fore_history *h);

#endif
