#include "finding/load.h"

#include <stdlib.h>
#include <string.h>

static const char *member(const struct fore_json *v, const char *key)
{
    return fore_json_text(fore_json_get(v, key));
}

static void load_places(struct fore_finding *x, const struct fore_json *list)
{
    for (const struct fore_json *p = list ? list->first : NULL; p; p = p->next) {
        const struct fore_json *committed = fore_json_get(p, "committed");
        fore_vec_push(&x->places,
                      (struct fore_place){
                          .role = member(p, "role"),
                          .thread = member(p, "thread"),
                          .name = member(p, "name"),
                          .path = member(p, "path"),
                          .event = member(p, "event"),
                          .location = member(p, "location"),
                          .function = member(p, "function"),
                          .source = member(p, "source"),
                          .index = (uint64_t)fore_json_int(fore_json_get(p, "index"), 0),
                          .committed = !committed                  ? FORE_UNKNOWN
                                       : fore_json_true(committed) ? FORE_YES
                                                                   : FORE_NO,
                      });
    }
}

static void load_witness(struct fore_finding *x, const struct fore_json *list)
{
    for (const struct fore_json *s = list ? list->first : NULL; s; s = s->next)
        fore_vec_push(&x->witness,
                      (struct fore_step){
                          .thread = member(s, "thread"),
                          .name = member(s, "name"),
                          .path = member(s, "path"),
                          .event = member(s, "event"),
                          .location = member(s, "location"),
                          .note = member(s, "note"),
                          .state = member(s, "state"),
                          .index = (uint64_t)fore_json_int(fore_json_get(s, "index"), 0),
                          .irrelevant = fore_json_true(fore_json_get(s, "irrelevant")),
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
                                       member(v, "label"), member(v, "style")};
    }
}

static size_t members(const struct fore_json *list)
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
        fore_graph_node(
            g, member(n, "label"), (uint32_t)fore_json_int(fore_json_get(n, "level"), 0),
            (uint32_t)fore_json_int(fore_json_get(n, "column"), 0), member(n, "style"));
    g->title = member(v, "title");
    const struct fore_json *lanes = fore_json_get(v, "lanes");
    for (const struct fore_json *l = lanes ? lanes->first : NULL; l; l = l->next)
        fore_vec_push(&g->lanes, fore_json_text(l));
    if (g->nodes.n && members(list))
        load_edges(fore_vec_extend(&g->edges, members(list)), list, g->nodes.n);
}

static void load_timeline(struct fore_timeline *t, const struct fore_json *v)
{
    const struct fore_json *all = fore_json_get(v, "intervals"),
                           *list = fore_json_get(v, "edges");
    for (const struct fore_json *i = all ? all->first : NULL; i; i = i->next)
        fore_vec_push(
            &t->intervals,
            (struct fore_interval){member(i, "lane"), member(i, "label"),
                                   (uint64_t)fore_json_int(fore_json_get(i, "start"), 0),
                                   (uint64_t)fore_json_int(fore_json_get(i, "end"), 0),
                                   member(i, "style")});
    t->title = member(v, "title");
    if (t->intervals.n && members(list))
        load_edges(fore_vec_extend(&t->edges, members(list)), list, t->intervals.n);
}

static struct fore_completeness load_completeness(const struct fore_json *v)
{
    const struct fore_json *bound = fore_json_get(v, "bound");
    return (struct fore_completeness){
        fore_json_true(fore_json_get(v, "exhausted")),
        bound && bound->kind == FORE_JSON_STRING ? bound->text.at : NULL};
}

static void load_object(struct fore_finding *x, const struct fore_json *v)
{
    for (unsigned k = 1; k < FORE_OBJ_KINDS; k++) {
        const char *name = member(v, fore_object_kind_name(k));
        if (name[0]) {
            x->object = name;
            x->object_kind = (enum fore_object_kind)k;
        }
    }
    if (!x->object[0])
        x->object = member(v, "object");
}

enum fore_status fore_finding_load(struct fore_findings *f, const char *file,
                                   const struct fore_json *v, struct fore_err *e)
{
    const char *rule = member(v, "rule"), *id = member(v, "id");
    int verdict = fore_verdict_parse(member(v, "verdict"));
    int level = fore_level_parse(member(v, "level"));
    if (!rule[0] || !id[0] || verdict < 0 || level < 0)
        return fore_fail(e, FORE_MEANING,
                         "%s: a finding needs id, rule, level and verdict", file);
    if (!fore_rule_named(rule))
        return FORE_OK;
    struct fore_finding *x = fore_findings_restore(f, rule, (enum fore_verdict)verdict);
    x->id = strtoull(id, NULL, 16);
    x->level = (enum fore_level)level;
    x->message = member(v, "message");
    x->explanation = member(v, "explanation");
    x->trace = member(v, "trace");
    load_object(x, v);
    load_places(x, fore_json_get(v, "locations"));
    load_witness(x, fore_json_get(v, "witness"));
    load_graph(&x->graph, fore_json_get(v, "graph"));
    load_timeline(&x->timeline, fore_json_get(v, "timeline"));
    const struct fore_json *facts = fore_json_get(v, "facts");
    for (const struct fore_json *m = facts ? facts->first : NULL; m; m = m->next)
        fore_vec_push(&x->facts,
                      (struct fore_fact){member(m, "label"), member(m, "text")});
    const struct fore_json *tried = fore_json_get(v, "confirmation");
    if (tried)
        x->confirmation = (struct fore_confirmation){
            member(tried, "result"), member(tried, "reason"),
            (uint32_t)fore_json_int(fore_json_get(tried, "step"), 0)};
    x->completeness = load_completeness(fore_json_get(v, "completeness"));
    x->count = (uint64_t)fore_json_int(fore_json_get(v, "count"), 1);
    x->suppressed = fore_json_true(fore_json_get(v, "suppressed"));
    return FORE_OK;
}

enum fore_status fore_findings_load(struct fore_findings *f, const char *file,
                                    const char *text, size_t n, struct fore_err *e)
{
    const struct fore_json *doc;
    FORE_TRY(fore_json_read(&f->arena, file, text, n, &doc, e));
    if (strncmp(member(doc, "schema"), "foresee.findings/1", 18) != 0)
        return fore_fail(e, FORE_MEANING,
                         "%s: not a findings document (schema foresee.findings/1)", file);
    const struct fore_json *list = fore_json_get(doc, "findings");
    for (const struct fore_json *v = list ? list->first : NULL; v; v = v->next)
        FORE_TRY(fore_finding_load(f, file, v, e));
    const struct fore_json *traces = fore_json_get(doc, "traces");
    for (const struct fore_json *t = traces ? traces->first : NULL; t; t = t->next)
        fore_vec_push(&f->traces,
                      (struct fore_trace_summary){
                          member(t, "name"),
                          (uint64_t)fore_json_int(fore_json_get(t, "events"), 0),
                          (uint64_t)fore_json_int(fore_json_get(t, "threads"), 0),
                          (uint64_t)fore_json_int(fore_json_get(t, "lost"), 0),
                          fore_json_true(fore_json_get(t, "truncated"))});
    f->completeness = load_completeness(fore_json_get(doc, "completeness"));
    return FORE_OK;
}
