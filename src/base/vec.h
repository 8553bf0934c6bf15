/* A growing array of any type: FORE_VEC(int) v = {0}; fore_vec_push(&v, 7); v.at[0]; v.n.
 * It owns its memory; fore_vec_release frees it and leaves an empty vector. */
#ifndef FORE_BASE_VEC_H
#define FORE_BASE_VEC_H

#include "base/mem.h"

#include <stddef.h>
#include <string.h>

#define FORE_VEC(T)                                                                      \
    struct {                                                                             \
        T *at;                                                                           \
        size_t n, cap;                                                                   \
    }

#define fore_vec_reserve(v, want)                                                        \
    ((size_t)(want) <= (v)->cap                                                          \
         ? (void)0                                                                       \
         : (void)((v)->cap = fore_vec_grown((v)->cap, (want)),                           \
                  (v)->at = fore_realloc((v)->at, (v)->cap, sizeof *(v)->at)))

#define fore_vec_push(v, ...)                                                            \
    (fore_vec_reserve((v), (v)->n + 1), (void)((v)->at[(v)->n++] = (__VA_ARGS__)))

/* Makes room for `count` more and returns the first of them, not cleared. */
#define fore_vec_extend(v, count)                                                        \
    (fore_vec_reserve((v), (v)->n + (count)), (v)->n += (count),                         \
     (v)->at + ((v)->n - (count)))

/* At least `want` elements, the new ones cleared. */
#define fore_vec_ensure(v, want)                                                         \
    do {                                                                                 \
        size_t fore_want_ = (want);                                                      \
        if (fore_want_ > (v)->n) {                                                       \
            fore_vec_reserve((v), fore_want_);                                           \
            memset((v)->at + (v)->n, 0, (fore_want_ - (v)->n) * sizeof *(v)->at);        \
            (v)->n = fore_want_;                                                         \
        }                                                                                \
    } while (0)

#define fore_vec_pop(v) ((v)->at[--(v)->n])
#define fore_vec_last(v) ((v)->at[(v)->n - 1])
#define fore_vec_clear(v) ((void)((v)->n = 0))
#define fore_vec_release(v)                                                              \
    (fore_free((v)->at), (void)((v)->at = NULL), (void)((v)->n = (v)->cap = 0))

static inline size_t fore_vec_grown(size_t cap, size_t want)
{
    size_t next = cap ? cap + cap / 2 : 8;
    return next < want ? want : next;
}

#endif
