/* The layout of a variable as text, and what is at an offset of it: for the C capture, which
 * takes it from debug information, and for names of memory that such a layout describes. No
 * dependency but libc: it also lives in other people's programs.
 *
 *   i4 u4 f8 b1 p8 o40    signed, unsigned, floating, bool, pointer, opaque; its bytes
 *   [10,4 T]              ten elements of four bytes
 *   {0 level T;8 v T;}    members: offset, name, layout; of a union one that has parts
 *   :3,2u                 of a member that is a bit-field: first bit, width, i u b
 *
 * What is not of the grammar names nothing. */
#ifndef FORE_TRACE_LEAF_H
#define FORE_TRACE_LEAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fore_leaf {
    char type;
    uint64_t size, rest; /* rest: how far behind its beginning */
    char name[256];
};

/* The name goes on from that of the whole. False if the layout does not say. */
bool fore_leaf_at(const char *whole, const char *layout, uint64_t offset,
                  struct fore_leaf *leaf);
/* A block of memory that was made for objects of a type. */
struct fore_leaf_block {
    const char *layout; /* of the type; "" if it is not known */
    uint64_t unit;      /* the type's size; 0: not known */
    uint64_t size;
    bool open; /* the block is longer than `size` says */
};
/* The name of what is at an offset of the block: "[3].next", ".level", "[12]" for a byte of what has no layout. A block
 * as long as several objects of its type is an array of them, unless the type's last member has a flexible length. */
void fore_leaf_in_block(const struct fore_leaf_block *b, uint64_t offset, char *name,
                        size_t room);
/* The bit-field that begins with a bit of the variable; its size is in bits. */
bool fore_leaf_bits_at(const char *whole, const char *layout, uint64_t bit,
                       struct fore_leaf *leaf);
/* Which bits of the variable a part is. */
struct fore_leaf_part {
    uint64_t first, bits;
};
/* Does the layout have a part of that name: ".level", "[3].x"? `missing` is then NULL, otherwise the step of the path
 * that is not there. */
bool fore_leaf_find(const char *layout, const char *path, struct fore_leaf_part *part,
                    const char **missing);

#endif
