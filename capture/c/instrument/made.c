/* Where memory is made: after a call that allocates the runtime is told where that was, and of a
 * local whose address escapes what it is called. Both for the names of places alone, so what
 * debug information does not say is left out. Variables are looked up in the code as it comes from
 * the compiler, where all are in memory; a note at the call keeps the name. */
#include "capture/c/instrument/instrument.h"
#include "capture/c/instrument/layout.h"

#include <llvm/Config/llvm-config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions that allocate although they are not marked as returning what nobody else points to. */
static const char *const allocators[] = {"realloc", "reallocarray", "mmap"};

/* Calls of llvm.dbg.* say what values are called. */
static void show_variables(LLVMModuleRef module)
{
#if LLVM_VERSION_MAJOR >= 19 /* where they are no instructions, and cannot be asked for */
    LLVMSetIsNewDbgInfoFormat(module, false);
#else
    (void)module;
#endif
}

/* ---- which variable it is ---- */

/* The value that a call of llvm.dbg.declare or llvm.dbg.value is about, or NULL. */
static LLVMValueRef described(LLVMValueRef i)
{
    if (!LLVMIsACallInst(i))
        return NULL;
    const char *name = fore_function_name(LLVMGetCalledValue(i));
    if (strcmp(name, "llvm.dbg.declare") != 0 && strcmp(name, "llvm.dbg.value") != 0)
        return NULL;
    LLVMValueRef about = LLVMGetOperand(i, 0), value = NULL;
    if (LLVMGetMetadataKind(LLVMValueAsMetadata(about)) ==
        LLVMLocalAsMetadataMetadataKind)
        LLVMGetMDNodeOperands(about, &value);
    return value;
}

/* The instruction that says what an alloca is called, or NULL. */
static LLVMValueRef description(LLVMValueRef local)
{
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(local));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            if (described(i) == local)
                return i;
    return NULL;
}

static LLVMMetadataRef variable_in(LLVMValueRef description)
{
    return description ? LLVMValueAsMetadata(LLVMGetOperand(description, 1)) : NULL;
}

/* The variable that is stored to. */
static LLVMMetadataRef target(struct fore_work *w, LLVMValueRef store)
{
    LLVMValueRef to = LLVMGetOperand(store, 1);
    while (LLVMIsABitCastInst(to) ||
           (LLVMIsAConstantExpr(to) && LLVMGetConstOpcode(to) == LLVMBitCast))
        to = LLVMGetOperand(to, 0);
    if (LLVMIsAGlobalVariable(to))
        return fore_layout_variable(w->context, to);
    return LLVMIsAAllocaInst(to) ? variable_in(description(to)) : NULL;
}

/* The variable that the value is stored in. Before version 15 it may be cast. */
static LLVMMetadataRef holder(struct fore_work *w, LLVMValueRef value)
{
    LLVMMetadataRef found = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(value); u && !found; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsABitCastInst(user))
            found = holder(w, user);
        else if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value)
            found = target(w, user);
    }
    return found;
}

/* ---- what the runtime is told ---- */

/* An attribute of the call: metadata is lost when it becomes an invoke. */
#define NOTE "foresee-made"

/* See FORE_C_MADE; to be freed. */
static char *text_of(char kind, const struct fore_named *v, uint64_t size)
{
    enum { LONGEST = 2000 };
    char *text;
    const char *name = v->name && !strchr(v->name, ' ') ? v->name : "";
    bool known = v->layout && size && strlen(v->layout) < LONGEST;
    int n = known ? asprintf(&text, "%c %s %llu %s", kind, name, (unsigned long long)size,
                             v->layout)
                  : asprintf(&text, "%c %s", kind, name);
    return fore_must(n < 0 ? NULL : text);
}

static void release(struct fore_named *v)
{
    free(v->name);
    free(v->file);
    free(v->layout);
}

/* C++ says what type `new` is of. */
static struct fore_named made_by(struct fore_work *w, LLVMValueRef call, uint64_t *size)
{
    unsigned kind = LLVMGetMDKindIDInContext(w->context, "heapallocsite", 13);
    LLVMMetadataRef variable = holder(w, call);
    LLVMValueRef type = LLVMGetMetadata(call, kind);
    *size = 0;
    if (variable)
        return fore_layout_made(w->context, variable, true, size);
    if (type)
        return fore_layout_type(w->context, LLVMValueAsMetadata(type), size);
    return (struct fore_named){0};
}

/* The place right behind the call; NULL if that is not one place. */
static LLVMValueRef behind(LLVMValueRef call)
{
    if (!LLVMIsAInvokeInst(call))
        return LLVMGetNextInstruction(call);
    LLVMBasicBlockRef next = LLVMGetNormalDest(call);
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(next));
    if (!use || LLVMGetNextUse(use))
        return NULL;
    LLVMValueRef i = LLVMGetFirstInstruction(next);
    while (i && LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

static bool is_allocator(LLVMValueRef call)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
    LLVMValueRef f = LLVMGetCalledValue(call);
    const char *name = fore_function_name(f);
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
        if (strcmp(name, allocators[i]) == 0)
            return true;
    return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeReturnIndex, kind) ||
           (*name && LLVMGetEnumAttributeAtIndex(f, LLVMAttributeReturnIndex, kind));
}

static bool is_indirect(LLVMValueRef call)
{
    return strcmp(fore_function_name(LLVMGetCalledValue(call)), "posix_memalign") == 0;
}

static void note_allocation(struct fore_work *w, LLVMValueRef call)
{
    uint64_t size = 0;
    struct fore_named v = {0};
    if (!is_indirect(call))
        v = made_by(w, call, &size);
    char *text = text_of(FORE_RING_HEAP, &v, size);
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             LLVMCreateStringAttribute(w->context, NOTE, sizeof NOTE - 1,
                                                       text, (unsigned)strlen(text)));
    release(&v);
    free(text);
}

void fore_note_made(struct fore_work *w)
{
    show_variables(w->module);
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f && !w->name_count;
         f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i))
                if ((LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) &&
                    (is_indirect(i) || is_allocator(i)))
                    note_allocation(w, i);
}

void fore_made(struct fore_work *w, LLVMValueRef call)
{
    unsigned n;
    LLVMAttributeRef noted = LLVMGetCallSiteStringAttribute(
        call, LLVMAttributeFunctionIndex, NOTE, sizeof NOTE - 1);
    LLVMValueRef next = noted ? behind(call) : NULL;
    if (!next)
        return;
    LLVMPositionBuilderBefore(w->builder, next);
    LLVMValueRef args[] = {
        call, fore_site_made(w, call, LLVMGetStringAttributeValue(noted, &n))};
    if (is_indirect(call)) {
        args[0] = LLVMBuildBitCast(w->builder, LLVMGetOperand(call, 0),
                                   LLVMPointerType(w->text, 0), "");
        args[0] = LLVMBuildLoad2(w->builder, w->text, args[0], "");
    }
    fore_emit(w, w->made, args, 2);
    LLVMRemoveCallSiteStringAttribute(call, LLVMAttributeFunctionIndex, NOTE,
                                      sizeof NOTE - 1);
}

/* The runtime has one entry for each 16 bytes. */
LLVMValueRef fore_made_local(struct fore_work *w, LLVMValueRef local)
{
    enum { ALIGNMENT = 16 };
    LLVMValueRef said = description(local);
    uint64_t size = 0;
    struct fore_named v = {0};
    if (said)
        v = fore_layout_made(w->context, variable_in(said), false, &size);
    char *text = text_of(FORE_RING_LOCAL, &v, size);
    if (LLVMGetAlignment(local) < ALIGNMENT)
        LLVMSetAlignment(local, ALIGNMENT);
    LLVMValueRef site = fore_site_made(w, said ? said : local, text);
    release(&v);
    free(text);
    return site;
}
