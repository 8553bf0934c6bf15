/* What the instrumentor puts into a module and the runtime reads. Plain C, no dependency. */
#ifndef FORE_C_MODULE_H
#define FORE_C_MODULE_H

#include <stdint.h>

/* One row per global that may be shared, in a section of its own. */
struct fore_c_variable {
    char *address;
    uint64_t size;
    const char *name;
    const char *layout; /* see trace/leaf.h; "" if unknown */
    const char *file;   /* of a static: it may share its name with another; else "" */
    const uint64_t *
        parts; /* NULL: all of it; otherwise the parts that a specification names, each as its first bit and
                              how many there are; 0 bits end it */
};

/* A place in the source, in a section of its own; the runtime numbers all of a module before
 * any of its code runs, and defines one when it is first told of. */
struct fore_c_site {
    const char *file, *function; /* what makes memory: see FORE_C_MADE */
    uint32_t line, column, id, defined;
};
/* Of a column: the event comes for sure after the one before it. */
#define FORE_C_STRAIGHT 0x80000000u

/* Of an access: kind of event (FORE_C_ALIGNED: at a multiple of its size) | type << 8 | memory order << 12 | size in bytes << 16. The type
 * counts where there is no layout. FORE_C_BITS: of a bit-field, and the size is instead
 * bytes | first bit << 4 | (width - 1) << 10. */
enum {
    FORE_C_INT = 0,
    FORE_C_FLOAT = 1,
    FORE_C_NO_VALUE = 2,
    FORE_C_COMPARED = 4,
    FORE_C_BITS = 8
};

/* Where memory is made, the name of the function is followed by a line: whether it is a local
 * (FORE_RING_LOCAL) or not (FORE_RING_HEAP), the name of the variable, the size and the layout of
 * what it is or points to, each after a blank; all but the first may be missing. */
#define FORE_C_MADE "\n"
#define FORE_C_ALIGNED 0x80u
#define FORE_C_SITES_SECTION "foresee_sites"
/* What an access through a pointer can be of, by its type; see reach.c. */
enum fore_c_kind {
    FORE_C_KIND_ANY,
    FORE_C_KIND_BOOL,
    FORE_C_KIND_2,
    FORE_C_KIND_4,
    FORE_C_KIND_8,
    FORE_C_KIND_FLOAT,
    FORE_C_KIND_DOUBLE,
    FORE_C_KIND_POINTER,
    FORE_C_KINDS
};
/* Of each module a set of kinds, 32 bits: what is in the variables whose addresses it takes. */
#define FORE_C_TAKEN "foresee_taken"

/* A function that a thread may begin with, and whose address is taken: its name is known, though the call that creates the
 * thread is handed a pointer. */
struct fore_c_start {
    const void *function;
    const char *name;
};
#define FORE_C_STARTS_SECTION "foresee_starts"

#define FORE_C_SECTION "foresee_vars"
#define FORE_C_LOCKS_SECTION "foresee_locks" /* the same; see tables.c */
/* With a specification: the names of all variables of the program, each with a line of the file
 * if it is static, and one of its layout; each ends in 0. */
#define FORE_C_KNOWN "foresee_known"

#endif
