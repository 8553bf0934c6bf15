/* What is inlined around each access of a watched program. It is compiled to bitcode, once for
 * each version of LLVM, by a clang of that version; the instrumentor adds that to the user's
 * module and calls the functions by name. It includes nothing. `site` is a struct fore_c_site,
 * `id` its number, `what` as in module.h.
 *
 * The shadow of memory (c/shadow.h has its states): for each 4 bytes two words, of writes and
 * of reads; and two for each 8 bytes, in a table of their own, so that where all accesses are of 8 bytes
 * nothing is taken for the others. A word of a place that one thread alone has touched is
 *
 *     | tag 13 | fresh 1 | mask 4 | site 19 | position 27 |
 *
 * the thread, which of the bytes (0 are 8), where in the source,
 * and after how many of the thread's records. The thread's stamp is a word with its tag and
 * its present position, or 0 if it is not recorded: so the owner of a place notes an access
 * with one load and one store.
 *
 * `watched` is what foresee_rt_on was when the function began: the program is watched from its
 * beginning or not at all, so that of code that is not, nothing but a branch remains, on what is in
 * a register or moved out of loops. */
#ifndef FORE_C_INLINE_H
#define FORE_C_INLINE_H

/* Between these and the other tables (cell.h, blocks.h, places.c, know.h, from 0x11... on) is room for what the kernel maps
 * from a third of the address space on where the stack has no limit. AddressSanitizer's shadow ends below them. Its heap begins
 * where the first of these ends (since LLVM 17; before, at 0x60...), and does not meet variables and stacks in the bits that
 * count. */
#define FORE_C_SHADOW 0x300000000000ul
#define FORE_C_SHADOWED 0x7fffffffffful /* the bits of an address that count */
#define FORE_C_WIDE 0x660000000000ul    /* the shadow of places of 8 bytes */
#define FORE_C_TAG 51
#define FORE_C_FRESH (1ul << 50)
#define FORE_C_MASK 46
#define FORE_C_SITE 27
#define FORE_C_SITES 0x7ffffu
#define FORE_C_POSITION ((1ul << FORE_C_SITE) - 1)

#ifndef FORE_C_RUNTIME /* which has them */
extern __thread unsigned long foresee_rt_stamp __attribute__((tls_model("initial-exec")));
extern __thread unsigned long foresee_rt_site __attribute__((tls_model("initial-exec")));
extern __thread const char *foresee_rt_starts __attribute__((tls_model("initial-exec")));
extern __thread unsigned long foresee_rt_since __attribute__((tls_model("initial-exec")));
extern __thread unsigned foresee_rt_learnt __attribute__((tls_model("initial-exec")));
extern unsigned foresee_rt_on;
extern char *foresee_rt_low, *foresee_rt_high; /* all variables are between them */
extern unsigned char foresee_rt_taken[];       /* by kind, see reach.c */

extern unsigned foresee_rt_begin(char *p, void *site, unsigned what);
extern unsigned foresee_rt_begin_if(char *p, void *site, unsigned what);
extern void foresee_rt_end(unsigned token, char *p, void *site, unsigned what);
extern void foresee_rt_end_bits(unsigned token, char *p, void *site, unsigned what);
extern void foresee_rt_copy(char *to, char *from, unsigned long n, void *site);
extern void foresee_rt_fill(char *to, unsigned byte, unsigned long n, void *site);
extern unsigned foresee_rt_access(char *p, void *site, unsigned what);
extern void foresee_rt_fresh(char *p, unsigned long size, void *site);
extern void foresee_rt_made(char *p, void *site);
extern void foresee_rt_use(void);
extern void foresee_rt_unseen(char *told, void *function, void *site, char *what);

/* The instrumentor makes them the module's own, so that those that are not used disappear. */
#ifndef FORE_C_INLINE
#define FORE_C_INLINE __attribute__((always_inline))
#endif

/* An access at a multiple of its size, 1, 2, 4 or 8; `word` is 0 for writes and 1 for reads.
 * Gives its word of the shadow, and its position in the four bytes. */
static inline __attribute__((always_inline)) unsigned long *
foresee_in_cell(char *p, unsigned size, unsigned word)
{
    unsigned long a = (unsigned long)p & FORE_C_SHADOWED, at = size < 4 ? a & 3 : 0;
    unsigned long cell = size == 8 ? FORE_C_WIDE + a * 2 : FORE_C_SHADOW + (a - at) * 4;
    return (unsigned long *)cell + word;
}

static inline __attribute__((always_inline)) unsigned long foresee_in_bytes(char *p,
                                                                            unsigned size)
{
    unsigned long at = size < 4 ? (unsigned long)p & 3 : 0;
    return size == 8 ? 0 : ((1ul << size) - 1) << at;
}

/* What was noted of other bytes of the word, by any thread: nothing if that was recorded. */
static inline __attribute__((always_inline)) unsigned long
foresee_in_others(unsigned long old, char *p, unsigned size)
{
    unsigned long others = old & (15 & ~foresee_in_bytes(p, size)) << FORE_C_MASK;
    return size < 4 && old & (unsigned long)FORE_C_SITES << FORE_C_SITE ? others : 0;
}

FORE_C_INLINE unsigned long foresee_in_old(char *p, unsigned what, unsigned word)
{
    return __atomic_load_n(foresee_in_cell(p, what >> 16, word), __ATOMIC_RELAXED);
}

/* Is more needed than a note? That is so if the word is another thread's, if this thread is not
 * recorded, or if other bytes were noted before it synchronised. */
FORE_C_INLINE unsigned foresee_in_more(unsigned long old, char *p, unsigned what)
{
    unsigned long stamp = foresee_rt_stamp, size = what >> 16;
    unsigned long mask = ((old ^ stamp) >> FORE_C_MASK) - (size != 8);
    unsigned more =
        !stamp | (mask > (size == 8 ? 0 : 14)); /* the owner's: 0 to 14, or 0 */
    if (size < 4)
        more |= (foresee_in_others(old, p, (unsigned)size) != 0) &
                ((old & FORE_C_POSITION) < foresee_rt_since);
    return more;
}

/* Bytes that are accessed one after the other, with no synchronisation between, are noted
 * together. */
FORE_C_INLINE void foresee_in_note(unsigned long old, char *p, unsigned what, unsigned id,
                                   unsigned word)
{
    unsigned size = what >> 16;
    unsigned long note = foresee_rt_stamp | (unsigned long)id << FORE_C_SITE |
                         foresee_in_bytes(p, size) << FORE_C_MASK |
                         foresee_in_others(old, p, size);
    __atomic_store_n(foresee_in_cell(p, size, word), note, __ATOMIC_RELAXED);
}

/* An access that may be anywhere. Notes of other bytes from before the thread synchronised are
 * recorded first. */
static inline __attribute__((always_inline)) unsigned
foresee_in_access(char *p, void *site, unsigned what, unsigned id, unsigned word)
{
    unsigned long aligned = what & 0x80, size = what >> 16;
    unsigned long odd = aligned ? 0 : (unsigned long)p & (size - 1);
    what &= ~0x80u;
    if (__builtin_expect(!foresee_rt_stamp, 0))
        return foresee_rt_on ? foresee_rt_access(p, site, what) : 0;
    unsigned long old = foresee_in_old(p - odd, what, word);
    if (__builtin_expect(odd || foresee_in_more(old, p, what), 0))
        return foresee_rt_access(p, site, what);
    foresee_in_note(old, p, what, id, word);
    return 0;
}

/* Before a plain load. Returns a token for foresee_in_end, 0: there is nothing to do. */
FORE_C_INLINE unsigned foresee_in_read(char *p, void *site, unsigned what, unsigned id,
                                       unsigned watched)
{
    unsigned size = what >> 16;
    if (__builtin_expect(!watched, 1))
        return 0;
    if (size == 1 || size == 2 || size == 4 || size == 8)
        return foresee_in_access(p, site, what, id, 1);
    return foresee_rt_on ? foresee_rt_access(p, site, what & ~0x80u) : 0;
}

FORE_C_INLINE unsigned foresee_in_write(char *p, void *site, unsigned what, unsigned id,
                                        unsigned watched)
{
    unsigned size = what >> 16;
    if (__builtin_expect(!watched, 1))
        return 0;
    if (size == 1 || size == 2 || size == 4 || size == 8)
        return foresee_in_access(p, site, what, id, 0);
    return foresee_rt_on ? foresee_rt_access(p, site, what & ~0x80u) : 0;
}

FORE_C_INLINE void foresee_in_end(unsigned token, char *p, void *site, unsigned what)
{
    if (__builtin_expect(token != 0, 0))
        foresee_rt_end(token, p, site, what);
}

/* With a specification: may this pointer lead to a relevant variable? */
FORE_C_INLINE unsigned foresee_in_near(char *p)
{
    unsigned long all = (unsigned long)(foresee_rt_high - foresee_rt_low);
    return (unsigned long)(p - foresee_rt_low) < all;
}

static inline __attribute__((always_inline)) int foresee_in_reach(char *p, unsigned kind)
{
    return foresee_rt_taken[kind] && foresee_in_near(p);
}

FORE_C_INLINE unsigned foresee_in_begin(char *p, unsigned kind, void *site, unsigned what)
{
    return __builtin_expect(foresee_in_reach(p, kind), 0)
               ? foresee_rt_begin_if(p, site, what)
               : 0;
}

FORE_C_INLINE void foresee_in_end_bits(unsigned token, char *p, void *site, unsigned what)
{
    if (__builtin_expect(token != 0, 0))
        foresee_rt_end_bits(token, p, site, what);
}

FORE_C_INLINE void foresee_in_copy(char *to, char *from, unsigned long n, void *site)
{
    if (foresee_in_reach(to, 0) || foresee_in_reach(from, 0))
        foresee_rt_copy(to, from, n, site);
    else
        __builtin_memcpy(to, from, n);
}

FORE_C_INLINE void foresee_in_move(char *to, char *from, unsigned long n, void *site)
{
    if (foresee_in_reach(to, 0) || foresee_in_reach(from, 0))
        foresee_rt_copy(to, from, n, site);
    else
        __builtin_memmove(to, from, n);
}

FORE_C_INLINE void foresee_in_fill(char *to, unsigned byte, unsigned long n, void *site)
{
    if (foresee_in_reach(to, 0))
        foresee_rt_fill(to, byte, n, site);
    else
        __builtin_memset(to, (int)byte, n);
}

/* Tells where the next call is that synchronises, or that calls a library function which may. */
FORE_C_INLINE void foresee_in_at(char *site)
{
    foresee_rt_site = (unsigned long)site;
}

FORE_C_INLINE void foresee_in_call(char *site)
{
    foresee_rt_site = (unsigned long)site | 1;
}

/* Tells which function the thread that is created next begins with; 0: not known. */
FORE_C_INLINE void foresee_in_starts(char *function)
{
    foresee_rt_starts = function;
}

/* A local whose address escapes begins its life: the same address was another one before. */
FORE_C_INLINE void foresee_in_fresh(char *p, unsigned long size, void *site)
{
    if (foresee_rt_on)
        foresee_rt_fresh(p, size, site);
}

/* A value that the thread has learnt decides what the thread does next. */
FORE_C_INLINE void foresee_in_use(unsigned watched)
{
    if (watched && foresee_rt_learnt)
        foresee_rt_use();
}

/* Called before something that cannot be seen; once for each place. */
FORE_C_INLINE void foresee_in_unseen(char *told, void *function, void *site, char *what)
{
    if (!*told && foresee_rt_on)
        foresee_rt_unseen(told, function, site, what);
}

/* After a call that allocates. */
FORE_C_INLINE void foresee_in_made(char *p, void *site)
{
    if (foresee_rt_on)
        foresee_rt_made(p, site);
}

#endif
#endif
