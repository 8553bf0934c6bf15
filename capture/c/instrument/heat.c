/* Which blocks of a function are run so often that it matters what a call costs: those of loops that call nothing, which
 * are the blocks between the beginning of a loop and where it goes back to it, in the order in which they stand there.
 * All other code is to be small rather than fast. */
#include "capture/c/instrument/instrument.h"

#include <stdlib.h>
#include <string.h>

struct place {
    LLVMBasicBlockRef block;
    unsigned at;
};

static int by_block(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->block < y->block ? -1 : x->block > y->block;
}

/* What ends the program is called once. */
static bool calls(LLVMBasicBlockRef b)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if ((LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) &&
            strncmp(fore_function_name(LLVMGetCalledValue(i)), "llvm.", 5) != 0 &&
            strncmp(fore_function_name(LLVMGetCalledValue(i)), "foresee_in_", 11) != 0 &&
            strncmp(fore_function_name(LLVMGetCalledValue(i)), "foresee_out_", 12) != 0)
            return !LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(b));
    return false;
}

/* A function is optimised for its loops if these are a good part of it: the optimiser takes it whole. */
static bool is_worth(LLVMValueRef f, const struct fore_heat *h)
{
    enum { SHARE = 3 };
    size_t all = 0, hot = 0;
    unsigned n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b), n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i)) {
            all++;
            hot += h->hot[n];
        }
    return hot * SHARE >= all;
}

struct fore_heat fore_heat_of(LLVMValueRef f)
{
    struct fore_heat h = {.n = LLVMCountBasicBlocks(f)};
    struct place *places = fore_must(calloc(h.n + 1, sizeof *places));
    unsigned n = 0;
    h.hot = fore_must(calloc(h.n + 1, sizeof *h.hot));
    unsigned *called = fore_must(calloc(h.n + 1, sizeof *called)); /* in blocks before */
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b), n++) {
        places[n] = (struct place){b, n};
        called[n + 1] = called[n] + calls(b);
    }
    qsort(places, n, sizeof *places, by_block);
    n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b), n++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            struct place key = {LLVMGetSuccessor(end, i), 0};
            struct place *to = bsearch(&key, places, h.n, sizeof *places, by_block);
            bool busy = to->at <= n && called[n + 1] > called[to->at];
            for (unsigned at = to->at; at <= n && !busy; at++)
                h.hot[at] = true;
        }
    }
    h.worth = is_worth(f, &h);
    free(places);
    free(called);
    return h;
}
