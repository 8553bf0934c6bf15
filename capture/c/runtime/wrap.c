/* The same calls made by libraries that nobody instrumented: in a static program the linker
 * leads them here (--wrap), and to the library's own as __real_…. */
#include "capture/c/runtime/sync.h"

#define X(name, params, args)                                                            \
    int __real_##name params;                                                            \
    int __wrap_##name params;
#define V(name, params, args)                                                            \
    void __real_##name params;                                                           \
    void __wrap_##name params;
FORE_C_CAUGHT(X, V)
#undef X
#undef V

__attribute__((constructor(101))) static void resolve(void)
{
#define X(name, params, args)                                                            \
    __atomic_store_n(&fore_rt_real.name, __real_##name, __ATOMIC_RELAXED);
    FORE_C_CAUGHT(X, X)
#undef X
}

#define X(name, params, args)                                                            \
    int __wrap_##name params                                                             \
    {                                                                                    \
        return fore_rt_from_library() ? foresee_rt_##name args : __real_##name args;     \
    }
#define V(name, params, args)                                                            \
    void __wrap_##name params                                                            \
    {                                                                                    \
        if (fore_rt_from_library())                                                      \
            foresee_rt_##name args;                                                      \
        else                                                                             \
            __real_##name args;                                                          \
    }
FORE_C_CAUGHT(X, V)
