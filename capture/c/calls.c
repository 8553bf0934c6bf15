/* Calls that the runtime answers in place of the library, and those that make memory. */
#include "c/instrument.h"

#include <stdio.h>
#include <string.h>

/* The runtime has a foresee_rt_ of each. */
static const char *const renamed[] = {
    "pthread_create",
    "pthread_join",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_mutex_timedlock",
    "pthread_mutex_destroy",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_unlock",
    "pthread_rwlock_destroy",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_cond_destroy",
    "sem_wait",
    "sem_trywait",
    "sem_timedwait",
    "sem_post",
    "sem_destroy",
    "pthread_barrier_init",
    "pthread_barrier_wait",
    "pthread_barrier_destroy",
    "pthread_once",
};

const char *fore_function_name(LLVMValueRef value)
{
    size_t n;
    return value && LLVMIsAFunction(value) ? LLVMGetValueName2(value, &n) : "";
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

void fore_rename_calls(struct fore_work *w)
{
    char name[128];
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        LLVMValueRef f = LLVMGetNamedFunction(w->module, renamed[i]);
        if (!f || !LLVMIsDeclaration(f))
            continue;
        int n = snprintf(name, sizeof name, "foresee_rt_%s", renamed[i]);
        LLVMSetValueName2(f, name, (size_t)n);
    }
}

static void announce(struct fore_work *w, LLVMValueRef call)
{
    LLVMPositionBuilderBefore(w->builder, call);
    LLVMValueRef site = fore_site(w, call);
    fore_emit(w, w->at, &site, 1);
}

void fore_call(struct fore_work *w, LLVMValueRef call)
{
    const char *name = fore_function_name(LLVMGetCalledValue(call));
    if (begins(name, "llvm.memset."))
        fore_range(w, call, true);
    else if (begins(name, "llvm.memcpy.") || begins(name, "llvm.memmove."))
        fore_range(w, call, false);
    else if (begins(name, "foresee_rt_"))
        announce(w, call);
}
