/* Functions, files and lines of a Go executable, from the table that every Go program carries
 * for its own tracebacks (it is there even in stripped ones). Read from the mapped file;
 * anything malformed makes an address unknown, never a crash. */
#ifndef FORE_TRACE_GOSYM_H
#define FORE_TRACE_GOSYM_H

#include "base/err.h"
#include "base/strbuf.h"
#include "trace/tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fore_gosym;

/* Texts live as long as the symbols. */
struct fore_gosym_frame {
    const char *function, *file;
    uint32_t line;
    bool std; /* of Go's own library or runtime */
};

/* `func_distance` is the ring header's go_func: from the table to what describes inlined
 * calls; 0: not known, then an address has its innermost position only. */
enum fore_status fore_gosym_open(struct fore_gosym **out, const char *path,
                                 int64_t func_distance, struct fore_err *e) FORE_MUST_USE;
void fore_gosym_free(struct fore_gosym *g);
/* The program ran in this folder: names of files that -trimpath has cut are made whole, where they can be. */
void fore_gosym_ran_in(struct fore_gosym *g, const char *folder);
/* The next source file, from `*at` on, that is not of Go's own library, as a string of the tables; 0: no more. */
uint32_t fore_gosym_file(const struct fore_gosym *g, struct fore_tables *t, size_t *at);
/* The executable itself. */
struct fore_bytes fore_gosym_image(const struct fore_gosym *g);

/* The frames of the return address `pc` (relative to the beginning of the program text),
 * inlined ones first, at most `room`; 0: unknown. */
size_t fore_gosym_frames(const struct fore_gosym *g, uint32_t pc,
                         struct fore_gosym_frame *out, size_t room);
/* The function that begins at `pc`: "main.worker", or "". */
const char *fore_gosym_entry(const struct fore_gosym *g, uint32_t pc);

/* "queue.(*Queue[...]).Pop" of "queue.(*Queue[go.shape.int]).Pop": one function in the source, as Go's own tracebacks
 * tell it. */
void fore_gosym_put_name(const char *function, struct fore_strbuf *out);

/* Is the innermost frame of `pc` a function of a package ("time.")? */
bool fore_gosym_in(const struct fore_gosym *g, uint32_t pc, const char *package);

/* A node of the calling context for `pc` and, behind it, `stack` (its callers' return
 * addresses, innermost first): the innermost frame of the user's own code, or of the library
 * if there is no other. `*hidden`, if wanted: the operation itself is the library's, and not
 * one that it does at the user's request (package time, context, sync). */
uint32_t fore_gosym_where(const struct fore_gosym *g, struct fore_tables *t, uint32_t pc,
                          const uint32_t *stack, size_t n, bool *hidden);

#endif
