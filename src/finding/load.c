#include "finding/load.h"

#include "base/path.h"
#include <stdlib.h>
#include <string.h>

static const char *member_text(const struct fore_json *v, const char *key)
{
    return fore_json_text(fore_json_get(v, key));
}

static uint32_t load_frame(const struct fore_json *v, const char *key)
{
    const struct fore_json *n = fore_json_get(v, key);
    int64_t i = n ? fore_json_int(n, -1) : -1;
    return i >= 0 && i < UINT32_MAX - 1 ? (uint32_t)i + 1 : 0;
}

static void load_places(struct fore_finding *x, const struct fore_json *list)
{
    for (const struct fore_json *p = list ? list->first : NULL; p; p = p->next) {
        const struct fore_json *committed = fore_json_get(p, "committed");
        fore_vec_push(&x->places,
                      (struct fore_place){
                          .role = member_text(p, "role"),
                          .thread = member_text(p, "thread"),
                          .name = member_text(p, "name"),
                          .path = member_text(p, "path"),
                          .event = member_text(p, "event"),
                          .location = member_text(p, "location"),
                          .function = member_text(p, "function"),
                          .source = member_text(p, "source"),
                          .index = (uint64_t)fore_json_int(fore_json_get(p, "index"), 0),
                          .frame = load_frame(p, "frame"),
                          .begins = member_text(p, "begins"),
                          .committed = !committed                  ? FORE_UNKNOWN
                                       : fore_json_true(committed) ? FORE_YES
                                                                   : FORE_NO,
                      });
    }
}

static struct fore_deed *load_deed(struct fore_arena *a, const struct fore_json *s)
{
    const struct fore_json *at = fore_json_get(s, "at");
    if (!fore_json_get(s, "does"))
        return NULL;
    struct fore_deed *d = FORE_NEW(a, struct fore_deed);
    *d = (struct fore_deed){
        .does = member_text(s, "does"),
        .kind = member_text(s, "kind"),
        .object = member_text(s, "on"),
        .value = member_text(s, "value"),
        .other = member_text(s, "other"),
        .message = member_text(s, "carries"),
        .waits = fore_json_true(fore_json_get(s, "waits")),
        .odd = fore_json_true(fore_json_get(s, "odd")),
        .frame = load_frame(s, "frame"),
        .at = at ? (uint64_t)fore_json_int(at, -1) + 1 : 0,
    };
    return d;
}

static struct fore_step load_step(struct fore_arena *a, const struct fore_json *s)
{
    return (struct fore_step){
        .thread = member_text(s, "thread"),
        .name = member_text(s, "name"),
        .path = member_text(s, "path"),
        .event = member_text(s, "event"),
        .location = member_text(s, "location"),
        .note = member_text(s, "note"),
        .state = member_text(s, "state"),
        .index = (uint64_t)fore_json_int(fore_json_get(s, "index"), 0),
        .irrelevant = fore_json_true(fore_json_get(s, "irrelevant")),
        .deed = load_deed(a, s),
    };
}

static const struct fore_json *first_of(const struct fore_json *v, const char *key)
{
    const struct fore_json *list = fore_json_get(v, key);
    return list ? list->first : NULL;
}

static void load_runs(struct fore_arena *a, struct fore_finding *x,
                      const struct fore_json *v)
{
    for (const struct fore_json *s = first_of(v, "witness"); s; s = s->next)
        fore_vec_push(&x->witness, load_step(a, s));
    for (const struct fore_json *s = first_of(v, "observed"); s; s = s->next)
        fore_vec_push(&x->observed, load_step(a, s));
    for (const struct fore_json *s = first_of(v, "frames"); s; s = s->next)
        fore_vec_push(&x->frames, (struct fore_call_frame){member_text(s, "function"),
                                                           member_text(s, "location"),
                                                           load_frame(s, "up"), 0});
    for (const struct fore_json *s = first_of(v, "threads"); s; s = s->next)
        fore_vec_push(&x->threads, (struct fore_thread_note){
                                       .thread = member_text(s, "thread"),
                                       .name = member_text(s, "name"),
                                       .path = member_text(s, "path"),
                                       .called = member_text(s, "called"),
                                       .first = member_text(s, "first"),
                                       .started = member_text(s, "started"),
                                       .events = (uint64_t)fore_json_int(
                                           fore_json_get(s, "events"), 0),
                                   });
}

static void load_edges(struct fore_graph_edge *to, const struct fore_json *list,
                       size_t nodes)
{
    for (const struct fore_json *v = list ? list->first : NULL; v; v = v->next, to++) {
        uint64_t from = (uint64_t)fore_json_int(fore_json_get(v, "from"), 0);
        uint64_t into = (uint64_t)fore_json_int(fore_json_get(v, "to"), 0);
        *to = (struct fore_graph_edge){(uint32_t)(from < nodes ? from : 0),
                                       (uint32_t)(into < nodes ? into : 0),
                                       member_text(v, "label"), member_text(v, "style")};
    }
}

static size_t count_members(const struct fore_json *list)
{
    size_t n = 0;
    for (const struct fore_json *v = list ? list->first : NULL; v; v = v->next)
        n++;
    return n;
}

static void load_graph(struct fore_graph *g, const struct fore_json *v)
{
    const struct fore_json *nodes = fore_json_get(v, "nodes"),
                           *list = fore_json_get(v, "edges");
    for (const struct fore_json *n = nodes ? nodes->first : NULL; n; n = n->next)
        fore_graph_node(g, member_text(n, "label"),
                        (uint32_t)fore_json_int(fore_json_get(n, "level"), 0),
                        (uint32_t)fore_json_int(fore_json_get(n, "column"), 0),
                        member_text(n, "style"));
    g->title = member_text(v, "title");
    const struct fore_json *lanes = fore_json_get(v, "lanes");
    for (const struct fore_json *l = lanes ? lanes->first : NULL; l; l = l->next)
        fore_vec_push(&g->lanes, fore_json_text(l));
    if (g->nodes.n && count_members(list))
        load_edges(fore_vec_extend(&g->edges, count_members(list)), list, g->nodes.n);
}

static struct fore_interval load_interval(const struct fore_json *i)
{
    return (struct fore_interval){member_text(i, "lane"),
                                  member_text(i, "label"),
                                  (uint64_t)fore_json_int(fore_json_get(i, "start"), 0),
                                  (uint64_t)fore_json_int(fore_json_get(i, "end"), 0),
                                  member_text(i, "style"),
                                  member_text(i, "location")};
}

/* Accepts only orders whose operations exist, with a state for each. */
static void load_partial(struct fore_arena *a, struct fore_timeline *t,
                         const struct fore_json *v)
{
    for (const struct fore_json *p = first_of(v, "partial"); p; p = p->next) {
        size_t n = count_members(fore_json_get(p, "order")), k = 0;
        uint32_t *ops = FORE_NEW_ARRAY(a, uint32_t, n + 1);
        const char **states = FORE_NEW_ARRAY(a, const char *, n + 1);
        const struct fore_json *s = first_of(p, "states");
        for (const struct fore_json *i = first_of(p, "order"); i && s;
             i = i->next, s = s->next) {
            if ((uint64_t)fore_json_int(i, -1) >= t->intervals.n)
                break;
            ops[k] = (uint32_t)fore_json_int(i, 0);
            states[k++] = fore_json_text(s);
        }
        fore_vec_push(&t->partial, (struct fore_partial_order){ops, states, k});
    }
}

static void load_timeline(struct fore_arena *a, struct fore_timeline *t,
                          const struct fore_json *v)
{
    const struct fore_json *list = fore_json_get(v, "edges");
    for (const struct fore_json *i = first_of(v, "intervals"); i; i = i->next)
        fore_vec_push(&t->intervals, load_interval(i));
    for (const struct fore_json *i = first_of(v, "others"); i; i = i->next)
        fore_vec_push(&t->others, load_interval(i));
    for (const struct fore_json *i = first_of(v, "order"); i; i = i->next)
        if ((uint64_t)fore_json_int(i, -1) < t->intervals.n)
            fore_vec_push(&t->order, (uint32_t)fore_json_int(i, 0));
    for (const struct fore_json *i = first_of(v, "states"); i; i = i->next)
        if (t->states.n < t->order.n)
            fore_vec_push(&t->states, fore_json_text(i));
    load_partial(a, t, v);
    t->title = member_text(v, "title");
    t->state = member_text(v, "state");
    if (t->intervals.n && count_members(list))
        load_edges(fore_vec_extend(&t->edges, count_members(list)), list, t->intervals.n);
}

static struct fore_completeness load_completeness(const struct fore_json *v)
{
    const struct fore_json *bound = fore_json_get(v, "bound");
    return (struct fore_completeness){
        fore_json_true(fore_json_get(v, "exhausted")),
        bound && bound->kind == FORE_JSON_STRING ? bound->text.at : NULL, false};
}

static void load_object(struct fore_finding *x, const struct fore_json *v)
{
    for (unsigned k = 1; k < FORE_OBJ_KINDS; k++) {
        const char *name = member_text(v, fore_object_kind_name(k));
        if (name[0]) {
            x->object = name;
            x->object_kind = (enum fore_object_kind)k;
        }
    }
    if (!x->object[0])
        x->object = member_text(v, "object");
}

enum fore_status fore_finding_load(struct fore_findings *f, const char *file,
                                   const struct fore_json *v, struct fore_err *e)
{
    const char *rule = member_text(v, "rule"), *id = member_text(v, "id");
    int verdict = fore_verdict_parse(member_text(v, "verdict"));
    int level = fore_level_parse(member_text(v, "level"));
    if (!rule[0] || !id[0] || verdict < 0 || level < 0)
        return fore_fail(e, FORE_MEANING,
                         "%s: a finding needs id, rule, level and verdict", file);
    if (!fore_rule_named(rule))
        return FORE_OK;
    struct fore_finding *x = fore_findings_restore(f, rule, (enum fore_verdict)verdict);
    x->id = strtoull(id, NULL, 16);
    x->level = (enum fore_level)level;
    x->message = member_text(v, "message");
    x->explanation = member_text(v, "explanation");
    x->trace = member_text(v, "trace");
    x->test = member_text(v, "test");
    x->package = member_text(v, "package");
    x->alone = member_text(v, "alone");
    int of = fore_witness_of_parse(member_text(v, "witness_of"));
    x->witness_of = of < 0 ? FORE_WITNESS_OF_PROGRAM : (enum fore_witness_of)of;
    const struct fore_json *also = fore_json_get(v, "also_in");
    for (const struct fore_json *t = also ? also->first : NULL; t; t = t->next)
        fore_vec_push(&x->also_in, fore_json_text(t));
    load_object(x, v);
    load_places(x, fore_json_get(v, "locations"));
    load_runs(&f->arena, x, v);
    load_graph(&x->graph, fore_json_get(v, "graph"));
    load_timeline(&f->arena, &x->timeline, fore_json_get(v, "timeline"));
    const struct fore_json *facts = fore_json_get(v, "facts");
    for (const struct fore_json *m = facts ? facts->first : NULL; m; m = m->next)
        fore_vec_push(&x->facts, (struct fore_fact){member_text(m, "label"),
                                                    member_text(m, "text")});
    const struct fore_json *tried = fore_json_get(v, "confirmation");
    if (tried)
        x->confirmation = (struct fore_confirmation){
            fore_tried_parse(member_text(tried, "result")), member_text(tried, "reason"),
            (uint32_t)fore_json_int(fore_json_get(tried, "step"), 0)};
    x->completeness = load_completeness(fore_json_get(v, "completeness"));
    x->count = (uint64_t)fore_json_int(fore_json_get(v, "count"), 1);
    x->suppressed = fore_json_true(fore_json_get(v, "suppressed"));
    return FORE_OK;
}

static void load_sources(struct fore_findings *f, const struct fore_json *doc)
{
    for (const struct fore_json *s = first_of(doc, "sources"); s; s = s->next) {
        const struct fore_json *lines = fore_json_get(s, "lines");
        size_t n = count_members(lines), i = 0;
        if (!n)
            continue;
        const char **kept = fore_arena_alloc(&f->arena, n * sizeof *kept);
        for (const struct fore_json *l = lines->first; l; l = l->next)
            kept[i++] = fore_json_text(l);
        fore_vec_push(&f->excerpts.v,
                      (struct fore_excerpt){
                          member_text(s, "file"),
                          (uint32_t)fore_json_int(fore_json_get(s, "from"), 1), kept, n});
    }
}

static void load_stats(struct fore_findings *f, const struct fore_json *doc)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    for (const struct fore_json *s = first_of(doc, "stats"); s; s = s->next) {
        fore_strbuf_clear(&text);
        fore_json_write(s, &text);
        if (s->key.n)
            fore_findings_stats(f, s->key.at, text.at);
    }
    fore_strbuf_release(&text);
}

enum fore_status fore_findings_load(struct fore_findings *f, const char *file,
                                    const char *text, size_t n, struct fore_err *e)
{
    const struct fore_json *doc;
    FORE_TRY(fore_json_read(&f->arena, file, text, n, &doc, e));
    return fore_findings_load_json(f, file, doc, e);
}

enum fore_status fore_findings_load_json(struct fore_findings *f, const char *file,
                                         const struct fore_json *doc, struct fore_err *e)
{
    if (!fore_begins_with(member_text(doc, "schema"), "foresee.findings/1"))
        return fore_fail(e, FORE_MEANING,
                         "%s: not a findings document (schema foresee.findings/1)", file);
    const struct fore_json *list = fore_json_get(doc, "findings");
    for (const struct fore_json *v = list ? list->first : NULL; v; v = v->next)
        FORE_TRY(fore_finding_load(f, file, v, e));
    load_sources(f, doc);
    load_stats(f, doc);
    const struct fore_json *traces = fore_json_get(doc, "traces");
    for (const struct fore_json *t = traces ? traces->first : NULL; t; t = t->next)
        fore_vec_push(&f->traces,
                      (struct fore_trace_summary){
                          member_text(t, "name"),
                          (uint64_t)fore_json_int(fore_json_get(t, "events"), 0),
                          (uint64_t)fore_json_int(fore_json_get(t, "threads"), 0),
                          (uint64_t)fore_json_int(fore_json_get(t, "lost"), 0),
                          fore_json_true(fore_json_get(t, "truncated")),
                          member_text(t, "file")});
    f->completeness = load_completeness(fore_json_get(doc, "completeness"));
    return FORE_OK;
}

enum fore_status fore_err_load(const struct fore_json *v, struct fore_err *e)
{
    enum fore_status s = (enum fore_status)fore_json_int(fore_json_get(v, "status"), 0);
    const struct fore_json *offset = fore_json_get(v, "offset");
    const char *file = member_text(v, "file"), *words = member_text(v, "message");
    uint64_t line = (uint64_t)fore_json_int(fore_json_get(v, "line"), 0);
    uint64_t column = (uint64_t)fore_json_int(fore_json_get(v, "column"), 0);
    if (offset)
        return fore_fail_offset(e, s, file, (uint64_t)fore_json_int(offset, 0), "%s",
                                words);
    if (file[0])
        return fore_fail_at(e, s, file, line, column, "%s", words);
    return fore_fail(e, s, "%s", words);
}
