/* Events that come for sure once their thread's previous event has come: between the two there is no
 * branch, no call and no address from memory, so that nothing which was not recorded can decide.
 * With a specification most of memory is not recorded, and this is all that is known.
 *
 * The way back from an event goes through its block, and through blocks that lead nowhere else. It
 * ends at what is always recorded. A mutex that protects nothing is left out by the runtime: the way
 * goes on behind it. */
#include "capture/c/instrument/instrument.h"

#include <string.h>

enum step {
    STEP_NOTHING, /* neither an event nor a decision */
    STEP_PERHAPS, /* perhaps an event */
    STEP_EVENT,
    STEP_DECIDES,
};

enum { LONGEST = 200 }; /* instructions that are looked at */

/* Does a pointer come from memory, from a call or from a choice? Parameters and variables do not. */
static bool is_from_memory(LLVMValueRef p, unsigned depth)
{
    if (LLVMIsAConstant(p) || LLVMIsAArgument(p) || LLVMIsAAllocaInst(p))
        return false;
    if (!LLVMIsAInstruction(p) || depth > 8)
        return true;
    switch (LLVMGetInstructionOpcode(p)) {
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAdd:
    case LLVMMul:
    case LLVMShl:
    case LLVMSExt:
    case LLVMZExt:
        for (int i = 0; i < LLVMGetNumOperands(p); i++)
            if (is_from_memory(LLVMGetOperand(p, (unsigned)i), depth + 1))
                return true;
        return false;
    default:
        return true;
    }
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && !strcmp(s + n - m, end);
}

static enum step step_of_call(LLVMValueRef call)
{
    const char *name = fore_function_name(LLVMGetCalledValue(call));
    if (!strncmp(name, "llvm.", 5))
        return !strncmp(name, "llvm.mem", 8) ? STEP_DECIDES : STEP_NOTHING;
    if (strncmp(name, "foresee_rt_", 11) != 0 || ends_with(name, "_init") ||
        ends_with(name, "_destroy") || ends_with(name, "_detach") ||
        strstr(name, "jmp") || ends_with(name, "_syscall"))
        return STEP_DECIDES;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (is_from_memory(LLVMGetOperand(call, i), 0))
            return STEP_DECIDES;
    return !strcmp(name, "foresee_rt_pthread_mutex_lock") ||
                   !strcmp(name, "foresee_rt_pthread_mutex_unlock")
               ? STEP_PERHAPS
               : STEP_EVENT;
}

static enum step step_of(struct fore_work *w, LLVMValueRef i)
{
    if (LLVMIsACallInst(i))
        return step_of_call(i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMInvoke:
    case LLVMPHI:
        return STEP_DECIDES;
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        if (is_from_memory(LLVMGetOperand(i, 0), 0))
            return STEP_DECIDES;
        break;
    case LLVMStore:
        if (is_from_memory(LLVMGetOperand(i, 1), 0))
            return STEP_DECIDES;
        break;
    default:
        return STEP_NOTHING;
    }
    return fore_is_exact(w, i) ? STEP_EVENT : STEP_PERHAPS;
}

/* The only block from which this one is come to, if that leads nowhere else. */
static LLVMBasicBlockRef block_before(LLVMBasicBlockRef b)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(b));
    LLVMValueRef from = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    return from && LLVMIsABranchInst(from) && !LLVMIsConditional(from)
               ? LLVMGetInstructionParent(from)
               : NULL;
}

static bool is_mutex(LLVMValueRef i, const char *name)
{
    return LLVMIsACallInst(i) && !strcmp(fore_function_name(LLVMGetCalledValue(i)), name);
}

/* A mutex is recorded if something happens while it is held. */
static enum step step_back(struct fore_work *w, LLVMValueRef i, bool *unlocked)
{
    enum step step = step_of(w, i);
    if (step == STEP_PERHAPS && !*unlocked &&
        is_mutex(i, "foresee_rt_pthread_mutex_lock"))
        return STEP_EVENT;
    *unlocked |= is_mutex(i, "foresee_rt_pthread_mutex_unlock");
    return step;
}

static bool is_straight(struct fore_work *w, LLVMValueRef event)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(event);
    LLVMValueRef i = event;
    bool unlocked = false;
    for (unsigned n = 0; n < LONGEST; n++) {
        i = LLVMGetPreviousInstruction(i);
        while (!i && block && (block = block_before(block)))
            i = LLVMGetPreviousInstruction(LLVMGetBasicBlockTerminator(block));
        enum step step = i ? step_back(w, i, &unlocked) : STEP_DECIDES;
        if (step == STEP_DECIDES)
            return false;
        if (step == STEP_EVENT)
            return true;
    }
    return false;
}

static unsigned tag_kind(struct fore_work *w)
{
    return LLVMGetMDKindIDInContext(w->context, "foresee.straight", 16);
}

bool fore_is_straight(struct fore_work *w, LLVMValueRef event)
{
    return w->name_count && LLVMGetMetadata(event, tag_kind(w));
}

void fore_mark_straight(struct fore_work *w)
{
    LLVMValueRef tag = LLVMMDNodeInContext(w->context, NULL, 0);
    for (LLVMValueRef f = w->name_count ? LLVMGetFirstFunction(w->module) : NULL; f;
         f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i)) {
                enum step step = step_of(w, i);
                if ((step == STEP_EVENT || step == STEP_PERHAPS) && is_straight(w, i))
                    LLVMSetMetadata(i, tag_kind(w), tag);
            }
}
