#include "history/model.h"

#include <string.h>

static bool has_word(const char *words, const char *name, size_t n)
{
    for (;;) {
        size_t i = 0;
        while (i < n && words[i] && words[i] == name[i])
            i++;
        if (i == n && (words[i] == ' ' || words[i] == '\0'))
            return true;
        words += i;
        while (*words && *words != ' ')
            words++;
        if (!*words++)
            return false;
    }
}

const struct fore_model *fore_model_find(const char *name)
{
    for (size_t i = 0; fore_models[i]; i++) {
        const struct fore_model *m = fore_models[i];
        if (!strcmp(m->name, name) ||
            (m->aliases && has_word(m->aliases, name, strlen(name))))
            return m;
    }
    return NULL;
}

int fore_model_op_find(const struct fore_model *m, const char *name, size_t n)
{
    for (size_t i = 0; i < m->n_ops; i++)
        if (has_word(m->ops[i].names, name, n))
            return (int)i;
    return -1;
}

struct fore_bytes fore_model_op_name(const struct fore_model *m, uint16_t f)
{
    const char *names = m->ops[f].names;
    return (struct fore_bytes){names, strcspn(names, " ")};
}

/* Containers answer nil when they are empty, so nil cannot be inside from the start. */
static bool holds_nil(const struct fore_vals *t, fore_val list)
{
    size_t n;
    const fore_val *items = fore_val_items(t, list, &n);
    for (size_t i = 0; i < n; i++)
        if (fore_val_is(items[i], FORE_NIL))
            return true;
    return false;
}

bool fore_model_start_from(const struct fore_model *m, struct fore_vals *t, fore_val init,
                           fore_val *state)
{
    if (m->start)
        return !holds_nil(t, init) && m->start(m, t, init, state);
    *state = init;
    return true;
}

bool fore_model_start(const struct fore_model *m, struct fore_vals *t, const char *init,
                      fore_val *state)
{
    fore_val v;
    const char *text = init ? init : m->init;
    if (!*text)
        v = fore_val_string(t, "", 0);
    else if (!fore_val_parse(t, text, strlen(text), &v))
        return false;
    return fore_model_start_from(m, t, v, state);
}

void fore_model_state_text(const struct fore_model *m, const struct fore_vals *t,
                           fore_val state, struct fore_strbuf *out)
{
    if (m->state_text)
        m->state_text(m, t, state, out);
    else
        fore_val_text(t, state, out);
}

bool fore_op_idle(const struct fore_model *m, const struct fore_op *op, bool nil_is_put)
{
    const struct fore_model_op *what = &m->ops[op->f];
    if (what->role == FORE_ROLE_LOOK)
        return true;
    if (what->answer == FORE_ANSWER_BOOL)
        return fore_val_is(op->result, FORE_FALSE);
    return what->role == FORE_ROLE_TAKE && !nil_is_put &&
           fore_val_is(op->result, FORE_NIL);
}

void fore_op_text(const struct fore_model *m, const struct fore_vals *t,
                  const struct fore_op *op, struct fore_strbuf *out)
{
    struct fore_bytes name = fore_model_op_name(m, op->f);
    fore_strbuf_add(out, name.at, name.n);
    for (size_t i = 0; i < m->ops[op->f].nargs; i++) {
        fore_strbuf_putc(out, ' ');
        fore_val_text(t, op->arg[i], out);
    }
    if (fore_op_pending(op) || fore_val_is(op->result, FORE_ANY))
        return;
    fore_strbuf_putc(out, '=');
    fore_val_text(t, op->result, out);
}
