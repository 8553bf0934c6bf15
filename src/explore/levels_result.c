/* Results travel up the tree of ranks; each adds its own to those of its children. */
#include "explore/levels.h"

#include "base/bitset.h"
#include "base/progress.h"
#include "explore/results.h"

#include <string.h>

static void put_text(struct fore_strbuf *out, const struct fore_strbuf *text)
{
    fore_results_number(out, text->n);
    fore_strbuf_add(out, text->at, text->n);
}

void fore_levels_pack_results(const struct fore_levels *k, struct fore_strbuf *out)
{
    const struct fore_row *r = &k->s->row;
    const uint64_t numbers[] = {
        r->schedules,    r->incomplete,    r->steps,
        r->states,       r->transitions,   r->walks,
        r->first_bug_ns, k->store.on_disk, k->now.spilled + k->next.spilled,
        r->bound,        r->spent};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fore_results_number(out, numbers[i]);
    for (size_t i = 0; i < k->causes.n; i++)
        fore_results_number(out, k->causes.at[i]);
    for (int i = 0; i < FORE_BUGS; i++) {
        fore_results_number(out, k->bugs[i].found);
        fore_results_number(out, k->bugs[i].count);
        fore_results_number(out, k->bugs[i].steps);
        fore_results_number(out, k->bugs[i].faults);
        put_text(out, &k->bugs[i].path);
        put_text(out, &k->bugs[i].why);
    }
    fore_strbuf_add(out, k->err.msg, strlen(k->err.msg));
}

static void get_text(struct fore_bytes_in *in, struct fore_strbuf *to)
{
    size_t n = fore_varint_get(in);
    in->bad |= n > (size_t)(in->end - in->at);
    if (in->bad)
        return;
    fore_strbuf_add(to, in->at, n);
    in->at += n;
}

static void merge_bound(struct fore_row *r, enum fore_bound bound, enum fore_spent spent)
{
    if (bound == FORE_BOUND_NONE || r->bound != FORE_BOUND_NONE)
        return;
    r->bound = bound;
    r->spent = spent;
}

bool fore_levels_merge_results(struct fore_levels *k, struct fore_bytes_in *in)
{
    struct fore_row *r = &k->s->row;
    r->schedules += fore_varint_get(in);
    r->incomplete += fore_varint_get(in);
    r->steps += fore_varint_get(in);
    r->states += fore_varint_get(in);
    r->transitions += fore_varint_get(in);
    r->walks += fore_varint_get(in);
    uint64_t first = fore_varint_get(in);
    if (first && (!r->first_bug_ns || first < r->first_bug_ns))
        r->first_bug_ns = first;
    k->store.on_disk += fore_varint_get(in);
    k->now.spilled += fore_varint_get(in);
    enum fore_bound bound = (enum fore_bound)fore_varint_get(in);
    merge_bound(r, bound, (enum fore_spent)fore_varint_get(in));
    for (size_t i = 0; i < k->causes.n; i++)
        k->causes.at[i] |= fore_varint_get(in);
    for (int i = 0; i < FORE_BUGS; i++) {
        struct fore_level_bug bug = {.path = FORE_STRBUF_INIT, .why = FORE_STRBUF_INIT};
        bug.found = fore_varint_get(in) != 0;
        bug.count = fore_varint_get(in);
        bug.steps = (uint32_t)fore_varint_get(in);
        bug.faults = (uint32_t)fore_varint_get(in);
        get_text(in, &bug.path);
        get_text(in, &bug.why);
        fore_levels_merge_bug(&k->bugs[i], &bug);
        fore_strbuf_release(&bug.path);
        fore_strbuf_release(&bug.why);
    }
    if (in->at < in->end && !k->err.msg[0])
        (void)!fore_fail(&k->err, FORE_IO, "%.*s", (int)(in->end - in->at), in->at);
    return !in->bad;
}

/* Executes the bug's schedule once more, which gives its steps the names that are good in every
 * run. */
static void replay_bug(struct fore_explorer *s, enum fore_bug kind,
                       const struct fore_level_bug *b, bool shortest)
{
    struct fore_bytes_in in = {b->path.at, b->path.at + b->path.n, false};
    while (in.at < in.end) {
        uint64_t step = fore_varint_get(&in);
        fore_explorer_step(s, (uint32_t)(step >> 3), (enum fore_how)(step & 7));
    }
    s->bugs[kind].count = 0;
    fore_explorer_report_bug(s, kind, b->why.at);
    s->bugs[kind].count = b->count ? b->count : 1;
    s->bugs[kind].steps = true;
    s->bugs[kind].shortest = shortest;
    while (fore_explorer_depth(s))
        fore_explorer_undo(s);
}

/* Is it a shortest one? All states that are fewer steps away than the level were looked at,
 * except those behind a violation. Faults matter more than steps, so with faults a shorter one
 * may have been passed over. */
static bool is_shortest(const struct fore_levels *k, int kind)
{
    bool behind =
        kind != FORE_BUG_NOT_LINEARIZABLE && k->bugs[FORE_BUG_NOT_LINEARIZABLE].found;
    return !k->s->faults && !behind && k->bugs[kind].steps <= k->level + 1;
}

void fore_levels_results(struct fore_levels *k, struct fore_explorer *into)
{
    uint64_t steps = into->row.steps;
    into->row = k->s->row;
    into->row.steps += steps;
    into->row.on_disk = k->store.on_disk + k->now.spilled + k->next.spilled;
    into->row.wide = k->plan->wide;
    into->row.renamings = k->symmetry.group.n;
    for (int i = 0; i < FORE_BUGS; i++)
        if (k->bugs[i].found)
            replay_bug(into, (enum fore_bug)i, &k->bugs[i], is_shortest(k, i));
}
