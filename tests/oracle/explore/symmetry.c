/* Random small systems whose handlers treat agents alike. With and without symmetry the verdicts
 * are the same; with it, there are no more states, and no fewer than the renamings allow. */
#include "base/arena.h"
#include "base/rng.h"
#include "explore/levels.h"
#include "explore/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 4, STATES = 2, AGENTS = 4, REPLY = KINDS };

static const struct foresee_message messages[] = {{"A", "client who"},
                                                  {"B", "client who"},
                                                  {"C", "client who"},
                                                  {"D", "client who"},
                                                  {"Reply", "value"}};

/* To whom: nobody, who sent, whom the message names, the friend, all others. */
enum { NOBODY, SENDER, NAMED, FRIEND, OTHERS, TARGETS };

static struct rule {
    uint8_t next, replies, kind, to, befriend;
} rules[KINDS][STATES]
       [2]; /* of the system at hand; by whether the message names oneself */

struct cell {
    int64_t x, friend_of;
    int64_t met[AGENTS + 1]; /* by agent: how often it has sent, at most once */
};

static void on_any(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct cell *me = state;
    const struct rule *r = &rules[m->kind][me->x % STATES][m->field[1] == f->self];
    int64_t to[] = {0, m->from, m->field[1], me->friend_of, 0};
    if (m->from > 0)
        me->met[m->from] = 1;
    if (r->to == OTHERS)
        FORESEE_BROADCAST(f, r->kind, m->field[0], f->self);
    else if (to[r->to] > 0)
        FORESEE_SEND(f, to[r->to], r->kind, m->field[0], f->self);
    if (r->replies && m->field[0] < 0)
        FORESEE_SEND(f, m->field[0], REPLY, me->x);
    if (r->befriend)
        me->friend_of = m->from > 0 ? m->from : f->self;
    me->x = r->next;
}

static void rename_cell(void *state, const int64_t *to, int64_t agents)
{
    struct cell *me = state, old = *me;
    if (old.friend_of > 0)
        me->friend_of = to[old.friend_of];
    for (int64_t i = 1; i <= agents; i++)
        me->met[to[i]] = old.met[i];
}

static const foresee_handler on[] = {on_any, on_any, on_any, on_any, NULL};
static const struct foresee_role roles[] = {
    {"cell", sizeof(struct cell), NULL, on, NULL}};
static const struct foresee_actor_system definition = {
    sizeof definition, FORESEE_ACTOR_ABI, "alike", messages, KINDS + 1, roles, 1};
static void (*const renames[])(void *state, const int64_t *to,
                               int64_t agents) = {rename_cell};
static const uint32_t id_fields[KINDS + 1] = {2, 2, 2, 2, 0};
static const struct foresee_symmetry symmetry = {sizeof symmetry, renames, id_fields};

static void draw_rules(struct fore_rng *r)
{
    for (uint8_t k = 0; k < KINDS; k++)
        for (int s = 0; s < STATES; s++)
            for (int own = 0; own < 2; own++) {
                struct rule *x = &rules[k][s][own];
                x->next = (uint8_t)fore_rng_below(r, STATES);
                x->replies = !fore_rng_below(r, 3);
                x->kind = (uint8_t)(k + 1 + fore_rng_below(r, 2));
                x->to = (uint8_t)(x->kind < KINDS ? fore_rng_below(r, TARGETS) : NOBODY);
                x->befriend = !fore_rng_below(r, 3);
            }
}

struct outcome {
    uint64_t states, renamings;
    bool broken, blocked;
    bool whole;
};

static struct outcome run(struct fore_system *system, struct fore_harness *harness,
                          bool alike, uint32_t jobs)
{
    struct fore_explore_options o = {.scheduler = &fore_scheduler_stateful,
                                     .max_states = 20000,
                                     .jobs = jobs,
                                     .no_symmetry = !alike};
    struct fore_explorer s;
    struct fore_err e = {0};
    if (fore_explorer_init(&s, system, harness, &o, &e))
        exit(1);
    fore_explorer_run(&s);
    struct outcome x = {
        s.row.states, s.row.renamings, s.bugs[FORE_BUG_NOT_LINEARIZABLE].count > 0,
        s.bugs[FORE_BUG_BLOCKED].count > 0, s.row.bound == FORE_BOUND_NONE};
    fore_explorer_release(&s);
    return x;
}

/* Whether it was small enough to look at. */
static bool check_one(uint64_t seed, uint64_t *all, uint64_t *fewer)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_err e = {0};
    struct fore_rng r;
    struct fore_system system;
    struct fore_harness harness;
    const char *links = "";
    char text[512];
    fore_rng_seed(&r, seed);
    draw_rules(&r);
    if (!fore_rng_below(&r, 4))
        links = "[links]\nall: fifo\n";
    snprintf(text, sizeof text,
             "[specification]\nregister 0\n[agents]\n1 2 3 4: cell\n%s[invocations]\n"
             "write(1) -> 1: A(client=me)\nread() -> %d: B(client=me, who=1)\n"
             "[responses]\nwrite: Reply\nread: Reply(value)\n",
             links, 1 + (int)fore_rng_below(&r, 2));
    if (fore_system_init(&system, &a, &definition, &e) ||
        fore_harness_parse(&harness, &a, &system, "alike", text, strlen(text), &e)) {
        fprintf(stderr, "seed %d: %s\n", (int)seed, e.msg);
        exit(1);
    }
    system.symmetry = &symmetry;
    struct outcome plain = run(&system, &harness, false, 1);
    struct outcome alike = run(&system, &harness, true, 1 + (uint32_t)(seed % 3));
    bool small = plain.whole && alike.whole;
    if (alike.renamings != 2 && alike.renamings != 6)
        fprintf(stderr, "seed %d: %d renamings\n", (int)seed, (int)alike.renamings),
            exit(1);
    if (small &&
        (plain.broken != alike.broken || plain.blocked != alike.blocked ||
         alike.states > plain.states || alike.states * alike.renamings < plain.states)) {
        fprintf(stderr, "seed %d: %d states (%d %d), with symmetry %d (%d %d)\n",
                (int)seed, (int)plain.states, plain.broken, plain.blocked,
                (int)alike.states, alike.broken, alike.blocked);
        exit(1);
    }
    *all += small ? plain.states : 0;
    *fewer += small ? alike.states : 0;
    fore_harness_release(&harness);
    fore_arena_release(&a);
    return small;
}

int main(int argc, char **argv)
{
    uint64_t systems = argc > 1 ? strtoull(argv[1], NULL, 10) : 300;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t checked = 0, all = 0, fewer = 0;
    for (uint64_t seed = first; seed < first + systems; seed++)
        checked += check_one(seed, &all, &fewer);
    printf("%d of %d systems checked: %d states, %d with symmetry\n", (int)checked,
           (int)systems, (int)all, (int)fewer);
    return checked * 2 < systems || fewer * 2 > all;
}
