#include "cli/explore_look.h"

#include "cli/cli.h"
#include "cli/confirm.h"
#include "explore/program/order.h"
#include "explore/program/witness.h"

#include <string.h>

static bool is_wait(const struct fore_finding *x)
{
    return !strcmp(x->rule->name, "blocked-forever") ||
           !strcmp(x->rule->name, "lock-cycle");
}

/* Does the outcome itself tell it already, and better? */
static bool is_told_already(const struct fore_rerun *p, const struct fore_finding *x)
{
    if (p->host && p->host->traced)
        return false;
    static const char *const rules[] = {"data-race", "crash", "assertion"};
    if (is_wait(
            x)) /* when main returns, a thread may be left behind that waits for ever */
        return p->outcome->end == FORE_OUTCOME_STUCK;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(x->rule->name, rules[i]))
            return true;
    return false;
}

bool fore_explore_is_race_of_run(const struct fore_rerun *p, const struct fore_finding *x)
{
    return p->host && p->host->traced && x->verdict == FORE_VERDICT_PREDICTED &&
           !strcmp(x->rule->name, "data-race");
}

/* Adds a witness as a schedule of the program, which guided tries next. */
static void add_wish(const struct fore_finding *x, bool loosely, struct fore_wishes *more)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_err unheard = {0};
    if (x->witness_trace[0] &&
        fore_confirm_schedule(x, NULL, loosely, &text, &unheard) == FORE_OK) {
        const char *at = strchr(text.at, '\n'), *then = strstr(text.at, "then free");
        if (at && then) {
            text.at[then - text.at] = 0;
            fore_vec_push(&more->v, fore_strdup(at + 1));
        }
    }
    fore_strbuf_release(&text);
}

static bool has_weak_atomics(const struct fore_trace *t)
{
    for (size_t i = 0; i < t->events.n; i++) {
        enum fore_memory_order order = fore_event_order(&t->events.at[i]);
        if (order == FORE_ORDER_RELAXED ||
            (t->events.at[i].kind == FORE_EV_RMW && order && order < FORE_ORDER_ACQ_REL))
            return true;
    }
    return false;
}

/* Adds races whose accesses never meet, because only the value of a weak atomic read keeps them
 * apart; the analysis calls them observed, while the outcome tells only races whose accesses
 * meet. The analysis is asked before the events are put into the order of the steps, because it
 * is not always known which of several similar accesses was recorded, and a race depends on it. */
static void add_races_apart(struct fore_cli *c, struct fore_trace *t,
                            struct fore_findings *found)
{
    const char *only = fore_params_text(&c->params, "only", NULL);
    struct fore_findings races;
    struct fore_err unheard = {0};
    size_t given = c->params.set.n, kept = 0;
    if (!has_weak_atomics(t) || (only && !fore_list_has(only, "data-race")))
        return;
    fore_findings_init(&races);
    fore_params_set(&c->params, "only", "data-race");
    enum fore_status s = fore_cli_analyse(c, t, &races, &unheard);
    c->params.set.n = given;
    fore_findings_seal(&races);
    for (size_t i = 0; i < races.list.n; i++)
        if (s == FORE_OK && races.list.at[i]->verdict == FORE_VERDICT_OBSERVED)
            races.list.at[kept++] = races.list.at[i];
        else
            fore_finding_release(races.list.at[i]);
    races.list.n = kept;
    fore_findings_join(found, &races);
    fore_findings_release(&races);
}

void fore_explore_look(void *ctx, const struct fore_rerun *p, struct fore_findings *found,
                       struct fore_wishes *more)
{
    struct fore_cli *c = ctx;
    struct fore_rings rings = {0};
    struct fore_err unheard = {0};
    struct fore_findings all;
    size_t kept = 0, given = c->params.set.n;
    fore_findings_init(&all);
    if (p->host && p->host->traced) /* a possible finding is worth a run */
        fore_params_set(&c->params, "possible", "");
    enum fore_status s = fore_rings_finish(&rings, p->folder, &unheard);
    for (size_t i = 0; s == FORE_OK && i < rings.v.n; i++) {
        if (!p->host || !p->host->ordered) {
            add_races_apart(c, &rings.v.at[i]->trace, found);
            fore_order_exactly(&rings.v.at[i]->trace, p);
        } else
            fore_cli_shorten_paths(&rings.v.at[i]->trace);
        s = fore_cli_analyse(c, &rings.v.at[i]->trace, &all, &unheard);
    }
    c->params.set.n = given;
    fore_findings_seal(&all);
    for (size_t i = 0; i < all.list.n; i++) {
        struct fore_finding *x = all.list.at[i];
        bool error = x->level == FORE_LEVEL_ERROR;
        bool seen = error && (x->verdict >= FORE_VERDICT_OBSERVED ||
                              fore_explore_is_race_of_run(p, x));
        if (!seen && error)
            add_wish(x, p->host && p->host->traced, more);
        if (seen && !is_told_already(p, x))
            all.list.at[kept++] = x;
        else
            fore_finding_release(x);
    }
    all.list.n = kept;
    fore_findings_join(found, &all);
    fore_findings_release(&all);
    fore_rings_release(&rings);
}

/* Names threads without a name of their own by how they were created, which is the same in every
 * run. */
static void label_by_creation(struct fore_trace *t)
{
    struct fore_tables *tab = &t->tables;
    struct fore_strbuf path = FORE_STRBUF_INIT;
    for (uint32_t i = 1; i < tab->threads.n; i++) {
        fore_strbuf_clear(&path);
        fore_tables_path(tab, i, &path);
        tab->threads.at[i].label = fore_tables_string(tab, path.at, path.n);
    }
    fore_strbuf_release(&path);
}

/* Does the finding name every thread that the outcome says is stuck? A recording need not know
 * waits outside, in a futex or for a library. */
static bool tells_all_waits(const struct fore_finding *seen, const struct fore_finding *x)
{
    size_t found = 0;
    for (size_t i = 0; i < x->places.n; i++)
        for (size_t k = 0; k < seen->places.n; k++)
            if (!strcmp(seen->places.at[k].path, x->places.at[i].path) &&
                seen->places.at[k].committed == FORE_NO) {
                found++;
                break;
            }
    return found == x->places.n;
}

/* Takes the words of the recording of a run that got stuck, which tells more than its outcome:
 * which lock a thread waits for, and which one holds it. */
static void take_words(struct fore_cli *c, struct fore_trace *t, struct fore_finding *x,
                       struct fore_findings *f)
{
    struct fore_findings all;
    struct fore_err unheard = {0};
    size_t kept = 0, from = f->list.n;
    if (!is_wait(x))
        return;
    fore_findings_init(&all);
    enum fore_status s = fore_cli_analyse(c, t, &all, &unheard);
    for (size_t i = 0; i < all.list.n; i++) {
        struct fore_finding *seen = all.list.at[i];
        if (s == FORE_OK && !kept && seen->verdict >= FORE_VERDICT_OBSERVED &&
            seen->level == FORE_LEVEL_ERROR && seen->rule == x->rule &&
            tells_all_waits(seen, x))
            all.list.at[kept++] = seen;
        else
            fore_finding_release(seen);
    }
    all.list.n = kept;
    all.remarks.n = all.stats.n = 0; /* they are about one run of many */
    all.completeness.exhausted = true;
    fore_findings_join(f, &all);
    fore_findings_release(&all);
    if (f->list.n > from) {
        struct fore_finding *seen = f->list.at[from];
        x->message = seen->message;
        x->places.n = 0;
        for (size_t i = 0; i < seen->places.n; i++)
            fore_vec_push(&x->places, seen->places.at[i]);
        fore_finding_release(seen);
        f->list.n = from;
    }
}

/* Draws the end of the run that failed, as the observed run of the finding. */
void fore_explore_draw(void *ctx, const struct fore_rerun *p, struct fore_finding *x,
                       struct fore_findings *f)
{
    enum { MOST_STEPS = 60 };
    struct fore_rings rings = {0};
    struct fore_err unheard = {0};
    if (fore_rings_finish(&rings, p->folder, &unheard) == FORE_OK && rings.v.n == 1) {
        struct fore_trace *t = &rings.v.at[0]->trace;
        if (!p->host || !p->host->ordered)
            fore_order_exactly(t, p);
        fore_cli_shorten_paths(t);
        label_by_creation(t);
        fore_findings_observe(f, f->list.n - 1, t);
        x->observed.n = 0;
        uint64_t *index = fore_calloc(t->tables.threads.n, sizeof *index);
        for (size_t i = 0; i < t->events.n; i++) {
            uint64_t at = index[t->events.at[i].thread]++;
            if (i + MOST_STEPS >= t->events.n)
                fore_finding_observed_step(f, x, t, i, at);
        }
        fore_free(index);
        take_words(ctx, t, x, f);
    }
    fore_rings_release(&rings);
}
