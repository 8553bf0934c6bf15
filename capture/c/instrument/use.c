/* Where values come to be used. What a thread learns (from memory, from a call) changes nothing until
 * it decides: a branch, an address, an argument of a call. A thread that would have learnt something
 * else goes on as it did up to there; the runtime is told of each such place.
 *
 * Learnt is what a load, an atomic operation or a call gives, and what is made of it. A parameter is
 * not: the caller that passed it has used it. What is returned is learnt by the caller. */
#include "capture/c/instrument/instrument.h"

#include <stdlib.h>
#include <string.h>

struct learnt {
    LLVMValueRef *values; /* hashed; NULL: free */
    size_t room, n;
    LLVMValueRef *todo;
    size_t todo_n, todo_room;
};

static size_t slot_of(const struct learnt *l, LLVMValueRef v)
{
    size_t i = ((uintptr_t)v >> 4) * 0x9e3779b97f4a7c15u % l->room;
    while (l->values[i] && l->values[i] != v)
        i = (i + 1) % l->room;
    return i;
}

static void grow_learnt(struct learnt *l)
{
    struct learnt more = {.room = l->room ? l->room * 2 : 1024};
    more.values = fore_must(calloc(more.room, sizeof *more.values));
    for (size_t i = 0; i < l->room; i++)
        if (l->values[i])
            more.values[slot_of(&more, l->values[i])] = l->values[i];
    free(l->values);
    l->values = more.values;
    l->room = more.room;
}

static bool is_learnt(const struct learnt *l, LLVMValueRef v)
{
    return l->room && l->values[slot_of(l, v)];
}

static void learn(struct learnt *l, LLVMValueRef v)
{
    if (2 * (l->n + 1) > l->room)
        grow_learnt(l);
    size_t i = slot_of(l, v);
    if (l->values[i])
        return;
    l->values[i] = v;
    l->n++;
    if (l->todo_n == l->todo_room) {
        l->todo_room = l->todo_room ? l->todo_room * 2 : 1024;
        l->todo = fore_must(realloc(l->todo, l->todo_room * sizeof *l->todo));
    }
    l->todo[l->todo_n++] = v;
}

static bool is_call(LLVMValueRef i)
{
    return LLVMIsACallInst(i) || LLVMIsAInvokeInst(i);
}

static const char *callee_name(LLVMValueRef call)
{
    return fore_function_name(LLVMGetCalledValue(call));
}

static bool is_source(LLVMValueRef i)
{
    if (is_call(i)) /* intrinsics compute, and pass on what they are given */
        return strncmp(callee_name(i), "llvm.", 5) != 0;
    return LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
}

/* What a value goes into, as far as it is a value. */
static void pass_on(struct learnt *l)
{
    while (l->todo_n) {
        LLVMValueRef v = l->todo[--l->todo_n];
        for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (LLVMIsAInstruction(user) && !LLVMIsAStoreInst(user))
                learn(l, user);
        }
    }
}

/* ---- where it decides ---- */

/* What has decided in a block: a value decides once, and what is learnt later need not have decided when the value is
 * used again (as the address of p->x++, first to read and then to write). */
struct decided {
    LLVMValueRef values[64];
    unsigned n;
};

static bool has_constant_indices(LLVMValueRef gep)
{
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++)
        if (!LLVMIsAConstant(LLVMGetOperand(gep, i)))
            return false;
    return true;
}

/* The value that it is an address within. */
static LLVMValueRef root_of(LLVMValueRef v)
{
    while (LLVMIsABitCastInst(v) ||
           (LLVMIsAGetElementPtrInst(v) && has_constant_indices(v)))
        v = LLVMGetOperand(v, 0);
    return v;
}

/* Does the value decide something that nothing in the block has decided yet? */
static bool is_news(const struct learnt *l, struct decided *d, LLVMValueRef v)
{
    LLVMValueRef root = root_of(v);
    if (!is_learnt(l, v))
        return false;
    for (unsigned i = 0; i < d->n; i++)
        if (d->values[i] == root)
            return false;
    if (d->n < sizeof d->values / sizeof *d->values)
        d->values[d->n++] = root;
    return true;
}

static bool any_argument(const struct learnt *l, struct decided *d, LLVMValueRef call)
{
    bool any = is_news(l, d, LLVMGetCalledValue(call));
    if (strncmp(callee_name(call), "llvm.dbg.", 9) == 0 ||
        strncmp(callee_name(call), "llvm.lifetime.", 14) == 0)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        any |= is_news(l, d, LLVMGetOperand(call, i));
    return any;
}

static bool decides(const struct learnt *l, struct decided *d, LLVMValueRef i)
{
    if (is_call(i))
        return any_argument(l, d, i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMBr:
        return LLVMIsConditional(i) && is_news(l, d, LLVMGetCondition(i));
    case LLVMSwitch:
    case LLVMIndirectBr:
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return is_news(l, d, LLVMGetOperand(i, 0));
    case LLVMStore:
        return is_news(l, d, LLVMGetOperand(i, 1));
    default:
        return false;
    }
}

/* A call in code that has lines must have one, too. */
static void set_line(struct fore_work *w, LLVMValueRef i, LLVMValueRef f)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i), inside = LLVMGetSubprogram(f);
    if (!at && inside)
        at = LLVMDIBuilderCreateDebugLocation(w->context, 0, 0, inside, NULL);
    LLVMSetCurrentDebugLocation2(w->builder, at);
}

/* Of several places without anything learnt between them the first is enough. */
static void mark_block(struct fore_work *w, const struct learnt *l, LLVMBasicBlockRef b,
                       bool in_loop)
{
    bool told = false;
    struct decided d = {.n = 0};
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
        if (decides(l, &d, i) && !told) {
            LLVMValueRef watched = fore_watched(w, LLVMGetBasicBlockParent(b));
            LLVMPositionBuilderBefore(w->builder, i);
            set_line(w, i, LLVMGetBasicBlockParent(b));
            if (in_loop)
                fore_emit(w, w->in_use, &watched, 1);
            else
                fore_emit(w, w->out_use, NULL, 0);
            told = true;
        }
        if (is_source(i))
            told = false;
    }
}

static void mark_function(struct fore_work *w, LLVMValueRef f)
{
    struct learnt l = {0};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            if (is_source(i))
                learn(&l, i);
    pass_on(&l);
    struct fore_heat heat = fore_heat_of(f);
    unsigned n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && l.n;
         b = LLVMGetNextBasicBlock(b))
        mark_block(w, &l, b, heat.hot[n++]);
    free(heat.hot);
    free(l.values);
    free(l.todo);
}

void fore_mark_uses(struct fore_work *w)
{
    if (w->name_count) /* values of what is not named are not recorded */
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) &&
            LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage &&
            strncmp(fore_function_name(f), "foresee_", 8) != 0)
            mark_function(w, f);
}
