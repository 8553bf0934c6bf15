/* Random accesses of random threads in a random order, which is enforced; recorded through the
 * owner filter, or each of them exactly, with all sections or without those that say nothing.
 *   program SEED all|exact|filter
 * A site's line is 1000 * round + step, its column 4096 * block + 16 * offset + size: where the access is, in a
 * block of memory that each round allocates anew, or that lasts for some rounds, of whose threads not all are joined. */
#include "capture/c/runtime/sync.h"
#define FORE_C_INLINE static inline __attribute__((unused))
#include "capture/c/runtime/inline.h"

#include <stdlib.h>
#include <string.h>

void foresee_rt_fill_all(char *to, uint32_t byte, uint64_t n, struct fore_c_site *site);

enum {
    ROUNDS = 12,
    MOST_THREADS = 4,
    LASTS = 4, /* rounds */
    LOCKS = 3,
    BLOCK = 32,
    HANDED = 96, /* bytes of a block that is handed over */
    MOST_STEPS = 600,
    ALL_STEPS = MOST_STEPS + 62 + LOCKS
};

enum kind { READ, WRITE, LOCK, UNLOCK, FILL, KINDS };

struct step {
    unsigned thread, kind, lock, offset, size;
    struct fore_c_site *site;
};

static struct fore_c_site sites[ROUNDS + 1][ALL_STEPS];

static struct {
    bool exact;
    bool
        lasting; /* the block is that of the round before, unless it is the LASTS-th, and so is the size of accesses */
    unsigned blocks, joining;
    unsigned round, steps, threads, mixed;
    unsigned locking; /* most steps are */
    bool guarding;    /* each 8 bytes have a lock, and nearly all accesses are with it */
    bool reading;     /* nearly all accesses read, two places, and few race */
    unsigned
        handing; /* the size of all accesses: threads go through the block one after the other */
    unsigned at;    /* where the one is that does */
    enum kind goes; /* what it does to most places */
    struct step step[ALL_STEPS];
    unsigned writing;    /* of a reading round: until this step */
    bool chained;        /* and nothing races but the last read */
    struct step plan[9]; /* what comes next, the first one last */
    unsigned planned;
    char *block;
    pthread_mutex_t locks[LOCKS];
    sem_t turn[MOST_THREADS];
    uint64_t random;
} run;

static unsigned below(unsigned n)
{
    run.random ^= run.random << 13;
    run.random ^= run.random >> 7;
    run.random ^= run.random << 17;
    return (unsigned)(run.random >> 33) % n;
}

/* In most rounds each 8 bytes have one size of accesses. */
static void pick_range(struct step *s)
{
    static const unsigned sizes[] = {1, 2, 4, 8};
    unsigned granule = run.reading ? 2 : below(BLOCK / 8);
    unsigned size = sizes[granule % 4];
    if (run.guarding && below(20))
        granule = s->lock;
    if (run.mixed)
        size = sizes[below(4)];
    s->size = size;
    s->offset = granule * 8 + below(8 / size) * size;
    if (run.mixed == 2 && s->offset + size < BLOCK)
        s->offset += below(2);
}

/* Who has a lock accesses what it guards, or gives it back; who has none takes one. */
static void keep_habits(struct step *s, const unsigned holder[LOCKS])
{
    unsigned held = 0;
    while (held < LOCKS && holder[held] != s->thread + 1)
        held++;
    if (held < LOCKS) {
        s->lock = held;
        s->kind = below(4) ? below(2) : UNLOCK;
    } else if (below(20)) {
        s->kind = LOCK;
    }
}

/* Only what can be done in this order: a lock is taken by one, and given back by it. */
static struct step any_step(unsigned last, const unsigned holder[LOCKS])
{
    struct step s = {.thread = below(3) ? last : below(run.threads),
                     .kind = below(5) < run.locking ? LOCK
                             : below(3)             ? below(2)
                                                    : below(KINDS),
                     .lock = below(LOCKS)};
    if (run.guarding)
        keep_habits(&s, holder);
    if (s.kind == FILL && !run.mixed)
        s.kind = WRITE;
    if (s.kind == LOCK && holder[s.lock])
        s.kind = holder[s.lock] == s.thread + 1 ? UNLOCK : READ;
    else if (s.kind == UNLOCK && holder[s.lock] != s.thread + 1)
        s.kind = WRITE;
    return s;
}

/* Whoever comes next has mostly learnt of the last one by a lock, which nobody has while he reads;
 * what is written is written with it, for some time. */
static struct step reading_step(unsigned last)
{
    unsigned next = below(run.threads);
    if (run.planned)
        return run.plan[--run.planned];
    if (below(3))
        return (struct step){.thread = last,
                             .kind = run.chained || below(25) ? READ : WRITE};
    if (!run.chained && !below(15))
        return (struct step){.thread = next, .kind = below(4) ? READ : WRITE};
    run.plan[run.planned++] = (struct step){.thread = next, .kind = UNLOCK};
    run.plan[run.planned++] = (struct step){.thread = next, .kind = LOCK};
    run.plan[run.planned++] = (struct step){.thread = last, .kind = UNLOCK};
    for (unsigned n = below(3); n && run.steps < run.writing; n--)
        run.plan[run.planned++] =
            (struct step){.thread = last, .kind = below(3) ? WRITE : READ};
    return (struct step){.thread = last, .kind = LOCK};
}

static struct step handing_access(unsigned thread, unsigned offset)
{
    struct step s = {.thread = thread,
                     .kind = below(10) ? run.goes : below(2),
                     .offset = offset,
                     .size = run.handing};
    if (run.mixed && !below(4)) {
        s.offset += below(run.handing);
        s.size = 1;
    }
    return s;
}

/* A thread goes through the block, writes or reads most of it, and hands it over to the next, mostly by a lock; it may go on
 * with some of it all the same. */
static struct step handing_step(unsigned last)
{
    unsigned next = below(run.threads);
    if (run.planned)
        return run.plan[--run.planned];
    while (run.at < HANDED && !below(12))
        run.at += run.handing;
    if (run.at < HANDED) {
        struct step s = handing_access(last, run.at);
        run.at += run.handing * (below(10) > 0);
        return s;
    }
    run.at = run.handing * below(4);
    run.goes = below(2) ? WRITE : READ;
    if (!below(5))
        return handing_access(next, 0);
    run.plan[run.planned++] = (struct step){.thread = next, .kind = UNLOCK};
    run.plan[run.planned++] = (struct step){.thread = next, .kind = LOCK};
    for (unsigned n = below(4) ? 0 : 1 + below(4); n; n--)
        run.plan[run.planned++] =
            handing_access(last, run.handing * below(HANDED / run.handing));
    run.plan[run.planned++] = (struct step){.thread = last, .kind = UNLOCK};
    return (struct step){.thread = last, .kind = LOCK};
}

static void add_step(struct step s, unsigned holder[LOCKS])
{
    unsigned i = run.steps++;
    if (s.kind == LOCK || s.kind == UNLOCK)
        holder[s.lock] = s.kind == LOCK ? s.thread + 1 : 0;
    if (!run.handing)
        pick_range(&s);
    s.site = &sites[run.round][i];
    *s.site = (struct fore_c_site){.file = "p.c",
                                   .function = "f",
                                   .line = 1000 * run.round + i + 1,
                                   .column = 4096 * run.blocks + 16 * s.offset + s.size};
    run.step[i] = s;
}

static void make_steps(void)
{
    unsigned holder[LOCKS] = {0}, last = 0;
    run.threads = 2 + below(MOST_THREADS - 1);
    run.mixed = below(4) || run.lasting ? 0 : 1 + below(2);
    run.locking = 2 * below(3);
    run.reading = !below(3);
    if (run.lasting)
        run.reading = !run.handing && run.reading;
    else
        run.handing = run.reading || below(3) ? 0 : 4u << below(2);
    run.at = 0;
    run.goes = WRITE;
    run.guarding = !run.reading && !run.handing && !below(2);
    unsigned steps = 10 + below((run.reading ? MOST_STEPS : MOST_STEPS / 4) - 10);
    run.writing = below(steps);
    run.chained = below(2);
    run.planned = 0;
    for (run.steps = 0; run.steps < steps; last = run.step[run.steps - 1].thread)
        add_step(run.reading   ? reading_step(last)
                 : run.handing ? handing_step(last)
                               : any_step(last, holder),
                 holder);
    for (unsigned n = run.reading && run.chained ? 2 + below(60) : 0; n && !holder[0];
         n--)
        add_step((struct step){.thread = n > 1 ? last : below(run.threads)}, holder);
    for (unsigned l = 0; l < LOCKS; l++)
        if (holder[l])
            add_step((struct step){.thread = holder[l] - 1, .kind = UNLOCK, .lock = l},
                     holder);
    foresee_rt_sites(sites[run.round], sites[run.round] + run.steps);
}

static void access_step(struct step *s)
{
    char *p = run.block + s->offset;
    unsigned kind = s->kind == READ ? FORE_RING_READ : FORE_RING_WRITE;
    unsigned what = kind | s->size << 16, token;
    if (run.exact)
        token = foresee_rt_begin(p, s->site, what);
    else
        token = s->kind == READ ? foresee_in_read(p, s->site, what, s->site->id, 1)
                                : foresee_in_write(p, s->site, what, s->site->id, 1);
    if (s->kind != READ)
        memset(p, (int)s->thread, s->size);
    foresee_in_end(token, p, s->site, what);
}

static void do_step(struct step *s)
{
    if (s->kind == LOCK)
        foresee_rt_pthread_mutex_lock(&run.locks[s->lock]);
    else if (s->kind == UNLOCK)
        foresee_rt_pthread_mutex_unlock(&run.locks[s->lock]);
    else if (s->kind == FILL && !run.exact)
        foresee_rt_fill_all(run.block + s->offset, 1, s->size, s->site);
    else
        access_step(s);
}

/* Each does its steps when its turn comes, and gives the turn to whoever has the next one. */
static void *thread(void *argument)
{
    unsigned me = (unsigned)(uintptr_t)argument;
    for (unsigned i = 0; i < run.steps; i++) {
        if (run.step[i].thread != me)
            continue;
        if (!i || run.step[i - 1].thread != me)
            sem_wait(&run.turn[me]);
        do_step(&run.step[i]);
        if (i + 1 < run.steps && run.step[i + 1].thread != me)
            sem_post(&run.turn[run.step[i + 1].thread]);
    }
    return NULL;
}

/* As if all that is read was read before: a site that is not known is recorded. */
static void know_sites(void)
{
    struct fore_rt_thread *t = fore_rt_enter();
    for (unsigned i = 0; i < run.steps; i++)
        fore_rt_where(t, run.step[i].site);
    fore_rt_leave(t);
}

/* Where the block lasts, some threads have ended and nobody knows. */
static void join_threads(pthread_t *threads)
{
    for (unsigned i = 0; i < run.threads; i++)
        if (run.lasting && !below(run.joining))
            fore_rt_real.pthread_join(threads[i], NULL);
        else
            foresee_rt_pthread_join(threads[i], NULL);
}

static void renew_block(void)
{
    if (run.blocks)
        free(run.block);
    run.block = malloc(HANDED);
    run.blocks++;
    if (run.lasting)
        run.handing = below(3) ? 0 : 4u << below(2);
}

static void play_round(void)
{
    pthread_t threads[MOST_THREADS];
    bool renews = !run.lasting || run.round % LASTS == 1;
    if (renews)
        renew_block();
    make_steps();
    if (run.reading || run.handing)
        know_sites();
    if (renews && run.blocks % 2)
        foresee_in_made(run.block, run.step[0].site);
    for (unsigned i = 0; i < run.threads; i++) {
        sem_init(&run.turn[i], 0, 0);
        foresee_rt_pthread_create(&threads[i], NULL, thread, (void *)(uintptr_t)i);
    }
    sem_post(&run.turn[run.step[0].thread]);
    join_threads(threads);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    unsigned long long seed = strtoull(argv[1], NULL, 10);
    run.random = 0x9e3779b97f4a7c15u * (seed + 1);
    run.lasting = seed % 3 == 0;
    run.joining = seed % 2 ? 6 : 3;
    run.exact = argv[2][0] != 'f';
    if (argv[2][0] == 'a')
        fore_rt_may_tell();
    for (unsigned i = 0; i < LOCKS; i++)
        pthread_mutex_init(&run.locks[i], NULL);
    for (run.round = 1; run.round <= ROUNDS; run.round++)
        play_round();
    return 0;
}
