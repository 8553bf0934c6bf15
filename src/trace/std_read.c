/* Reads STD, the text format of RAPID and of other race predictors: an event per line,
 *
 *     T1|acq(L3)|120          thread|operation(operand)|location
 *
 * Operations: r, w, acq, rel, fork, join. `begin`, `end` (of atomic blocks) and `branch` say
 * nothing about the order, and are skipped and counted. A forked thread has no first event
 * in this format, so the reader adds its wait. Locks are Java's, which are recursive. */
#include "base/utf8.h"
#include "trace/check.h"
#include "trace/formats.h"
#include "trace/text_tok.h"

enum { BATCH = 4096 };

static const struct operation {
    const char *word;
    enum fore_kind kind; /* NONE: skipped */
} operations[] = {
    {"r", FORE_EV_READ},     {"w", FORE_EV_WRITE},     {"acq", FORE_EV_LOCK},
    {"rel", FORE_EV_UNLOCK}, {"fork", FORE_EV_SIGNAL}, {"join", FORE_EV_JOIN},
    {"begin", FORE_EV_NONE}, {"end", FORE_EV_NONE},    {"branch", FORE_EV_NONE},
};

struct std_reader {
    struct fore_tok tok;
    struct fore_tables *tables;
    struct fore_sink *sink;
    struct fore_check check;
    FORE_VEC(struct fore_event) events;
    FORE_VEC(bool) seen; /* by thread: it has events */
    uint64_t skipped;
    bool stopped, any;
};

static const struct operation *operation_named(const char *s, size_t n)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strlen(operations[i].word) == n && memcmp(operations[i].word, s, n) == 0)
            return &operations[i];
    return NULL;
}

static bool in_field(int c)
{
    return c > ' ' && c != '|' && c != '(' && c != ')';
}

static bool in_location(int c)
{
    return c >= ' ' && c != '|';
}

static enum fore_status read_field(struct std_reader *r, bool (*in)(int),
                                   const char *what, struct fore_bytes *b)
{
    char *from;
    FORE_TRY(fore_tok_run(&r->tok, in, &from));
    *b = (struct fore_bytes){from, (size_t)(r->tok.p - from)};
    for (size_t i = 0, len; i < b->n; i += len) {
        len = fore_utf8_next(b->at + i, b->n - i, NULL);
        if (!len)
            return fore_tok_fail(&r->tok, FORE_SYNTAX, "a name must be UTF-8");
    }
    return b->n ? FORE_OK : fore_tok_expected(&r->tok, what);
}

static enum fore_status read_thread(struct std_reader *r, uint32_t *id)
{
    struct fore_bytes b;
    FORE_TRY(read_field(r, in_field, "a thread, as in T1|w(x)|5", &b));
    *id = fore_tables_thread(r->tables, b.at, b.n);
    return FORE_OK;
}

static enum fore_status read_operand(struct std_reader *r, struct fore_event *ev)
{
    struct fore_bytes b;
    if (ev->kind == FORE_EV_SIGNAL || ev->kind == FORE_EV_JOIN) {
        uint32_t id;
        FORE_TRY(read_thread(r, &id));
        ev->a = id;
        if (ev->kind == FORE_EV_SIGNAL)
            (void)fore_tables_adopt(r->tables, ev->thread, id);
        return FORE_OK;
    }
    FORE_TRY(read_field(r, in_field, "a variable or a lock", &b));
    uint32_t name = fore_tables_string(r->tables, b.at, b.n);
    ev->object = fore_tables_object_of(r->tables, fore_kind_object(ev->kind), name, NULL);
    if (ev->kind == FORE_EV_LOCK || ev->kind == FORE_EV_UNLOCK)
        r->tables->objects.at[ev->object].flags |= FORE_OBJ_RECURSIVE;
    return FORE_OK;
}

/* Mostly a number, which becomes a line of a file "loc". */
static enum fore_status read_location(struct std_reader *r, struct fore_event *ev)
{
    struct fore_bytes b;
    uint64_t line = 0;
    size_t i = 0;
    if (!fore_tok_accept(&r->tok, '|'))
        return FORE_OK;
    FORE_TRY(read_field(r, in_location, "a location", &b));
    for (; i < b.n && i < 10 && b.at[i] >= '0' && b.at[i] <= '9'; i++)
        line = line * 10 + (uint64_t)(b.at[i] - '0');
    bool number = i == b.n && line <= UINT32_MAX;
    struct fore_where w = {
        .file = number ? fore_tables_string(r->tables, "loc", 3)
                       : fore_tables_string(r->tables, b.at, b.n),
        .line = number ? (uint32_t)line : 0,
    };
    ev->where = fore_tables_where(r->tables, w);
    return FORE_OK;
}

static void flush_events(struct std_reader *r)
{
    struct fore_batch b = {r->tables, r->events.at, r->events.n, NULL, false};
    if (r->events.n && r->sink->events(r->sink, &b) == FORE_STOP)
        r->stopped = true;
    fore_vec_clear(&r->events);
}

static void push_event(struct std_reader *r, const struct fore_event *ev, fore_mark at)
{
    fore_check_event(&r->check, ev, NULL, 0, at);
    fore_vec_push(&r->events, *ev);
}

/* The first event of a forked thread is preceded by its wait. */
static void add_event(struct std_reader *r, const struct fore_event *ev, fore_mark at)
{
    fore_vec_ensure(&r->seen, (size_t)ev->thread + 1);
    if (!r->seen.at[ev->thread] && r->tables->threads.at[ev->thread].parent) {
        struct fore_event wait = {
            .thread = ev->thread, .kind = FORE_EV_WAIT, .a = ev->thread};
        push_event(r, &wait, at - 1);
    }
    r->seen.at[ev->thread] = true;
    push_event(r, ev, at);
    if (r->events.n >= BATCH)
        flush_events(r);
}

static enum fore_status read_event(struct std_reader *r)
{
    struct fore_event ev = {0};
    struct fore_bytes word;
    fore_mark at = fore_mark_at(r->tok.line, 2);
    FORE_TRY(read_thread(r, &ev.thread));
    FORE_TRY(fore_tok_expect(&r->tok, '|'));
    FORE_TRY(read_field(r, in_field, "an operation", &word));
    const struct operation *op = operation_named(word.at, word.n);
    if (!op)
        return fore_tok_fail(
            &r->tok, FORE_SYNTAX,
            "an operation is r, w, acq, rel, fork, join, begin, end or branch");
    ev.kind = (uint16_t)op->kind;
    if (fore_tok_accept(&r->tok, '(')) {
        if (op->kind)
            FORE_TRY(read_operand(r, &ev));
        else
            FORE_TRY(fore_tok_run(&r->tok, in_field, &(char *){NULL}));
        FORE_TRY(fore_tok_expect(&r->tok, ')'));
    } else if (op->kind) {
        return fore_tok_expected(&r->tok, "'(' and an operand");
    }
    FORE_TRY(read_location(r, &ev));
    r->any = true;
    if (op->kind)
        add_event(r, &ev, at);
    else
        r->skipped++;
    return FORE_OK;
}

static enum fore_status read_line(struct std_reader *r)
{
    struct fore_tok *l = &r->tok;
    int c = fore_tok_next(l);
    if (c >= 0 && c != '\n' && c != '\r')
        FORE_TRY(read_event(r));
    if (fore_tok_next(l) == '\r')
        l->p++;
    c = fore_tok_peek(l);
    if (c < 0)
        return FORE_OK;
    if (c != '\n')
        return fore_tok_expected(l, "the end of the line");
    fore_tok_newline(l);
    return FORE_OK;
}

static enum fore_status read_all(struct std_reader *r, struct fore_err *e)
{
    while (!r->stopped && fore_tok_peek(&r->tok) >= 0)
        FORE_TRY(read_line(r));
    if (r->tok.failed)
        return r->tok.failed;
    flush_events(r);
    if (!r->any)
        return fore_fail_at(e, FORE_SYNTAX, r->tok.in->name, 1, 1,
                            "there is no trace in it: expected lines such as T1|w(x)|5");
    if (!r->stopped)
        fore_check_end(&r->check);
    if (!r->check.problems)
        return FORE_OK;
    if (e)
        *e = r->check.first;
    return FORE_MEANING;
}

enum fore_status fore_std_read(struct fore_input *in, struct fore_tables *tables,
                               struct fore_sink *s, struct fore_err *e)
{
    struct std_reader r = {.tables = tables, .sink = s};
    fore_tok_init(&r.tok, in, tables, e);
    fore_check_init(&r.check, tables, in->name);
    tables->sees = (FORE_SEES_ALL & ~FORE_SEES_VALUES) | FORE_SEES_DECLARED;
    tables->endless = true;
    enum fore_status status = read_all(&r, e);
    struct fore_trace_end end = {.unknown = r.skipped, .tables = tables};
    if (!status)
        status = s->end(s, &end, e);
    fore_tok_release(&r.tok);
    fore_check_release(&r.check);
    fore_vec_release(&r.events);
    fore_vec_release(&r.seen);
    return status;
}

/* thread "|" one of the operations, then "(" or "|". */
bool fore_std_matches(const char *head, size_t n)
{
    size_t bar = 0, end;
    while (bar < n && in_field((unsigned char)head[bar]))
        bar++;
    if (!bar || bar == n || head[bar] != '|')
        return false;
    for (end = bar + 1; end < n && in_field((unsigned char)head[end]);)
        end++;
    return end < n && operation_named(head + bar + 1, end - bar - 1);
}
