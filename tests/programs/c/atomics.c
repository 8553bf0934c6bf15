/* Atomic accesses: both values of a read-modify-write; a failed exchange is a read. */
#include <stdatomic.h>

atomic_int n;
_Atomic unsigned flag = 1;
int plain;

int main(void)
{
    int expected = 5;
    atomic_fetch_add(&n, 3);
    atomic_store_explicit(&n, 4, memory_order_release);
    plain = atomic_load_explicit(&n, memory_order_acquire);
    atomic_compare_exchange_strong(&n, &expected, 6);
    atomic_compare_exchange_strong(&n, &expected, 7);
    atomic_exchange(&flag, 0);
    n++;
    return 0;
}
