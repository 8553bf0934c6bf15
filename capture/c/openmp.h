/* Calls of OpenMP's library, by which programs synchronise and whose effects its tool interface does not tell in time: one
 * row each, X for those that return an int, V for those that return nothing, P for those that return memory. The instrumentor sends them to the
 * runtime; runtime/openmp.c defines them. `at` is the place in the source as the library knows it, `who` its
 * number of the thread. */
#ifndef FORE_C_OPENMP_H
#define FORE_C_OPENMP_H

#define FORE_C_OPENMP(X, V, P)                                                           \
    V(omp_init_lock, (void *l), (l))                                                     \
    V(omp_init_lock_with_hint, (void *l, int hint), (l, hint))                           \
    V(omp_destroy_lock, (void *l), (l))                                                  \
    V(omp_set_lock, (void *l), (l))                                                      \
    V(omp_unset_lock, (void *l), (l))                                                    \
    X(omp_test_lock, (void *l), (l))                                                     \
    V(omp_init_nest_lock, (void *l), (l))                                                \
    V(omp_init_nest_lock_with_hint, (void *l, int hint), (l, hint))                      \
    V(omp_destroy_nest_lock, (void *l), (l))                                             \
    V(omp_set_nest_lock, (void *l), (l))                                                 \
    V(omp_unset_nest_lock, (void *l), (l))                                               \
    X(omp_test_nest_lock, (void *l), (l))                                                \
    V(__kmpc_critical, (void *at, int who, void *l), (at, who, l))                       \
    V(__kmpc_critical_with_hint, (void *at, int who, void *l, unsigned hint),            \
      (at, who, l, hint))                                                                \
    V(__kmpc_end_critical, (void *at, int who, void *l), (at, who, l))                   \
    V(__kmpc_ordered, (void *at, int who), (at, who))                                    \
    V(__kmpc_end_ordered, (void *at, int who), (at, who))                                \
    X(__kmpc_reduce,                                                                     \
      (void *at, int who, int n, size_t size, void *all, void (*add)(void *, void *),    \
       void *l),                                                                         \
      (at, who, n, size, all, add, l))                                                   \
    X(__kmpc_reduce_nowait,                                                              \
      (void *at, int who, int n, size_t size, void *all, void (*add)(void *, void *),    \
       void *l),                                                                         \
      (at, who, n, size, all, add, l))                                                   \
    V(__kmpc_end_reduce, (void *at, int who, void *l), (at, who, l))                     \
    V(__kmpc_end_reduce_nowait, (void *at, int who, void *l), (at, who, l))              \
    V(__kmpc_omp_wait_deps, (void *at, int who, int n, void *on, int m, void *other),    \
      (at, who, n, on, m, other))                                                        \
    V(__kmpc_doacross_post, (void *at, int who, const long long *v), (at, who, v))       \
    V(__kmpc_doacross_wait, (void *at, int who, const long long *v), (at, who, v))       \
    V(__kmpc_flush, (void *at), (at))                                                    \
    P(__kmpc_omp_task_alloc,                                                             \
      (void *at, int who, int flags, size_t n, size_t shared, void *run),                \
      (at, who, flags, n, shared, run))

#endif
