#include "analysis/lattice/property_finding.h"

#include "analysis/lattice/feed.h"
#include "spec/explain.h"

#include <string.h>

/* The run so far, replayed for words. */
struct teller {
    const struct fore_watch *w;
    const struct fore_property *prop;
    struct fore_monitor *monitor;
    struct fore_val *values;
    uint32_t state, letter;
    FORE_VEC(uint32_t) letters;
};

static void teller_step(struct teller *t)
{
    t->letter = fore_monitor_letter(t->monitor, t->values);
    t->state = fore_monitor_step(t->monitor, t->state, t->letter, t->values);
    fore_vec_push(&t->letters, t->letter);
}

static void teller_init(struct teller *t, const struct fore_watch *w, uint32_t prop)
{
    *t = (struct teller){.w = w,
                         .prop = &w->spec->props.at[prop],
                         .monitor = w->monitors[prop],
                         .values = fore_calloc(w->vars + 1u, sizeof *t->values)};
    memcpy(t->values, w->initial, w->vars * sizeof *t->values);
    t->state = fore_monitor_start(t->monitor);
    teller_step(t);
}

static void teller_release(struct teller *t)
{
    fore_free(t->values);
    fore_vec_release(&t->letters);
}

static void teller_write(struct teller *t, uint32_t prop,
                         const struct fore_lattice_step *s)
{
    t->values[s->var] = fore_written_value(&s->event);
    if (fore_watch_mentions(t->w, prop, s->var))
        teller_step(t);
}

/* "w=24 v=40 | p . . | 1" */
static const char *state_text(struct fore_findings *f, const struct teller *t)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    const struct fore_symbols *s = &t->w->spec->symbols;
    const char *blank = "";
    for (uint32_t v = 0; v < t->w->vars; v++) {
        fore_strbuf_printf(&b, "%s%s=", blank, s->vars.at[v].name);
        fore_spec_val_text(t->values[v], &b);
        blank = " ";
    }
    if (t->prop->kind != FORE_PROP_MONITOR) {
        fore_strbuf_puts(&b, " |");
        for (uint32_t k = 0; k < t->prop->atom_count; k++)
            fore_strbuf_printf(&b, " %s",
                               t->letter >> k & 1 ? s->atoms.at[t->prop->atoms[k]].name
                                                  : ".");
    }
    bool bad = fore_monitor_bad(t->monitor, t->state);
    if (bad)
        fore_strbuf_puts(&b, " | bad");
    else
        fore_strbuf_printf(&b, " | %u", t->state);
    const char *text = fore_findings_printf(f, "%s", b.at);
    fore_strbuf_release(&b);
    return text;
}

/* "w=24  v=50 …": the observed run, around the write at which the witness ends. */
static void tell_observed(struct fore_findings *f, struct fore_finding *x,
                          const struct fore_told *told)
{
    enum { BEFORE = 18, SHOWN = 24 };
    const struct fore_lattice_steps *run = told->seen, *witness = told->witness;
    uint64_t end = witness->v.n ? fore_vec_last(&witness->v).at : 0;
    size_t k = 0;
    while (k < run->v.n && run->v.at[k].at < end)
        k++;
    size_t from = k > BEFORE ? k - BEFORE : 0;
    size_t to = run->v.n - from > SHOWN ? from + SHOWN : run->v.n;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    if (from)
        fore_strbuf_printf(&b, "(%zu writes)  ", from);
    for (size_t i = from; i < to; i++) {
        fore_strbuf_printf(&b, "%s%s=", i > from ? "  " : "",
                           told->watch->spec->symbols.vars.at[run->v.at[i].var].name);
        fore_spec_val_text(fore_written_value(&run->v.at[i].event), &b);
    }
    if (to < run->v.n)
        fore_strbuf_printf(&b, "  (%zu more)", run->v.n - to);
    fore_finding_fact(f, x, FORE_FACT_OBSERVED, "%s", b.at);
    fore_strbuf_release(&b);
}

enum { MOST_SHOWN = 24 };

/* Adds the steps of the witness; the teller is left after the last one. */
static void tell_steps(struct fore_findings *f, struct fore_finding *x,
                       const struct fore_trace *t, const struct fore_told *told,
                       struct teller *teller)
{
    const struct fore_lattice_steps *run = told->witness;
    if (told->forgotten)
        fore_finding_fact(f, x, "earlier",
                          "foresee no longer knows the %llu writes before these",
                          (unsigned long long)told->forgotten);
    else
        fore_finding_fact(f, x, "start", "%s", state_text(f, teller));
    for (size_t i = 0; i < run->v.n; i++) {
        const struct fore_lattice_step *s = &run->v.at[i];
        uint32_t letter = teller->letter, state = teller->state;
        teller_write(teller, told->prop, s);
        struct fore_step *step = fore_finding_step(f, x, t, &s->event, NULL, s->index);
        bool last = i + 1 == run->v.n;
        /* in a long run, writes that do not change the monitor need not be shown */
        step->irrelevant = run->v.n > MOST_SHOWN && !last && letter == teller->letter &&
                           state == teller->state;
        if (!told->forgotten)
            step->state = state_text(f, teller);
        if (told->forgotten ? last : fore_monitor_bad(teller->monitor, teller->state))
            step->note = "violates";
    }
}

/* The write at which it breaks, and the first observed one that it has overtaken. */
static void tell_places(struct fore_findings *f, struct fore_finding *x,
                        const struct fore_trace *t, const struct fore_told *told)
{
    if (!told->witness->v.n)
        return;
    const struct fore_lattice_step *last = &fore_vec_last(&told->witness->v);
    const char *name = told->watch->spec->props.at[told->prop].name;
    fore_finding_place(f, x, fore_findings_printf(f, "violates %s", name), t,
                       &last->event, last->index);
    x->object = /* the finding outlives the specification */
        fore_findings_printf(f, "%s", told->watch->spec->symbols.vars.at[last->var].name);
    x->object_kind = FORE_OBJ_PLACE;
    struct fore_map in_witness = {0};
    for (size_t i = 0; i < told->witness->v.n; i++)
        fore_map_put(&in_witness, told->witness->v.at[i].at, NULL);
    for (size_t i = 0; i < told->seen->v.n && !told->observed; i++) {
        const struct fore_lattice_step *s = &told->seen->v.at[i];
        if (s->at >= last->at || fore_map_get(&in_witness, s->at))
            continue;
        fore_finding_place(f, x, "overtaken", t, &s->event, s->index);
        break;
    }
    fore_map_release(&in_witness);
}

/* Tells which part of the formula is false, and after which step. */
static void tell_blame(struct fore_findings *f, struct fore_finding *x,
                       const struct teller *t)
{
    const struct fore_spec *s = t->w->spec;
    struct fore_blame blame = fore_explain(s, t->prop, t->letters.at, t->letters.n);
    struct fore_span span = blame.node ? blame.node->span : t->prop->span;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    uint64_t line, column;
    fore_source_position(&s->src, span.at, &line, &column);
    if (blame.node)
        fore_node_text(&s->symbols, blame.node, &text);
    const char *place =
        fore_findings_printf(f, "%s:%llu:%llu", s->src.file, (unsigned long long)line,
                             (unsigned long long)column);
    if (blame.node)
        fore_finding_fact(f, x, "failed", "`%s` is false in state %zu (%s)", text.at,
                          blame.position, place);
    else
        fore_finding_fact(
            f, x, "failed", "%s (%s)",
            t->prop->kind == FORE_PROP_ERE       ? "the run matches the bad prefixes"
            : t->prop->kind == FORE_PROP_MATCH   ? "no continuation of the run matches"
            : t->prop->kind == FORE_PROP_MONITOR ? "the monitor reached its bad state"
                                                 : "no continuation satisfies it",
            place);
    fore_strbuf_release(&text);
}

void fore_tell_certain(struct fore_findings *f, struct fore_finding *x,
                       const struct fore_property *p)
{
    fore_finding_happened(x, FORE_VERDICT_OBSERVED);
    x->message = fore_findings_printf(f, "property %s was violated", p->name);
    x->explanation = "";
}

struct fore_finding *fore_tell(struct fore_findings *f, const struct fore_trace *t,
                               const struct fore_told *told)
{
    const struct fore_spec *spec = told->watch->spec;
    const struct fore_property *p = &spec->props.at[told->prop];
    struct fore_claim claim =
        told->unplayed ? fore_claim_unplayed(FORE_CLAUSE_NO_RUN) : fore_claim_in_order(t);
    struct fore_finding *x = fore_findings_claim(f, "property-violation", NULL, &claim);
    x->message = fore_findings_printf(
        f, "property %s breaks in %s", p->name,
        told->observed ? "an order of the writes that the observed run allows"
                       : "another order of the same writes");
    x->explanation =
        told->observed
            ? "Which of these writes came first was not recorded, only what orders them: "
              "the program made them in this order, or could have."
            : "Nothing orders these writes: every step comes after all that it read, and "
              "after all that it must not overtake. Another schedule of the threads "
              "gives this run.";
    if (told->observed && told->certain)
        fore_tell_certain(f, x, p);
    fore_finding_fact(f, x, "property", "%s: %.*s", p->name,
                      (int)(p->span.n < 300 ? p->span.n : 300),
                      spec->src.text + p->span.at);
    struct teller teller;
    teller_init(&teller, told->watch, told->prop);
    tell_places(f, x, t, told);
    if (!told->observed)
        tell_observed(f, x, told);
    tell_steps(f, x, t, told, &teller);
    if (!told->forgotten)
        tell_blame(f, x, &teller);
    teller_release(&teller);
    return x;
}

void fore_tell_counts(struct fore_findings *f, struct fore_finding *x,
                      const struct fore_observer_stats *s, const struct fore_violation *v,
                      const char *bound)
{
    struct fore_strbuf runs = FORE_STRBUF_INIT, bad = FORE_STRBUF_INIT;
    if (s->counted) {
        fore_big_text(&s->runs, &runs);
        fore_big_text(&v->runs, &bad);
        fore_finding_fact(f, x, "runs",
                          "%s of %s runs that the same causes allow violate it%s", bad.at,
                          runs.at, bound ? " (of those that were looked at)" : "");
    }
    if (!bound)
        fore_finding_fact(f, x, "complete",
                          "every run that the same causes allow was checked");
    else
        x->completeness = (struct fore_completeness){
            false, fore_findings_printf(f, "%s", bound), false};
    fore_strbuf_release(&runs);
    fore_strbuf_release(&bad);
}

/* Was the property watched to the end? A shared object may have failed on the way. */
static bool is_watched(const struct fore_watch *watch, uint32_t prop)
{
    return fore_monitor_failure(watch->monitors[prop], NULL) == FORE_OK;
}

static void count_member(struct fore_jsonw *w, const char *key, bool counted,
                         const struct fore_big *x)
{
    if (counted)
        fore_jsonw_big(w, key, x);
    else
        fore_jsonw_null(w, key);
}

static void tell_stats(struct fore_findings *f, const struct fore_watch *watch,
                       const struct fore_observer *o)
{
    const struct fore_observer_stats *s = fore_observer_stats(o);
    struct fore_strbuf out = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    fore_jsonw_init(&w, &out);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_u64(&w, "states", s->states);
    fore_jsonw_u64(&w, "levels", s->levels);
    fore_jsonw_u64(&w, "widest", s->widest);
    fore_jsonw_u64(&w, "edges", s->edges);
    count_member(&w, "runs", s->counted, &s->runs);
    fore_jsonw_open(&w, "properties", '[');
    for (uint32_t p = 0; p < watch->props; p++) {
        fore_jsonw_open(&w, NULL, '{');
        fore_jsonw_text(&w, "name", watch->spec->props.at[p].name);
        count_member(&w, "violating_runs", s->counted && is_watched(watch, p),
                     &fore_observer_violation(o, p)->runs);
        fore_jsonw_bool(&w, "observed", fore_observer_violation(o, p)->observed);
        fore_jsonw_close(&w, '}');
    }
    fore_jsonw_close(&w, ']');
    fore_jsonw_close(&w, '}');
    fore_findings_stats(f, "lattice", out.at);
    fore_strbuf_release(&out);
}

static void tell_remark(struct fore_findings *f, const struct fore_watch *watch,
                        const struct fore_observer *o)
{
    const struct fore_observer_stats *s = fore_observer_stats(o);
    struct fore_strbuf b = FORE_STRBUF_INIT;
    if (s->counted) {
        fore_strbuf_puts(&b, ", ");
        fore_big_text(&s->runs, &b);
        fore_strbuf_puts(&b, strcmp(b.at, ", 1") ? " runs" : " run");
    }
    for (uint32_t p = 0; p < watch->props && s->counted; p++) {
        fore_strbuf_printf(&b, "%s %s violated by ", p ? "," : ";",
                           watch->spec->props.at[p].name);
        if (is_watched(watch, p))
            fore_big_text(&fore_observer_violation(o, p)->runs, &b);
        else
            fore_strbuf_puts(&b, "an unknown number");
    }
    fore_findings_remark(f, "properties: %llu state%s%s", (unsigned long long)s->states,
                         s->states == 1 ? "" : "s", b.at);
    fore_strbuf_release(&b);
}

void fore_tell_figures(struct fore_findings *f, const struct fore_watch *watch,
                       const struct fore_observer *o)
{
    tell_stats(f, watch, o);
    tell_remark(f, watch, o);
}
