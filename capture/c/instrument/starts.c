/* What threads begin with: before a call that creates one the runtime is told the name of the
 * function that it is handed, or that nobody knows it. std::thread is handed what it calls in the
 * code as it comes from the compiler, before its own constructor becomes part of the caller. */
#include "capture/c/instrument/instrument.h"
#include "capture/c/instrument/layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What takes a callable after `this`; the type of it follows. */
static const char *const takers[] = {
    "_ZNSt6threadC1I",
    "_ZNSt6threadC2I",
    "_ZNSt7jthreadC1I",
    "_ZNSt7jthreadC2I",
    "_ZNSt6vectorISt6threadSaIS0_EE12emplace_backI",
    "_ZNSt6vectorISt7jthreadSaIS0_EE12emplace_backI",
};

/* ---- which function it is ---- */

/* The function that a constant is or holds: before version 15 it may be cast, and a pointer to a
 * method is a pair of numbers. */
static LLVMValueRef function_in(LLVMValueRef value)
{
    LLVMValueRef found = NULL;
    if (LLVMIsAFunction(value))
        return value;
    if (LLVMIsAConstantExpr(value) || LLVMIsAConstantStruct(value))
        for (int i = 0; i < LLVMGetNumOperands(value) && !found; i++)
            found = function_in(LLVMGetOperand(value, (unsigned)i));
    return found;
}

/* The only value that is stored in a local as a whole, or NULL. */
static LLVMValueRef only_stored(LLVMValueRef local)
{
    LLVMValueRef value = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(local); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != local)
            continue;
        if (value)
            return NULL;
        value = LLVMGetOperand(user, 0);
    }
    return value;
}

/* A function, or a reference to a pointer to a function or method. */
static LLVMValueRef callable(LLVMValueRef argument)
{
    LLVMValueRef value = LLVMIsAAllocaInst(argument) ? only_stored(argument) : argument;
    return value ? function_in(value) : NULL;
}

/* ---- what it is called ---- */

/* 4bank3pay of _ZN4bank3payEv becomes bank::pay, what is not as plain NULL; to be freed. */
static char *demangled(const char *name)
{
    char *out = fore_must(calloc(2, strlen(name) + 1));
    const char *at = name + 2;
    bool nested = *at == 'N';
    at += nested + (at[nested] == 'L' || at[nested] == 'K');
    do {
        char *end;
        unsigned long n = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
        if (!n || n > strlen(end)) {
            free(out);
            return NULL;
        }
        strcat(out, *out ? "::" : "");
        strncat(out, end, n);
        at = end + n;
    } while (nested && *at != 'E');
    return out;
}

/* As debuggers print it, without parameters; NULL if the library's own is meant. To be freed. */
static char *name_of(struct fore_work *w, LLVMValueRef function)
{
    const char *symbol = fore_function_name(function);
    LLVMMetadataRef known = function ? LLVMGetSubprogram(function) : NULL;
    if (!*symbol || (known && fore_in_system_header(function)))
        return NULL;
    if (known)
        return fore_layout_qualified(w->context, known);
    return strncmp(symbol, "_Z", 2) == 0 ? demangled(symbol) : fore_must(strdup(symbol));
}

/* ---- the calls ---- */

static void tell_function(struct fore_work *w, LLVMValueRef call, LLVMValueRef function,
                          struct fore_hook hook)
{
    char *name = name_of(w, function);
    LLVMPositionBuilderBefore(w->builder, call);
    LLVMValueRef text = name ? fore_string(w, name) : LLVMConstNull(w->text);
    fore_emit(w, hook, &text, 1);
    free(name);
}

void fore_starts(struct fore_work *w, LLVMValueRef call)
{
    const char *name = fore_function_name(LLVMGetCalledValue(call));
    unsigned at = !strcmp(name, "foresee_rt_pthread_create") ? 2
                  : !strcmp(name, "foresee_rt_thrd_create")  ? 1
                                                             : 0;
    if (at && at < LLVMGetNumArgOperands(call))
        tell_function(w, call, function_in(LLVMGetOperand(call, at)), w->starts);
}

/* The type of the callable in the name of who takes it, or NULL. */
static const char *taken_type(LLVMValueRef call)
{
    const char *name = fore_function_name(LLVMGetCalledValue(call));
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
        if (strncmp(name, takers[i], strlen(takers[i])) == 0)
            return name + strlen(takers[i]);
    return NULL;
}

/* Objects that can be called, as lambdas, have no name that says more than their line. */
static void note_start(struct fore_work *w, LLVMValueRef call, struct fore_hook hook)
{
    const char *type = taken_type(call);
    if (!type || LLVMGetNumArgOperands(call) < 2)
        return;
    type += strspn(type, "JRKO");
    bool named = *type && strchr("FPM", *type);
    tell_function(w, call, named ? callable(LLVMGetOperand(call, 1)) : NULL, hook);
}

void fore_note_starts(struct fore_work *w)
{
    struct fore_hook hook = {LLVMFunctionType(w->void_type, &w->text, 1, false), NULL};
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f;
         f = LLVMGetNextFunction(f)) {
        if (fore_in_system_header(f))
            continue;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i))
                if ((LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) && taken_type(i)) {
                    if (!hook.function)
                        hook.function =
                            LLVMAddFunction(w->module, "foresee_in_starts", hook.type);
                    note_start(w, i, hook);
                }
    }
}

/* ---- pointers to functions ---- */

/* One pointer in, and a pointer or an int out. */
static bool may_start(LLVMValueRef f)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f), argument;
    LLVMTypeRef result = LLVMGetReturnType(type);
    if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage ||
        LLVMCountParamTypes(type) != 1 || LLVMIsFunctionVarArg(type))
        return false;
    LLVMGetParamTypes(type, &argument);
    return LLVMGetTypeKind(argument) == LLVMPointerTypeKind &&
           (LLVMGetTypeKind(result) == LLVMPointerTypeKind ||
            (LLVMGetTypeKind(result) == LLVMIntegerTypeKind &&
             LLVMGetIntTypeWidth(result) == 32));
}

static bool is_only_called(LLVMValueRef f)
{
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool calls = LLVMIsACallInst(user) || LLVMIsAInvokeInst(user);
        for (unsigned i = 0; calls && i < LLVMGetNumArgOperands(user); i++)
            calls = LLVMGetOperand(user, i) != f;
        if (!calls)
            return false;
    }
    return true;
}

void fore_add_starts(struct fore_work *w)
{
    LLVMTypeRef fields[] = {w->text, w->text};
    LLVMTypeRef type = LLVMStructTypeInContext(w->context, fields, 2, false);
    LLVMValueRef *rows = NULL;
    unsigned n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f;
         f = LLVMGetNextFunction(f)) {
        char *name = may_start(f) && !is_only_called(f) ? name_of(w, f) : NULL;
        if (!name)
            continue;
        LLVMValueRef row[] = {LLVMConstBitCast(f, w->text), fore_string(w, name)};
        rows = fore_must(realloc(rows, (n + 1) * sizeof *rows));
        rows[n++] = LLVMConstStructInContext(w->context, row, 2, false);
        free(name);
    }
    if (n)
        fore_keep_in_section(w, LLVMConstArray(type, rows, n), "foresee.starts",
                             FORE_C_STARTS_SECTION);
    free(rows);
}
