/* The small functions of system headers, as of std::mutex, become part of the functions that
 * call them: so that what they do is shown with the line that called them, not with one of the
 * header, and so that the locals they are handed do not escape. */
#include "capture/c/instrument/instrument.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 400, DEEPEST = 24 }; /* instructions, with those of what is called */

static bool is_candidate(LLVMValueRef f)
{
    unsigned naked = LLVMGetEnumAttributeKindForName("naked", 5);
    return f && LLVMIsAFunction(f) && !LLVMIsDeclaration(f) &&
           LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage &&
           !LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                        naked) &&
           fore_in_system_header(f);
}

static unsigned size_of(LLVMValueRef f, unsigned depth)
{
    unsigned n = 0;
    if (depth > DEEPEST)
        return LARGEST + 1;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && n <= LARGEST;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && n <= LARGEST;
             i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee =
                LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) ? LLVMGetCalledValue(i) : NULL;
            n += 1 + (is_candidate(callee) ? size_of(callee, depth + 1) : 0);
        }
    return n;
}

static void set(LLVMContextRef c, LLVMValueRef f, const char *add)
{
    static const char *const against[] = {"noinline", "optnone"};
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (size_t i = 0; i < sizeof against / sizeof *against; i++)
        LLVMRemoveEnumAttributeAtIndex(
            f, at, LLVMGetEnumAttributeKindForName(against[i], strlen(against[i])));
    unsigned kind = LLVMGetEnumAttributeKindForName(add, strlen(add));
    LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(c, kind, 0));
}

/* libstdc++'s std::atomic<std::shared_ptr> guards its pointer by a bit that serves as a lock, and a load gives that
 * lock back with a relaxed operation: by the letter of C++ the next store races with it, whatever the user writes.
 * The library's word counts: its unlock releases, as in the annotations that its later versions have. */
static void order_pointer_unlock(LLVMValueRef unlock)
{
    enum { RELAXED = 0, RELEASE = 3 }; /* of std::memory_order */
    for (LLVMUseRef u = LLVMGetFirstUse(unlock); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef call = LLVMGetUser(u);
        if ((!LLVMIsACallInst(call) && !LLVMIsAInvokeInst(call)) ||
            LLVMGetCalledValue(call) != unlock || LLVMGetNumArgOperands(call) != 2)
            continue;
        LLVMValueRef order = LLVMGetOperand(call, 1);
        if (LLVMIsAConstantInt(order) && LLVMConstIntGetZExtValue(order) == RELAXED)
            LLVMSetOperand(call, 1, LLVMConstInt(LLVMTypeOf(order), RELEASE, false));
    }
}

static bool is_pointer_unlock(LLVMValueRef f)
{
    size_t n = 0;
    const char *name = LLVMGetValueName2(f, &n);
    return strncmp(name, "_ZN", 3) == 0 && strstr(name, "St10_Sp_atomicI") &&
           strstr(name, "13_Atomic_count6unlockESt12memory_order");
}

void fore_inline_headers(struct fore_work *w)
{
    LLVMValueRef *small = NULL;
    size_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f))
        if (is_pointer_unlock(f))
            order_pointer_unlock(f);
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f))
        if (is_candidate(f) && size_of(f, 0) <= LARGEST) {
            small = fore_must(realloc(small, (n + 1) * sizeof *small));
            small[n++] = f;
        }
    for (size_t i = 0; i < n; i++)
        set(w->context, small[i], "alwaysinline");
    free(small);
}
