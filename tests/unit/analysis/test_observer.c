/* The lattice of the paper's reservoir, from its messages. */
#include "check.h"

#include "analysis/lattice/observer.h"

#include <string.h>

static const char f1[] = "p := w > 26 q := w > 30 r := v > 55\n"
                         "property f1: [] (q -> ((r && p) S start(p)))\n";
static const char both[] = "p := w > 26 q := w > 30 r := v > 55\n"
                           "property f1: [] (q -> ((r && p) S start(p)))\n"
                           "property f2: ere { {}* {!p} {p, !q}+ ( {p, !q, !r} {p, !q}* "
                           "{q} | {q}* {q, !r} ) {}* }\n";

/* Writes in observed order: thread, its count, what it knows of the other one, value. */
struct written {
    uint32_t thread, number, other;
    const char *var;
    int64_t value;
};

static const struct written reservoir[] = {
    {2, 1, 0, "w", 24}, {1, 1, 1, "v", 50}, {2, 2, 0, "w", 27},
    {1, 2, 1, "v", 60}, {2, 3, 0, "w", 31}, {1, 3, 3, "v", 70},
};

struct fixture {
    struct fore_spec spec;
    struct fore_watch watch;
    struct fore_observer *o;
};

static void open_observer(struct fixture *f, const char *text,
                          struct fore_observer_options options)
{
    struct fore_err e = {0};
    if (fore_spec_parse(&f->spec, "t", text, strlen(text), &e) != FORE_OK ||
        fore_watch_init(&f->watch, &f->spec, &e) != FORE_OK)
        fail_msg("%s", e.msg);
    f->watch.initial[fore_spec_var(&f->spec, "w")] = fore_val_int(20);
    f->watch.initial[fore_spec_var(&f->spec, "v")] = fore_val_int(40);
    options.count = options.detail = true;
    f->o = fore_observer_new(&f->watch, &options);
}

static void send(struct fixture *f, const struct written *x, bool in_order)
{
    struct fore_past past = {3 - x->thread, x->other};
    struct fore_observation m = {
        .thread = x->thread,
        .number = x->number,
        .past = &past,
        .past_count = x->other > 0,
        .value = fore_val_int(x->value),
        .step = {.event = {.thread = x->thread,
                           .kind = FORE_EV_WRITE,
                           .a = (uint64_t)x->value},
                 .index = x->number,
                 .var = (uint32_t)fore_spec_var(&f->spec, x->var)},
    };
    fore_observer_message(f->o, &m, in_order);
}

static void close_observer(struct fixture *f)
{
    fore_observer_free(f->o);
    fore_watch_release(&f->watch);
    fore_spec_release(&f->spec);
}

static uint64_t number(const struct fore_big *b)
{
    uint64_t x = 0;
    assert_true(fore_big_u64(b, &x));
    return x;
}

static void run_reservoir(struct fixture *f, const char *text, uint32_t window,
                          uint32_t queue, enum fore_observe_mode mode)
{
    open_observer(
        f, text,
        (struct fore_observer_options){.window = window, .queue = queue, .mode = mode});
    for (size_t i = 0; i < 6; i++)
        send(f, &reservoir[i], true);
    fore_observer_end(f->o);
}

static void check(struct fixture *f, uint64_t states, uint64_t levels, uint64_t widest,
                  uint64_t edges, uint64_t runs, uint64_t violating)
{
    const struct fore_observer_stats *s = fore_observer_stats(f->o);
    assert_int_equal(s->states, states);
    assert_int_equal(s->levels, levels);
    assert_int_equal(s->widest, widest);
    assert_int_equal(s->edges, edges);
    assert_true(s->counted);
    assert_int_equal(number(&s->runs), runs);
    for (uint32_t p = 0; p < f->watch.props; p++) {
        const struct fore_violation *v = fore_observer_violation(f->o, p);
        assert_false(v->observed);
        assert_int_equal(v->predicted, violating > 0);
        assert_int_equal(number(&v->runs), violating);
    }
    close_observer(f);
}

static void the_whole_lattice_has_the_papers_figures(void)
{
    struct fixture f;
    run_reservoir(&f, both, 0, 0, FORE_OBSERVE_LEVELS);
    assert_false(fore_observer_stats(f.o)->pruned);
    check(&f, 11, 7, 3, 14, 6, 4);
}

static void event_by_event_gives_the_same_lattice(void)
{
    struct fixture f;
    run_reservoir(&f, both, 0, 0, FORE_OBSERVE_EAGER);
    check(&f, 11, 7, 3, 14, 6, 4);
}

static void events_may_come_in_any_order_without_a_window(void)
{
    static const size_t orders[][6] = {
        {5, 4, 3, 2, 1, 0}, {3, 0, 5, 1, 4, 2}, {4, 2, 0, 5, 3, 1}, {1, 3, 5, 0, 2, 4}};
    for (size_t k = 0; k < 8; k++) {
        struct fixture f;
        open_observer(&f, f1,
                      (struct fore_observer_options){.mode = k % 2 ? FORE_OBSERVE_LEVELS
                                                                   : FORE_OBSERVE_EAGER});
        for (size_t i = 0; i < 6; i++)
            send(&f, &reservoir[orders[k / 2][i]], false);
        fore_observer_end(f.o);
        check(&f, 11, 7, 3, 14, 6, 4);
    }
}

static void a_window_of_one_is_the_observed_run(void)
{
    struct fixture f;
    run_reservoir(&f, both, 1, 0, FORE_OBSERVE_LEVELS);
    assert_true(fore_observer_stats(f.o)->pruned);
    check(&f, 7, 7, 1, 6, 1, 0);
}

static void a_window_of_two_prunes_one_state(void)
{
    struct fixture f;
    run_reservoir(&f, both, 2, 3, FORE_OBSERVE_LEVELS);
    assert_true(fore_observer_stats(f.o)->pruned);
    check(&f, 10, 7, 2, 12, 5, 3);
}

static void a_window_of_three_with_all_events_is_complete(void)
{
    struct fixture f;
    run_reservoir(&f, both, 3, 6, FORE_OBSERVE_LEVELS);
    assert_false(fore_observer_stats(f.o)->pruned);
    check(&f, 11, 7, 3, 14, 6, 4);
}

static void the_witness_is_a_shortest_one(void)
{
    struct fixture f;
    struct fore_lattice_steps steps = {{0}};
    run_reservoir(&f, f1, 0, 0, FORE_OBSERVE_LEVELS);
    fore_observer_witness(f.o, 0, &steps); /* to state 03: three writes of w */
    assert_int_equal(fore_observer_violation(f.o, 0)->level, 3);
    assert_int_equal(steps.v.n, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(steps.v.at[i].event.thread, 2);
    close_observer(&f);
    run_reservoir(&f, f1, 2, 3, FORE_OBSERVE_LEVELS);
    fore_observer_witness(f.o, 0, &steps); /* that state is pruned: to 13 */
    static const uint64_t values[] = {24, 50, 27, 31};
    assert_int_equal(steps.v.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(steps.v.at[i].event.a, values[i]);
    close_observer(&f);
    fore_vec_release(&steps.v);
}

static void counts_are_exact_beyond_machine_words(void)
{
    for (int mode = 0; mode < 2; mode++) {
        struct fixture f;
        open_observer(
            &f, f1, (struct fore_observer_options){.mode = (enum fore_observe_mode)mode});
        for (uint32_t k = 1; k <= 60; k++)
            for (uint32_t t = 1; t <= 2; t++)
                send(&f, &(struct written){t, k, 0, t == 1 ? "v" : "w", 1}, true);
        fore_observer_end(f.o);
        struct fore_strbuf text = FORE_STRBUF_INIT;
        fore_big_text(&fore_observer_stats(f.o)->runs, &text);
        assert_string_equal(text.at,
                            "96614908840363322603893139521372656"); /* 120 over 60 */
        assert_int_equal(fore_observer_stats(f.o)->states, 61 * 61);
        fore_strbuf_release(&text);
        close_observer(&f);
    }
}

/* Every run of the reservoir, one by one; where[v][w] counts those first violated there. */
static void walk(struct fore_watch *w, uint32_t state, const int *cut,
                 struct fore_val *vals, int (*where)[4], int *runs)
{
    struct fore_monitor *m = w->monitors[0];
    *runs += cut[1] == 3 && cut[2] == 3;
    for (size_t i = 0; i < 6; i++) {
        const struct written *x = &reservoir[i];
        if (cut[x->thread] + 1 != (int)x->number || cut[3 - x->thread] < (int)x->other)
            continue;
        int after[3] = {0, cut[1], cut[2]};
        uint32_t var = (uint32_t)fore_spec_var(w->spec, x->var);
        struct fore_val before = vals[var];
        after[x->thread]++;
        vals[var] = fore_val_int(x->value);
        uint32_t next = fore_monitor_step(m, state, fore_monitor_letter(m, vals), vals);
        int below =
            0; /* runs through a violated prefix count where it was first violated */
        walk(w, next, after, vals, where, &below);
        *runs += below;
        if (fore_monitor_bad(m, next) && !fore_monitor_bad(m, state))
            where[after[1]][after[2]] += below;
        vals[var] = before;
    }
}

static void each_run_is_first_violated_where_the_figures_say(void)
{
    struct fixture f;
    open_observer(&f, f1, (struct fore_observer_options){0});
    struct fore_monitor *m = f.watch.monitors[0];
    struct fore_val vals[2] = {f.watch.initial[0], f.watch.initial[1]};
    uint32_t first =
        fore_monitor_step(m, fore_monitor_start(m), fore_monitor_letter(m, vals), vals);
    int where[4][4] = {{0}}, runs = 0;
    walk(&f.watch, first, (const int[]){0, 0, 0}, vals, where, &runs);
    assert_int_equal(runs, 6);
    assert_int_equal(where[0][3], 1);
    assert_int_equal(where[1][3], 2);
    assert_int_equal(where[2][3], 1);
    close_observer(&f);
}

static void a_violation_in_the_first_state_needs_no_event(void)
{
    struct fixture f;
    open_observer(&f, "property f: w < 10 || v > 100", (struct fore_observer_options){0});
    assert_true(fore_observer_violation(f.o, 0)->observed);
    fore_observer_end(f.o);
    close_observer(&f);
}

RUN_CASES(CASE(the_whole_lattice_has_the_papers_figures),
          CASE(event_by_event_gives_the_same_lattice),
          CASE(events_may_come_in_any_order_without_a_window),
          CASE(a_window_of_one_is_the_observed_run),
          CASE(a_window_of_two_prunes_one_state),
          CASE(a_window_of_three_with_all_events_is_complete),
          CASE(the_witness_is_a_shortest_one),
          CASE(counts_are_exact_beyond_machine_words),
          CASE(each_run_is_first_violated_where_the_figures_say),
          CASE(a_violation_in_the_first_state_needs_no_event))
