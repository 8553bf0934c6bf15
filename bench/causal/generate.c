/* Writes a STD trace of a made-up program to standard output:
 *   generate EVENTS THREADS LIFE [join|detach [guarded]]
 * THREADS run at a time under one main thread. Each works in critical sections of a few
 * accesses under one of twenty locks, and beside them. After LIFE events (0: never) a thread
 * ends, and the main thread starts another in its place, having joined it or not. If guarded,
 * every place has its lock, and is accessed under it only; otherwise everything races. */
#include "base/err.h"
#include "base/rng.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCKS = 20, PLACES = 1000, SECTION = 4 };

struct worker {
    uint32_t id, age, lock, left; /* left: accesses before it unlocks; lock 0: none */
};

struct program {
    struct fore_rng rng;
    FORE_VEC(struct worker) workers;
    bool taken[LOCKS + 1];
    uint32_t threads; /* so far */
    uint64_t events;
    uint32_t life;
    bool joins, guarded;
};

static void put(struct program *p, uint32_t thread, const char *op, const char *kind,
                uint64_t of, unsigned line)
{
    printf("T%u|%s(%s%lu)|%u\n", thread, op, kind, (unsigned long)of, line);
    p->events++;
}

static void start(struct program *p, struct worker *w)
{
    *w = (struct worker){.id = ++p->threads};
    put(p, 0, "fork", "T", w->id, 1);
}

static void work(struct program *p, struct worker *w)
{
    uint64_t place = fore_rng_below(&p->rng, PLACES);
    if (p->guarded)
        place = place - place % LOCKS + w->lock;
    w->age++;
    if (w->lock && !w->left) {
        put(p, w->id, "rel", "L", w->lock, 20);
        p->taken[w->lock] = false;
        w->lock = 0;
    } else if (!w->lock && (p->guarded || fore_rng_below(&p->rng, 3) == 0)) {
        uint32_t lock = 1 + (uint32_t)fore_rng_below(&p->rng, LOCKS);
        if (p->taken[lock])
            return;
        put(p, w->id, "acq", "L", lock, 10);
        p->taken[lock] = true;
        w->lock = lock;
        w->left = (uint32_t)fore_rng_below(&p->rng, SECTION + 1);
    } else {
        bool write = fore_rng_below(&p->rng, 4) == 0;
        put(p, w->id, write ? "w" : "r", "V", place, write ? 12 : 11);
        w->left -= w->left > 0;
    }
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: generate EVENTS THREADS LIFE [join|detach [guarded]]\n");
        return 2;
    }
    uint64_t events = strtoull(argv[1], NULL, 10);
    size_t threads = strtoul(argv[2], NULL, 10);
    struct program p = {.life = (uint32_t)strtoul(argv[3], NULL, 10),
                        .joins = argc < 5 || strcmp(argv[4], "detach") != 0,
                        .guarded = argc > 5 && strcmp(argv[5], "guarded") == 0};
    fore_rng_seed(&p.rng, 1);
    fore_vec_ensure(&p.workers, threads);
    for (size_t i = 0; i < threads; i++)
        start(&p, &p.workers.at[i]);
    while (p.events < events) {
        struct worker *w = &p.workers.at[fore_rng_below(&p.rng, threads)];
        if (p.life && w->age >= p.life && !w->lock) {
            if (p.joins)
                put(&p, 0, "join", "T", w->id, 2);
            start(&p, w);
        } else {
            work(&p, w);
        }
    }
    fore_vec_release(&p.workers);
    return 0;
}
