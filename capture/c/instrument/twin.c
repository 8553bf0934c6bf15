/* Two versions of each function: one that is watched, and its twin, as it was written, for when the
 * program is not. Who comes from elsewhere comes through a door, which is called as the function was:
 *
 *     f:  if (foresee_rt_watched) f.watched(...) else f.plain(...)
 *
 * The two versions call their own kind directly. So what is not watched is optimised as if nothing had been
 * inserted, and what is need not be optimised for that case. Functions in which nothing was inserted, and which
 * call none that has a twin, stay one. */
#include "capture/c/instrument/instrument.h"

#include <llvm-c/Comdat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fore_twin {
    LLVMValueRef watched, plain, door;
    bool cold;
};

static const char may[] = "foresee-may", touched[] = "foresee-touched",
                  cold[] = "foresee-cold";

static bool has(LLVMValueRef f, const char *mark)
{
    return LLVMGetStringAttributeAtIndex(f, (unsigned)LLVMAttributeFunctionIndex, mark,
                                         (unsigned)strlen(mark));
}

static void set(struct fore_work *w, LLVMValueRef f, const char *mark)
{
    LLVMAddAttributeAtIndex(
        f, (unsigned)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(w->context, mark, (unsigned)strlen(mark), "", 0));
}

static unsigned kind(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static bool is(LLVMValueRef f, const char *attribute)
{
    return kind(attribute) &&
           LLVMGetEnumAttributeAtIndex(f, (unsigned)LLVMAttributeFunctionIndex,
                                       kind(attribute));
}

/* ---- which ---- */

static bool is_call(LLVMValueRef i)
{
    return LLVMIsACallInst(i) || LLVMIsAInvokeInst(i);
}

/* The address of a label is one place in one function. */
static bool has_labels(LLVMValueRef f)
{
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u))
        if (LLVMIsABlockAddress(LLVMGetUser(u)))
            return true;
    return false;
}

/* A label in assembly may be one that the assembler knows by name: it can be there once only. */
static bool has_assembly_labels(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i)) {
            if (!is_call(i) || !LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
                continue;
            char *text = LLVMPrintValueToString(LLVMGetCalledValue(i));
            bool found = strchr(text, ':') != NULL;
            LLVMDisposeMessage(text);
            if (found)
                return true;
        }
    return false;
}

static bool takes_memory(LLVMValueRef f, const char *attribute)
{
    for (unsigned i = 1; i <= LLVMCountParams(f); i++)
        if (kind(attribute) && LLVMGetEnumAttributeAtIndex(f, i, kind(attribute)))
            return true;
    return false;
}

/* Is there data before the function's code, as for the check of UBSan that it has the type that the caller takes it for? It refers to
 * where that code is. (Its operands are the function that handles exceptions, data that is not run, and this.) */
static bool has_prologue(LLVMValueRef f)
{
    enum { PROLOGUE = 2 };
    return LLVMGetNumOperands(f) > PROLOGUE && !LLVMIsNull(LLVMGetOperand(f, PROLOGUE));
}

/* A door hands on its arguments; it cannot if it does not know how many there are. */
static bool may_have_twin(LLVMValueRef f)
{
    return !LLVMIsDeclaration(f) && *fore_function_name(f) &&
           LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage &&
           strncmp(fore_function_name(f), "foresee_", 8) != 0 &&
           !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)) && !is(f, "naked") &&
           !is(f, "presplitcoroutine") && !takes_memory(f, "inalloca") &&
           !takes_memory(f, "preallocated") && !has_prologue(f) && !has_labels(f) &&
           !has_assembly_labels(f);
}

bool fore_has_twin(struct fore_work *w, LLVMValueRef f)
{
    return w->twin_count && has(f, may);
}

void fore_touch(struct fore_work *w, LLVMValueRef f)
{
    if (w->twin_count && w->touched != f)
        set(w, f, touched);
    w->touched = f;
}

void fore_set_cold(struct fore_work *w, LLVMValueRef f)
{
    if (fore_has_twin(w, f))
        set(w, f, cold);
}

static bool is_local(LLVMValueRef v)
{
    LLVMLinkage l = LLVMGetLinkage(v);
    return l == LLVMInternalLinkage || l == LLVMPrivateLinkage;
}

void fore_copy_twins(struct fore_work *w)
{
    LLVMValueRef last = LLVMGetLastFunction(w->module);
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f;
         f = f == last ? NULL : LLVMGetNextFunction(f)) {
        if (!may_have_twin(f))
            continue;
        if (!(w->twin_count & (w->twin_count + 1)))
            w->twins =
                fore_must(realloc(w->twins, (w->twin_count * 2 + 2) * sizeof *w->twins));
        w->twins[w->twin_count++] =
            (struct fore_twin){f, fore_copy_function(w, f, "foresee_plain"), NULL, false};
        set(w, f, may);
    }
    if (w->lines)
        LLVMDIBuilderFinalize(w->lines);
}

/* ---- calls ---- */

/* May another library put its own function in the place of this one? */
static bool may_be_replaced(struct fore_work *w, LLVMValueRef f)
{
    switch (LLVMGetLinkage(f)) {
    case LLVMInternalLinkage:
    case LLVMPrivateLinkage:
    case LLVMLinkOnceODRLinkage:
    case LLVMWeakODRLinkage:
        return false;
    case LLVMExternalLinkage:
        return LLVMGetVisibility(f) == LLVMDefaultVisibility &&
               LLVMGetModuleFlag(w->module, "PIC Level", 9) &&
               !LLVMGetModuleFlag(w->module, "PIE Level", 9);
    default:
        return true;
    }
}

/* The function that is called, if it is sure which. */
static LLVMValueRef called(LLVMValueRef i)
{
    LLVMValueRef f = is_call(i) ? LLVMGetCalledValue(i) : NULL;
    return f && LLVMIsAFunction(f) &&
                   LLVMGetCalledFunctionType(i) == LLVMGlobalGetValueType(f)
               ? f
               : NULL;
}

static bool calls_touched(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = called(i);
            if (callee && has(callee, may) && has(callee, touched))
                return true;
        }
    return false;
}

/* Those that call others that have two versions have two, too. */
static void spread(struct fore_work *w)
{
    for (bool more = true; more;) {
        more = false;
        for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f;
             f = LLVMGetNextFunction(f))
            if (has(f, may) && !has(f, touched) && calls_touched(f)) {
                set(w, f, touched);
                more = true;
            }
    }
}

static bool is_double(LLVMValueRef f)
{
    return has(f, may) && has(f, touched);
}

/* Calls of the one go to the other. */
struct swap {
    LLVMValueRef from, to;
};

static int by_from(const void *a, const void *b)
{
    const struct swap *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void swap_calls(LLVMValueRef f, const struct swap *swaps, size_t n)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i)) {
            struct swap key = {called(i), NULL};
            struct swap *s =
                key.from ? bsearch(&key, swaps, n, sizeof *swaps, by_from) : NULL;
            if (s)
                LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, s->to);
        }
}

static char *named(LLVMValueRef f, const char *ending)
{
    char *name;
    if (asprintf(&name, "%s%s", fore_function_name(f), ending) < 0)
        fore_must(NULL);
    return name;
}

static void rename_value(LLVMValueRef v, const char *name)
{
    LLVMSetValueName2(v, name, strlen(name));
}

static void remove_attribute(LLVMValueRef f, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(f, (unsigned)LLVMAttributeFunctionIndex, kind(name));
}

static void remove_marks(LLVMValueRef f)
{
    const char *const marks[] = {may, touched, cold};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        LLVMRemoveStringAttributeAtIndex(f, (unsigned)LLVMAttributeFunctionIndex,
                                         marks[i], (unsigned)strlen(marks[i]));
}

static void build_way(struct fore_work *w, LLVMValueRef door, LLVMValueRef to)
{
    unsigned n = LLVMCountParams(door);
    LLVMValueRef *args = fore_must(calloc(n + 1, sizeof *args));
    LLVMTypeRef type = LLVMGlobalGetValueType(door);
    LLVMBasicBlockRef b = LLVMAppendBasicBlockInContext(w->context, door, "");
    LLVMPositionBuilderAtEnd(w->builder, b);
    LLVMGetParams(door, args);
    LLVMValueRef call = LLVMBuildCall2(w->builder, type, to, args, n, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(door));
    fore_copy_attributes(door, call, true);
    LLVMSetTailCall(call, !takes_memory(door, "byval"));
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(w->context, kind("noinline"), 0));
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(w->builder);
    else
        LLVMBuildRet(w->builder, call);
    free(args);
}

static void build_door(struct fore_work *w, LLVMValueRef door, LLVMValueRef watched,
                       LLVMValueRef plain)
{
    LLVMValueRef on = LLVMGetNamedGlobal(w->module, "foresee_rt_watched");
    if (!on)
        on = LLVMAddGlobal(w->module, w->i32, "foresee_rt_watched");
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(w->context, door, "");
    LLVMSetCurrentDebugLocation2(w->builder, NULL);
    build_way(w, door, plain);
    build_way(w, door, watched);
    LLVMPositionBuilderAtEnd(w->builder, entry);
    LLVMValueRef is_on =
        LLVMBuildICmp(w->builder, LLVMIntNE, LLVMBuildLoad2(w->builder, w->i32, on, ""),
                      fore_number(w, 0), "");
    LLVMBasicBlockRef first = LLVMGetNextBasicBlock(entry);
    LLVMBuildCondBr(w->builder, is_on, LLVMGetNextBasicBlock(first), first);
}

/* One version of a function that other modules may define alike; else it is the module's own. */
static void set_linkage(struct fore_work *w, LLVMValueRef version, LLVMValueRef of)
{
    LLVMLinkage l = LLVMGetLinkage(of);
    bool alike = l == LLVMLinkOnceODRLinkage || l == LLVMWeakODRLinkage;
    LLVMSetComdat(version, NULL);
    LLVMSetVisibility(version, alike ? LLVMHiddenVisibility : LLVMDefaultVisibility);
    LLVMSetLinkage(version, alike ? LLVMLinkOnceODRLinkage : LLVMInternalLinkage);
    if (alike && LLVMGetComdat(of))
        LLVMSetComdat(version,
                      LLVMGetOrInsertComdat(w->module, fore_function_name(version)));
}

/* The function by which others come in; it has the name of the function, and all else that others see of it. */
static LLVMValueRef add_door(struct fore_work *w, LLVMValueRef f)
{
    char *name = named(f, ""), *watched = named(f, ".watched");
    rename_value(f, watched);
    LLVMValueRef door = LLVMAddFunction(w->module, name, LLVMGlobalGetValueType(f));
    remove_marks(f);
    fore_copy_attributes(f, door, false);
    LLVMSetFunctionCallConv(door, LLVMGetFunctionCallConv(f));
    LLVMSetVisibility(door, LLVMGetVisibility(f));
    LLVMSetDLLStorageClass(door, LLVMGetDLLStorageClass(f));
    LLVMSetUnnamedAddress(door, LLVMGetUnnamedAddress(f));
    LLVMSetComdat(door, LLVMGetComdat(f));
    LLVMSetLinkage(door, LLVMGetLinkage(f));
    if (LLVMGetSection(f) && *LLVMGetSection(f))
        LLVMSetSection(door, LLVMGetSection(f));
    LLVMReplaceAllUsesWith(f, door);
    free(name);
    free(watched);
    return door;
}

static void add_attribute(struct fore_work *w, LLVMValueRef f, const char *name)
{
    LLVMAddAttributeAtIndex(f, (unsigned)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(w->context, kind(name), 0));
}

/* What is small is in its callers already; loops are not unrolled. What is run now and then is compiled as it stands
 * there. */
static void set_effort(struct fore_work *w, LLVMValueRef watched, bool is_cold)
{
    static const char *const against[] = {"alwaysinline", "inlinehint", "optsize",
                                          "minsize"};
    for (size_t i = 0; i < (is_cold ? 4 : 2); i++)
        remove_attribute(watched, against[i]);
    add_attribute(w, watched, "noinline");
    add_attribute(w, watched, is_cold ? "optnone" : "optsize");
}

static bool is_discardable(LLVMValueRef f)
{
    LLVMLinkage l = LLVMGetLinkage(f);
    return is_local(f) || l == LLVMLinkOnceODRLinkage || l == LLVMLinkOnceAnyLinkage;
}

/* Doors that nobody needs are not built. */
static void finish(struct fore_work *w, struct fore_twin *all, size_t n)
{
    struct swap *watched = fore_must(calloc(n + 1, sizeof *watched));
    struct swap *plain = fore_must(calloc(n + 1, sizeof *plain));
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!may_be_replaced(w, all[i].door)) {
            watched[count] = (struct swap){all[i].door, all[i].watched};
            plain[count++] = (struct swap){all[i].door, all[i].plain};
        }
    qsort(watched, count, sizeof *watched, by_from);
    qsort(plain, count, sizeof *plain, by_from);
    for (size_t i = 0; i < n; i++) {
        swap_calls(all[i].watched, watched, count);
        swap_calls(all[i].plain, plain, count);
    }
    for (size_t i = 0; i < n; i++) {
        set_linkage(w, all[i].watched, all[i].door);
        set_linkage(w, all[i].plain, all[i].door);
        set_effort(w, all[i].watched, all[i].cold);
        if (is_discardable(all[i].door) && !LLVMGetFirstUse(all[i].door))
            LLVMDeleteFunction(all[i].door);
        else
            build_door(w, all[i].door, all[i].watched, all[i].plain);
    }
    free(watched);
    free(plain);
}

void fore_join_twins(struct fore_work *w)
{
    size_t n = 0;
    spread(w);
    for (size_t i = 0; i < w->twin_count; i++) {
        struct fore_twin *t = &w->twins[i];
        if (is_double(t->watched))
            w->twins[n++] = *t;
        else
            LLVMDeleteFunction(t->plain);
    }
    for (size_t i = 0; i < n; i++) {
        struct fore_twin *t = &w->twins[i];
        char *name = named(t->watched, ".plain");
        rename_value(t->plain, name);
        t->cold = has(t->watched, cold);
        t->door = add_door(w, t->watched);
        free(name);
    }
    finish(w, w->twins, n);
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f))
        remove_marks(f);
}
