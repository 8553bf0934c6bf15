/* The search by levels on simulated ranks, with delays and messages that overtake each other:
 *   - the same states, steps, quiet states and bugs as with one rank, whatever their number,
 *   - nobody ends while a batch of states is under way, and all end,
 *   - a rank is lost at some moment: nobody hangs, and the latest checkpoint, resumed on another
 *     number of ranks, gives the same result,
 *   - memory that is too small for the states: the same result by way of the disk.
 *     ranks [SYSTEMS [FIRST]], or ranks big RANKS with a system of the examples */
#include "named_system.h"
#include "random_system.h"

#include "simulator.h"

#include "base/arena.h"
#include "explore/checkpoint.h"
#include "explore/walk.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/foresee-ranks-XXXXXX", manifest[64]; /* of checkpoints */

static void remove_checkpoints(void)
{
    char name[512];
    DIR *d = opendir(folder);
    for (struct dirent *f; d && (f = readdir(d));) {
        snprintf(name, sizeof name, "%s/%s", folder, f->d_name);
        unlink(name);
    }
    closedir(d);
}

struct outcome {
    uint64_t states, transitions, quiet, incomplete, bugs[FORE_BUGS];
    uint64_t sent, bytes, on_disk;
    enum fore_bound bound;
    bool resumable;
};

struct setting {
    uint32_t ranks;
    uint64_t delay, seed;
    size_t bytes;
    bool save, resume;
    uint64_t lose_at; /* a turn; 0: nobody is lost */
};

static void fail_at(uint64_t seed, const char *what, uint64_t want, uint64_t got)
{
    fprintf(stderr, "seed %d: %s: expected %d, found %d\n", (int)seed, what, (int)want,
            (int)got);
    exit(1);
}

static void open_ranks(struct fore_levels *k, struct fore_explorer *s,
                       struct simulator *sim, const struct fore_levels_plan *plan,
                       const struct setting *x)
{
    for (uint32_t i = 0; i < x->ranks; i++) {
        struct fore_err e = {0};
        fore_levels_init(&k[i], fore_explorer_twin(s, 0), &sim->rank[i].transport, plan);
        if (!x->resume)
            fore_levels_start(&k[i]);
        else if (fore_checkpoint_read(&k[i], manifest, &e)) {
            fprintf(stderr, "%s\n", e.msg);
            exit(1);
        }
    }
}

/* Turns in random order until all have ended. */
static void play(struct fore_levels *k, struct simulator *sim, const struct setting *x)
{
    bool *done = fore_calloc(x->ranks, sizeof *done);
    uint32_t left = x->ranks;
    for (uint64_t turn = 1; left; turn++) {
        if (turn == x->lose_at)
            sim->lost = (int64_t)fore_rng_below(&sim->rng, x->ranks);
        uint32_t i = (uint32_t)fore_rng_below(&sim->rng, x->ranks);
        sim->now++;
        if (done[i] || fore_levels_turn(&k[i]) != FORE_TURN_DONE)
            continue;
        if (sim->lost < 0 && sim->batches_waiting)
            fail_at(x->seed, "states under way at an end", 0, sim->batches_waiting);
        done[i] = true;
        left--;
        if (turn > 400000000)
            fail_at(x->seed, "ranks that do not end", 0, left);
    }
    fore_free(done);
}

static struct outcome run(struct fore_explorer *s, const struct setting *x)
{
    struct simulator sim;
    struct fore_levels_plan plan = {.bytes = x->bytes,
                                    .folder = "/tmp",
                                    .save = x->save ? manifest : NULL,
                                    .save_every = 1e-9};
    struct fore_levels *k = fore_calloc(x->ranks, sizeof *k);
    simulator_init(&sim, x->ranks, x->delay, x->seed);
    open_ranks(k, s, &sim, &plan, x);
    play(k, &sim, x);
    const struct fore_row *r = &k[0].s->row;
    struct outcome o = {.states = r->states,
                        .transitions = r->transitions,
                        .quiet = r->schedules,
                        .incomplete = r->incomplete,
                        .sent = sim.sent,
                        .bytes = sim.bytes,
                        .on_disk = k[0].store.on_disk + k[0].now.spilled,
                        .bound = r->bound,
                        .resumable = k[0].saves};
    for (int i = 0; i < FORE_BUGS; i++)
        o.bugs[i] = k[0].bugs[i].count;
    for (uint32_t i = 0; i < x->ranks; i++) {
        struct fore_explorer *own = k[i].s;
        fore_levels_release(&k[i]);
        fore_explorer_release(own);
        fore_free(own);
    }
    simulator_release(&sim);
    fore_free(k);
    return o;
}

static void compare(uint64_t seed, const struct outcome *a, const struct outcome *b)
{
    if (a->states != b->states)
        fail_at(seed, "states", a->states, b->states);
    if (a->transitions != b->transitions)
        fail_at(seed, "transitions", a->transitions, b->transitions);
    if (a->quiet != b->quiet || a->incomplete != b->incomplete)
        fail_at(seed, "quiet states", a->quiet, b->quiet);
    for (int i = 0; i < FORE_BUGS; i++)
        if (a->bugs[i] != b->bugs[i])
            fail_at(seed, "bugs", a->bugs[i], b->bugs[i]);
}

static void check_lost_rank(struct fore_explorer *s, struct fore_rng *r, uint64_t seed,
                            const struct outcome *one)
{
    struct setting x = {.ranks = 2 + (uint32_t)fore_rng_below(r, 6),
                        .delay = fore_rng_below(r, 30),
                        .seed = seed,
                        .save = true,
                        .lose_at = 1 + fore_rng_below(r, 3000)};
    remove_checkpoints();
    struct outcome cut = run(s, &x);
    if (cut.bound != FORE_BOUND_LOST)
        compare(seed, one, &cut); /* it was over before */
    struct setting again = {.ranks = 1 + (uint32_t)fore_rng_below(r, 9),
                            .delay = 3,
                            .seed = seed,
                            .resume = true};
    if (access(manifest, R_OK))
        return; /* it was lost before the first checkpoint */
    struct outcome whole = run(s, &again);
    compare(seed, one, &whole);
}

static bool check_one(uint64_t seed)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_err e = {0};
    struct fore_rng r;
    char text[2048];
    struct fore_system system;
    struct fore_harness harness;
    struct fore_explorer s;
    fore_rng_seed(&r, seed);
    draw_rules(&r, !fore_rng_below(&r, 3));
    draw_harness(&r, text, sizeof text);
    struct fore_explore_options o = {.scheduler = &fore_scheduler_stateful,
                                     .max_states = 0};
    if (!fore_rng_below(&r, 2))
        o.faults = (struct fore_faults){1, 0, (uint32_t)fore_rng_below(&r, 2), 0};
    if (fore_system_init(&system, &a, &definition, &e) ||
        fore_harness_parse(&harness, &a, &system, "random", text, strlen(text), &e) ||
        fore_explorer_init(&s, &system, &harness, &o, &e)) {
        fprintf(stderr, "seed %d: %s\n%s", (int)seed, e.msg, text);
        exit(1);
    }
    struct setting one = {.ranks = 1, .seed = seed};
    struct outcome first = run(&s, &one);
    for (int i = 0; i < 3; i++) {
        struct setting x = {.ranks = 2 + (uint32_t)fore_rng_below(&r, 15),
                            .delay = fore_rng_below(&r, 100),
                            .seed = seed};
        struct outcome got = run(&s, &x);
        compare(seed, &first, &got);
    }
    check_lost_rank(&s, &r, seed, &first);
    fore_explorer_release(&s);
    fore_harness_release(&harness);
    fore_arena_release(&a);
    return first.states > 1;
}

/* A real protocol on many ranks, and with little memory. */
static int check_big(uint32_t ranks, const char *system_name, const char *harness_name)
{
    struct named n;
    struct fore_explore_options o = {.scheduler = &fore_scheduler_stateful};
    if (!open_named(&n, system_name, harness_name, &o))
        return 1;
    struct setting one = {.ranks = 1}, small = {.ranks = 1, .bytes = 300000},
                   many = {.ranks = ranks, .delay = 40, .seed = 1};
    struct outcome first = run(&n.s, &one), disk = run(&n.s, &small),
                   all = run(&n.s, &many);
    compare(0, &first, &disk);
    compare(1, &first, &all);
    printf("%s %s: %d states; %u ranks: %d messages, %d bytes; in 300 kB: %d bytes on "
           "disk\n",
           system_name, harness_name, (int)first.states, ranks, (int)all.sent,
           (int)all.bytes, (int)disk.on_disk);
    close_named(&n);
    return !disk.on_disk;
}

int main(int argc, char **argv)
{
    if (argc > 4 && !strcmp(argv[1], "big"))
        return check_big((uint32_t)strtoul(argv[2], NULL, 10), argv[3], argv[4]);
    if (!mkdtemp(folder))
        return 1;
    snprintf(manifest, sizeof manifest, "%s/search", folder);
    uint64_t systems = argc > 1 ? strtoull(argv[1], NULL, 10) : 150;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, checked = 0;
    for (uint64_t seed = first; seed < first + systems; seed++)
        checked += check_one(seed);
    printf("%d of %d systems checked\n", (int)checked, (int)systems);
    remove_checkpoints();
    rmdir(folder);
    return checked * 2 < systems;
}
