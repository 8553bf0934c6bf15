/* Sorted runs and delayed duplicate detection: Stern and Dill, Using magnetic disk instead of
 * main memory in the Murphi verifier (CAV 1998). A fingerprint's place in the table is its share
 * of the range, so that the table is nearly sorted and a run costs one pass. */
#include "explore/store.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/sort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_SLOTS 4096
#define RUNS_MOST 8
#define BLOCK ((size_t)1 << 16) /* words of a run that are read or written at once */
#define BIG ((size_t)1 << 18)   /* slots from which larger pages pay */
#define PAGE 4096

__extension__ typedef unsigned __int128 wide_uint;

static bool is_less(const struct fore_print *a, const struct fore_print *b)
{
    return a->at != b->at ? a->at < b->at : a->more < b->more;
}

static bool is_same(const struct fore_print *a, const struct fore_print *b)
{
    return a->at == b->at && a->more == b->more;
}

/* Sorts in place, because no other memory is left: the C library's sort would take as much
 * again. Fingerprints are as good as random, so the middle one divides well. */
static void sort_maybes(struct fore_maybe *a, size_t n)
{
    while (n > 1) {
        struct fore_print pivot = a[n / 2].print;
        size_t i = 0, j = n - 1;
        for (;;) {
            while (is_less(&a[i].print, &pivot))
                i++;
            while (is_less(&pivot, &a[j].print))
                j--;
            if (i >= j)
                break;
            struct fore_maybe t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
        size_t left = i;
        if (left < n - left) {
            sort_maybes(a, left);
            a += left;
            n -= left;
        } else {
            sort_maybes(a + left, n - left);
            n = left;
        }
    }
}

/* Pairs of words that are near their places already. */
static void sort_pairs(uint64_t *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct fore_print p = {a[2 * i], a[2 * i + 1]};
        size_t k = i;
        for (; k; k--) {
            struct fore_print before = {a[2 * k - 2], a[2 * k - 1]};
            if (!is_less(&p, &before))
                break;
            a[2 * k] = before.at;
            a[2 * k + 1] = before.more;
        }
        a[2 * k] = p.at;
        a[2 * k + 1] = p.more;
    }
}

static void make_table(struct fore_store *s, size_t size)
{
    s->size = size;
    s->n = 0;
    s->slots = fore_calloc(size, s->words * sizeof *s->slots);
    uintptr_t from = ((uintptr_t)s->slots + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    uintptr_t to = (uintptr_t)(s->slots + size * s->words) & ~(uintptr_t)(PAGE - 1);
    if (size >= BIG) /* lookups are random: fewer, larger pages pay */
        madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void fore_store_init(struct fore_store *s, bool wide, size_t bytes, const char *folder,
                     struct fore_err *err)
{
    *s = (struct fore_store){.words = wide ? 2 : 1, .folder = folder, .err = err};
    size_t slot = s->words * sizeof *s->slots + sizeof(struct fore_maybe) * 3 / 4;
    s->most = bytes ? bytes / slot : 0;
    if (bytes && s->most < FIRST_SLOTS)
        s->most = FIRST_SLOTS;
    make_table(s, FIRST_SLOTS);
}

void fore_store_release(struct fore_store *s)
{
    for (size_t i = 0; i < s->runs.n; i++)
        close(s->runs.at[i].fd);
    fore_vec_release(&s->runs);
    fore_vec_release(&s->maybes);
    fore_free(s->slots);
    s->slots = NULL;
}

static size_t place_of(const struct fore_store *s, uint64_t at)
{
    return (size_t)((wide_uint)at * s->size >> 64);
}

void fore_store_expect(const struct fore_store *s, struct fore_print p)
{
    __builtin_prefetch(s->slots + place_of(s, p.at) * s->words, 1);
}

/* True if it was not there. */
static bool put_print(struct fore_store *s, struct fore_print p)
{
    p.at += !p.at;
    size_t i = place_of(s, p.at);
    for (;; i = i + 1 < s->size ? i + 1 : 0) {
        uint64_t *slot = s->slots + i * s->words;
        if (!slot[0]) {
            slot[0] = p.at;
            if (s->words == 2)
                slot[1] = p.more;
            s->n++;
            return true;
        }
        if (slot[0] == p.at && (s->words == 1 || slot[1] == p.more))
            return false;
    }
}

static size_t room_of(size_t size)
{
    return size / 4 * 3;
}

static void grow_store(struct fore_store *s)
{
    struct fore_store old = *s;
    make_table(s, old.size * 2);
    for (size_t i = 0; i < old.size; i++)
        if (old.slots[i * s->words])
            put_print(s, (struct fore_print){old.slots[i * s->words],
                                             s->words == 2 ? old.slots[i * 2 + 1] : 0});
    fore_free(old.slots);
}

/* Two tables are there while one grows. */
static bool may_grow(const struct fore_store *s)
{
    return !s->most || s->size * 3 <= s->most;
}

bool fore_store_full(const struct fore_store *s)
{
    return s->n >= room_of(s->size) && !may_grow(s);
}

enum fore_seen fore_store_visit(struct fore_store *s, struct fore_print p)
{
    if (s->n >= room_of(s->size) && may_grow(s))
        grow_store(s);
    if (!put_print(s, p))
        return FORE_SEEN_BEFORE;
    if (!s->runs.n)
        return FORE_SEEN_FIRST;
    p.at += !p.at;
    struct fore_maybe maybe = {p, (uint32_t)s->maybes.n, false};
    fore_vec_push(&s->maybes, maybe);
    return FORE_SEEN_MAYBE;
}

static void fail_store(struct fore_store *s, const char *what)
{
    if (!s->failed)
        (void)!fore_fail(s->err, FORE_IO, "%s: cannot %s states on disk: %s", s->folder,
                         what, strerror(errno));
    s->failed = true;
}

/* A run that is written or read from its beginning. */
struct stream {
    struct fore_store *s;
    struct fore_sorted_run *run;
    uint64_t *words;
    size_t at, n;
    uint64_t left; /* fingerprints not yet read */
    off_t offset;
};

static void open_stream(struct stream *x, struct fore_store *s,
                        struct fore_sorted_run *run)
{
    *x = (struct stream){.s = s, .run = run, .left = run->count};
    x->words = fore_alloc(BLOCK * sizeof *x->words);
}

static bool read_next(struct stream *x, struct fore_print *p)
{
    unsigned words = x->s->words;
    if (x->at == x->n) {
        uint64_t want = x->left < BLOCK / words ? x->left : BLOCK / words;
        ssize_t got = want ? pread(x->run->fd, x->words, want * words * 8, x->offset) : 0;
        if (got != (ssize_t)(want * words * 8))
            fail_store(x->s, "read");
        if (got <= 0 || x->s->failed)
            return false;
        x->at = 0;
        x->n = want * words;
        x->left -= want;
        x->offset += got;
        x->s->scanned += (uint64_t)got;
    }
    *p = (struct fore_print){x->words[x->at], words == 2 ? x->words[x->at + 1] : 0};
    x->at += words;
    return true;
}

static void write_words(struct fore_store *s, struct fore_sorted_run *run,
                        const uint64_t *words, size_t n)
{
    const char *at = (const char *)words;
    for (size_t left = n * sizeof *words; left && !s->failed;) {
        ssize_t k = write(run->fd, at, left);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0) {
            fail_store(s, "write");
            return;
        }
        at += k;
        left -= (size_t)k;
    }
    run->count += n / s->words;
    s->on_disk += n * sizeof *words;
}

static struct fore_sorted_run new_run(struct fore_store *s)
{
    struct fore_sorted_run run = {.fd = fore_file_nameless(s->folder)};
    if (run.fd < 0)
        fail_store(s, "keep");
    return run;
}

/* One run out of all: every pass reads each of them. */
static void merge_runs(struct fore_store *s)
{
    struct stream in[RUNS_MOST];
    struct fore_print heads[RUNS_MOST];
    bool open[RUNS_MOST];
    size_t n = s->runs.n, filled = 0;
    struct fore_sorted_run all = new_run(s);
    uint64_t *out = fore_alloc(BLOCK * sizeof *out);
    s->on_disk = 0;
    for (size_t i = 0; i < n; i++) {
        open_stream(&in[i], s, &s->runs.at[i]);
        open[i] = read_next(&in[i], &heads[i]);
    }
    for (;;) {
        size_t least = n;
        for (size_t i = 0; i < n; i++)
            if (open[i] && (least == n || is_less(&heads[i], &heads[least])))
                least = i;
        if (least == n || s->failed)
            break;
        out[filled++] = heads[least].at;
        if (s->words == 2)
            out[filled++] = heads[least].more;
        open[least] = read_next(&in[least], &heads[least]);
        if (filled == BLOCK) {
            write_words(s, &all, out, filled);
            filled = 0;
        }
    }
    write_words(s, &all, out, filled);
    for (size_t i = 0; i < n; i++) {
        fore_free(in[i].words);
        close(s->runs.at[i].fd);
    }
    fore_free(out);
    s->runs.at[0] = all;
    s->runs.n = 1;
}

void fore_store_settle(struct fore_store *s)
{
    size_t n = s->maybes.n;
    struct fore_maybe *maybe = s->maybes.at;
    sort_maybes(maybe, n);
    for (size_t r = 0; r < s->runs.n && n && !s->failed; r++) {
        struct stream in;
        struct fore_print p;
        size_t i = 0;
        open_stream(&in, s, &s->runs.at[r]);
        while (i < n && read_next(&in, &p)) {
            while (i < n && is_less(&maybe[i].print, &p))
                i++;
            if (i < n && is_same(&maybe[i].print, &p))
                maybe[i].old = true;
        }
        fore_free(in.words);
    }
}

/* What settled as old is in the table, too; it comes twice, which does no harm. */
void fore_store_spill(struct fore_store *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->size; i++) {
        if (!s->slots[i * s->words])
            continue;
        memmove(s->slots + n * s->words, s->slots + i * s->words, s->words * 8);
        n++;
    }
    if (s->words == 1)
        fore_sort_u64(s->slots, n);
    else
        sort_pairs(s->slots, n);
    if (s->runs.n == RUNS_MOST)
        merge_runs(s);
    struct fore_sorted_run run = new_run(s);
    if (!s->failed)
        write_words(s, &run, s->slots, n * s->words);
    if (run.fd >= 0)
        fore_vec_push(&s->runs, run);
    fore_free(s->slots);
    make_table(s, s->most);
    fore_vec_reserve(&s->maybes, room_of(s->most) + 1); /* not piece by piece */
}

void fore_store_each(struct fore_store *s, void (*f)(void *user, struct fore_print p),
                     void *user)
{
    for (size_t i = 0; i < s->size; i++)
        if (s->slots[i * s->words])
            f(user, (struct fore_print){s->slots[i * s->words],
                                        s->words == 2 ? s->slots[i * 2 + 1] : 0});
    for (size_t r = 0; r < s->runs.n && !s->failed; r++) {
        struct stream in;
        struct fore_print p;
        open_stream(&in, s, &s->runs.at[r]);
        while (read_next(&in, &p))
            f(user, p);
        fore_free(in.words);
    }
}
