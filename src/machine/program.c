#include "machine/overtake.h"
#include "machine/program_link.h"

#include "trace/format.h"

#include <string.h>

static bool begins_operation(const struct fore_event *e)
{
    return e->kind == FORE_EV_PRE || e->flags & FORE_F_PRE;
}

/* Does `e` end the operation that `pre` announced? */
static bool ends_operation(const struct fore_event *pre, const struct fore_event *e)
{
    if (pre->kind == FORE_EV_PRE)
        return e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV ||
               e->kind == FORE_EV_SELECT;
    if (pre->kind == FORE_EV_CWAIT) /* it announces that it wants to be woken */
        return e->kind == FORE_EV_CWOKEN && e->object == pre->object;
    return fore_event_ends_wait(pre, e);
}

static bool may_follow_wait(const struct fore_event *e)
{
    return e->kind == FORE_EV_END || e->kind == FORE_EV_EXIT || e->kind == FORE_EV_PANIC;
}

enum fore_status fore_builder_contradiction(const struct fore_builder *b,
                                            const struct fore_event *e, const char *what,
                                            struct fore_err *err)
{
    struct fore_strbuf s = FORE_STRBUF_INIT, place = FORE_STRBUF_INIT;
    fore_event_text(&b->t->tables, e, b->t->cases.at, &s);
    fore_tables_place(&b->t->tables, e->where, &place);
    enum fore_status st =
        fore_fail(err, FORE_MEANING, "%s: thread %s: %s%s%s: %s", b->t->name,
                  fore_tables_label(&b->t->tables, e->thread), s.at,
                  place.n ? " at " : "", place.at, what);
    fore_strbuf_release(&s);
    fore_strbuf_release(&place);
    return st;
}

/* Did an operation do something else than it offered? */
static bool offers_more(const struct fore_event *pre, const struct fore_event *e)
{
    bool send = pre->flags & FORE_F_SEND;
    return pre->flags & FORE_F_CASES ||
           (pre != e && pre->kind == FORE_EV_PRE &&
            (pre->object != e->object || send != (e->kind == FORE_EV_SEND)));
}

/* The list of cases that a select offers: mostly that of the last select at its place. */
static uint32_t list_of(struct fore_builder *b, const struct fore_event *pre)
{
    struct fore_program *p = b->p;
    uint32_t *last = &b->list_at[pre->where];
    const struct fore_case *cases = b->t->cases.at;
    const struct fore_case_list *l = &p->lists.at[*last];
    if (!*last || l->n != pre->b ||
        memcmp(cases + l->first, cases + pre->a, l->n * sizeof *cases) != 0) {
        *last = (uint32_t)p->lists.n;
        fore_vec_push(&p->lists,
                      (struct fore_case_list){(uint32_t)pre->a, (uint32_t)pre->b});
    }
    return *last;
}

static void measure_cases(struct fore_program *p, uint32_t op)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(p, op, &one, &n);
    uint32_t *w = &p->width[fore_insn_thread(p, op)];
    if (n > *w)
        *w = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        if (c[i].kind == FORE_CASE_SEND && c[i].chan)
            p->puts[c[i].chan]++;
}

static uint32_t add_operation(struct fore_builder *b, uint32_t thread, uint32_t pre,
                              uint32_t done)
{
    uint32_t op = b->at[thread].next++;
    if (!b->filling)
        return op;
    const struct fore_event *events = b->t->events.at;
    const struct fore_event *e = &events[done != FORE_NO_EVENT ? done : pre];
    const struct fore_event *first = pre != FORE_NO_EVENT ? &events[pre] : e;
    bool cases = pre != FORE_NO_EVENT && offers_more(first, e);
    bool select = first->kind == FORE_EV_PRE && first->flags & FORE_F_CASES;
    b->p->ops[op] =
        (struct fore_insn){.pre = pre,
                           .done = done,
                           .link = FORE_NO_OP,
                           .thread = thread,
                           .object = e->object,
                           .kind = e->kind,
                           .flags = (uint16_t)(e->flags | (cases ? FORE_F_CASES : 0)),
                           .where = first->where ? first->where : e->where,
                           .cases = select ? list_of(b, first) : 0};
    if (fore_insn_offers(b->p, op))
        measure_cases(b->p, op);
    return op;
}

/* A wait that never ended: only the end of the thread may follow. */
static enum fore_status leave_open(struct fore_builder *b, const struct fore_event *e,
                                   struct fore_err *err)
{
    struct fore_builder_thread *c = &b->at[e->thread];
    if (!may_follow_wait(e) && !b->t->torn && !b->t->lost)
        return fore_builder_contradiction(
            b, e, "the thread goes on, but what it waited for never came", err);
    add_operation(b, e->thread, c->begun, FORE_NO_EVENT);
    c->begun = FORE_NO_EVENT;
    return FORE_OK;
}

/* The thread's next operation is the n-th that was announced, counting all threads. */
static void rank_next(struct fore_builder *b, uint32_t thread)
{
    if (b->filling && b->p->blind)
        b->p->rank[b->at[thread].next] = b->announced++;
}

/* One event, in either pass. `*op` is the operation that it ends, or FORE_NO_OP. */
static enum fore_status scan_operation(struct fore_builder *b, uint32_t i, uint32_t *op,
                                       struct fore_err *err)
{
    const struct fore_event *e = &b->t->events.at[i];
    struct fore_builder_thread *c = &b->at[e->thread];
    *op = FORE_NO_OP;
    if (c->begun != FORE_NO_EVENT && !ends_operation(&b->t->events.at[c->begun], e))
        FORE_TRY(leave_open(b, e, err));
    /* otherwise the wait for a condition has announced it */
    if (c->begun == FORE_NO_EVENT)
        rank_next(b, e->thread);
    if (begins_operation(e)) {
        c->begun = i;
        return FORE_OK;
    }
    *op = add_operation(b, e->thread, c->begun, i);
    c->begun = FORE_NO_EVENT;
    if (e->kind == FORE_EV_CWAIT) { /* it announces the waking */
        c->begun = i;
        rank_next(b, e->thread);
    }
    return FORE_OK;
}

static void finish_threads(struct fore_builder *b)
{
    for (uint32_t t = 1; t <= b->p->threads; t++)
        if (b->at[t].begun != FORE_NO_EVENT) {
            add_operation(b, t, b->at[t].begun, FORE_NO_EVENT);
            b->at[t].begun = FORE_NO_EVENT;
        }
}

static void reset_cursors(struct fore_builder *b)
{
    for (uint32_t t = 0; t <= b->p->threads; t++) {
        b->at[t].begun = FORE_NO_EVENT;
        b->at[t].next = b->filling ? b->p->first[t] : 0;
    }
}

/* First pass: how many operations each thread has. */
static enum fore_status count_ops(struct fore_builder *b, struct fore_err *err)
{
    uint32_t op;
    reset_cursors(b);
    for (uint32_t i = 0; i < b->t->events.n; i++)
        FORE_TRY(scan_operation(b, i, &op, err));
    finish_threads(b);
    uint32_t sum = 0;
    for (uint32_t t = 0; t <= b->p->threads; t++) {
        b->p->first[t] = sum;
        sum += b->at[t].next;
    }
    b->p->first[b->p->threads + 1] = sum;
    b->p->op_count = sum;
    b->p->ops = fore_calloc((size_t)sum + 1, sizeof *b->p->ops);
    if (b->p->blind)
        b->p->rank = fore_calloc((size_t)sum + 1, sizeof *b->p->rank);
    return FORE_OK;
}

static enum fore_status fill_ops(struct fore_builder *b, struct fore_err *err)
{
    b->filling = true;
    reset_cursors(b);
    for (uint32_t i = 0; i < b->t->events.n; i++) {
        uint32_t op;
        FORE_TRY(scan_operation(b, i, &op, err));
        if (op != FORE_NO_OP)
            FORE_TRY(fore_builder_link(b, op, err));
    }
    finish_threads(b);
    return FORE_OK;
}

/* A buffer for one message, from which a later one was received than the one that was put
 * before: the earlier one was taken out again, as stopping a timer does. Walks the events back
 * to front. */
static void find_dropped(struct fore_builder *b)
{
    struct fore_program *p = b->p;
    bool *passed = fore_calloc((size_t)p->objects + 1, sizeof *passed);
    for (uint32_t t = 1; t <= p->threads; t++)
        b->at[t].next = p->first[t + 1];
    for (size_t i = b->t->events.n; i-- > 0;) {
        const struct fore_event *e = &b->t->events.at[i];
        uint32_t *next = &b->at[e->thread].next;
        while (*next > p->first[e->thread] && p->ops[*next - 1].done == FORE_NO_EVENT)
            --*next;
        if (*next == p->first[e->thread] || p->ops[*next - 1].done != i)
            continue;
        uint32_t op = --*next;
        if (e->kind != FORE_EV_SEND || e->flags & FORE_F_CLOSED ||
            fore_chan_capacity(p, e->object) != 1)
            continue;
        if (p->ops[op].link != FORE_NO_OP)
            passed[e->object] = true;
        else if (passed[e->object])
            p->ops[op].link = op;
    }
    fore_free(passed);
}

static enum fore_status check_receives(const struct fore_builder *b, struct fore_err *err)
{
    if (b->t->torn || b->t->lost)
        return FORE_OK;
    for (uint32_t op = 0; op < b->p->op_count; op++) {
        const struct fore_insn *o = &b->p->ops[op];
        if (o->kind == FORE_EV_RECV && !(o->flags & FORE_F_CLOSED) &&
            o->link == FORE_NO_OP)
            return fore_builder_contradiction(b, fore_insn_event(b->p, op),
                                              "nobody sent this message", err);
    }
    return FORE_OK;
}

static void allocate_tables(struct fore_builder *b)
{
    struct fore_program *p = b->p;
    size_t threads = (size_t)p->threads + 1, objects = (size_t)p->objects + 1;
    p->first = fore_calloc(threads + 1, sizeof *p->first);
    p->gate = fore_alloc(threads * sizeof *p->gate);
    memset(p->gate, 0xff, threads * sizeof *p->gate);
    p->width = fore_calloc(threads, sizeof *p->width);
    p->puts = fore_calloc(objects, sizeof *p->puts);
    p->initial = fore_calloc(objects, sizeof *p->initial);
    for (uint32_t i = 1; i <= p->objects; i++)
        if (b->t->tables.objects.at[i].init.type == FORE_VALUE_INT)
            p->initial[i] = (int64_t)b->t->tables.objects.at[i].init.bits;
    fore_vec_push(&p->lists, (struct fore_case_list){0, 0});
    b->at = fore_calloc(threads, sizeof *b->at);
    b->sent = fore_alloc(objects * sizeof *b->sent);
    memset(b->sent, 0xff, objects * sizeof *b->sent);
    b->list_at = fore_calloc(b->t->tables.wheres.n + 1, sizeof *b->list_at);
    b->writer = fore_calloc(objects, sizeof *b->writer);
    b->count = fore_calloc(objects, sizeof *b->count);
}

static void release_builder(struct fore_builder *b)
{
    fore_map_release(&b->open);
    fore_builder_release_wakes(b);
    fore_free(b->at);
    fore_free(b->sent);
    fore_free(b->list_at);
    fore_free(b->writer);
    fore_free(b->count);
}

/* Does a thread cancel others? The C capture records a cancellation as an outside
 * thing of that name. */
static bool cancels_threads(const struct fore_tables *t)
{
    for (uint32_t i = 1; i < t->objects.n; i++)
        if (t->objects.at[i].kind == FORE_OBJ_OUTSIDE &&
            !strcmp(fore_tables_name(t, i), "cancellation"))
            return true;
    return false;
}

/* Notes what is known of the recording itself. */
static void look_at_recording(struct fore_builder *b)
{
    struct fore_program *p = b->p;
    p->blind = p->ledger = !fore_trace_sees(b->t, FORE_SEES_MEMORY);
    p->cancels = cancels_threads(&b->t->tables);
    p->ends = b->t->tables.sees & FORE_SEES_DECLARED && !b->t->tables.endless;
    struct fore_survey own = {0};
    const struct fore_survey *s = fore_trace_survey(b->t, &own);
    bool outside = fore_survey_has(s, FORE_EV_IN) || fore_survey_has(s, FORE_EV_OUT);
    p->marked = fore_survey_has(s, FORE_EV_USE);
    p->ledger |= outside;
    fore_survey_release(&own);
    for (size_t i = 0; outside && i < b->t->events.n && !b->one_outside; i++) {
        const struct fore_event *e = &b->t->events.at[i];
        b->one_outside = !e->object && (e->kind == FORE_EV_IN || e->kind == FORE_EV_OUT);
    }
}

enum fore_status fore_program_build(struct fore_program *p, const struct fore_trace *t,
                                    struct fore_err *e)
{
    struct fore_builder b = {.p = p, .t = t};
    *p = (struct fore_program){.trace = t,
                               .threads = (uint32_t)t->tables.threads.n - 1,
                               .objects = (uint32_t)t->tables.objects.n - 1};
    if (t->events.n >= FORE_NO_EVENT)
        return fore_fail(e, FORE_LIMIT, "%s: more than 2^32 - 2 events", t->name);
    allocate_tables(&b);
    look_at_recording(&b);
    enum fore_status st = count_ops(&b, e);
    if (st == FORE_OK)
        st = fill_ops(&b, e);
    bool open = st == FORE_OK && fore_builder_unlink_sent(&b);
    if (open)
        st = check_receives(&b, e);
    if (open && st == FORE_OK)
        find_dropped(&b);
    if (st == FORE_OK)
        fore_last_accesses_find(p);
    release_builder(&b);
    if (st != FORE_OK)
        fore_program_release(p);
    return st;
}

void fore_program_release(struct fore_program *p)
{
    fore_free(p->ops);
    fore_free(p->first);
    fore_free(p->gate);
    fore_free(p->width);
    fore_free(p->puts);
    fore_free(p->initial);
    fore_free(p->causes);
    fore_free(p->rank);
    fore_last_accesses_release(p);
    fore_vec_release(&p->lists);
    *p = (struct fore_program){0};
}

/* Handles what fore_insn_cases leaves: selects, offers that were never taken up, and
 * defaults. */
const struct fore_case *fore_insn_rare_cases(const struct fore_program *p, uint32_t op,
                                             struct fore_case *one, size_t *n)
{
    const struct fore_event *e = fore_insn_pre(p, op);
    if (e->kind == FORE_EV_PRE)
        return fore_trace_cases(p->trace, e, one, n);
    /* It has no pre: the case that was taken is the only offer that we know of. */
    *one = (struct fore_case){e->object, FORE_CASE_RECV};
    if (e->kind == FORE_EV_SEND)
        one->kind = FORE_CASE_SEND;
    if (e->kind == FORE_EV_SELECT)
        one->kind = e->flags & FORE_F_TIMEOUT ? FORE_CASE_TIMEOUT : FORE_CASE_DEFAULT;
    *n = 1;
    return one;
}

bool fore_insn_has_case(const struct fore_program *p, uint32_t op, uint32_t chan,
                        enum fore_case_kind kind)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].kind == kind && c[i].chan == chan)
            return true;
    return false;
}

/* A wait for a condition is announced by the wait itself, which is an operation of its own. */
static bool has_own_pre(const struct fore_program *p, uint32_t op)
{
    const struct fore_insn *o = &p->ops[op];
    if (o->kind != FORE_EV_CWOKEN && o->kind != FORE_EV_CWAIT)
        return o->pre != FORE_NO_EVENT;
    return o->pre != FORE_NO_EVENT && p->trace->events.at[o->pre].kind != FORE_EV_CWAIT;
}

uint64_t fore_insn_events_before(const struct fore_program *p, uint32_t thread,
                                 uint32_t end)
{
    uint64_t n = 0;
    for (uint32_t i = p->first[thread]; i < end; i++)
        n += has_own_pre(p, i) + (p->ops[i].done != FORE_NO_EVENT);
    return n;
}

uint64_t fore_insn_event_index(const struct fore_program *p, uint32_t op, bool announced)
{
    uint32_t t = fore_insn_thread(p, op);
    uint64_t n = fore_insn_events_before(p, t, op);
    const struct fore_insn *o = &p->ops[op];
    if (announced && o->pre != FORE_NO_EVENT)
        n -= !has_own_pre(p, op);
    else
        n += has_own_pre(p, op) && o->done != FORE_NO_EVENT;
    return n + fore_trace_left_out(p->trace, t, n);
}

uint32_t fore_program_op_at(const struct fore_program *p, uint32_t thread, uint32_t at)
{
    uint32_t low = p->first[thread], high = p->first[thread + 1];
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const struct fore_insn *o = &p->ops[mid];
        if ((o->done != FORE_NO_EVENT ? o->done : o->pre) < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}
