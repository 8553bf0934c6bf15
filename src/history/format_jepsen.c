/* Jepsen's log lines: "INFO  jepsen.util - 3<tab>:invoke<tab>:cas<tab>[1 2]", in newer logs
 * "jepsen.util: 3<tab>…", and the lines of its history.txt, which begin with the process. Other
 * lines of the log are passed over. */
#include "history/format_jepsen.h"

#include "history/independent.h"
#include "history/scan.h"

#include <string.h>

static const char *const types[] = {":invoke", ":ok", ":fail", ":info"};
static const char *const markers[] = {"jepsen.util - ", "jepsen.util: "};

static enum fore_status record_of(struct fore_scan *s, struct fore_record_sink *sink,
                                  struct fore_err *e)
{
    struct fore_record r = {.line = s->line};
    struct fore_word w[3];
    for (int i = 0; i < 3; i++) {
        FORE_TRY(fore_scan_word(s, &w[i], e));
        if (i == 0 && w[0].kind == FORE_WORD_BARE &&
            (w[0].text.at[0] < '0' || w[0].text.at[0] > '9'))
            return FORE_OK; /* the nemesis, or a remark */
        if (w[i].kind != FORE_WORD_BARE)
            return fore_scan_fail(s, e, FORE_TORN,
                                  "the line ends before its %s; it may be truncated",
                                  i == 2 ? "operation" : "type");
    }
    unsigned type = 0;
    while (type < 4 && (strlen(types[type]) != w[1].text.n ||
                        memcmp(types[type], w[1].text.at, w[1].text.n) != 0))
        type++;
    if (type == 4)
        return fore_scan_fail(s, e, FORE_SYNTAX,
                              "the type is :invoke, :ok, :fail or :info, not %.*s",
                              (int)(w[1].text.n < 40 ? w[1].text.n : 40), w[1].text.at);
    r.type = (enum fore_record_type)type;
    r.f = fore_word_name(&w[2]);
    FORE_TRY(fore_scan_value(s, &w[0], sink->values, &r.process, e));
    FORE_TRY(fore_scan_word(s, &w[0], e));
    if (w[0].kind != FORE_WORD_END) {
        FORE_TRY(fore_scan_value(s, &w[0], sink->values, &r.value, e));
        r.has_value = true;
    }
    return sink->record(sink, &r, e);
}

/* "3<tab>:invoke<tab>" or ":nemesis<tab>:info<tab>", as in history.txt. */
static bool begins_with_process(const char *at, const char *stop)
{
    const char *tab = memchr(at, '\t', (size_t)(stop - at));
    if (!tab || tab == at || ((*at < '0' || *at > '9') && *at != ':'))
        return false;
    for (unsigned i = 0; i < 4; i++) {
        size_t n = strlen(types[i]);
        if ((size_t)(stop - tab - 1) > n && memcmp(tab + 1, types[i], n) == 0 &&
            tab[1 + n] == '\t')
            return true;
    }
    return false;
}

/* Where the record of this line begins, or NULL. */
static const char *record_in(const char *at, const char *stop)
{
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
        size_t n = strlen(markers[i]);
        const char *found = memmem(at, (size_t)(stop - at), markers[i], n);
        if (found)
            return found + n;
    }
    return begins_with_process(at, stop) ? at : NULL;
}

static enum fore_status read_log(const char *file, const char *text, size_t n,
                                 struct fore_record_sink *sink, struct fore_err *e)
{
    const char *end = text + n;
    uint32_t line = 1;
    for (const char *at = text; at < end; line++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        const char *stop = nl ? nl : end;
        const char *from = record_in(at, stop);
        if (from) {
            struct fore_scan s;
            fore_scan_init(&s, file, from, (size_t)(stop - from), false);
            s.line = line;
            s.line_start = at;
            FORE_TRY(record_of(&s, sink, e));
        }
        at = nl ? nl + 1 : end;
    }
    return FORE_OK;
}

static bool looks_jepsen(const char *head, size_t n)
{
    for (const char *at = head, *end = head + n; at < end;) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        if (record_in(at, nl ? nl : end))
            return true;
        at = nl ? nl + 1 : end;
    }
    return false;
}

static void value_text(const struct fore_history *h, const struct fore_op *op,
                       bool answer, struct fore_strbuf *out)
{
    size_t nargs = h->model->ops[op->f].nargs;
    bool shown = answer && h->model->ops[op->f].answer == FORE_ANSWER_VALUE;
    if (shown && !fore_val_is(op->result, FORE_ANY))
        fore_val_text(&h->values, op->result, out);
    else if (nargs == 1)
        fore_val_text(&h->values, op->arg[0], out);
    else if (nargs == 0)
        fore_strbuf_puts(out, "nil");
    else {
        fore_strbuf_putc(out, '[');
        fore_val_text(&h->values, op->arg[0], out);
        fore_strbuf_putc(out, ' ');
        fore_val_text(&h->values, op->arg[1], out);
        fore_strbuf_putc(out, ']');
    }
}

/* The log has one object and numbered processes, and cannot say that an answer was not recorded. */
static enum fore_status can_write(const struct fore_history *h, struct fore_err *e)
{
    if (h->objects.n > 1 || h->model->keyed)
        return fore_fail(
            e, FORE_USAGE,
            "the format jepsen holds one object, not %zu: write jsonl or edn",
            h->objects.n);
    if (fore_history_overlaps(h))
        return fore_fail(e, FORE_USAGE,
                         "the format jepsen holds one open operation of a process: write "
                         "jsonl or edn");
    for (size_t i = 0; i < h->ops.n; i++) {
        const struct fore_op *op = &h->ops.at[i];
        if (!fore_op_pending(op) && fore_val_is(op->result, FORE_ANY) &&
            h->model->ops[op->f].answer == FORE_ANSWER_VALUE)
            return fore_fail(e, FORE_USAGE,
                             "the format jepsen cannot say that an answer is not known: "
                             "write jsonl or edn");
        if (fore_looks_independent(h, op))
            return fore_fail(e, FORE_USAGE,
                             "in the format jepsen, [1 [2 3]] would be taken for a key");
    }
    return FORE_OK;
}

static enum fore_status write_log(const struct fore_history *h, FILE *to,
                                  struct fore_err *e)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    size_t n;
    FORE_TRY(can_write(h, e));
    struct fore_history_event *events = fore_history_events(h, &n);
    for (size_t i = 0; i < n; i++) {
        const struct fore_op *op = &h->ops.at[events[i].op];
        bool answer = events[i].type == FORE_REC_OK;
        struct fore_bytes f = fore_model_op_name(h->model, op->f);
        bool failed = answer && h->model->ops[op->f].answer == FORE_ANSWER_BOOL &&
                      fore_val_is(op->result, FORE_FALSE);
        fore_strbuf_clear(&b);
        fore_strbuf_printf(&b, "INFO  jepsen.util - %u\t%s\t:%.*s\t", op->process,
                           types[failed ? FORE_REC_FAIL : events[i].type], (int)f.n,
                           f.at);
        value_text(h, op, answer, &b);
        fore_strbuf_putc(&b, '\n');
        fwrite(b.at, 1, b.n, to);
    }
    fore_free(events);
    fore_strbuf_release(&b);
    return FORE_OK;
}

const struct fore_history_format fore_history_format_jepsen = {
    "jepsen",
    "log",
    "Jepsen's log lines, and its history.txt",
    FORE_DIALECT_JEPSEN,
    looks_jepsen,
    read_log,
    write_log,
};
