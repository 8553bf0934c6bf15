/* Memory of all kinds: one row each. What is beside each other is no race. */
#include "pair.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

#define ROW(before, by_thread, by_main)                                                  \
    static void prepare(void) { before; }                                                \
    static void first(void) { LOCK(); by_thread; UNLOCK(); }                             \
    static void second(void) { SOON(); LOCK(); by_main; UNLOCK(); }
/* Ordered without a lock: the two use other bytes. */
#define BESIDE(before, by_thread, racing, beside)                                        \
    static void prepare(void) { before; }                                                \
    static void first(void) { by_thread; }                                               \
    static void second(void) { SOON(); EITHER(racing, beside); }
#ifdef RACY
#define EITHER(racing, beside) racing
#else
#define EITHER(racing, beside) beside
#endif

static _Thread_local volatile long sink;

#ifdef ROW_bytes
static char word[8];
BESIDE(, word[3] = 1, word[3] = 2, word[4] = 2)
#endif
#ifdef ROW_halves /* of a word that is also used whole */
static union { uint32_t half[2]; uint64_t whole; } u;
BESIDE(u.whole = 7, u.half[0] = 1, sink = (long)u.whole, u.half[1] = 2)
#endif
#ifdef ROW_wide_then_narrow
static union { uint8_t byte[8]; uint64_t whole; } u[2];
BESIDE(, u[0].whole = 7, u[0].byte[5] = 1, u[1].byte[5] = 1)
#endif
#ifdef ROW_narrow_then_wide
static union { uint16_t part[4]; uint64_t whole; } u[2];
BESIDE(, u[0].part[2] = 7, sink = (long)u[0].whole, sink = (long)u[1].whole)
#endif
#ifdef ROW_bit_fields /* neighbours in one word are written together: both are races */
static struct { unsigned a : 3, b : 5; unsigned : 0; unsigned c : 4; } s;
BESIDE(, s.a = 1, s.b = 2, s.c = 2)
#endif
#ifdef ROW_members
static struct { int a, b; } s;
BESIDE(, s.a = 1, s.a = 2, s.b = 2)
#endif
#ifdef ROW_packed
static struct { char c; int a; char d; } __attribute__((packed)) s;
BESIDE(, s.a = 1, sink = s.a, s.d = 2)
#endif
#ifdef ROW_elements
static int a[100];
BESIDE(, for (int i = 0; i < 50; i++) a[i] = i, for (int i = 49; i < 100; i++) a[i] = i, for (int i = 50; i < 100; i++) a[i] = i)
#endif
#ifdef ROW_heap
static int *p;
ROW(p = (int *)malloc(40), p[3] = 1, p[3] = 2)
#endif
/* Memory that main has filled and the thread goes through, one place after the other; then main comes back to one of them. */
#if defined ROW_handed_read || defined ROW_handed_written || defined ROW_handed_parts || defined ROW_handed_first
static uint64_t *p;
static void fill(void) { p = (uint64_t *)malloc(400 * sizeof *p); for (int i = 0; i < 400; i++) p[i] = i; }
static long total(void) { long n = 0; for (int i = 0; i < 400; i++) n += p[i]; return n; }
#endif
#ifdef ROW_handed_read
ROW(fill(), sink = total(), p[200] = 1)
#endif
#ifdef ROW_handed_written
ROW(fill(), for (int i = 0; i < 400; i++) p[i] = 1, sink = p[201])
#endif
#ifdef ROW_handed_parts
ROW(fill(), sink = total(), ((char *)p)[1605] = 1)
#endif
#ifdef ROW_handed_first /* the other way round: what was filled and what goes through it race */
ROW(p = (uint64_t *)malloc(400 * sizeof *p), for (int i = 0; i < 400; i++) p[i] = i, for (int i = 0; i < 400; i++) sink += p[i])
#endif
#ifdef ROW_local /* of main, through a pointer */
static int *volatile p;
static void prepare(void) {}
static void first(void) { while (!__atomic_load_n(&p, __ATOMIC_ACQUIRE)) usleep(1000); LOCK(); *p = 1; UNLOCK(); }
static void second(void) { int local = 0; __atomic_store_n(&p, &local, __ATOMIC_RELEASE); SOON(); LOCK(); local++; UNLOCK(); sink = local; usleep(20000); }
#endif
#ifdef ROW_thread_local /* of main, through a pointer */
static _Thread_local int local;
static int *p;
ROW(p = &local, *p = 1, local++)
#endif
#ifdef ROW_static_local
static void count(void) { static int n; n++; sink = n; }
ROW(, count(), count())
#endif
#ifdef ROW_function_pointer
static void (*volatile f)(void);
static void one(void) {}
static void (*g)(void);
ROW(g = one, g = one, g())
#endif
#ifdef ROW_volatile
static volatile int v;
ROW(, v = 1, v = 2)
#endif
#ifdef ROW_double
static double d;
ROW(, d = 1.5, sink = (long)d)
#endif
#ifdef ROW_long_double
static long double d;
ROW(, d = 1.5, sink = (long)d)
#endif
#ifdef ROW_int128
static __int128 d;
ROW(, d = 1, sink = (long)d)
#endif
#ifdef ROW_vector
typedef int four __attribute__((vector_size(16)));
static four a;
ROW(, a[2] = 1, four b = a; sink = b[2] + b[0])
#endif
#ifdef ROW_unaligned
static char bytes[32];
ROW(, memcpy(bytes + 3, &(long){1}, 8), long l; memcpy(&l, bytes + 9, 8); sink = l)
#endif
#ifdef ROW_large_structure
struct s { char a[500]; };
static struct s a, b;
ROW(, a.a[250] = 1, b = a)
#endif
#ifdef ROW_mapped
static int *p;
ROW(p = (int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), p[3] = 1, p[3] = 2)
#endif
#ifdef ROW_mapped_again /* what was unmapped is other memory */
static int *p;
static void prepare(void) { p = (int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void first(void) { p[3] = 1; EITHER((void)0, munmap(p, 4096)); }
static void second(void) { SOON(); int *q = EITHER(p, (int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)); q[3] = 2; }
#endif
#ifdef ROW_allocated_again /* memory that another thread gave back */
static void *volatile seen;
static void prepare(void) {}
static int *make(int n) { int *p = (int *)malloc(24); *p = n; return p; }
static int *kept;
static void first(void) { int *p = make(1); kept = p; EITHER((void)0, free(p)); }
static void second(void) { SOON(); int *p = EITHER(kept, make(2)); *p = 3; sink = *p; }
#endif
#ifdef ROW_jump
static jmp_buf j;
static int x;
static void leap(void) { x = 1; longjmp(j, 1); }
ROW(, if (!setjmp(j)) leap(), x = 2)
#endif
#ifdef ROW_alloca
static char *volatile p;
static void prepare(void) {}
static void first(void) { while (!__atomic_load_n(&p, __ATOMIC_ACQUIRE)) usleep(1000); LOCK(); p[1] = 1; UNLOCK(); }
static void second(void) { char *q = (char *)__builtin_alloca(30); q[1] = 0; __atomic_store_n(&p, q, __ATOMIC_RELEASE); SOON(); LOCK(); q[1]++; UNLOCK(); sink = q[1]; usleep(20000); }
#endif
#ifdef ROW_argument_block /* made by main for the thread, which gives it back */
static pthread_t t;
static int *block;
static void *child(void *p) { sink = *(int *)p; EITHER((void)0, free(p)); return NULL; }
static void prepare(void) {}
static void first(void) {}
static void second(void) { block = (int *)malloc(16); *block = 1; pthread_create(&t, NULL, child, block); SOON(); EITHER(*block = 2, (void)0); pthread_join(t, NULL); }
#endif
#ifdef ROW_plain_and_atomic
static int n;
ROW(, __atomic_store_n(&n, 1, __ATOMIC_SEQ_CST), n = 2)
#endif
#ifdef ROW_mixed_sizes
static union { uint8_t b[8]; uint64_t w; } u;
ROW(, u.b[5] = 1, u.w = 2)
#endif
#ifdef ROW_read_only /* readers are no race */
static int table[4] = {1, 2, 3, 4};
BESIDE(table[0] = 2, sink = table[0], table[0] = 3, (void)*(volatile int *)&table[0])
#endif
#ifdef ROW_publication
static int *p, data;
static void prepare(void) {}
static void first(void) { data = 5; EITHER(p = &data, __atomic_store_n(&p, &data, __ATOMIC_RELEASE)); }
static void second(void) { int *q; while (!(q = EITHER(*(int *volatile *)&p, __atomic_load_n(&p, __ATOMIC_ACQUIRE)))) usleep(1000); sink = *q; }
#endif
#ifdef ROW_double_checked
static int *p;
static void prepare(void) {}
static int *get(void)
{
    int *q = EITHER(p, __atomic_load_n(&p, __ATOMIC_ACQUIRE));
    if (!q) {
        pthread_mutex_lock(&pair_lock);
        if (!p) {
            int *made = (int *)malloc(8);
            *made = 3;
            EITHER(p = made, __atomic_store_n(&p, made, __ATOMIC_RELEASE));
        }
        q = p;
        pthread_mutex_unlock(&pair_lock);
    }
    return q;
}
static void first(void) { sink = *get(); }
static void second(void) { SOON(); sink = *get(); }
#endif
#ifdef ROW_read_lock /* writing under a lock for readers */
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int x;
static void enter(void) { EITHER(pthread_rwlock_rdlock(&l), pthread_rwlock_wrlock(&l)); }
static void prepare(void) {}
static void first(void) { enter(); x = 1; pthread_rwlock_unlock(&l); }
static void second(void) { SOON(); enter(); x = 2; pthread_rwlock_unlock(&l); }
#endif
#ifdef ROW_two_locks
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void prepare(void) {}
static void first(void) { pthread_mutex_lock(&pair_lock); x = 1; pthread_mutex_unlock(&pair_lock); }
static void second(void) { pthread_mutex_t *m = EITHER(&other, &pair_lock); SOON(); pthread_mutex_lock(m); x = 2; pthread_mutex_unlock(m); }
#endif
#ifdef ROW_flags_of_a_word /* of memory that is allocated: each byte is written, then its neighbour */
struct flags { char a, b, c, d; };
static struct flags *f;
static void prepare(void) { f = (struct flags *)calloc(1, sizeof *f); }
static void first(void) { f->a = 1; f->c = 1; }
static void second(void) { SOON(); sink = EITHER(f->a, f->b); }
#endif
#ifdef ROW_flag_beside /* a flag that a lock guards, and one beside it that nobody else has */
struct flags { char a, b, c, d; };
static struct flags *f;
static void prepare(void) { f = (struct flags *)calloc(1, sizeof *f); }
static void first(void)
{
    pthread_mutex_lock(&pair_lock);
    EITHER((void)0, f->a = 1);
    pthread_mutex_unlock(&pair_lock);
    EITHER(f->a = 1, (void)0);
    f->c = 1;
}
static void second(void) { SOON(); pthread_mutex_lock(&pair_lock); sink = f->a; pthread_mutex_unlock(&pair_lock); }
#endif
#ifdef ROW_busy_flag /* whoever sees it down may go on */
struct busy { unsigned users; char writing, blocked; };
static struct busy *l;
static int guarded;
static void prepare(void) { l = (struct busy *)calloc(1, sizeof *l); }
static void hold(char to) { pthread_mutex_lock(&pair_lock); l->writing = to; l->blocked = to; pthread_mutex_unlock(&pair_lock); }
static void first(void) { for (int i = 0; i < 3; i++) { hold(1); guarded++; hold(0); } }
static void second(void)
{
    SOON();
    pthread_mutex_lock(&pair_lock);
    int may = EITHER(1, !l->writing);
    pthread_mutex_unlock(&pair_lock);
    if (may)
        sink = guarded;
}
#endif
