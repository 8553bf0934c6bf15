#include "finding/finding.h"

#include "base/budget.h"
#include "base/path.h"
#include "finding/source.h"
#include "finding/stable_id.h"
#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fore_findings_init(struct fore_findings *f)
{
    *f = (struct fore_findings){.completeness = {true, NULL, false}};
}

void fore_finding_release(struct fore_finding *x)
{
    fore_vec_release(&x->places);
    fore_vec_release(&x->witness);
    fore_vec_release(&x->observed);
    fore_vec_release(&x->frames);
    fore_vec_release(&x->threads);
    fore_vec_release(&x->facts);
    fore_vec_release(&x->also_in);
    fore_graph_release(&x->graph);
    fore_timeline_release(&x->timeline);
}

void fore_findings_release(struct fore_findings *f)
{
    for (size_t i = 0; i < f->list.n; i++)
        fore_finding_release(f->list.at[i]);
    fore_graph_release(&f->graph);
    fore_vec_release(&f->list);
    fore_vec_release(&f->traces);
    fore_vec_release(&f->stats);
    fore_vec_release(&f->remarks);
    fore_sources_release(&f->sources);
    fore_excerpts_release(&f->excerpts);
    fore_vec_release(&f->names.shared);
    fore_arena_release(&f->arena);
}

FORE_PRINTF(2, 0)
static const char *print_text(struct fore_findings *f, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    FORE_BUG_IF(n < 0);
    char *text = fore_arena_alloc(&f->arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, ap);
    return text;
}

const char *fore_findings_printf(struct fore_findings *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = print_text(f, fmt, ap);
    va_end(ap);
    return text;
}

void fore_findings_name_callers(struct fore_findings *f)
{
    if (f->unnamed)
        f->name_callers(f->unnamed);
    f->unnamed = NULL;
}

struct fore_finding *fore_findings_restore(struct fore_findings *f, const char *rule,
                                           enum fore_verdict verdict)
{
    fore_findings_name_callers(f);
    struct fore_finding *x = FORE_NEW(&f->arena, struct fore_finding);
    x->rule = fore_rule_named(rule);
    FORE_BUG_IF(!x->rule);
    x->level = x->rule->level;
    x->verdict = verdict;
    x->message = x->explanation = x->object = x->witness_trace = x->trace = "";
    x->test = x->package = x->alone = "";
    x->confirmation = (struct fore_confirmation){FORE_UNTRIED, "", 0};
    x->completeness.exhausted = true;
    x->count = 1;
    fore_vec_push(&f->list, x);
    return x;
}

struct fore_finding *fore_findings_add(struct fore_findings *f, const char *rule,
                                       enum fore_verdict verdict)
{
    FORE_BUG_IF(verdict < FORE_VERDICT_OBSERVED);
    return fore_findings_restore(f, rule, verdict);
}

void fore_findings_trace(struct fore_findings *f, const struct fore_trace *t)
{
    /* If the budget ended while the trace was read, the number of events that follow
     * is not known. */
    uint64_t unread = t->budget && t->budget->spent ? t->cut : 0;
    fore_vec_push(&f->traces, (struct fore_trace_summary){
                                  fore_arena_strdup(&f->arena, t->name),
                                  fore_trace_length(t), t->tables.threads.n - 1,
                                  t->lost - unread, t->torn || t->lost, NULL});
    f->names.of = NULL; /* the next trace may be at the same address */
}

void fore_findings_remark(struct fore_findings *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fore_vec_push(&f->remarks, print_text(f, fmt, ap));
    va_end(ap);
}

void fore_findings_stats(struct fore_findings *f, const char *analysis, const char *json)
{
    struct fore_stats s = {fore_arena_strdup(&f->arena, analysis),
                           fore_arena_strdup(&f->arena, json)};
    for (size_t i = 0; i < f->stats.n; i++)
        if (strcmp(f->stats.at[i].analysis, analysis) == 0) {
            f->stats.at[i] = s;
            return;
        }
    fore_vec_push(&f->stats, s);
}

void fore_findings_incomplete(struct fore_findings *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (f->completeness.exhausted || f->completeness.sampled)
        f->completeness =
            (struct fore_completeness){false, print_text(f, fmt, ap), false};
    va_end(ap);
}

/* An analysis ("races: …") is mentioned once. A budget that ended a search replaces
 * all of these texts. */
void fore_findings_sampled(struct fore_findings *f, const char *fmt, ...)
{
    struct fore_completeness *c = &f->completeness;
    va_list ap;
    va_start(ap, fmt);
    const char *text = print_text(f, fmt, ap);
    va_end(ap);
    if (c->exhausted) {
        *c = (struct fore_completeness){false, text, true};
    } else if (c->sampled) {
        const char *who = fore_arena_strndup(&f->arena, text, strcspn(text, ":"));
        if (!strstr(c->bound, who))
            c->bound = fore_findings_printf(f, "%s; %s", c->bound, text);
    }
}

void fore_findings_join(struct fore_findings *into, struct fore_findings *from)
{
    for (size_t i = 0; i < from->list.n; i++)
        fore_vec_push(&into->list, from->list.at[i]);
    for (size_t i = 0; i < from->remarks.n; i++)
        fore_vec_push(&into->remarks, from->remarks.at[i]);
    for (size_t i = 0; i < from->stats.n; i++)
        fore_findings_stats(into, from->stats.at[i].analysis, from->stats.at[i].json);
    if (!from->completeness.exhausted)
        (from->completeness.sampled ? fore_findings_sampled : fore_findings_incomplete)(
            into, "%s", from->completeness.bound);
    fore_arena_join(&into->arena, &from->arena);
    from->list.n = 0;
    fore_findings_release(from);
    fore_findings_init(from);
}

void fore_finding_fact(struct fore_findings *f, struct fore_finding *x, const char *label,
                       const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fore_vec_push(&x->facts, (struct fore_fact){label, print_text(f, fmt, ap)});
    va_end(ap);
}

bool fore_finding_has_fact(const struct fore_finding *x, const char *label)
{
    for (size_t i = 0; i < x->facts.n; i++)
        if (!strcmp(x->facts.at[i].label, label))
            return true;
    return false;
}

/* What places and steps share, as texts in the findings' arena. */
struct texts {
    const char *thread, *name, *path, *event, *location, *function, *source;
};

static const char *keep_text(struct fore_findings *f, struct fore_strbuf *b)
{
    const char *text = fore_arena_strndup(&f->arena, b->at, b->n);
    fore_strbuf_clear(b);
    return text;
}

static struct texts describe_deed(struct fore_findings *f, const struct fore_trace *t,
                                  const struct fore_event *e,
                                  const struct fore_case *cases)
{
    const struct fore_tables *tab = &t->tables;
    const struct fore_where *w = &tab->wheres.at[e->where];
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct texts x = {.source = ""};
    x.thread = fore_arena_strdup(&f->arena, fore_tables_label(tab, e->thread));
    x.name = fore_arena_strdup(&f->arena,
                               fore_tables_text(tab, tab->threads.at[e->thread].name));
    fore_tables_path(tab, e->thread, &b);
    x.path = keep_text(f, &b);
    fore_event_text(tab, e, cases, &b);
    x.event = keep_text(f, &b);
    fore_tables_place(tab, e->where, &b);
    x.location = keep_text(f, &b);
    x.function = fore_arena_strdup(&f->arena, fore_tables_text(tab, w->function));
    const char *line = w->file
                           ? fore_sources_line(&f->sources, &f->arena,
                                               fore_tables_text(tab, w->file), w->line)
                           : NULL;
    x.source = line ? line : "";
    fore_strbuf_release(&b);
    return x;
}

static bool hidden_object(const struct fore_trace *t, uint32_t object)
{
    return object && object < t->tables.objects.n &&
           t->tables.objects.at[object].flags & FORE_OBJ_HIDDEN;
}

/* Of a select: all its channels are. */
static bool is_hidden(const struct fore_trace *t, const struct fore_event *e)
{
    if (e->kind == FORE_EV_ASEND)
        return false;
    if (!(e->flags & FORE_F_CASES) || e->kind != FORE_EV_PRE)
        return hidden_object(t, e->object);
    size_t hidden = 0, known = 0;
    for (size_t i = 0; i < e->b; i++) {
        known += t->cases.at[e->a + i].chan != 0;
        hidden += hidden_object(t, t->cases.at[e->a + i].chan);
    }
    return known && hidden == known;
}

/* The place as a frame of the finding, with its callers; 1 + its index, or 0 if it has none. */
static uint32_t frame_of(struct fore_findings *f, struct fore_finding *x,
                         const struct fore_trace *t, uint32_t where)
{
    enum { DEEPEST = 32 };
    const struct fore_tables *tab = &t->tables;
    uint32_t first = 0, below = 0;
    for (int depth = 0; where && depth < DEEPEST;
         where = tab->wheres.at[where].parent, depth++) {
        uint32_t i = 0;
        while (i < x->frames.n && x->frames.at[i].where != where)
            i++;
        bool known = i < x->frames.n;
        if (!known) {
            struct fore_strbuf b = FORE_STRBUF_INIT;
            fore_tables_place(tab, where, &b);
            const char *function = fore_tables_text(tab, tab->wheres.at[where].function);
            fore_vec_push(&x->frames,
                          (struct fore_call_frame){fore_arena_strdup(&f->arena, function),
                                                   keep_text(f, &b), 0, where});
            fore_strbuf_release(&b);
        }
        first = first ? first : i + 1;
        if (below)
            x->frames.at[below - 1].up = i + 1;
        below = i + 1;
        if (known)
            break;
    }
    return first;
}

void fore_finding_location(struct fore_findings *f, struct fore_finding *x,
                           const char *role, const char *thread, const char *location)
{
    uint32_t line = 0;
    const char *colon = strchr(location, ':'), *source = "";
    if (colon) {
        char *file = fore_arena_strndup(&f->arena, location, (size_t)(colon - location));
        sscanf(colon + 1, "%u", &line);
        source = fore_sources_line(&f->sources, &f->arena, file, line);
    }
    fore_vec_push(&x->places,
                  (struct fore_place){.role = role,
                                      .thread = fore_arena_strdup(&f->arena, thread),
                                      .name = "",
                                      .path = fore_arena_strdup(&f->arena, thread),
                                      .event = "",
                                      .location = fore_arena_strdup(&f->arena, location),
                                      .function = "",
                                      .source = source ? source : "",
                                      .committed = FORE_UNKNOWN});
}

struct fore_place *fore_finding_place(struct fore_findings *f, struct fore_finding *x,
                                      const char *role, const struct fore_trace *t,
                                      const struct fore_event *e, uint64_t index)
{
    struct texts d = describe_deed(f, t, e, t->cases.at);
    const struct fore_thread_info *thread = &t->tables.threads.at[e->thread];
    const char *begins = fore_tables_text(&t->tables, thread->begins);
    uint32_t group = thread->group;
    fore_vec_push(&x->places,
                  (struct fore_place){role, d.thread, d.name, d.path, d.event, d.location,
                                      d.function, d.source, index, FORE_UNKNOWN,
                                      is_hidden(t, e), frame_of(f, x, t, e->where),
                                      fore_arena_strdup(&f->arena, begins)});
    if (group && !*x->test) /* the first place is whom it is about */
        x->test = fore_arena_strdup(&f->arena, fore_tables_text(&t->tables, group));
    return &fore_vec_last(&x->places);
}

bool fore_finding_hidden(const struct fore_finding *x)
{
    for (size_t i = 0; i < x->places.n; i++)
        if (!x->places.at[i].hidden)
            return false;
    return x->places.n > 0;
}

struct fore_step *fore_finding_step(struct fore_findings *f, struct fore_finding *x,
                                    const struct fore_trace *t,
                                    const struct fore_event *e,
                                    const struct fore_case *cases, uint64_t index)
{
    struct texts d = describe_deed(f, t, e, cases);
    bool hidden = e->kind != FORE_EV_ASEND && hidden_object(t, e->object);
    struct fore_step s = {
        .thread = d.thread,
        .name = d.name,
        .path = d.path,
        .event = d.event,
        .location = d.location,
        .note = "",
        .state = "",
        .index = index,
        .irrelevant = hidden,
        .raw = *e,
    };
    if (e->flags & FORE_F_CASES) /* the cases may be gone later */
        fore_finding_tell_step(f, x, t, cases, &s);
    fore_vec_push(&x->witness, s);
    return &fore_vec_last(&x->witness);
}

void fore_finding_tell_step(struct fore_findings *f, struct fore_finding *x,
                            const struct fore_trace *t, const struct fore_case *cases,
                            struct fore_step *s)
{
    if (s->raw.kind == FORE_EV_NONE)
        return;
    s->deed = FORE_NEW(&f->arena, struct fore_deed);
    *s->deed = fore_deed_of(f, &t->tables, &s->raw, cases);
    s->deed->frame = frame_of(f, x, t, s->raw.where);
    s->raw.kind = FORE_EV_NONE;
}

/* An event of the observed run is told as a step of the witness is. */
void fore_finding_observed_step(struct fore_findings *f, struct fore_finding *x,
                                const struct fore_trace *t, size_t at, uint64_t index)
{
    fore_finding_step(f, x, t, &t->events.at[at], t->cases.at, index);
    struct fore_step s = x->witness.at[--x->witness.n];
    fore_finding_tell_step(f, x, t, t->cases.at, &s);
    s.deed->at = at + 1;
    fore_vec_push(&x->observed, s);
}

/* Headers of the compiler and the library, whose functions call each other through many hands. */
static bool is_in_system(const struct fore_tables *tab, uint32_t where)
{
    const char *file = fore_tables_text(tab, tab->wheres.at[where].file);
    return fore_begins_with(file, "/usr/include/") || fore_begins_with(file, "/usr/lib/");
}

static uint32_t next_of_user(const struct fore_tables *tab, uint32_t where)
{
    while (where && is_in_system(tab, where))
        where = tab->wheres.at[where].parent;
    return where;
}

uint32_t fore_finding_users_place(const struct fore_tables *tab, uint32_t where)
{
    uint32_t users = next_of_user(tab, where);
    return users ? users : where;
}

/* The next caller to tell: of those in a row that are in the system's headers only the one that the user called. */
static uint32_t next_told(const struct fore_tables *tab, uint32_t up)
{
    uint32_t users = next_of_user(tab, up);
    while (users && up != users && tab->wheres.at[up].parent != users)
        up = tab->wheres.at[up].parent;
    return up;
}

const char *fore_finding_from(struct fore_findings *f, const struct fore_tables *tab,
                              uint32_t where)
{
    enum { MOST_CALLERS = 64 };
    struct fore_strbuf b = FORE_STRBUF_INIT;
    uint32_t up = tab->wheres.at[where].parent;
    bool all = !next_of_user(tab, up);
    if (all && next_of_user(tab, where) == where) /* what began the thread */
        up = 0;
    for (int depth = 0; up && depth < MOST_CALLERS;
         up = tab->wheres.at[up].parent, depth++) {
        if (!all && !next_of_user(tab, up))
            break;
        up = next_told(tab, up);
        const char *function = fore_tables_text(tab, tab->wheres.at[up].function);
        fore_strbuf_printf(&b, "%s from %s%s", depth ? "," : "", function,
                           *function ? " " : "");
        fore_tables_place(tab, up, &b);
    }
    const char *text = fore_arena_strndup(&f->arena, b.n ? b.at : "", b.n);
    fore_strbuf_release(&b);
    return text;
}

void fore_finding_callers(struct fore_findings *f, struct fore_finding *x,
                          const struct fore_trace *t, const struct fore_event *e)
{
    const struct fore_tables *tab = &t->tables;
    const char *from = fore_finding_from(f, tab, e->where);
    if (*from)
        fore_finding_fact(f, x, "called", "%s%s", fore_findings_called(f, tab, e->thread),
                          from);
}

enum fore_status fore_witness_text_open(struct fore_witness_text *w,
                                        const struct fore_trace *t, struct fore_err *e)
{
    *w = (struct fore_witness_text){.scratch = FORE_ARENA_INIT, .tables = t->tables};
    w->tables.merged = false; /* a witness has an order of its own */
    w->out = open_memstream(&w->text, &w->size);
    if (!w->out)
        return fore_fail(e, FORE_IO, "no memory for a witness");
    w->sink = fore_format_named("trace")->write(&w->scratch, w->out);
    return FORE_OK;
}

void fore_witness_text_add(struct fore_witness_text *w, const struct fore_event *events,
                           size_t n, const struct fore_case *cases)
{
    struct fore_batch b = {&w->tables, events, n, cases, false};
    w->sink->events(w->sink, &b);
}

enum fore_status fore_witness_text_close(struct fore_witness_text *w,
                                         struct fore_findings *f, struct fore_finding *x,
                                         const struct fore_expect *expects, size_t n,
                                         struct fore_err *e)
{
    struct fore_trace_end end = {.expects = expects, .expect_count = n};
    enum fore_status status = w->sink->end(w->sink, &end, e);
    fclose(w->out);
    x->witness_trace = fore_arena_strndup(&f->arena, w->text, w->size);
    free(w->text);
    fore_arena_release(&w->scratch);
    return status;
}

enum fore_status fore_finding_witness(struct fore_findings *f, struct fore_finding *x,
                                      const struct fore_trace *t,
                                      const struct fore_event *events, size_t n,
                                      const struct fore_case *cases,
                                      const struct fore_expect *expects,
                                      size_t expect_count, struct fore_err *e)
{
    struct fore_witness_text w;
    FORE_TRY(fore_witness_text_open(&w, t, e));
    fore_witness_text_add(&w, events, n, cases);
    return fore_witness_text_close(&w, f, x, expects, expect_count, e);
}

void fore_finding_id_text(uint64_t id, char out[17])
{
    snprintf(out, 17, "%016llx", (unsigned long long)id);
}

struct fore_finding *fore_findings_by_id(const struct fore_findings *f,
                                         const char *prefix)
{
    struct fore_finding *found = NULL;
    size_t n = strlen(prefix);
    for (size_t i = 0; i < f->list.n; i++) {
        char id[17];
        fore_finding_id_text(f->list.at[i]->id, id);
        if (!n || n > 16 || strncmp(id, prefix, n) != 0)
            continue;
        if (found)
            return NULL;
        found = f->list.at[i];
    }
    return found;
}
