/* Accesses that are calls.
 *
 * Of large modules: inlined, an access takes a hundred bytes, and even two calls around it with
 * a test are more work for the compiler than all the rest of the program. There a load or
 * store becomes one call, which does it.
 *
 * With a specification: an access by a pointer that may lead to a variable is done by a call
 * if it seems to, and else as it stands there, so that the optimiser sees what it is. */
#include "capture/c/instrument/instrument.h"

#include <stdio.h>
#include <string.h>

enum { LARGE = 1000 };

bool fore_is_large(struct fore_work *w)
{
    unsigned n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i))
                n += (LLVMIsALoadInst(i) && !fore_is_private(w, LLVMGetOperand(i, 0))) ||
                     (LLVMIsAStoreInst(i) && !fore_is_private(w, LLVMGetOperand(i, 1)));
    return n > LARGE;
}

/* The function for accesses of this type, of the module or of the runtime; none if there is
 * none. */
static struct fore_hook outlined(struct fore_work *w, LLVMTypeRef type, const char *what,
                                 bool stores)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    uint64_t bits = LLVMSizeOfTypeInBits(w->layout, type);
    bool pointer = kind == LLVMPointerTypeKind;
    bool simple = pointer || kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind ||
                  kind == LLVMDoubleTypeKind;
    char name[32], size[8];
    if (!simple || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
        return (struct fore_hook){0};
    snprintf(size, sizeof size, "%u", (unsigned)(bits / 8));
    snprintf(name, sizeof name, "foresee_%s_%s%s", what, stores ? "store" : "load",
             pointer ? "_pointer" : size);
    LLVMTypeRef value = pointer ? w->text : w->i64;
    LLVMTypeRef args[] = {w->text, w->text, w->i32, value};
    LLVMTypeRef own =
        LLVMFunctionType(stores ? w->void_type : value, args, stores ? 4 : 3, false);
    LLVMValueRef f = LLVMGetNamedFunction(w->module, name);
    return (struct fore_hook){own, f ? f : LLVMAddFunction(w->module, name, own)};
}

/* The value as the 64 bits that the functions take and return. */
static LLVMValueRef widen(struct fore_work *w, LLVMValueRef value, LLVMTypeRef as)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    uint64_t bits = LLVMSizeOfTypeInBits(w->layout, type);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return fore_as_text(w, value);
    value = LLVMBuildBitCast(w->builder, value,
                             LLVMIntTypeInContext(w->context, (unsigned)bits), "");
    return LLVMBuildZExtOrBitCast(w->builder, value, as, "");
}

static LLVMValueRef narrow(struct fore_work *w, LLVMValueRef value, LLVMTypeRef to)
{
    uint64_t bits = LLVMSizeOfTypeInBits(w->layout, to);
    if (LLVMGetTypeKind(to) != LLVMPointerTypeKind)
        value = LLVMBuildTruncOrBitCast(
            w->builder, value, LLVMIntTypeInContext(w->context, (unsigned)bits), "");
    return LLVMBuildBitCast(w->builder, value, to, "");
}

/* The call that does what the instruction does, at the end of `in`, or in its
 * place if that is NULL; its result, or NULL if there is
 * no such call. */
static LLVMValueRef call(struct fore_work *w, LLVMValueRef i, const char *whose,
                         LLVMValueRef site, uint64_t what, LLVMBasicBlockRef in)
{
    bool stores = LLVMIsAStoreInst(i) != NULL;
    LLVMTypeRef type = LLVMTypeOf(stores ? LLVMGetOperand(i, 0) : i);
    struct fore_hook hook = outlined(w, type, whose, stores);
    if (!hook.function)
        return NULL;
    if (in)
        LLVMPositionBuilderAtEnd(w->builder, in);
    else
        LLVMPositionBuilderBefore(w->builder, i);
    LLVMSetCurrentDebugLocation2(w->builder, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef args[] = {fore_as_text(w, LLVMGetOperand(i, stores)), site,
                           fore_number(w, what), NULL};
    if (stores)
        args[3] = widen(w, LLVMGetOperand(i, 0), w->i64);
    LLVMValueRef result = fore_emit(w, hook, args, stores ? 4 : 3);
    if (in)
        fore_tag_call(w, result);
    return stores ? result : narrow(w, result, type);
}

/* Can a call do this access? Not if it is volatile, and not if its alignment lets it lie in two cells. */
static bool is_simple(LLVMValueRef i, uint64_t what)
{
    return (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && !LLVMGetVolatile(i) &&
           LLVMGetAlignment(i) >= what >> 16;
}

/* AddressSanitizer checks the accesses that it sees: those of the function, not of the runtime. */
static bool is_checked(LLVMValueRef i)
{
    static const char by[] = "sanitize_address";
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
    return LLVMGetEnumAttributeAtIndex(
        f, (unsigned)LLVMAttributeFunctionIndex,
        LLVMGetEnumAttributeKindForName(by, sizeof by - 1));
}

bool fore_outline(struct fore_work *w, LLVMValueRef i, uint64_t what)
{
    bool briefly = (w->is_large || !w->in_loop) && !is_checked(i);
    LLVMValueRef result = briefly && is_simple(i, what)
                              ? call(w, i, "out", fore_site(w, i), what, NULL)
                              : NULL;
    if (!result)
        return false;
    if (LLVMIsALoadInst(i))
        LLVMReplaceAllUsesWith(i, result);
    LLVMInstructionEraseFromParent(i);
    return true;
}

/* ---- two ways ---- */

/* Moves the instruction to the end of another block, with its location, and with its name if that says something:
 * see fields.c. */
static void move(struct fore_work *w, LLVMValueRef i, LLVMBasicBlockRef to)
{
    size_t n;
    char name[16] = "";
    const char *own = LLVMGetValueName2(i, &n);
    if (strncmp(own, "bf.", 3) == 0)
        snprintf(name, sizeof name, "%s", own);
    LLVMInstructionRemoveFromParent(i);
    LLVMPositionBuilderAtEnd(w->builder, to);
    LLVMSetCurrentDebugLocation2(w->builder, NULL);
    LLVMInsertIntoBuilderWithName(w->builder, i, name);
}

/* What is before the instruction, in a block of its own. Blocks that came to the block come to
 * the new one; those that the block goes to still come from it, which is why it has no end
 * while it is replaced. */
static LLVMBasicBlockRef split_before(struct fore_work *w, LLVMValueRef i)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(i);
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(w->context, block, "");
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    LLVMInstructionRemoveFromParent(end);
    LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(block), LLVMBasicBlockAsValue(head));
    LLVMPositionBuilderAtEnd(w->builder, block);
    LLVMSetCurrentDebugLocation2(w->builder, NULL);
    LLVMInsertIntoBuilder(w->builder, end);
    for (LLVMValueRef first; (first = LLVMGetFirstInstruction(block)) != i;)
        move(w, first, head);
    return head;
}

/* Branches to one block if the value is not 0, which is rare, and to the other if it is. */
static void branch(struct fore_work *w, LLVMValueRef answer, LLVMBasicBlockRef yes,
                   LLVMBasicBlockRef no)
{
    LLVMValueRef is = LLVMBuildICmp(w->builder, LLVMIntNE, answer,
                                    LLVMConstNull(LLVMTypeOf(answer)), "");
    LLVMValueRef jump = LLVMBuildCondBr(w->builder, is, yes, no);
    LLVMValueRef weights[] = {LLVMMDStringInContext(w->context, "branch_weights", 14),
                              fore_number(w, 1), fore_number(w, 2000)};
    LLVMSetMetadata(jump, LLVMGetMDKindIDInContext(w->context, "prof", 4),
                    LLVMMDNodeInContext(w->context, weights, 3));
}

/* To `aside` if the pointer seems to lead to a variable. Of a large module only the kind is
 * asked for, the call does the rest. */
static void ask(struct fore_work *w, LLVMValueRef i, enum fore_c_kind kind,
                LLVMBasicBlockRef aside, LLVMBasicBlockRef on)
{
    LLVMBasicBlockRef near = aside;
    if (!w->is_large)
        near = LLVMInsertBasicBlockInContext(w->context, aside, "");
    branch(w, fore_is_taken(w, kind), near, on);
    if (w->is_large)
        return;
    LLVMPositionBuilderAtEnd(w->builder, near);
    LLVMValueRef p = fore_as_text(w, LLVMGetOperand(i, LLVMIsAStoreInst(i) != NULL));
    branch(w, fore_emit(w, w->in_near, &p, 1), aside, on);
}

/* The load or store comes to `on`, what a call does in its place to `aside`; both go on at `block`. */
static void do_either(struct fore_work *w, LLVMValueRef i, LLVMValueRef called,
                      LLVMBasicBlockRef aside, LLVMBasicBlockRef on,
                      LLVMBasicBlockRef block)
{
    bool loads = LLVMIsALoadInst(i) != NULL;
    LLVMBuildBr(w->builder, block);
    move(w, i, on);
    LLVMBuildBr(w->builder, block);
    if (!loads)
        return;
    LLVMValueRef values[] = {called, i};
    LLVMBasicBlockRef from[] = {aside, on};
    LLVMPositionBuilderBefore(w->builder, LLVMGetFirstInstruction(block));
    LLVMValueRef either = LLVMBuildPhi(w->builder, LLVMTypeOf(i), "");
    LLVMReplaceAllUsesWith(i, either);
    LLVMAddIncoming(either, values, from, 2);
}

bool fore_quick(struct fore_work *w, LLVMValueRef i, uint64_t what)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(i), head, aside, on;
    bool loads = LLVMIsALoadInst(i) != NULL;
    if (is_checked(i) || !fore_has_twin(w, LLVMGetBasicBlockParent(block)) ||
        !is_simple(i, what) ||
        !outlined(w, LLVMTypeOf(loads ? i : LLVMGetOperand(i, 0)), "out", !loads)
             .function)
        return false;
    LLVMMetadataRef line = LLVMInstructionGetDebugLoc(i);
    LLVMValueRef site = fore_site(w, i), word = fore_number(w, loads),
                 told = fore_number(w, what);
    head = split_before(w, i);
    aside = LLVMInsertBasicBlockInContext(w->context, block, "");
    on = LLVMInsertBasicBlockInContext(w->context, block, "");
    LLVMPositionBuilderAtEnd(w->builder, head);
    LLVMSetCurrentDebugLocation2(w->builder, line);
    LLVMValueRef p = fore_as_text(w, LLVMGetOperand(i, !loads));
    LLVMValueRef cell[] = {p, told, word};
    LLVMValueRef old = fore_emit(w, w->in_old, cell, 3), more[] = {old, p, told};
    branch(w, fore_emit(w, w->in_more, more, 3), aside, on);
    LLVMPositionBuilderAtEnd(w->builder, on);
    LLVMValueRef note[] = {old, p, told, fore_site_number(w, site), word};
    fore_emit(w, w->in_note, note, 5);
    do_either(w, i, call(w, i, "out", site, what, aside), aside, on, block);
    return true;
}

bool fore_aside(struct fore_work *w, LLVMValueRef i, enum fore_c_kind kind, uint64_t what)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(i), head, aside, on;
    bool loads = LLVMIsALoadInst(i) != NULL;
    LLVMTypeRef type = LLVMTypeOf(loads ? i : LLVMGetOperand(i, 0));
    if (!is_simple(i, what) || !outlined(w, type, "rt", !loads).function)
        return false;
    head = split_before(w, i);
    aside = LLVMInsertBasicBlockInContext(w->context, block, "");
    on = LLVMInsertBasicBlockInContext(w->context, block, "");
    LLVMPositionBuilderAtEnd(w->builder, head);
    LLVMSetCurrentDebugLocation2(w->builder, LLVMInstructionGetDebugLoc(i));
    ask(w, i, kind, aside, on);
    do_either(w, i, call(w, i, "rt", fore_site(w, i), what, aside), aside, on, block);
    return true;
}
