#include "history/foresight.h"

#include "base/search.h"

#include <string.h>

/* The most events that are looked at ahead. */
enum { FORESIGHT = 256 };

static void list_events(struct fore_foresight *f)
{
    const struct fore_op *ops = f->part->ops;
    size_t n = 0;
    uint32_t i = 0;
    f->events = fore_calloc(2 * f->part->n + 1, sizeof *f->events);
    f->due_event = fore_calloc(f->line->n + 1, sizeof *f->due_event);
    for (size_t k = 0; k < f->line->n; k++) {
        for (; i < f->part->n && ops[i].invoke < ops[f->line->due[k]].ret; i++)
            if (f->deeds->deed[i] != FORE_DEED_NONE)
                f->events[n++] = i * 2;
        f->due_event[k] = (uint32_t)n;
        f->events[n++] = f->line->due[k] * 2 + 1;
    }
    f->due_event[f->line->n] = (uint32_t)n;
}

static void sort_pops(struct fore_foresight *f)
{
    const struct fore_deeds *d = f->deeds;
    f->pops = fore_calloc(f->part->n + 1, sizeof *f->pops);
    f->pops_from = fore_calloc(d->n_values + 3, sizeof *f->pops_from);
    for (uint32_t i = 0; i < f->part->n; i++)
        if (d->deed[i] == FORE_DEED_TAKE && d->value[i])
            f->pops_from[d->value[i] + 2]++;
    for (uint32_t v = 0; v <= d->n_values; v++)
        f->pops_from[v + 2] += f->pops_from[v + 1];
    for (uint32_t i = 0; i < f->part->n; i++)
        if (d->deed[i] == FORE_DEED_TAKE && d->value[i])
            f->pops[f->pops_from[d->value[i] + 1]++] = i;
}

void fore_foresight_init(struct fore_foresight *f, const struct fore_part *p,
                         const struct fore_deeds *d, const struct fore_deadlines *line)
{
    *f = (struct fore_foresight){.part = p, .deeds = d, .line = line};
    list_events(f);
    sort_pops(f);
    f->spare = fore_calloc(d->n_values + 1, sizeof *f->spare);
}

void fore_foresight_release(struct fore_foresight *f)
{
    fore_free(f->events);
    fore_free(f->due_event);
    fore_free(f->pops);
    fore_free(f->pops_from);
    fore_free(f->spare);
}

uint32_t fore_foresight_pop(const struct fore_foresight *f, uint32_t now, uint32_t value)
{
    uint32_t first = FORE_NEVER;
    size_t from = f->pops_from[value], to = f->pops_from[value + 1];
    FORE_BISECT(from, to, mid, f->part->ops[f->pops[mid]].invoke < now);
    if (from < f->pops_from[value + 1])
        first = f->part->ops[f->pops[from]].invoke;
    for (size_t i = 0; i < f->line->n_pending; i++) {
        uint32_t op = f->line->pending[i], invoke = f->part->ops[op].invoke;
        if (f->deeds->deed[op] == FORE_DEED_TAKE && invoke > now && invoke < first)
            first = invoke;
    }
    return first;
}

static bool is_used(const struct fore_foresight *f, const uint64_t *bits, uint32_t op)
{
    return fore_bit_has(bits, f->line->slot[op]);
}

bool fore_foresight_can_stay(struct fore_foresight *f, uint32_t at, const uint64_t *bits,
                             uint32_t push, uint32_t until)
{
    const struct fore_deadlines *d = f->line;
    uint32_t k = f->due_event[at];
    bool fits = true;
    memset(f->spare, 0, (f->deeds->n_values + 1) * sizeof *f->spare);
    for (size_t i = d->from[at]; i < d->from[at + 1]; i++)
        if (f->deeds->deed[d->open[i]] == FORE_DEED_PUT && !is_used(f, bits, d->open[i]))
            f->spare[f->deeds->value[d->open[i]]]++;
    for (size_t i = 0; i < d->n_pending; i++)
        if (f->deeds->deed[d->pending[i]] == FORE_DEED_PUT &&
            f->part->ops[d->pending[i]].invoke < fore_deadline(d, at) &&
            !is_used(f, bits, d->pending[i]))
            f->spare[f->deeds->value[d->pending[i]]]++;
    f->spare[f->deeds->value[push]]--;
    for (uint32_t steps = 0; fits && steps < FORESIGHT && k < f->due_event[d->n];
         k++, steps++) {
        uint32_t op = f->events[k] / 2, value = f->deeds->value[op];
        bool answer = f->events[k] & 1, take = f->deeds->deed[op] == FORE_DEED_TAKE;
        if (answer && f->part->ops[op].ret > until)
            break;
        if (!answer && f->deeds->deed[op] == FORE_DEED_PUT)
            f->spare[value]++;
        if (!answer || !take ||
            (f->part->ops[op].invoke < fore_deadline(d, at) && is_used(f, bits, op)))
            continue;
        fits = value && f->spare[value]-- > 0;
    }
    return fits;
}
