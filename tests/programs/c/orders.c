/* Atomic operations of every order, fences, atomics of the heap and of members. */
#include <stdatomic.h>
#include <stdlib.h>

struct counter {
    char tag;
    atomic_short n;
};

struct counter c;
atomic_flag taken = ATOMIC_FLAG_INIT;
_Atomic(unsigned char) byte;
int plain;

int main(void)
{
    atomic_long *made = malloc(sizeof *made);
    unsigned char seen = 0;
    if (!made)
        return 2;
    atomic_init(made, 0);
    atomic_fetch_add_explicit(made, 7, memory_order_relaxed);
    atomic_fetch_sub_explicit(&c.n, 1, memory_order_acq_rel);
    atomic_fetch_or_explicit(&byte, 6, memory_order_acquire);
    atomic_fetch_and_explicit(&byte, 3, memory_order_release);
    atomic_fetch_xor(&byte, 1);
    atomic_compare_exchange_weak_explicit(&byte, &seen, 9, memory_order_release,
                                          memory_order_relaxed);
    atomic_store_explicit(&byte, 1, memory_order_relaxed);
    if (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
        return 1;
    atomic_flag_clear(&taken);
    atomic_thread_fence(memory_order_release);
    plain = 1;
    atomic_thread_fence(memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    __atomic_store_n(&plain, 2, __ATOMIC_SEQ_CST);
    __sync_fetch_and_add(&plain, 1);
    long got = atomic_load_explicit(made, memory_order_relaxed);
    free(made);
    return got == 7 && plain == 3 ? 0 : 1;
}
