/* Sections of an executable. */
#ifndef FORE_RING_GOELF_H
#define FORE_RING_GOELF_H

#include <stddef.h>
#include <stdint.h>

/* The file, or a part of it. */
struct fore_goelf {
    const unsigned char *at;
    size_t n;
};

/* The section; empty if there is none, or if it is compressed. */
struct fore_goelf fore_goelf_section(struct fore_goelf file, const char *name,
                                     uint64_t *address);

/* Where the text of Go begins. In programs with C, text of C may come before. */
uint64_t fore_goelf_text(struct fore_goelf file);

#endif
