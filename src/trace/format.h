/* The file formats, as rows of one table. A format is one file and one row. */
#ifndef FORE_TRACE_FORMAT_H
#define FORE_TRACE_FORMAT_H

#include "trace/trace.h"

#include <stdio.h>

/* The source of a reader's bytes: a file, a pipe or memory. It owns what it opened. */
struct fore_input {
    const char *name; /* for messages; "<stdin>" for "-" */
    int fd;           /* -1: memory */
    const char *mem;
    size_t mem_n, mem_at;
    char *head; /* the bytes that were peeked at, and how many of them were read since */
    size_t head_n, head_at;
};

enum { FORE_INPUT_HEAD = 4096 };

enum fore_status fore_input_open(struct fore_input *in, const char *path,
                                 struct fore_err *e) FORE_MUST_USE;
void fore_input_memory(struct fore_input *in, const char *name, const void *p, size_t n);
void fore_input_release(struct fore_input *in);
/* Up to n bytes, fewer only at the end. `*got` = 0 at the end. */
enum fore_status fore_input_read(struct fore_input *in, void *buf, size_t n, size_t *got,
                                 struct fore_err *e) FORE_MUST_USE;
/* Reads what is available, at least one byte unless the input has ended: does not wait for more. */
enum fore_status fore_input_some(struct fore_input *in, void *buf, size_t n, size_t *got,
                                 struct fore_err *e) FORE_MUST_USE;

/* The first bytes (up to FORE_INPUT_HEAD), which later reads still return. Call it before the
 * first read. */
enum fore_status fore_input_peek(struct fore_input *in, const char **head, size_t *n,
                                 struct fore_err *e) FORE_MUST_USE;

/* A writer is a sink; `end` flushes, and the file stays the caller's to close. */
struct fore_format {
    const char *name, *extension, *summary;
    /* Does the file begin like this format? `head` is its first bytes (up to FORE_INPUT_HEAD). */
    bool (*matches)(const char *head, size_t n);
    /* Pushes everything into `s` and ends it; fills `tables` while doing so. */
    enum fore_status (*read)(struct fore_input *in, struct fore_tables *tables,
                             struct fore_sink *s, struct fore_err *e);
    struct fore_sink *(*write)(struct fore_arena *a, FILE *to); /* NULL: cannot */
    bool quick; /* handing its events to another thread costs as much as reading them */
};

extern const struct fore_format *const fore_formats[]; /* NULL-terminated */

const struct fore_format *fore_format_named(const char *name_or_extension);
/* Finds the format by content first, by extension if the content says nothing. */
enum fore_status fore_trace_load(const char *path, struct fore_trace *into,
                                 struct fore_err *e) FORE_MUST_USE;
/* The same; but of a long trace in which there seems to be little to find only the beginning is
 * kept, with the survey of the whole (into->brief). The path must name a file. */
enum fore_status fore_trace_load_brief(const char *path, struct fore_trace *into,
                                       struct fore_err *e) FORE_MUST_USE;
/* The same; if the trace gets a thin trace, that many events at its end are kept whole. */
enum fore_status fore_trace_load_ending(const char *path, struct fore_trace *into,
                                        size_t end, struct fore_err *e) FORE_MUST_USE;
/* The whole after all. */
enum fore_status fore_trace_load_again(const char *path, struct fore_trace *into,
                                       struct fore_err *e) FORE_MUST_USE;
/* The same, streamed. */
enum fore_status fore_trace_stream(const char *path, struct fore_tables *tables,
                                   struct fore_sink *s, struct fore_err *e) FORE_MUST_USE;

/* Reads from an input that is already open. */
enum fore_status fore_input_stream(struct fore_input *in, struct fore_tables *tables,
                                   struct fore_sink *s, struct fore_err *e) FORE_MUST_USE;

/* One event in the notation, without its thread: "post(x!)", "lock(m)". */
void fore_event_text(const struct fore_tables *t, const struct fore_event *e,
                     const struct fore_case *cases, struct fore_strbuf *out);
/* A value in the notation. */
void fore_value_text(const struct fore_tables *t, struct fore_value v,
                     struct fore_strbuf *out);

/* Reads a trace in the text notation, such as a witness, from memory; errors name the trace. */
enum fore_status fore_trace_parse(struct fore_trace *t, const char *text, size_t n,
                                  struct fore_err *e) FORE_MUST_USE;

#endif
