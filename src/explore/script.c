#include "explore/script.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 2.1 is no name of the notation. */
static void add_thread(int64_t id, struct fore_strbuf *out)
{
    struct fore_strbuf s = FORE_STRBUF_INIT;
    fore_actor_text(id, &s);
    if (strchr(s.at, '.'))
        fore_strbuf_printf(out, "\"%s\"", s.at);
    else
        fore_strbuf_puts(out, s.at);
    fore_strbuf_release(&s);
}

static void add_send(const struct fore_actors *w, uint32_t msg, struct fore_strbuf *out)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_message_text(w, msg, &text);
    fore_strbuf_printf(out, "send(%u->", msg);
    add_thread(w->msgs.at[msg].r.to, out);
    fore_strbuf_puts(out, ") ");
    fore_strbuf_json(out, text.at, text.n);
    fore_strbuf_release(&text);
}

static void add_call(const struct fore_explorer *s, uint32_t op, struct fore_strbuf *out)
{
    const struct fore_harness *h = s->world.harness;
    const struct fore_call *c = &h->ops.at[op];
    struct fore_strbuf v = FORE_STRBUF_INIT;
    fore_strbuf_printf(out, "invoke(\"%s\".%s", s->histories.judge.model->name, c->name);
    for (uint32_t i = 0; i < c->nargs; i++) {
        fore_strbuf_clear(&v);
        fore_harness_value_text(h, c->args[i], &v);
        bool word = isalpha((unsigned char)v.at[0]) && strcmp(v.at, "nil") != 0;
        fore_strbuf_printf(out, word ? ", \"%s\"" : ", %s", v.at);
    }
    fore_strbuf_printf(out, ")#%u", op + 1);
    fore_strbuf_release(&v);
}

/* A message of a client; or one that is under way at the start. */
static void add_invocation(const struct fore_explorer *s, uint32_t msg,
                           struct fore_strbuf *out)
{
    const struct fore_message *m = &s->world.msgs.at[msg];
    add_thread(m->r.from, out);
    fore_strbuf_puts(out, ": ");
    if (m->op >= 0) {
        add_call(s, (uint32_t)m->op, out);
        fore_strbuf_puts(out, "; ");
    }
    add_send(&s->world, msg, out);
    fore_strbuf_putc(out, '\n');
}

/* Clients invoke and send at once. */
static void add_start(const struct fore_explorer *s, struct fore_strbuf *out)
{
    const struct fore_actors *w = &s->world;
    for (uint32_t m = 1; m < w->msgs.n && !w->msgs.at[m].sent_by; m++)
        add_invocation(s, m, out);
}

static void add_step(const struct fore_explorer *s, uint32_t step,
                     struct fore_strbuf *out)
{
    const struct fore_actors *w = &s->world;
    const struct fore_receipt *r = &w->steps.at[step - 1];
    size_t sent = step < w->steps.n ? w->steps.at[step].first_sent : w->msgs.n;
    size_t replies = step < w->steps.n ? w->steps.at[step].first_reply : w->replies.n;
    if (r->how != FORE_DELIVER)
        fore_strbuf_printf(out, "# %s %u\n", fore_how_names[r->how], r->msg);
    if (r->how == FORE_DROP || r->how == FORE_CUT_FROM || r->how == FORE_CUT_TO)
        return;
    add_thread(w->msgs.at[r->msg].r.to, out);
    fore_strbuf_printf(out, ": receive(%u)", r->msg);
    for (size_t m = r->first_sent; m < sent; m++) {
        if (w->msgs.at[m].r.from < 0)
            continue;
        fore_strbuf_puts(out, "; ");
        add_send(w, (uint32_t)m, out);
    }
    fore_strbuf_putc(out, '\n');
    for (size_t i = r->first_reply; i < replies; i++) {
        const struct fore_reply *a = &w->replies.at[i];
        if (a->repeated)
            continue;
        struct fore_strbuf v = FORE_STRBUF_INIT;
        fore_harness_value_text(w->harness, a->result, &v);
        bool word = isalpha((unsigned char)v.at[0]) && strcmp(v.at, "nil") != 0;
        fore_strbuf_printf(out,
                           word ? "c%u: return(\"%s\")#%u\n" : "c%u: return(%s)#%u\n",
                           a->op + 1, v.at, a->op + 1);
        fore_strbuf_release(&v);
    }
    for (size_t m = r->first_sent; m < sent; m++)
        if (w->msgs.at[m].r.from < 0)
            add_invocation(s, (uint32_t)m, out);
}

void fore_script_write(const struct fore_explorer *s, const char *system,
                       const char *harness, const char *expect, struct fore_strbuf *out)
{
    fore_strbuf_printf(out, "foresee 1\n# explore %s %s\n", system, harness);
    add_start(s, out);
    for (uint32_t i = 1; i <= s->world.steps.n; i++)
        add_step(s, i, out);
    fore_strbuf_printf(out, "%s\n", expect);
}

/* Which fault a word names; FORE_HOWS: none. */
static enum fore_how how_named(const char *s, size_t n)
{
    enum fore_how h = FORE_DELIVER;
    while (h < FORE_HOWS &&
           (strlen(fore_how_names[h]) != n || memcmp(fore_how_names[h], s, n)))
        h++;
    return h;
}

static bool read_id(const char *s, uint32_t *out)
{
    char *end;
    unsigned long v = strtoul(s, &end, 10);
    *out = (uint32_t)v;
    return end != s && *end != ':' && v > 0 && v < 1000000; /* `2: send(…)` is a thread */
}

static bool loses_message(enum fore_how h)
{
    return h == FORE_DROP || h == FORE_CUT_FROM || h == FORE_CUT_TO;
}

/* One line. `*fault` and `*whom` remember a fault that belongs to the next receive. */
static bool script_line(struct fore_script *x, const char *line,
                        struct fore_script_step *f)
{
    struct fore_script_step step = {.how = FORE_DELIVER, .line = f->line};
    while (isspace((unsigned char)*line))
        line++;
    bool comment = *line == '#';
    line += comment;
    line += strspn(line, " \t");
    if (comment && sscanf(line, "explore %255s %255s", x->system, x->harness) == 2)
        return true;
    const char *receive = comment ? NULL : strstr(line, "receive(");
    if (receive && read_id(receive + 8, &step.msg)) {
        if (f->msg == step.msg)
            step.how = f->how;
        f->msg = 0;
        fore_vec_push(&x->steps, step);
        return true;
    }
    size_t n = strcspn(line, " \t");
    enum fore_how how = how_named(line, n);
    if (how < FORE_HOWS && read_id(line + n, &step.msg)) {
        step.how = how;
        if (comment && !loses_message(how))
            *f = step; /* the line of its receive follows */
        else
            fore_vec_push(&x->steps, step);
        return true;
    }
    if (!comment && read_id(line, &step.msg)) {
        fore_vec_push(&x->steps, step);
        return true;
    }
    return comment || !*line || strchr(line, ':') || !strncmp(line, "foresee", 7) ||
           !strncmp(line, "expect", 6);
}

enum fore_status fore_script_read(struct fore_script *x, const char *file,
                                  const char *text, size_t n, struct fore_err *e)
{
    *x = (struct fore_script){0};
    struct fore_script_step fault = {0};
    for (const char *at = text, *end = text + n; at < end;) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((nl ? nl : end) - at);
        char line[4096];
        len = len < sizeof line - 1 ? len : sizeof line - 1;
        memcpy(line, at, len);
        line[len] = '\0';
        fault.line++;
        if (!script_line(x, line, &fault))
            return fore_fail_at(
                e, FORE_SYNTAX, file, fault.line, 1,
                "expected a message number, like `deliver 3`, or a line of a "
                "witness");
        at = nl ? nl + 1 : end;
    }
    return FORE_OK;
}

void fore_script_release(struct fore_script *x)
{
    fore_vec_release(&x->steps);
}
