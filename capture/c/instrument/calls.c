/* Calls that the runtime answers in place of the library, and those that make memory. */
#include "capture/c/calls.h"
#include "capture/c/annotate.h"
#include "capture/c/instrument/instrument.h"
#include "capture/c/openmp.h"
#include "capture/c/times.h"

#include <stdio.h>
#include <string.h>

#define NAME(name, params, args) #name,
#define ANNOTATION(name, params) #name,
static const char *const renamed[] = {FORE_C_CALLS(NAME, NAME) "__cxa_guard_acquire",
                                      "__cxa_guard_release",
                                      "__cxa_guard_abort",
                                      FORE_C_ANNOTATED(ANNOTATION, ANNOTATION)
                                          FORE_C_OPENMP(NAME, NAME, NAME) "sigaction",
                                      "signal",
                                      "syscall",
                                      "longjmp",
                                      "_longjmp",
                                      "siglongjmp",
                                      "__longjmp_chk"};

#define TIME_CALL(result, name, params, args) {#name, #params},
/* Words that programs use for functions of their own, too. */
static const struct {
    const char *name, *params;
} times[] = {FORE_C_TIMED(TIME_CALL)};

/* Functions that copy and fill memory: their calls are replaced, those who define them are left alone. */
static const char *const copying[] = {
    "strcpy", "stpcpy",       "strcat",        "strncpy",      "memcpy",      "memmove",
    "memset", "__memcpy_chk", "__memmove_chk", "__memset_chk", "__strcpy_chk"};

/* Functions of threads, conditions and futures. */
static const char *const libraries[] = {
    "_ZNSt6thread", "_ZNSt18condition_variable", "_ZNSt22condition_variable_any",
    "_ZNSt13__future_base", "_ZNSt28__atomic_futex_unsigned_base"};

const char *fore_function_name(LLVMValueRef value)
{
    size_t n;
    return value && LLVMIsAFunction(value) ? LLVMGetValueName2(value, &n) : "";
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static void rename_all(struct fore_work *w, const char *const *names, size_t count)
{
    char name[128];
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef f = LLVMGetNamedFunction(w->module, names[i]);
        if (!f || !LLVMIsDeclaration(f))
            continue;
        int n = snprintf(name, sizeof name, "foresee_rt_%s", names[i]);
        LLVMSetValueName2(f, name, (size_t)n);
    }
}

/* Does the function take as many arguments as the list has, all integers or pointers? */
static bool takes_params(LLVMValueRef f, const char *params)
{
    LLVMTypeRef types[8], t = LLVMGlobalGetValueType(f);
    unsigned n = strcmp(params, "(void)") != 0;
    for (; *params; params++)
        n += *params == ',';
    if (LLVMIsFunctionVarArg(t) || LLVMCountParamTypes(t) != n)
        return false;
    LLVMGetParamTypes(t, types);
    for (unsigned i = 0; i < n; i++)
        if (LLVMGetTypeKind(types[i]) != LLVMIntegerTypeKind &&
            LLVMGetTypeKind(types[i]) != LLVMPointerTypeKind)
            return false;
    return true;
}

void fore_rename_calls(struct fore_work *w)
{
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        LLVMValueRef f = LLVMGetNamedFunction(w->module, times[i].name);
        if (f && LLVMGetValueKind(f) == LLVMFunctionValueKind &&
            takes_params(f, times[i].params))
            rename_all(w, &times[i].name, 1);
    }
    rename_all(w, renamed, sizeof renamed / sizeof *renamed);
    rename_all(w, copying, sizeof copying / sizeof *copying);
}

/* Functions that may synchronise on their caller's behalf: of the C++ library, and those of
 * system headers that were too large to become part of their callers. */
static bool is_library(LLVMValueRef callee)
{
    const char *name = fore_function_name(callee);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (begins(name, libraries[i]))
            return true;
    return *name && !LLVMIsDeclaration(callee) && fore_in_system_header(callee);
}

/* A system header works for the function that called into it, and that has said where it is. */
static void announce(struct fore_work *w, LLVMValueRef call, struct fore_hook hook)
{
    if (fore_is_of_system_header(call))
        return;
    LLVMPositionBuilderBefore(w->builder, call);
    LLVMValueRef site = fore_site(w, call);
    fore_emit(w, hook, &site, 1);
}

/* free, and operator delete in its ways. */
static bool frees(const char *name)
{
    return strcmp(name, "free") == 0 || begins(name, "_ZdlPv") || begins(name, "_ZdaPv");
}

/* Freeing a block conflicts with every access to it, as a write would. */
static void freed(struct fore_work *w, LLVMValueRef call)
{
    LLVMPositionBuilderBefore(w->builder, call);
    LLVMValueRef args[] = {LLVMGetOperand(call, 0), fore_site(w, call)};
    fore_emit(w, w->freed, args, 2);
}

void fore_call(struct fore_work *w, LLVMValueRef call)
{
    const char *name = fore_function_name(LLVMGetCalledValue(call));
    if (begins(name, "foresee_in_"))
        return;
    if (begins(name, "llvm.memset."))
        fore_range(w, call, true);
    else if (begins(name, "llvm.memcpy.") || begins(name, "llvm.memmove."))
        fore_range(w, call, false);
    else if (frees(name) && !w->name_count)
        freed(w, call);
    else if (begins(name, "foresee_rt_")) {
        announce(w, call, w->at);
        fore_starts(w, call);
        fore_libc(w, call);
    } else if (fore_libc(w, call))
        fore_made(w, call);
    else if (is_library(LLVMGetCalledValue(call)))
        announce(w, call, w->call);
    else {
        fore_unseen(w, call);
        fore_made(w, call);
    }
}
