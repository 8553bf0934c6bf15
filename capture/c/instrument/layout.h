/* The layout of a variable as text, from its debug information: the runtime finds the member
 * at an offset, its name and how to read its value. The grammar is in trace/leaf.h. */
#ifndef FORE_C_LAYOUT_H
#define FORE_C_LAYOUT_H

#include "capture/c/module.h"

#include <llvm-c/Core.h>

#include <stdbool.h>

/* A global as its source calls it; what is not known is NULL, the rest is to be freed. */
struct fore_named {
    char *name; /* with its namespaces and classes */
    char *file, *layout;
};

struct fore_named fore_layout_of(LLVMContextRef context, LLVMValueRef global);
/* The variable of debug information that a global is, or NULL. */
LLVMMetadataRef fore_layout_variable(LLVMContextRef context, LLVMValueRef global);
/* Such a variable without what is around it; if it points, the layout and size of what it points
 * to. A type, as if it were a variable of its name. */
struct fore_named fore_layout_made(LLVMContextRef context, LLVMMetadataRef variable,
                                   bool points, uint64_t *size);
struct fore_named fore_layout_type(LLVMContextRef context, LLVMMetadataRef type,
                                   uint64_t *size);

/* site.c: whether a function, type or other scope is of a system header. */
bool fore_is_system_file(LLVMMetadataRef scope);

/* Nodes of debug information: what has no getter is read as an operand. */
enum { FORE_LAYOUT_SCOPE = 1, FORE_LAYOUT_NAME = 2 };
LLVMMetadataRef fore_layout_operand(LLVMContextRef context, LLVMMetadataRef node,
                                    unsigned i);
/* The name of a function or type with the namespaces and classes around it, to be freed. */
char *fore_layout_qualified(LLVMContextRef context, LLVMMetadataRef node);

#endif
