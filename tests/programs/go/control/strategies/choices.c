/* The strategies of capture/control/strategy.h on random sets of threads; choices.go has the same. */
#include "capture/control/strategy.h"

#include <stdio.h>

enum { THREADS = 12, STEPS = 9000, SEEDS = 40 };

static void run_strategy(enum fore_strategy_kind kind, uint64_t seed)
{
    struct fore_strategy s, world = {.state = seed * 977};
    uint64_t mark[THREADS] = {0};
    uint32_t running = 0;
    fore_strategy_start(&s, kind, (uint32_t)(seed % 5), seed, seed % 3 * 50);
    printf("%u %llu:", (unsigned)kind, (unsigned long long)seed);
    for (int i = 0; i < STEPS; i++) {
        struct fore_goer c[THREADS];
        size_t n = 0;
        for (uint32_t t = 0; t < THREADS; t++) {
            uint64_t r = fore_strategy_random(&world);
            if (r & 1)
                c[n++] = (struct fore_goer){&mark[t], t, r >> 8 & 3, r >> 16 & 1,
                                            (r >> 24 & 7) == 0};
        }
        if (!n)
            continue;
        running = c[fore_strategy_pick(&s, c, n, running)].thread;
        printf(" %u", running);
    }
    printf(" %llu %llu\n", (unsigned long long)s.choices, (unsigned long long)s.state);
}

int main(void)
{
    for (unsigned kind = 0; kind < FORE_STRATEGY_KINDS; kind++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            run_strategy((enum fore_strategy_kind)kind, seed);
    return 0;
}
