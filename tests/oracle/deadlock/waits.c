/* Random runs in which nobody waits for ever: what trace/waits.c proves of their other orders, against every order.
 * tests/oracle/deadlock/ablate takes out one clause of the proof after the other. */
#include "oracle/deadlock/world.h"
#include "oracle/generated.h"

#include "trace/waits.h"

#include <stdio.h>
#include <stdlib.h>

struct totals {
    unsigned runs, block, proved, wrong;
};

static void compare(uint64_t seed, struct totals *n)
{
    struct fore_rng r;
    struct plan p;
    struct fore_trace t;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_rng_seed(&r, seed);
    plan_walk(&p, &r);
    plan_run(&p, &r, &text);
    load_generated(&t, &text);
    bool blocks = plan_can_block(&p), ends = fore_survey_waits_end(&t.survey, false);
    n->runs++;
    n->block += blocks;
    n->proved += ends;
    if (blocks && ends && !n->wrong++)
        printf("# seed %llu: can block, but:\n%s", (unsigned long long)seed, text.at);
    fore_trace_release(&t);
    fore_strbuf_release(&text);
}

int main(int argc, char **argv)
{
    struct totals n = {0};
    unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;
    for (unsigned i = 0; i < runs && !n.wrong; i++)
        compare(i + 1, &n);
    printf("# %u runs, %u can block\n", n.runs, n.block);
    printf("%s what_the_survey_proves_to_end_does (%u)\n", n.wrong ? "not ok" : "ok",
           n.proved);
    /* Two of five that cannot block. */
    bool enough = n.wrong || (n.block && n.proved * 5 > (n.runs - n.block) * 2);
    printf("%s much_is_proved (%u of %u)\n", enough ? "ok" : "not ok", n.proved,
           n.runs - n.block);
    return n.wrong || !enough;
}
