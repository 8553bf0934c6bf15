/* A specification is read or refused with a place; monitors of what is read are made, run on a
 * few letters, and what their formulas print reads back to the same text. */
#include "spec/monitor.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_monitor(struct fore_spec *s, const struct fore_property *p)
{
    struct fore_monitor *m;
    struct fore_err e = {0};
    if (p->kind == FORE_PROP_MONITOR || p->atom_count > 4 ||
        fore_monitor_new(s, p, &m, &e) != FORE_OK)
        return;
    struct fore_val *vals = calloc(s->symbols.vars.n + 1, sizeof *vals);
    uint32_t state = fore_monitor_start(m);
    for (int i = 0; i < 8; i++) {
        for (size_t v = 0; v < s->symbols.vars.n; v++)
            vals[v] = fore_val_int((int64_t)(i * 7 + (int)v) % 5 - 1);
        state = fore_monitor_step(m, state, fore_monitor_letter(m, vals), vals);
    }
    free(vals);
    fore_monitor_free(m);
}

static void check_text(const struct fore_spec *s, const struct fore_property *p)
{
    struct fore_strbuf once = FORE_STRBUF_INIT, twice = FORE_STRBUF_INIT;
    struct fore_spec again;
    struct fore_err e = {0};
    fore_node_text(&s->symbols, p->formula, &once);
    char *text = NULL;
    if (asprintf(&text, "property f: %s", once.at) > 0 &&
        fore_spec_parse(&again, "again", text, strlen(text), &e) == FORE_OK) {
        if (again.props.n == 1 && again.props.at[0].formula)
            fore_node_text(&again.symbols, again.props.at[0].formula, &twice);
        FORE_BUG_IF(strcmp(once.at, twice.at) != 0);
        fore_spec_release(&again);
    } else if (text) {
        fore_spec_release(&again);
    }
    free(text);
    fore_strbuf_release(&once);
    fore_strbuf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fore_spec s;
    struct fore_err e = {0};
    if (size > 400) /* automata can be large; what is looked for here is not */
        return 0;
    enum fore_status status = fore_spec_parse(&s, "fuzz", (const char *)data, size, &e);
    FORE_BUG_IF(status != FORE_OK && e.line == 0);
    bool plain = true; /* names of definitions print as themselves */
    for (size_t i = 0; i < s.symbols.atoms.n; i++)
        plain = plain && !s.symbols.atoms.at[i].named;
    for (size_t i = 0; status == FORE_OK && i < s.props.n; i++) {
        run_monitor(&s, &s.props.at[i]);
        if (plain && s.props.at[i].kind == FORE_PROP_LTL)
            check_text(&s, &s.props.at[i]);
    }
    fore_spec_release(&s);
    return 0;
}
