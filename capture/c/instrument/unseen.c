/* What the program does and nobody can see: inline assembly that reaches memory, and functions of
 * libraries that were not compiled by us and get pointers. Each place says so when it is first
 * come to. */
#include "capture/c/instrument/instrument.h"
#include "capture/c/libc.h"

#include <ctype.h>
#include <string.h>

/* ---- inline assembly ---- */

/* Instructions that wait, order or measure, and touch no memory. */
static const char *const harmless[] = {
    "",       "pause",  "nop",    "rep; nop", "rep;nop", "rep nop",
    "mfence", "lfence", "sfence", "rdtsc",    "rdtscp",  "cpuid",
    "yield",  "isb",    "wfe",    "dmb ish",  "dsb ish", "serialize"};

static bool is_harmless(const char *code, size_t n)
{
    while (n && isspace((unsigned char)*code))
        code++, n--;
    while (n && (isspace((unsigned char)code[n - 1]) || code[n - 1] == ';'))
        n--;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strlen(harmless[i]) == n && !strncmp(harmless[i], code, n))
            return true;
    return false;
}

/* LLVM 14 has no getters: call void asm sideeffect "CODE", "CONSTRAINTS"(...). */
static bool touches_memory(LLVMValueRef call)
{
    char *text = LLVMPrintValueToString(call);
    const char *code = strstr(text, " asm "), *end = NULL, *constraints = NULL;
    code = code ? strchr(code, '"') : NULL;
    end = code ? strchr(code + 1, '"') : NULL;
    constraints = end ? strchr(end + 1, '"') : NULL;
    const char *last = constraints ? strchr(constraints + 1, '"') : NULL;
    bool touches = true;
    if (last) {
        size_t n = (size_t)(last - constraints);
        bool operand = memmem(constraints, n, "*m", 2) || memmem(constraints, n, "*Q", 2);
        touches = operand || (memmem(constraints, n, "~{memory}", 9) &&
                              !is_harmless(code + 1, (size_t)(end - code - 1)));
    }
    LLVMDisposeMessage(text);
    return touches;
}

/* A byte that is 0 until the place was come to. */
static LLVMValueRef told_flag(struct fore_work *w)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(w->context);
    LLVMValueRef flag = LLVMAddGlobal(w->module, byte, "foresee.told");
    LLVMSetInitializer(flag, LLVMConstInt(byte, 0, false));
    LLVMSetLinkage(flag, LLVMPrivateLinkage);
    return flag;
}

static void tell_unseen(struct fore_work *w, LLVMValueRef call, LLVMValueRef function,
                        const char *what)
{
    LLVMPositionBuilderBefore(w->builder, call);
    LLVMValueRef args[] = {told_flag(w), function, fore_site(w, call),
                           fore_string(w, what)};
    fore_emit(w, w->in_unseen, args, 4);
}

/* ---- other people's functions ---- */

static bool is_in(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t m = strlen(list[i]);
        bool prefix = list[i][m - 1] == '*';
        if (prefix ? !strncmp(list[i], name, m - 1) : !strcmp(list[i], name))
            return true;
    }
    return false;
}

static bool is_shared_pointer(struct fore_work *w, LLVMValueRef v)
{
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
        return false;
    LLVMValueRef base = fore_base_of(v);
    if (LLVMIsAConstantPointerNull(base) || LLVMIsUndef(base))
        return false;
    if (LLVMIsAFunction(
            base)) /* which will be called, by whom and after what nobody knows */
        return true;
    if (LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base))
        return false;
    return !LLVMIsAAllocaInst(base) || !fore_is_private(w, base);
}

static bool gets_pointers(struct fore_work *w, LLVMValueRef call)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (is_shared_pointer(w, LLVMGetOperand(call, i)))
            return true;
    return false;
}

void fore_unseen(struct fore_work *w, LLVMValueRef call)
{
    static const char *const fine[] = {FORE_C_FINE};
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name = fore_function_name(callee);
    if (w->name_count)
        return; /* memory is not seen anyway */
    if (LLVMIsAInlineAsm(callee)) {
        if (touches_memory(call))
            tell_unseen(w, call, LLVMConstPointerNull(w->text), "inline assembly");
        return;
    }
    if (*name && LLVMIsDeclaration(callee) && gets_pointers(w, call) &&
        !is_in(name, fine, sizeof fine / sizeof *fine))
        tell_unseen(w, call, callee, name);
}
