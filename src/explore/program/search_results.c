#include "explore/program/search_results.h"

#include "base/json.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "explore/results.h"
#include "finding/load.h"
#include "finding/save.h"

#include <string.h>

void fore_search_put_text(struct fore_strbuf *out, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    fore_results_number(out, n);
    fore_strbuf_add(out, text ? text : "", n);
}

char *fore_search_get_text(struct fore_bytes_in *in)
{
    size_t n = fore_varint_get(in);
    in->bad |= n > (size_t)(in->end - in->at);
    struct fore_strbuf text = FORE_STRBUF_INIT;
    if (!in->bad)
        fore_strbuf_add(&text, in->at, n);
    in->at += in->bad ? 0 : n;
    fore_strbuf_puts(&text, "");
    return fore_strbuf_detach(&text);
}

static void put_failure(struct fore_strbuf *out, const struct fore_search_failure *f)
{
    struct fore_strbuf json = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    fore_results_number(out, f->what.hash);
    fore_results_number(out, f->run);
    fore_results_number(out, f->count);
    fore_results_number(out, f->switches);
    fore_results_number(out, f->before);
    fore_results_number(out, f->early);
    fore_results_number(out, f->seen);
    fore_results_number(out, f->asked);
    fore_results_number(out, f->seed);
    fore_search_put_text(out, f->strategy);
    fore_search_put_text(out, f->what.message.at);
    fore_search_put_text(out, f->seeds);
    fore_search_put_text(out, f->schedule);
    fore_jsonw_init(&w, &json);
    fore_finding_save(&w, NULL, f->finding, false);
    fore_search_put_text(out, json.at);
    fore_strbuf_release(&json);
}

static const char *strategy_named(const char *name)
{
    unsigned k = 0;
    while (k + 1 < FORE_SEARCH_STRATEGIES && strcmp(fore_search_names[k], name) != 0)
        k++;
    return fore_search_names[k];
}

static void free_failure(struct fore_search_failure *f)
{
    fore_failure_release(&f->what);
    fore_free(f->schedule);
    fore_free(f->seeds);
    fore_free(f);
}

/* If two ranks have the same failure, the run with the smaller number is kept. */
static void keep_failure(struct search_state *st, struct fore_search_failure *f)
{
    struct fore_search *s = st->s;
    bool fresh;
    uint64_t *place = fore_map_put(&st->failed, f->what.hash, &fresh);
    if (fresh) {
        fore_vec_push(&s->failures, f);
        *place = s->failures.n;
        return;
    }
    struct fore_search_failure **old = &s->failures.at[*place - 1];
    uint64_t count = (*old)->count + f->count;
    struct fore_search_failure *worse = f->run < (*old)->run ? *old : f;
    *old = worse == f ? *old : f;
    (*old)->count = count;
    free_failure(worse);
}

static void get_failure(struct search_state *st, struct fore_bytes_in *in,
                        struct fore_err *e)
{
    struct fore_findings *kept = &st->s->kept;
    struct fore_search_failure *f = fore_calloc(1, sizeof *f);
    f->what = (struct fore_failure)FORE_FAILURE_INIT;
    f->what.hash = fore_varint_get(in);
    f->run = fore_varint_get(in);
    f->count = fore_varint_get(in);
    f->switches = (uint32_t)fore_varint_get(in);
    f->before = (uint32_t)fore_varint_get(in);
    f->early = (uint32_t)fore_varint_get(in);
    f->seen = fore_varint_get(in);
    f->asked = fore_varint_get(in);
    f->seed = fore_varint_get(in);
    char *strategy = fore_search_get_text(in), *message = fore_search_get_text(in);
    f->seeds = fore_search_get_text(in);
    f->schedule = fore_search_get_text(in);
    char *json = fore_search_get_text(in);
    const struct fore_json *v;
    const char *text = fore_arena_strdup(&kept->arena, json);
    size_t before = kept->list.n;
    f->strategy = strategy_named(strategy);
    fore_strbuf_puts(&f->what.message, message);
    bool good = !in->bad &&
                fore_json_read(&kept->arena, "a rank's finding", text, strlen(text), &v,
                               e) == FORE_OK &&
                fore_finding_load(kept, "a rank's finding", v, e) == FORE_OK &&
                kept->list.n > before;
    if (good) {
        f->finding = fore_vec_last(&kept->list);
        f->what.rule = f->finding->rule->name;
        keep_failure(st, f);
    } else {
        free_failure(f);
    }
    fore_free(strategy);
    fore_free(message);
    fore_free(json);
}

enum { COUNTS = 8 };

/* What is added up. */
static void list_counts(struct fore_search *s, uint64_t *at[COUNTS])
{
    uint64_t *const all[COUNTS] = {&s->done,         &s->timeouts,  &s->departed,
                                   &s->uncontrolled, &s->spins,     &s->processes,
                                   &s->left,         &s->unrepeated};
    memcpy(at, all, sizeof all);
}

void fore_search_put_results(struct search_state *st, enum fore_status status,
                             const struct fore_err *e, struct fore_strbuf *out)
{
    struct fore_search *s = st->s;
    uint64_t *at[COUNTS];
    list_counts(s, at);
    for (int i = 0; i < COUNTS; i++)
        fore_results_number(out, *at[i]);
    for (int i = 0; i < FORE_SEARCH_STRATEGIES; i++)
        fore_results_number(out, s->by_strategy[i]);
    fore_results_number(out, st->whole);
    fore_results_number(out, st->timed);
    fore_results_number(out, st->took);
    fore_results_number(out, s->longest);
    fore_results_number(out, s->unrepeated_first);
    fore_search_put_text(out, s->spins_at);
    fore_search_put_text(out, s->left_first.at);
    fore_results_number(out, s->bound);
    fore_results_number(out, status);
    fore_search_put_text(out, status == FORE_OK ? "" : e->msg);
    fore_results_number(out, st->classes.n);
    uint64_t class, seen;
    for (size_t i = 0; fore_map_next(&st->classes, &i, &class, &seen);)
        fore_results_number(out, class);
    fore_results_number(out, s->failures.n);
    for (size_t i = 0; i < s->failures.n; i++)
        put_failure(out, s->failures.at[i]);
}

static void add_remarked(struct fore_search *s, uint64_t longest, uint64_t unrepeated,
                         const char *spins_at, const char *left)
{
    s->longest = longest > s->longest ? longest : s->longest;
    if (!s->spins_at[0])
        memccpy(s->spins_at, spins_at, 0, sizeof s->spins_at - 1);
    if (!s->left_first.n)
        fore_strbuf_puts(&s->left_first, left);
    if (unrepeated && (!s->unrepeated_first || unrepeated < s->unrepeated_first))
        s->unrepeated_first = unrepeated;
}

void fore_search_get_results(struct search_state *st, struct fore_bytes_in *in,
                             struct fore_err *e)
{
    struct fore_search *s = st->s;
    uint64_t *at[COUNTS];
    list_counts(s, at);
    for (int i = 0; i < COUNTS; i++)
        *at[i] += fore_varint_get(in);
    for (int i = 0; i < FORE_SEARCH_STRATEGIES; i++)
        s->by_strategy[i] += fore_varint_get(in);
    st->whole &= fore_varint_get(in) != 0;
    st->timed |= fore_varint_get(in) != 0;
    st->took |= fore_varint_get(in) != 0;
    uint64_t longest = fore_varint_get(in), unrepeated = fore_varint_get(in);
    char *spins_at = fore_search_get_text(in), *left = fore_search_get_text(in);
    enum fore_spent bound = (enum fore_spent)fore_varint_get(in);
    add_remarked(s, longest, unrepeated, spins_at, left);
    if (!s->bound && bound != FORE_SPENT_RUNS) /* its own bound, not that of all */
        s->bound = bound;
    fore_free(spins_at);
    fore_free(left);
    enum fore_status status = (enum fore_status)fore_varint_get(in);
    char *message = fore_search_get_text(in);
    if (status != FORE_OK && e->status == FORE_OK)
        fore_fail(e, status, "%s", message);
    fore_free(message);
    for (uint64_t n = fore_varint_get(in); n && !in->bad; n--) {
        bool fresh;
        fore_map_put(&st->classes, fore_varint_get(in), &fresh);
        s->classes += fresh;
    }
    for (uint64_t n = fore_varint_get(in); n && !in->bad; n--)
        get_failure(st, in, e);
    if (in->bad && e->status == FORE_OK)
        fore_fail(e, FORE_IO, "what another rank has found is damaged");
}
