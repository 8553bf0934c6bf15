/* A walk over the uses of an address, as far as it is copied. What it does not understand lets
 * the address escape. */
#include "capture/c/instrument/instrument.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 256 }; /* uses; an address with more has escaped */

struct walk {
    LLVMValueRef values[MOST];
    unsigned n;
};

static bool follow(struct walk *k, LLVMValueRef value)
{
    for (unsigned i = 0; i < k->n; i++)
        if (k->values[i] == value)
            return true;
    if (k->n == MOST)
        return false;
    k->values[k->n++] = value;
    return true;
}

static bool is_uncaptured(LLVMValueRef call, unsigned i)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("nocapture", 9);
    LLVMValueRef f = LLVMGetCalledValue(call);
    return LLVMGetCallSiteEnumAttribute(call, i + 1, kind) ||
           (LLVMIsAFunction(f) && LLVMGetEnumAttributeAtIndex(f, i + 1, kind));
}

/* Intrinsics of debugging, of lifetimes and the like keep nothing. */
static bool call_keeps(struct walk *k, LLVMValueRef call, LLVMValueRef value)
{
    const char *name = fore_function_name(LLVMGetCalledValue(call));
    if (strcmp(name, "llvm.threadlocal.address") == 0 ||
        strncmp(name, "llvm.threadlocal.address.", 25) == 0)
        return !follow(k, call);
    if (strncmp(name, "llvm.", 5) == 0)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (LLVMGetOperand(call, i) == value && !is_uncaptured(call, i))
            return true;
    return LLVMGetCalledValue(call) == value;
}

static bool keeps(struct walk *k, LLVMValueRef user, LLVMValueRef value)
{
    switch (fore_opcode(user)) {
    case LLVMLoad:
    case LLVMICmp:
        return false;
    case LLVMStore:
        return LLVMGetOperand(user, 0) == value;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return LLVMGetOperand(user, 0) != value;
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMPHI:
    case LLVMSelect:
        return !follow(k, user);
    case LLVMCall:
    case LLVMInvoke:
        return call_keeps(k, user, value);
    default:
        return true;
    }
}

static bool escapes(LLVMValueRef value)
{
    struct walk k = {.values = {value}, .n = 1};
    for (unsigned i = 0; i < k.n; i++)
        for (LLVMUseRef u = LLVMGetFirstUse(k.values[i]); u; u = LLVMGetNextUse(u))
            if (keeps(&k, LLVMGetUser(u), k.values[i]))
                return true;
    return false;
}

static int by_pointer(const void *a, const void *b)
{
    const LLVMValueRef *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void consider(struct fore_work *w, LLVMValueRef value)
{
    if (escapes(value))
        return;
    if (!(w->local_count & (w->local_count + 1)))
        w->locals =
            fore_must(realloc(w->locals, (w->local_count * 2 + 2) * sizeof *w->locals));
    w->locals[w->local_count++] = value;
}

void fore_find_private(struct fore_work *w)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(w->module); g; g = LLVMGetNextGlobal(g))
        if (LLVMIsThreadLocal(g))
            consider(w, g);
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i))
                if (LLVMIsAAllocaInst(i))
                    consider(w, i);
    if (w->local_count)
        qsort(w->locals, w->local_count, sizeof *w->locals, by_pointer);
}

bool fore_is_private(const struct fore_work *w, LLVMValueRef local)
{
    return w->local_count && bsearch(&local, w->locals, w->local_count, sizeof *w->locals,
                                     by_pointer) != NULL;
}
