#include "../check.h"

#include "actor/actors.h"
#include "base/rng.h"

#include <stdio.h>
#include <string.h>

enum { GO, STORE, SAID, CHILD, REPLY };

static const struct foresee_message messages[] = {{"Go", "client"},
                                                  {"Store", "value"},
                                                  {"Said", "what"},
                                                  {"Child", ""},
                                                  {"Reply", "value"}};

struct cell {
    int64_t value, children;
};

static void on_go(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct cell *me = state;
    me->value++;
    FORESEE_BROADCAST(f, STORE, me->value);
    FORESEE_SEND(f, m->field[0], REPLY, me->value);
}

static void on_store(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct cell *me = state;
    me->value = m->field[0] * 10;
    int64_t child = FORESEE_SPAWN(f, 0, 7);
    me->children++;
    FORESEE_SEND(f, child, CHILD);
}

static void on_said(struct foresee *f, void *state, const struct foresee_received *m)
{
    (void)state;
    if (m->field[0] == 1)
        FORESEE_SEND(f, 9, CHILD);
    else if (m->field[0] == 2)
        FORESEE_SEND(f, 1, STORE);
    else if (m->field[0] == 3)
        FORESEE_SEND(f, 1, 99);
    else
        foresee_require(f, 0, "never");
}

static void on_child(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct cell *me = state;
    (void)f, (void)m;
    me->value++;
}

static void start(struct foresee *f, void *state, const int64_t *args)
{
    struct cell *me = state;
    (void)f;
    me->value = args[0];
}

static const foresee_handler on[] = {on_go, on_store, on_said, on_child, NULL};
static const struct foresee_role roles[] = {
    {"cell", sizeof(struct cell), start, on, NULL}};
static const struct foresee_actor_system definition = {
    sizeof definition, FORESEE_ACTOR_ABI, "cells", messages, 5, roles, 1};

static const char text[] = "[specification]\nregister 0\n"
                           "[agents]\n1 2 3: cell(4)\n"
                           "[invocations]\n"
                           "read() -> 1: Go(client=me)\n"
                           "read() -> 2: Go(client=me)\n"
                           "[responses]\nread: Reply(value)\n";

struct fixture {
    struct fore_arena arena;
    struct fore_system system;
    struct fore_harness harness;
    struct fore_actors world;
};

static void fixture_open(struct fixture *x, const char *harness)
{
    struct fore_err e = {0};
    *x = (struct fixture){.arena = FORE_ARENA_INIT};
    assert_int_equal(fore_system_init(&x->system, &x->arena, &definition, &e), FORE_OK);
    if (fore_harness_parse(&x->harness, &x->arena, &x->system, "h", harness,
                           strlen(harness), &e))
        fail_msg("%s", e.msg);
    fore_actors_init(&x->world, &x->system, &x->harness, false);
}

static void fixture_close(struct fixture *x)
{
    fore_actors_release(&x->world);
    fore_harness_release(&x->harness);
    fore_arena_release(&x->arena);
}

/* Everything that a step may change, as one number. */
static uint64_t whole(const struct fore_actors *w)
{
    uint64_t h = fore_actors_hash(w);
    for (uint32_t m = fore_actors_first(w); m; m = fore_actors_next(w, m))
        h = h * 31 + w->msgs.at[m].id;
    return h + w->invoked * 3 + w->answered * 5 + w->actors.n * 7 + w->replies.n * 11 +
           w->left.drop * 13 + w->left.crash * 17 + w->left.partition * 19;
}

static void undo_restores_everything(void)
{
    struct fixture x;
    struct fore_rng rng;
    fixture_open(&x, text);
    x.world.left = (struct fore_faults){2, 2, 2, 1};
    fore_rng_seed(&rng, 1);
    FORE_VEC(uint64_t) seen = {0};
    for (int round = 0; round < 20000; round++) {
        struct fore_actors *w = &x.world;
        if (w->pending && fore_rng_below(&rng, 5) > 1) {
            uint32_t m = fore_actors_first(w);
            for (uint64_t k = fore_rng_below(&rng, w->pending); k; k--)
                m = fore_actors_next(w, m);
            enum fore_how how = (enum fore_how)fore_rng_below(&rng, FORE_HOWS);
            if (!fore_actors_allows(w, m, how))
                how = FORE_DELIVER;
            fore_vec_push(&seen, whole(w));
            assert_true(fore_actors_step(w, m, how));
        } else if (w->steps.n) {
            fore_actors_undo(w);
            uint64_t before = fore_vec_pop(&seen);
            assert_int_equal(whole(w), before);
        }
    }
    fore_vec_release(&seen);
    fixture_close(&x);
}

static void independent_steps_commute(void)
{
    struct fixture x;
    fixture_open(&x, text);
    struct fore_actors *w = &x.world;
    uint64_t first = w->msgs.at[1].id, second = w->msgs.at[2].id;
    fore_actors_step(w, fore_actors_find(w, first), FORE_DELIVER);
    fore_actors_step(w, fore_actors_find(w, second), FORE_DELIVER);
    uint64_t one = fore_actors_hash(w);
    fore_actors_undo(w);
    fore_actors_undo(w);
    fore_actors_step(w, fore_actors_find(w, second), FORE_DELIVER);
    fore_actors_step(w, fore_actors_find(w, first), FORE_DELIVER);
    assert_int_equal(fore_actors_hash(w), one);
    fixture_close(&x);
}

static void peek_answers_from_before_and_changes_nothing(void)
{
    struct fixture x;
    fixture_open(&x, text);
    struct fore_actors *w = &x.world;
    fore_actors_step(w, 1, FORE_DELIVER);
    fore_actors_step(w, 2, FORE_DELIVER);
    uint64_t before = whole(w);
    assert_int_equal(fore_actors_peek(w, 1, 1, FORE_DELIVER), 1);
    assert_int_equal(fore_actors_peek(w, 2, 2, FORE_DELIVER), 2);
    assert_int_equal(fore_actors_peek(w, 2, 2, FORE_DROP), 0);
    assert_int_equal(whole(w), before);
    fixture_close(&x);
}

static void breaches_of_the_rules_are_named(void)
{
    static const struct {
        int what;
        enum fore_trouble trouble;
        const char *part;
    } cases[] = {{1, FORE_TROUBLE_SYSTEM, "to nobody"},
                 {2, FORE_TROUBLE_SYSTEM, "with 0 fields; it has 1"},
                 {3, FORE_TROUBLE_SYSTEM, "unknown type 99"},
                 {4, FORE_TROUBLE_REQUIRED, "never"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture x;
        char harness[256];
        snprintf(harness, sizeof harness,
                 "[specification]\nregister 0\n[agents]\n1: cell\n[start]\n"
                 "1 -> 1: Said(what=%d)\n",
                 cases[i].what);
        fixture_open(&x, harness);
        assert_false(fore_actors_step(&x.world, 1, FORE_DELIVER));
        assert_int_equal(x.world.trouble, cases[i].trouble);
        assert_non_null(strstr(x.world.why.at, cases[i].part));
        fixture_close(&x);
    }
}

RUN_CASES(CASE(undo_restores_everything), CASE(independent_steps_commute),
          CASE(peek_answers_from_before_and_changes_nothing),
          CASE(breaches_of_the_rules_are_named))
