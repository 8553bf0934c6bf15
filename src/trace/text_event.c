/* One event in the notation: a row per kind says which shape its text has. */
#include "trace/text.h"

struct event_shape {
    const struct fore_tables *t;
    const struct fore_event *e;
    const struct fore_case *cases;
    bool which_send;
    struct fore_strbuf *out;
};

static void open_with(const struct event_shape *s)
{
    fore_strbuf_puts(s->out, fore_kind_name(s->e->kind));
    fore_strbuf_putc(s->out, '(');
}

static void write_bare(const struct event_shape *s)
{
    fore_strbuf_puts(s->out, fore_kind_name(s->e->kind));
}

static void write_thread(const struct event_shape *s)
{
    open_with(s);
    fore_text_label(s->t, (uint32_t)s->e->a, s->out);
    fore_strbuf_putc(s->out, ')');
}

static void write_object(const struct event_shape *s)
{
    open_with(s);
    fore_text_object(s->t, s->e->object, s->out);
    fore_strbuf_putc(s->out, ')');
}

static void one_case(const struct event_shape *s, const struct fore_case *c)
{
    if (c->kind == FORE_CASE_DEFAULT || c->kind == FORE_CASE_TIMEOUT) {
        fore_strbuf_puts(s->out, c->kind == FORE_CASE_DEFAULT ? "default" : "timeout");
        return;
    }
    fore_text_object(s->t, c->chan, s->out);
    fore_strbuf_putc(s->out, c->kind == FORE_CASE_SEND ? '!' : '?');
}

static void write_pre(const struct event_shape *s)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_event_cases(s->e, s->cases, &one, &n);
    fore_strbuf_puts(s->out, "pre(");
    for (size_t i = 0; i < n; i++) {
        if (i)
            fore_strbuf_puts(s->out, ", ");
        one_case(s, &c[i]);
    }
    fore_strbuf_putc(s->out, ')');
}

static void write_send(const struct event_shape *s)
{
    fore_strbuf_puts(s->out, "post(");
    fore_text_object(s->t, s->e->object, s->out);
    if (s->e->flags & FORE_F_CLOSED) {
        fore_strbuf_puts(s->out, "!closed)");
        return;
    }
    fore_strbuf_putc(s->out, '!');
    if (s->t->objects.at[s->e->object].capacity) {
        fore_strbuf_putc(s->out, '#');
        fore_strbuf_u64(s->out, s->e->a);
    }
    fore_strbuf_putc(s->out, ')');
}

static void write_receive(const struct event_shape *s)
{
    fore_strbuf_puts(s->out, "post(");
    if (s->e->flags & FORE_F_CLOSED) {
        fore_strbuf_putc(s->out, '0');
    } else if (s->t->objects.at[s->e->object].capacity) {
        fore_strbuf_u64(s->out, s->e->a);
    } else {
        fore_text_label(s->t, (uint32_t)s->e->a, s->out);
        if (s->which_send) {
            fore_strbuf_putc(s->out, '/');
            fore_strbuf_u64(s->out, s->e->b);
        }
    }
    fore_strbuf_putc(s->out, '#');
    fore_text_object(s->t, s->e->object, s->out);
    fore_strbuf_puts(s->out, "?)");
}

static void select_(const struct event_shape *s)
{
    fore_strbuf_puts(s->out, "post(select)");
}

static void close_(const struct event_shape *s)
{
    write_object(s);
    if (s->e->flags & FORE_F_CLOSED)
        fore_strbuf_puts(s->out, "=closed");
}

static void write_try(const struct event_shape *s)
{
    write_object(s);
    fore_strbuf_puts(s->out, s->e->flags & FORE_F_BUSY ? "=busy" : "=ok");
}

static void write_once(const struct event_shape *s)
{
    write_object(s);
    if (s->e->flags & FORE_F_BUSY)
        fore_strbuf_puts(s->out, "=waited");
    else if (!(s->e->flags & FORE_F_PRE))
        fore_strbuf_puts(s->out, "=ran");
}

static void write_condition(const struct event_shape *s)
{
    open_with(s);
    fore_text_object(s->t, s->e->object, s->out);
    fore_strbuf_puts(s->out, ", ");
    fore_text_object(s->t, (uint32_t)s->e->a, s->out);
    fore_strbuf_putc(s->out, ')');
}

static void write_wake(const struct event_shape *s)
{
    open_with(s);
    fore_text_object(s->t, s->e->object, s->out);
    if (s->e->a) {
        fore_strbuf_puts(s->out, ", ");
        fore_text_label(s->t, (uint32_t)s->e->a, s->out);
    }
    fore_strbuf_putc(s->out, ')');
}

static void write_counted(const struct event_shape *s)
{
    open_with(s);
    fore_text_object(s->t, s->e->object, s->out);
    fore_strbuf_puts(s->out, ", ");
    fore_value_text(s->t, (struct fore_value){FORE_VALUE_INT, s->e->a}, s->out);
    fore_strbuf_putc(s->out, ')');
}

static void write_units(const struct event_shape *s)
{
    if (s->e->a == 1)
        write_object(s);
    else
        write_counted(s);
}

static void write_acquire(const struct event_shape *s)
{
    write_units(s);
    if (s->e->flags & FORE_F_BUSY)
        fore_strbuf_puts(s->out, "=tried");
}

static void write_access(const struct event_shape *s)
{
    struct fore_value a = {fore_event_type_a(s->e), s->e->a};
    struct fore_value b = {fore_event_type_b(s->e), s->e->b};
    fore_strbuf_puts(s->out, fore_kind_name(s->e->kind));
    fore_strbuf_puts(s->out, fore_text_orders[fore_event_order(s->e)]);
    if (s->e->kind == FORE_EV_FENCE)
        return;
    fore_strbuf_putc(s->out, '(');
    fore_text_object(s->t, s->e->object, s->out);
    fore_strbuf_putc(s->out, ')');
    if (!a.type || (s->e->kind == FORE_EV_RMW && !b.type))
        return;
    fore_strbuf_putc(s->out, '=');
    fore_value_text(s->t, a, s->out);
    if (s->e->kind != FORE_EV_RMW)
        return;
    fore_strbuf_puts(s->out, "->");
    fore_value_text(s->t, b, s->out);
}

/* An unknown thing is written "". */
static void write_outside(const struct event_shape *s)
{
    struct fore_value a = {fore_event_type_a(s->e), s->e->a};
    open_with(s);
    if (s->e->object)
        fore_text_object(s->t, s->e->object, s->out);
    else
        fore_strbuf_puts(s->out, "\"\"");
    fore_strbuf_putc(s->out, ')');
    if (!a.type)
        return;
    fore_strbuf_putc(s->out, '=');
    fore_value_text(s->t, a, s->out);
}

static void write_misuse(const struct event_shape *s)
{
    write_object(s);
    fore_strbuf_putc(s->out, '=');
    fore_value_text(s->t, (struct fore_value){FORE_VALUE_STRING, s->e->a}, s->out);
}

static void write_asend(const struct event_shape *s)
{
    fore_strbuf_puts(s->out, "send(");
    fore_strbuf_u64(s->out, s->e->a);
    fore_strbuf_puts(s->out, "->");
    fore_text_label(s->t, (uint32_t)s->e->b, s->out);
    fore_strbuf_putc(s->out, ')');
    if (s->e->object) {
        struct fore_bytes b = fore_intern_bytes(&s->t->strings, s->e->object);
        fore_strbuf_putc(s->out, ' ');
        fore_strbuf_json(s->out, b.at, b.n);
    }
}

static void write_arecv(const struct event_shape *s)
{
    fore_strbuf_puts(s->out, "receive(");
    fore_strbuf_u64(s->out, s->e->a);
    fore_strbuf_putc(s->out, ')');
}

static void write_number(const struct event_shape *s)
{
    if (s->e->b) {
        fore_strbuf_putc(s->out, '#');
        fore_strbuf_u64(s->out, s->e->b);
    }
}

static void write_invoke(const struct event_shape *s)
{
    struct fore_bytes op = fore_intern_bytes(&s->t->strings, (uint32_t)s->e->a);
    struct fore_bytes args = fore_intern_bytes(&s->t->strings, (uint32_t)(s->e->a >> 32));
    open_with(s);
    fore_text_object(s->t, s->e->object, s->out);
    fore_strbuf_putc(s->out, '.');
    fore_text_name(op.at, op.n, s->out);
    if (args.n) {
        fore_strbuf_puts(s->out, ", ");
        fore_strbuf_add(s->out, args.at, args.n);
    }
    fore_strbuf_putc(s->out, ')');
    write_number(s);
}

static void write_return(const struct event_shape *s)
{
    open_with(s);
    fore_value_text(s->t, (struct fore_value){fore_event_type_a(s->e), s->e->a}, s->out);
    fore_strbuf_putc(s->out, ')');
    write_number(s);
}

static void write_outcome(const struct event_shape *s)
{
    write_bare(s);
    write_number(s);
}

static void (*const shapes[FORE_KINDS])(const struct event_shape *) = {
    [FORE_EV_NONE] = write_bare,       [FORE_EV_SIGNAL] = write_thread,
    [FORE_EV_WAIT] = write_thread,     [FORE_EV_END] = write_bare,
    [FORE_EV_EXIT] = write_bare,       [FORE_EV_PANIC] = write_bare,
    [FORE_EV_JOIN] = write_thread,     [FORE_EV_PRE] = write_pre,
    [FORE_EV_SEND] = write_send,       [FORE_EV_RECV] = write_receive,
    [FORE_EV_SELECT] = select_,        [FORE_EV_CLOSE] = close_,
    [FORE_EV_LOCK] = write_object,     [FORE_EV_TRYLOCK] = write_try,
    [FORE_EV_UNLOCK] = write_object,   [FORE_EV_RLOCK] = write_object,
    [FORE_EV_TRYRLOCK] = write_try,    [FORE_EV_RUNLOCK] = write_object,
    [FORE_EV_CWAIT] = write_condition, [FORE_EV_CWOKEN] = write_condition,
    [FORE_EV_CSIGNAL] = write_wake,    [FORE_EV_CBROADCAST] = write_object,
    [FORE_EV_ACQUIRE] = write_acquire, [FORE_EV_RELEASE] = write_units,
    [FORE_EV_BARRIER] = write_counted, [FORE_EV_ONCE] = write_once,
    [FORE_EV_WGADD] = write_counted,   [FORE_EV_WGDONE] = write_object,
    [FORE_EV_WGWAIT] = write_object,   [FORE_EV_ARM] = write_object,
    [FORE_EV_FIRE] = write_object,     [FORE_EV_READ] = write_access,
    [FORE_EV_WRITE] = write_access,    [FORE_EV_RMW] = write_access,
    [FORE_EV_FENCE] = write_access,    [FORE_EV_ALLOC] = write_counted,
    [FORE_EV_FREE] = write_object,     [FORE_EV_SPAWN] = write_thread,
    [FORE_EV_ASEND] = write_asend,     [FORE_EV_ARECV] = write_arecv,
    [FORE_EV_INVOKE] = write_invoke,   [FORE_EV_RETURN] = write_return,
    [FORE_EV_FAIL] = write_outcome,    [FORE_EV_INFO] = write_outcome,
    [FORE_EV_USE] = write_bare,        [FORE_EV_IN] = write_outside,
    [FORE_EV_OUT] = write_outside,     [FORE_EV_MISUSE] = write_misuse,
};

void fore_text_event(const struct fore_tables *t, const struct fore_event *e,
                     const struct fore_case *cases, bool which_send,
                     struct fore_strbuf *out)
{
    struct event_shape s = {t, e, cases, which_send, out};
    bool block = (e->flags & FORE_F_PRE) && e->kind != FORE_EV_PRE;
    FORE_BUG_IF(e->kind >= FORE_KINDS);
    if (block)
        fore_strbuf_puts(out, "pre(");
    shapes[e->kind](&s);
    if (block)
        fore_strbuf_putc(out, ')');
}
