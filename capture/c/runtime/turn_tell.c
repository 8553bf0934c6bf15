/* What is told outside while the program is controlled: where each thread stands, each step, and
 * accesses that race. capture/control/outcome.h has the form. */
#include "capture/c/runtime/turn_tell.h"
#include "capture/c/runtime/called.h"

#include <stdio.h>
#include <string.h>

static struct fore_outcome_thread *told(const struct fore_turn_thread *t)
{
    return t->index < FORE_OUTCOME_THREADS ? &fore_turn.outcome->thread[t->index] : NULL;
}

static void tell_place(struct fore_outcome_thread *to, const struct fore_c_site *site)
{
    if (site)
        snprintf(to->place, sizeof to->place, "%s:%u:%u", site->file, site->line,
                 fore_turn_column(site));
    else
        to->place[0] = 0;
}

/* The thread that the operation joins or creates, or the lock of its condition. */
static uint64_t other_of(const struct fore_turn_op *op)
{
    if (op->kind == FORE_OP_create)
        return fore_turn.threads;
    return op->kind == FORE_OP_join && op->whom ? op->whom->index
                                                : (uint64_t)(uintptr_t)op->other;
}

void fore_turn_tell(const struct fore_turn_thread *t, bool blocked)
{
    struct fore_outcome_thread *to = told(t);
    if (!to)
        return;
    to->state = t->state;
    to->kind = t->op.kind;
    to->size = t->op.size;
    to->address = (uint64_t)(uintptr_t)t->op.address;
    to->other = other_of(&t->op);
    if (blocked && t->op.kind == FORE_OP_cwoken && fore_turn_is_woken(t)) {
        to->kind = FORE_OP_lock; /* which it gave back to wait, and now waits for */
        to->address = to->other;
        to->other = 0;
    }
    if (blocked && !to->blocked)
        tell_place(to, t->op.site);
    to->blocked = blocked;
}

void fore_turn_tell_all(void)
{
    for (struct fore_turn_thread *t = fore_turn.first; t; t = t->after) {
        struct fore_outcome_thread *to = told(t);
        fore_turn_tell(t, t->state == FORE_OUTCOME_WAITS && !fore_turn_enabled(t));
        if (to)
            tell_place(to, t->op.site);
    }
    fore_turn.outcome->virtual_ns = fore_turn.clock;
    fore_turn.outcome->choices = fore_turn.strategy.choices;
}

static void tell_last(struct fore_outcome *o, const struct fore_turn_thread *t)
{
    static const char *file;
    const struct fore_c_site *site = t->op.site;
    o->running = t->index;
    if (!site)
        return;
    if (site->file != file)
        snprintf(o->file, sizeof o->file, "%s", file = site->file);
    o->line = site->line;
    o->column = fore_turn_column(site);
}

void fore_turn_log(const struct fore_turn_thread *t)
{
    struct fore_outcome *o = fore_turn.outcome;
    const struct fore_turn_op *op = &t->op;
    tell_last(o, t);
    o->hash = (o->hash ^ (t->index + 1)) * 0x100000001b3u;
    if (o->logged >= FORE_OUTCOME_MOST)
        return;
    struct fore_outcome_step *s =
        (struct fore_outcome_step *)((char *)o + FORE_OUTCOME_STEPS) + o->logged;
    *s = (struct fore_outcome_step){
        .thread = t->index,
        .kind = op->kind,
        .flags = (uint16_t)((fore_turn.choice ? FORE_OUTCOME_CHOICE : 0) |
                            (t->timed_out ? FORE_OUTCOME_TIMEOUT : 0) |
                            (t->early ? FORE_OUTCOME_EARLY : 0) |
                            (op->atomic ? FORE_OUTCOME_ATOMIC : 0)),
        .address = (uint64_t)(uintptr_t)op->address,
        .other = other_of(op),
        .size = op->size,
        .site = op->site ? op->site->line << 8 | (fore_turn_column(op->site) & 0xff) : 0};
    __atomic_store_n(&o->logged, o->logged + 1, __ATOMIC_RELEASE);
}

void fore_turn_tell_path(const struct fore_turn_thread *t)
{
    struct fore_outcome_thread *to = told(t);
    if (to)
        memcpy(to->path, t->path, sizeof to->path);
}

void fore_turn_tell_name(const struct fore_turn_thread *t, const char *name)
{
    struct fore_outcome_thread *to = told(t);
    if (to)
        snprintf(to->name, sizeof to->name, "%s", name ? name : "");
}

/* ---- races ---- */

static bool is_plain_access(const struct fore_turn_thread *t)
{
    return t->state == FORE_OUTCOME_WAITS && fore_schedule_is_access(t->op.kind);
}

static bool races(const struct fore_turn_op *a, const struct fore_turn_op *b)
{
    uintptr_t p = (uintptr_t)a->address, q = (uintptr_t)b->address;
    return p < q + b->size && q < p + a->size && !(a->atomic && b->atomic) &&
           (a->kind != FORE_OP_read || b->kind != FORE_OP_read);
}

static void tell_race(const struct fore_turn_thread *a, const struct fore_turn_thread *b)
{
    struct fore_outcome *o = fore_turn.outcome;
    struct fore_outcome_race r = {.thread = {a->index, b->index},
                                  .kind = {a->op.kind, b->op.kind}};
    const struct fore_c_site *site[2] = {a->op.site, b->op.site};
    for (int i = 0; i < 2; i++)
        if (site[i])
            snprintf(r.place[i], sizeof r.place[i], "%s:%u:%u", site[i]->file,
                     site[i]->line, fore_turn_column(site[i]));
    for (uint32_t i = 0; i < o->races; i++)
        if (!strcmp(o->race[i].place[0], r.place[0]) &&
            !strcmp(o->race[i].place[1], r.place[1]))
            return;
    if (o->races >= FORE_OUTCOME_RACES)
        return;
    fore_rt_called(a->op.address > b->op.address ? a->op.address : b->op.address,
                   r.object, sizeof r.object);
    o->race[o->races++] = r;
}

/* The one that goes on, and another one, stand at accesses to one place: that is a race. */
void fore_turn_look_for_race(const struct fore_turn_thread *next)
{
    if (!is_plain_access(next))
        return;
    for (const struct fore_turn_thread *t = fore_turn.first; t; t = t->after)
        if (t != next && is_plain_access(t) && races(&next->op, &t->op))
            tell_race(next, t);
}
