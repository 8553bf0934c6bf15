/* The run that ends in a stuck state: which of its steps are listed, and the witness. */
#include "analysis/deadlock/deadlock_state.h"
#include "analysis/tell/tell.h"

#include "machine/witness.h"

#include <string.h>

enum {
    MOST_TARGETS = FORE_DL_CORE * (1 + FORE_DL_REASONS) + 8,
    /* A longer run is told by its end, and by what explains it. */
    MOST_STEPS = 20000,
    END_TOLD = 1000,
    END_SHOWN = 24,
    BATCH = 4096, /* events that are written at a time */
};

/* Computes how far each thread must come until the core waits and what makes it wait
 * has happened. */
static void relevant_cut(const struct fore_dl *d, const struct fore_machine *m,
                         const struct fore_dl_core *c, struct fore_closure *cut)
{
    struct fore_dl_target targets[MOST_TARGETS];
    size_t count = 0;
    for (size_t i = 0; i < c->n; i++) {
        uint32_t t = c->thread[i], why[FORE_DL_REASONS];
        const char *role;
        size_t n = fore_dl_reasons(d, m, t, why, &role);
        targets[count++] = (struct fore_dl_target){t, fore_machine_next(m, t)};
        for (size_t k = 0; k < n; k++)
            targets[count++] =
                (struct fore_dl_target){fore_insn_thread(m->p, why[k]), why[k] + 1};
    }
    /* A thread that left the trace is part of the story. */
    for (uint32_t t = 1; t <= d->p->threads && count < MOST_TARGETS; t++)
        if (fore_machine_flags(m, t) & FORE_T_OFF)
            targets[count++] =
                (struct fore_dl_target){t, d->p->first[t] + fore_machine_done(m, t)};
    fore_closure_init(cut, d->index, FORE_KEEPS_ALL);
    fore_dl_close(cut, targets, count);
}

/* Is it an access to memory that no other thread uses? */
static bool is_private_access(const struct fore_dl *d, const struct fore_event *e)
{
    return fore_kind_group(e->kind) == FORE_GROUP_MEMORY &&
           e->object < d->survey->user.n && d->survey->user.at[e->object] != FORE_SHARED;
}

static void add_steps(struct fore_dl *d, struct fore_finding *x,
                      const struct fore_witness *w, size_t from, bool relevant,
                      const char *note)
{
    struct fore_step *s = fore_tell_steps(d->ctx->out, x, d->trace, w, from);
    for (size_t k = from; k < w->events.n; k++, s++) {
        s->irrelevant |= is_private_access(d, &w->events.at[k]);
        s->irrelevant = !relevant || (s->irrelevant && !note[0]);
        s->note = note;
    }
}

/* Marks the last step of a thread that waits for a condition: it announced the wait then. */
static void mark_waiting(const struct fore_machine *m, struct fore_finding *x, uint32_t t)
{
    uint32_t op = fore_machine_next(m, t);
    if (fore_insn_kind(m->p, op) != FORE_EV_CWOKEN)
        return;
    for (size_t i = x->witness.n; i-- > 0;)
        if (strcmp(x->witness.at[i].thread, fore_tables_label(&m->p->trace->tables, t)) ==
            0) {
            x->witness.at[i].note = "blocks";
            return;
        }
}

/* Collects, as keys, the operations by which the core took what it holds, and those
 * that make its waits endless. */
static void note_reasons(struct fore_dl *d, const struct fore_machine *m,
                         const struct fore_dl_core *c, struct fore_map *ops)
{
    for (size_t i = 0; i < c->n; i++) {
        uint32_t t = c->thread[i], why[FORE_DL_REASONS], lock;
        uint32_t first = m->p->first[t], end = first + fore_machine_done(m, t);
        const char *role;
        for (size_t k = fore_dl_reasons(d, m, t, why, &role); k-- > 0;)
            fore_map_put(ops, why[k], NULL);
        for (uint32_t op = first; op < end; op++)
            if (fore_dl_still_holds(d, m, t, op, end, &lock))
                fore_map_put(ops, op, NULL);
    }
}

/* Is the run so long that not all of its steps are listed? In a thin trace some of
 * them do not even exist. */
static bool is_long(const struct fore_dl *d, size_t moves)
{
    return moves >= MOST_STEPS || d->trace->fixed;
}

/* Says that the steps of a long run are not all listed. */
static void tell_length(struct fore_dl *d, struct fore_finding *x, size_t moves)
{
    size_t left_out = d->trace->fixed ? (size_t)d->trace->thin->steps : 0;
    if (is_long(d, moves))
        fore_finding_fact(d->ctx->out, x, "run",
                          "%zu steps, of which the last and those that explain it are "
                          "listed",
                          moves + left_out);
}

/* Is the operation among the last steps, and does the trace have all events after it? */
static bool is_near_end(const struct fore_dl *d, uint32_t op, size_t left)
{
    const struct fore_insn *o = &d->p->ops[op];
    return left <= END_TOLD &&
           (o->done != FORE_NO_EVENT ? o->done : o->pre) >= d->trace->fixed;
}

/* The number of steps of the run, with those that led to the mark from which it was
 * played. */
static size_t length_of(const struct fore_steps *steps)
{
    return steps->moves.n + (steps->from ? steps->from->steps : 0);
}

bool fore_dl_run_is_whole(const struct fore_dl *d, const struct fore_steps *steps)
{
    return !is_long(d, length_of(steps));
}

/* Step i, which the machine has come to, and its operation. */
static struct fore_move step_at(const struct fore_dl *d, const struct fore_machine *m,
                                const struct fore_steps *steps, size_t i, uint32_t *op)
{
    struct fore_move v;
    size_t begin = steps->from ? steps->from->steps : 0;
    *op = i < begin ? d->observed->order[i] : steps->ops.at[i - begin];
    if (i >= begin)
        return steps->moves.at[i - begin];
    FORE_BUG_IF(!fore_machine_recorded(m, fore_insn_thread(d->p, *op), &v));
    return v;
}

/* What was noted so far goes into the text, if there is one. */
static void write_noted(const struct fore_dl *d, struct fore_witness *w,
                        struct fore_witness_text *text)
{
    if (text->out)
        fore_witness_text_add(text, w->events.at, w->events.n, d->trace->cases.at);
    fore_vec_clear(&w->events);
    fore_vec_clear(&w->index);
}

static bool has_arrivals(const struct fore_machine *m)
{
    for (uint32_t t = 1; t <= m->p->threads; t++)
        if (fore_machine_flags(m, t) & FORE_T_ARRIVED)
            return true;
    return false;
}

/* A long run whose text nobody keeps is told from a mark on that comes before all steps that are listed. Brings a
 * fresh machine there; the number of steps that lead there. */
static size_t skip_untold(const struct fore_dl *d, const struct fore_steps *steps,
                          const struct fore_map *why, struct fore_machine *m,
                          struct fore_witness *w)
{
    size_t all = length_of(steps);
    uint32_t first = steps->from ? steps->from->steps : 0;
    uint64_t op, value;
    if (first > all - END_TOLD)
        first = (uint32_t)(all - END_TOLD);
    for (size_t i = 0; fore_map_next(why, &i, &op, &value);)
        if (d->observed->when[op] < first)
            first = d->observed->when[op];
    const struct fore_run_mark *from = fore_run_mark_before(d->observed, first);
    if (!from)
        return 0;
    fore_run_resume(from, m);
    if (has_arrivals(m)) { /* announced already: too rare to count */
        fore_machine_release(m);
        fore_machine_init(m, d->p);
        fore_machine_forget(m);
        return 0;
    }
    fore_witness_begin(w, m);
    return from->steps;
}

/* The waits at the end of the run. */
static void add_waits(struct fore_dl *d, struct fore_finding *x, struct fore_machine *m,
                      struct fore_witness *w)
{
    fore_machine_list(m);
    for (uint32_t t = 1; t <= d->p->threads; t++) {
        size_t from = w->events.n;
        if (!fore_dl_newly_blocked(m, t))
            continue;
        fore_witness_wait(w, m, t);
        add_steps(d, x, w, from, true, "blocks");
        mark_waiting(m, x, t);
    }
}

enum fore_status fore_dl_tell_run(struct fore_dl *d, const struct fore_machine *m,
                                  const struct fore_dl_core *c,
                                  const struct fore_steps *steps, struct fore_finding *x,
                                  struct fore_err *e)
{
    struct fore_machine again;
    struct fore_witness w = {0};
    struct fore_closure cut;
    struct fore_expect expects[FORE_DL_CORE];
    struct fore_map why = {0};
    struct fore_witness_text text = {.out = NULL};
    size_t begin = steps->from ? steps->from->steps : 0, all = length_of(steps), i = 0;
    bool more = is_long(d, all), untold = d->ctx->unsaved && more;
    if (!untold)
        FORE_TRY(fore_witness_text_open(&text, d->trace, e));
    relevant_cut(d, m, c, &cut);
    if (more)
        note_reasons(d, m, c, &why);
    fore_machine_init(&again, d->p);
    fore_machine_forget(&again);
    tell_length(d, x, all);
    if (untold)
        i = skip_untold(d, steps, &why, &again, &w);
    for (; i < all; i++) {
        uint32_t op;
        struct fore_move v = step_at(d, &again, steps, i, &op);
        uint32_t need = cut.need[v.thread] + (v.act == FORE_ACT_ARRIVE);
        bool differs = i >= begin && !fore_machine_faithful(&again, v);
        bool relevant = differs || op < need;
        size_t from = w.events.n, left = all - i;
        if (more && left > END_SHOWN)
            relevant = differs || (why.n && fore_map_get(&why, op));
        fore_witness_step(&w, &again, v);
        if (relevant || !more || is_near_end(d, op, left))
            add_steps(d, x, &w, from, relevant, differs ? "differs" : "");
        if (w.events.n >= BATCH)
            write_noted(d, &w, &text);
    }
    add_waits(d, x, &again, &w);
    for (size_t k = 0; k < c->n; k++)
        expects[k] = (struct fore_expect){FORE_EXPECT_BLOCKED, c->thread[k]};
    write_noted(d, &w, &text);
    enum fore_status s = FORE_OK;
    if (!untold)
        s = fore_witness_text_close(&text, d->ctx->out, x, expects, c->n, e);
    fore_witness_release(&w);
    fore_machine_release(&again);
    fore_closure_release(&cut);
    fore_map_release(&why);
    return s;
}
