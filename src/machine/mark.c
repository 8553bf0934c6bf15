#include "machine/mark.h"

#include "machine/layout.h"

/* Shorter programs are played from their beginning; for longer ones this many states are kept. */
enum { LONG = 1 << 16, MARKS = 64 };

/* A mark has the words of threads and objects, the entries of each queue that may still be
 * needed, the ledger if the machine has one, and the lists. */
static void queue_window(const struct fore_machine *m, uint32_t x, uint32_t *from,
                         uint32_t *to)
{
    uint64_t room = fore_chan_capacity(m->p, x);
    unsigned kind = m->p->trace->tables.objects.at[x].kind;
    *from = *to = 0;
    if (kind == FORE_OBJ_SEM && m->ledger) {
        *to = m->p->puts[x];
    } else if (room) {
        uint32_t taken = get_object(m, x, CHAN_TAKEN);
        *to = get_object(m, x, CHAN_PUT);
        *from = *to > room ? (uint32_t)(*to - room) : 0;
        *from = *from < taken ? *from : taken;
    }
}

static size_t size_of_mark(const struct fore_machine *m)
{
    size_t n = m->queues_at + (m->loud - m->ledger_at) + (m->words - m->lists_at);
    for (uint32_t x = 1; x <= m->p->objects; x++) {
        uint32_t from, to;
        queue_window(m, x, &from, &to);
        n += to - from;
    }
    return n;
}

static uint32_t *copy_words(uint32_t *to, const uint32_t *from, size_t n)
{
    memcpy(to, from, n * sizeof *to);
    return to + n;
}

static struct fore_run_mark mark_of_machine(const struct fore_machine *m, size_t size,
                                            uint32_t steps)
{
    struct fore_run_mark out = {.steps = steps,
                                .ledger = m->ledger,
                                .words = fore_alloc((size + 1) * sizeof *out.words)};
    uint32_t *to = copy_words(out.words, m->w, m->queues_at);
    for (uint32_t x = 1; x <= m->p->objects; x++) {
        uint32_t from, end;
        queue_window(m, x, &from, &end);
        to = copy_words(to, m->w + m->queue[x] + from, end - from);
    }
    to = copy_words(to, m->w + m->ledger_at, m->loud - m->ledger_at);
    copy_words(to, m->w + m->lists_at, m->words - m->lists_at);
    return out;
}

/* Did every thread get what it recorded? Then any machine comes to this state in this
 * order. */
static bool goes_as_recorded(const struct fore_machine *m)
{
    for (uint32_t t = 1; t <= m->p->threads; t++)
        if (get_thread(m, t, T_FLAGS) & (FORE_T_DIFFERS | FORE_T_OFF))
            return false;
    return !m->believed;
}

void fore_run_keep_mark(struct fore_run *o, const struct fore_machine *m, size_t steps)
{
    uint32_t every = o->mark_all ? 1 : m->p->op_count / MARKS;
    size_t last = o->marks.n ? fore_vec_last(&o->marks).steps : 0;
    if ((m->p->op_count < LONG && !o->mark_all) || steps < last + every || o->unusual)
        return;
    size_t size = size_of_mark(m);
    o->unusual = (size > every && !o->mark_all) || !goes_as_recorded(m);
    if (!o->unusual)
        fore_vec_push(&o->marks, mark_of_machine(m, size, (uint32_t)steps));
}

const struct fore_run_mark *fore_run_mark_before(const struct fore_run *o, uint32_t steps)
{
    const struct fore_run_mark *found = NULL;
    for (size_t i = 0; i < o->marks.n && o->marks.at[i].steps <= steps; i++)
        found = &o->marks.at[i];
    return found;
}

void fore_run_resume(const struct fore_run_mark *mark, struct fore_machine *m)
{
    const uint32_t *from = mark->words;
    bool ledger = m->ledger;
    fore_machine_forget(m);
    copy_words(m->w, from, m->queues_at);
    from += m->queues_at;
    m->ledger = mark->ledger; /* as long as its layout is read */
    for (uint32_t x = 1; x <= m->p->objects; x++) {
        uint32_t first, end;
        queue_window(m, x, &first, &end);
        bool kept = ledger || fore_chan_capacity(m->p, x);
        if (kept)
            copy_words(m->w + m->queue[x] + first, from, end - first);
        from += end - first;
    }
    m->ledger = ledger;
    for (uint32_t t = 1; t <= m->p->threads && !ledger; t++)
        put_thread(m, t, T_WAKER, 0);
    if (ledger)
        copy_words(m->w + m->ledger_at, from, m->loud - m->ledger_at);
    if (mark->ledger)
        from += (size_t)(m->p->objects + 1) * LEDGER_WORDS;
    copy_words(m->w + m->lists_at, from, m->words - m->lists_at);
}
