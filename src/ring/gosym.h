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

/* The texts live as long as the symbols. */
struct fore_gosym_frame {
    const char *function, *file;
    uint32_t line;
    bool std; /* it belongs to Go's own library or runtime */
};

/* `func_distance` is the ring header's go_func: the distance from the table to the data about
 * inlined calls; 0: not known, and then an address has only its innermost position. */
enum fore_status fore_gosym_open(struct fore_gosym **out, const char *path,
                                 int64_t func_distance, struct fore_err *e) FORE_MUST_USE;
void fore_gosym_free(struct fore_gosym *g);
/* Says in which folder the program ran, so that file names that -trimpath has cut can be
 * completed. */
void fore_gosym_ran_in(struct fore_gosym *g, const char *folder);
/* The next source file, from `*at` on, that is not of Go's own library, as a string of the
 * tables; 0: there are no more. `*name` is its name in the executable. */
uint32_t fore_gosym_file(const struct fore_gosym *g, struct fore_tables *t, size_t *at,
                         const char **name);
/* A file's name in the executable as a string of the tables, completed if -trimpath has cut it. */
uint32_t fore_gosym_file_string(const struct fore_gosym *g, struct fore_tables *t,
                                const char *name);
/* Is there code of this line of a file (by its name in the executable)? Functions that are never
 * called are not linked. */
bool fore_gosym_has_line(const struct fore_gosym *g, const char *file, uint32_t line);
/* The executable itself. */
struct fore_bytes fore_gosym_image(const struct fore_gosym *g);

/* Gives the frames of the return address `pc` (relative to the beginning of the program text),
 * inlined ones first, at most `room`; 0: unknown. */
size_t fore_gosym_frames(const struct fore_gosym *g, uint32_t pc,
                         struct fore_gosym_frame *out, size_t room);
/* The function that begins at `pc`: "main.worker", or "". */
const char *fore_gosym_entry(const struct fore_gosym *g, uint32_t pc);

#endif
