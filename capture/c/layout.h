/* The layout of a variable as text, from its debug information: the runtime finds the member
 * at an offset, its name and how to read its value.
 *
 *   i4 u4 f8 b1 p8 o40    signed, unsigned, floating, bool, pointer, opaque; its bytes
 *   [10,4 T]              ten elements of four bytes
 *   {0 level T;8 v T;}    members: offset, name, layout
 */
#ifndef FORE_C_LAYOUT_H
#define FORE_C_LAYOUT_H

#include "c/module.h"

#include <llvm-c/Core.h>

/* The name in the source and the layout of a global; each NULL if there is no debug
 * information about it, else to be freed. */
void fore_layout_of(LLVMContextRef context, LLVMValueRef global, char **name,
                    char **layout);

#endif
