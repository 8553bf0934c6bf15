/* Which signal woke which wait for a condition. A signal wakes one thread that waited when it came, and the recording seldom
 * names it. Each wait gets the first signal or broadcast since it began, and no signal is given to two waits; so
 * every wait that could have been woken by a signal has one of its own. A wait without one woke by itself. */
#include "machine/program_link.h"

/* Keys that name a thread lie above those that are conditions. */
static uint64_t wakes_key(uint32_t condition, uint64_t thread)
{
    return (uint64_t)condition | thread << 32;
}

static void note_signal(struct fore_builder *b, const struct fore_event *e, uint32_t op)
{
    bool signal = e->kind == FORE_EV_CSIGNAL;
    uint64_t key = wakes_key(e->object, signal ? e->a : 0);
    uint64_t *at = fore_map_put(&b->wakes_of, key, NULL);
    if (!*at) {
        fore_vec_push(&b->wakes, (struct fore_builder_wakes){0});
        *at = b->wakes.n;
    }
    struct fore_builder_wakes *w = &b->wakes.at[*at - 1];
    struct fore_builder_signal free_one = {op, (uint32_t)w->signals.n};
    if (signal)
        fore_vec_push(&w->signals, free_one);
    else
        fore_vec_push(&w->broadcasts, op);
}

/* The first of the signals from this one on that was not given to a wait, or their number. */
static uint32_t first_free(struct fore_builder_wakes *w, uint32_t i)
{
    struct fore_builder_signal *s = w->signals.at;
    while (i < w->signals.n && s[i].next != i) {
        uint32_t next = s[i].next;
        if (next < w->signals.n)
            s[i].next = s[next].next;
        i = s[i].next;
    }
    return i;
}

static uint32_t first_signal(const struct fore_builder *b,
                             const struct fore_builder_wakes *w, uint32_t since)
{
    uint32_t low = 0, high = (uint32_t)w->signals.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (b->p->ops[w->signals.at[mid].op].done < since)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static uint32_t first_broadcast(const struct fore_builder *b,
                                const struct fore_builder_wakes *w, uint32_t since)
{
    uint32_t low = 0, high = (uint32_t)w->broadcasts.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (b->p->ops[w->broadcasts.at[mid]].done < since)
            low = mid + 1;
        else
            high = mid;
    }
    return low < w->broadcasts.n ? w->broadcasts.at[low] : FORE_NO_OP;
}

/* False if none of them came since then. */
static bool link_to_first(struct fore_builder *b, uint64_t key, uint32_t since,
                          uint32_t op)
{
    const uint64_t *at = fore_map_get(&b->wakes_of, key);
    if (!at)
        return false;
    struct fore_insn *ops = b->p->ops;
    struct fore_builder_wakes *w = &b->wakes.at[*at - 1];
    uint32_t i = first_free(w, first_signal(b, w, since));
    uint32_t by = first_broadcast(b, w, since);
    if (i < w->signals.n &&
        (by == FORE_NO_OP || ops[w->signals.at[i].op].done < ops[by].done)) {
        by = w->signals.at[i].op;
        w->signals.at[i].next = i + 1;
        ops[by].link = op;
    }
    ops[op].link = by;
    return by != FORE_NO_OP;
}

void fore_builder_link_condition(struct fore_builder *b, const struct fore_event *e,
                                 uint32_t op)
{
    if (e->kind == FORE_EV_CSIGNAL || e->kind == FORE_EV_CBROADCAST)
        note_signal(b, e, op);
    if (e->kind != FORE_EV_CWOKEN)
        return;
    const struct fore_insn *ops = b->p->ops;
    bool begins = op > b->p->first[e->thread] && ops[op - 1].kind == FORE_EV_CWAIT;
    uint32_t since = begins ? ops[op - 1].done : 0;
    if (!link_to_first(b, wakes_key(e->object, e->thread), since, op))
        link_to_first(b, wakes_key(e->object, 0), since, op);
}

void fore_builder_release_wakes(struct fore_builder *b)
{
    for (size_t i = 0; i < b->wakes.n; i++) {
        fore_vec_release(&b->wakes.at[i].signals);
        fore_vec_release(&b->wakes.at[i].broadcasts);
    }
    fore_vec_release(&b->wakes);
    fore_map_release(&b->wakes_of);
}
