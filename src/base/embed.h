/* Puts a file of the source tree into the program: FORE_EMBED(name, "examples/x.trace") declares
 * `name`, NUL-terminated, whose size FORE_EMBED_SIZE(name) tells. Faster to compile than any array of bytes. */
#ifndef FORE_BASE_EMBED_H
#define FORE_BASE_EMBED_H

#include <stddef.h>

#include "source_root.h" /* made by meson */

#define FORE_EMBED(name, path)                                                           \
    __asm__(".section .rodata\n.balign 16\n.global fore_embed_" #name                    \
            "\n.hidden fore_embed_" #name "\nfore_embed_" #name                          \
            ":\n.incbin \"" FORE_SOURCE_ROOT "/" path "\"\n.global fore_embed_" #name    \
            "_end\n.hidden fore_embed_" #name "_end\nfore_embed_" #name                  \
            "_end:\n.byte 0\n.previous\n");                                              \
    extern const char name[] __asm__("fore_embed_" #name);                               \
    extern const char name##_end[] __asm__("fore_embed_" #name "_end")

#define FORE_EMBED_SIZE(name) ((size_t)(name##_end - name))

#endif
