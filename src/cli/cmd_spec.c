#include "cli/cli.h"
#include "cli/verbs.h"

#include "analysis/lattice/watch.h"
#include "base/bitset.h"
#include "base/jsonw.h"
#include "spec/explain.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct fore_option options[] = {
    {"dot", 0, NULL, "print the automaton of each property for Graphviz"},
    {"test", 0, "RUN", "the verdict on a run typed by hand: \"w=20 v=40; w=24; v=50\""},
    {"property", 0, "NAME", "this property only"},
    {NULL, 0, NULL, NULL},
};

struct spec_view {
    struct fore_spec spec;
    struct fore_watch watch;
    const char *only;
    struct fore_strbuf out;
};

static bool is_shown(const struct spec_view *v, uint32_t p)
{
    return !v->only || !strcmp(v->only, v->spec.props.at[p].name);
}

static const struct fore_property *property_at(const struct spec_view *v, uint32_t p)
{
    return &v->spec.props.at[p];
}

/* -- What there is ----------------------------------------------------------------- */

static void write_vars(struct spec_view *v, const struct fore_property *p)
{
    const char *comma = "";
    fore_strbuf_puts(&v->out, "  variables     ");
    for (uint32_t i = 0; i < v->watch.vars; i++)
        if (fore_bit_has(p->vars, i)) {
            fore_strbuf_printf(&v->out, "%s%s", comma, v->spec.symbols.vars.at[i].name);
            comma = ", ";
        }
    fore_strbuf_puts(&v->out, *comma ? "\n" : "none\n");
}

static void write_atoms(struct spec_view *v, const struct fore_property *p)
{
    if (p->kind == FORE_PROP_MONITOR)
        return;
    fore_strbuf_puts(&v->out, "  propositions  ");
    for (uint32_t k = 0; k < p->atom_count; k++) {
        const struct fore_atom *a = &v->spec.symbols.atoms.at[p->atoms[k]];
        fore_strbuf_puts(&v->out, k ? ", " : "");
        if (a->named) {
            fore_strbuf_printf(&v->out, "%s := ", a->name);
            fore_node_text(&v->spec.symbols, a->expr, &v->out);
        } else {
            fore_strbuf_puts(&v->out, a->name);
        }
    }
    fore_strbuf_puts(&v->out, p->atom_count ? "\n" : "none\n");
}

static void write_size(struct spec_view *v, uint32_t p)
{
    struct fore_monitor_size s = fore_monitor_size(v->watch.monitors[p]);
    if (property_at(v, p)->kind == FORE_PROP_MONITOR)
        return;
    if (!s.minimal)
        fore_strbuf_puts(&v->out,
                         "  automaton     large; its states are made as they are "
                         "reached\n");
    else
        fore_strbuf_printf(
            &v->out,
            "  automaton     %u states over the %u letters that can occur, "
            "%u over all %u\n",
            s.minimal, s.possible, s.minimal_all, s.letters);
}

static void write_text(struct spec_view *v)
{
    fore_strbuf_printf(&v->out, "%s: %zu propert%s over", v->spec.src.file,
                       v->spec.props.n, v->spec.props.n == 1 ? "y" : "ies");
    for (uint32_t i = 0; i < v->watch.vars; i++)
        fore_strbuf_printf(&v->out, "%s %s", i ? "," : "",
                           v->spec.symbols.vars.at[i].name);
    fore_strbuf_puts(&v->out, v->watch.vars ? "\n" : " no variables\n");
    for (uint32_t p = 0; p < v->watch.props; p++) {
        if (!is_shown(v, p))
            continue;
        fore_strbuf_printf(&v->out, "\n%s: %.*s\n  kind          %s\n",
                           property_at(v, p)->name, (int)property_at(v, p)->span.n,
                           v->spec.src.text + property_at(v, p)->span.at,
                           fore_property_kind_text(property_at(v, p)));
        write_vars(v, property_at(v, p));
        write_atoms(v, property_at(v, p));
        write_size(v, p);
    }
}

static void json_property(struct spec_view *v, uint32_t p, struct fore_jsonw *w)
{
    const struct fore_property *x = property_at(v, p);
    struct fore_monitor_size s = fore_monitor_size(v->watch.monitors[p]);
    fore_jsonw_open(w, NULL, '{');
    fore_jsonw_text(w, "name", x->name);
    fore_jsonw_text(w, "kind", fore_property_kind_text(x));
    fore_jsonw_bytes(w, "text", v->spec.src.text + x->span.at, x->span.n);
    fore_jsonw_open(w, "variables", '[');
    for (uint32_t i = 0; i < v->watch.vars; i++)
        if (fore_bit_has(x->vars, i))
            fore_jsonw_text(w, NULL, v->spec.symbols.vars.at[i].name);
    fore_jsonw_close(w, ']');
    if (s.minimal) {
        fore_jsonw_u64(w, "states", s.minimal);
        fore_jsonw_u64(w, "states_all_letters", s.minimal_all);
        fore_jsonw_u64(w, "letters", s.possible);
        fore_jsonw_u64(w, "all_letters", s.letters);
    } else {
        fore_jsonw_null(w, "states");
    }
    fore_jsonw_close(w, '}');
}

static void write_json(struct spec_view *v)
{
    struct fore_jsonw w;
    fore_jsonw_init(&w, &v->out);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_text(&w, "file", v->spec.src.file);
    fore_jsonw_open(&w, "properties", '[');
    for (uint32_t p = 0; p < v->watch.props; p++)
        if (is_shown(v, p))
            json_property(v, p, &w);
    fore_jsonw_close(&w, ']');
    fore_jsonw_close(&w, '}');
    fore_strbuf_putc(&v->out, '\n');
}

static enum fore_status write_dot(struct spec_view *v, struct fore_err *e)
{
    for (uint32_t p = 0; p < v->watch.props; p++)
        if (is_shown(v, p) && !fore_monitor_dot(v->watch.monitors[p], &v->out))
            return fore_fail(e, FORE_MEANING, "%s: its automaton is not explicit%s",
                             property_at(v, p)->name,
                             property_at(v, p)->kind == FORE_PROP_MONITOR
                                 ? ": it is a shared object"
                                 : ": too many states");
    return FORE_OK;
}

/* -- A run typed by hand ----------------------------------------------------------- */

/* States are the groups of assignments between semicolons. */
struct test {
    struct spec_view *view;
    const char *at;
    size_t state;
    struct fore_val *values;
    bool *written;
    uint32_t *monitor; /* by property */
    FORE_VEC(uint32_t) * letters;
};

static enum fore_status assign_values(struct test *t, struct fore_err *e)
{
    const struct fore_spec *s = &t->view->spec;
    size_t n = strcspn(t->at, "= ;"), known = s->symbols.vars.n;
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(n < 127 ? n : 127), t->at);
    int var = fore_spec_var(s, name);
    if (var < 0) {
        const char *names[64];
        for (size_t i = 0; i < known && i < 64; i++)
            names[i] = s->symbols.vars.at[i].name;
        const char *near = fore_nearest(name, names, known < 64 ? known : 64);
        return fore_fail(e, FORE_USAGE,
                         near ? "--test: there is no variable `%s`; did you mean `%s`?"
                              : "--test: there is no variable `%s` in the specification",
                         name, near);
    }
    size_t used = t->at[n] == '=' ? fore_val_scan(t->at + n + 1, strlen(t->at + n + 1),
                                                  &t->values[var])
                                  : 0;
    if (!used)
        return fore_fail(e, FORE_USAGE,
                         "--test: expected `%s=` and a value, found `%.20s`", name,
                         t->at);
    t->written[var] = true;
    t->at += n + 1 + used;
    return FORE_OK;
}

static bool is_concerned(const struct test *t, uint32_t p)
{
    for (uint32_t i = 0; i < t->view->watch.vars; i++)
        if (t->written[i] && fore_watch_mentions(&t->view->watch, p, i))
            return true;
    return t->state == 0;
}

static void step_monitor(struct test *t)
{
    struct spec_view *v = t->view;
    fore_strbuf_printf(&v->out, "%4zu ", t->state);
    for (uint32_t i = 0; i < v->watch.vars; i++) {
        fore_strbuf_printf(&v->out, " %s=", v->spec.symbols.vars.at[i].name);
        fore_spec_val_text(t->values[i], &v->out);
    }
    for (uint32_t p = 0; p < v->watch.props; p++) {
        struct fore_monitor *m = v->watch.monitors[p];
        if (!is_shown(v, p))
            continue;
        bool before = t->state && fore_monitor_bad(m, t->monitor[p]);
        if (is_concerned(t, p)) {
            uint32_t letter = fore_monitor_letter(m, t->values);
            t->monitor[p] = fore_monitor_step(m, t->monitor[p], letter, t->values);
            if (!before)
                fore_vec_push(&t->letters[p], letter);
        }
        bool bad = fore_monitor_bad(m, t->monitor[p]);
        fore_strbuf_printf(&v->out, " | %s ", property_at(v, p)->name);
        if (bad)
            fore_strbuf_puts(&v->out, before ? "bad" : "bad  < violated");
        else
            fore_strbuf_printf(&v->out, "%u", t->monitor[p]);
    }
    fore_strbuf_putc(&v->out, '\n');
    memset(t->written, 0, v->watch.vars * sizeof *t->written);
    t->state++;
}

static enum fore_status read_run(struct test *t, struct fore_err *e)
{
    bool any = false;
    for (;;) {
        while (isspace((unsigned char)*t->at))
            t->at++;
        if (*t->at == ';' || *t->at == '\0') {
            if (any)
                step_monitor(t);
            any = false;
            if (!*t->at++)
                return FORE_OK;
            continue;
        }
        FORE_TRY(assign_values(t, e));
        any = true;
    }
}

static bool write_verdicts(struct test *t)
{
    struct spec_view *v = t->view;
    bool all = true;
    for (uint32_t p = 0; p < v->watch.props; p++) {
        if (!is_shown(v, p))
            continue;
        bool bad = fore_monitor_bad(v->watch.monitors[p], t->monitor[p]);
        all = all && !bad;
        fore_strbuf_printf(&v->out, "%s: %s\n", property_at(v, p)->name,
                           bad ? "violated" : "not violated");
        struct fore_blame blame = bad ? fore_explain(&v->spec, property_at(v, p),
                                                     t->letters[p].at, t->letters[p].n)
                                      : (struct fore_blame){0};
        if (!blame.node)
            continue;
        fore_strbuf_printf(&v->out, "  false in state %zu:\n", blame.position);
        fore_source_caret(&v->spec.src, blame.node->span, &v->out);
        fore_strbuf_putc(&v->out, '\n');
    }
    return all;
}

static enum fore_status write_test(struct spec_view *v, const char *text, bool *holds,
                                   struct fore_err *e)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct test t = {.view = v, .at = text};
    t.values = FORE_NEW_ARRAY(&a, struct fore_val, v->watch.vars + 1u);
    t.written = FORE_NEW_ARRAY(&a, bool, v->watch.vars + 1u);
    t.monitor = FORE_NEW_ARRAY(&a, uint32_t, v->watch.props + 1u);
    t.letters = fore_arena_array(&a, v->watch.props + 1u, sizeof *t.letters);
    for (uint32_t p = 0; p < v->watch.props; p++)
        t.monitor[p] = fore_monitor_start(v->watch.monitors[p]);
    enum fore_status status = read_run(&t, e);
    if (status == FORE_OK)
        *holds = write_verdicts(&t);
    for (uint32_t p = 0; p < v->watch.props; p++) {
        if (status == FORE_OK)
            status = fore_monitor_failure(v->watch.monitors[p], e);
        fore_vec_release(&t.letters[p]);
    }
    fore_arena_release(&a);
    return status;
}

/* ---------------------------------------------------------------------------------- */

static enum fore_status check_only(const struct spec_view *v, struct fore_err *e)
{
    const char *names[64];
    size_t n = 0;
    for (uint32_t p = 0; p < v->watch.props; p++) {
        if (is_shown(v, p))
            return FORE_OK;
        if (n < 64)
            names[n++] = property_at(v, p)->name;
    }
    const char *near = fore_nearest(v->only, names, n);
    return fore_fail(e, FORE_USAGE,
                     near ? "there is no property `%s`; did you mean `%s`?"
                          : "there is no property `%s`",
                     v->only, near);
}

static enum fore_status look_at_spec(struct fore_cli *c, struct spec_view *v, bool *holds,
                                     struct fore_err *e)
{
    const char *test = fore_params_text(&c->params, "test", NULL);
    FORE_TRY(fore_spec_load(&v->spec, c->words.v.at[0], e));
    FORE_TRY(fore_watch_init(&v->watch, &v->spec, e));
    FORE_TRY(check_only(v, e));
    if (fore_params_has(&c->params, "dot"))
        FORE_TRY(write_dot(v, e));
    else if (test)
        FORE_TRY(write_test(v, test, holds, e));
    else if (!strcmp(c->reporter->name, "json"))
        write_json(v);
    else
        write_text(v);
    return fore_cli_write(c, &v->out, e);
}

static int run_spec(struct fore_cli *c, struct fore_err *e)
{
    if (c->words.v.n != 1) {
        fore_fail(e, FORE_USAGE, "spec needs one specification: foresee spec safe.spec");
        return FORE_EXIT_ERROR;
    }
    struct spec_view v = {.only = fore_params_text(&c->params, "property", NULL),
                          .out = FORE_STRBUF_INIT};
    bool holds = true;
    enum fore_status status = look_at_spec(c, &v, &holds, e);
    fore_watch_release(&v.watch);
    fore_spec_release(&v.spec);
    fore_strbuf_release(&v.out);
    if (status != FORE_OK)
        return FORE_EXIT_ERROR;
    return holds ? FORE_EXIT_OK : FORE_EXIT_FINDINGS;
}

const struct fore_verb fore_verb_spec = {
    .name = "spec",
    .summary = "checks a specification and shows what its properties mean",
    .usage = "F [--dot | --test RUN] [--property NAME]",
    .details =
        "Prints each property of F: its variables, its kind and the size of its "
        "automaton.\n"
        "Errors point at the place. --test gives the verdict on a run typed by hand: "
        "states\n"
        "are separated by semicolons, the first one is the initial state, and a monitor\n"
        "steps when one of its property's variables is written. Exit status 1: violated.",
    .examples = "foresee spec safe.spec\n"
                "foresee spec safe.spec --dot | dot -Tsvg -o safe.svg\n"
                "foresee spec safe.spec --test \"w=20 v=40; w=24; w=27; w=31\"",
    .options = options,
    .ends_at_once = true,
    .run = run_spec,
};
