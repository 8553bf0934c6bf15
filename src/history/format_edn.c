/* EDN (Knossos, Porcupine's kv logs) and JSON: one record is a map. */
#include "history/format_edn.h"

#include "history/independent.h"
#include "history/scan.h"

#include <stdlib.h>
#include <string.h>

struct map_reader {
    struct fore_scan scan;
    struct fore_record_sink *sink;
    struct fore_record rec;
    unsigned seen; /* fields of the record, as bits: see field_names */
    bool nemesis;
    FORE_VEC(fore_val) args;
};

/* What is read of a record; other fields are passed over. */
enum field { TYPE, PROCESS, F, VALUE, KEY, ID, ARGS, OBJECT, EXACT, FIELDS };
static const char *const field_names[FIELDS] = {
    [TYPE] = "type",   [PROCESS] = "process", [F] = "f",
    [VALUE] = "value", [KEY] = "key",         [ID] = "id",
    [ARGS] = "args",   [OBJECT] = "object",   [EXACT] = "exact"};

static bool is_word(struct fore_bytes b, const char *word)
{
    return strlen(word) == b.n && !memcmp(word, b.at, b.n);
}

static enum fore_status read_type(struct map_reader *r, const struct fore_word *w,
                                  struct fore_err *e)
{
    static const char *const names[] = {"invoke", "ok", "fail", "info"};
    struct fore_bytes b = fore_word_name(w);
    for (unsigned i = 0; i < 4; i++)
        if (is_word(b, names[i])) {
            r->rec.type = (enum fore_record_type)i;
            return FORE_OK;
        }
    return fore_scan_fail(&r->scan, e, FORE_SYNTAX,
                          "the type is invoke, ok, fail or info, not \"%.*s\"",
                          (int)(b.n < 40 ? b.n : 40), b.at);
}

static enum fore_status read_args(struct map_reader *r, fore_val list, struct fore_err *e)
{
    size_t n;
    const fore_val *items = fore_val_items(r->sink->values, list, &n);
    if (fore_val_kind(list) != FORE_VAL_LIST)
        return fore_scan_fail(&r->scan, e, FORE_SYNTAX, "args must be a list");
    fore_vec_clear(&r->args);
    for (size_t i = 0; i < n; i++)
        fore_vec_push(&r->args, items[i]);
    fore_vec_reserve(&r->args, 1);
    r->rec.args = r->args.at;
    r->rec.n_args = n;
    return FORE_OK;
}

static enum fore_status read_number(struct map_reader *r, fore_val v, struct fore_err *e)
{
    int64_t i;
    if (!fore_val_to_int(r->sink->values, v, &i) || i < 0 || i >= UINT32_MAX)
        return fore_scan_fail(&r->scan, e, FORE_SYNTAX, "id must be a small number");
    r->rec.number = (uint32_t)i + 1;
    return FORE_OK;
}

static bool has_field(const struct map_reader *r, enum field f)
{
    return r->seen >> f & 1;
}

/* A field whose value is `v`. */
static enum fore_status keep_field(struct map_reader *r, enum field f, fore_val v,
                                   struct fore_err *e)
{
    switch (f) {
    case ARGS:
        return read_args(r, v, e);
    case ID:
        return read_number(r, v, e);
    case PROCESS:
        r->rec.process = v;
        break;
    case VALUE:
        r->rec.value = v;
        r->rec.has_value = true;
        break;
    case OBJECT:
        r->rec.object = v;
        break;
    case EXACT:
        r->rec.exact = fore_val_is(v, FORE_TRUE);
        break;
    default:
        r->rec.key = v;
        r->rec.has_key = true;
    }
    return FORE_OK;
}

static enum fore_status read_field(struct map_reader *r, struct fore_bytes key,
                                   const struct fore_word *w, struct fore_err *e)
{
    fore_val v;
    unsigned f = 0;
    while (f < FIELDS && !is_word(key, field_names[f]))
        f++;
    if (f == FIELDS)
        return fore_scan_skip(&r->scan, w, e);
    if (has_field(r, f))
        return fore_scan_fail(&r->scan, e, FORE_SYNTAX,
                              "the field %s is twice in this record", field_names[f]);
    r->seen |= 1u << f;
    if (f == TYPE)
        return read_type(r, w, e);
    if (f == F) {
        r->rec.f = fore_word_name(w);
        return FORE_OK;
    }
    r->nemesis = r->nemesis || (f == PROCESS && is_word(fore_word_name(w), "nemesis"));
    FORE_TRY(fore_scan_value(&r->scan, w, r->sink->values, &v, e));
    return keep_field(r, f, v, e);
}

static enum fore_status read_map(struct map_reader *r, struct fore_err *e)
{
    struct fore_word key, value;
    r->rec = (struct fore_record){.line = r->scan.line};
    r->seen = 0;
    r->nemesis = false;
    for (;;) {
        FORE_TRY(fore_scan_word(&r->scan, &key, e));
        if (key.kind == FORE_WORD_CLOSE_MAP)
            break;
        if (key.kind == FORE_WORD_END)
            return fore_scan_fail(&r->scan, e, FORE_TORN,
                                  "the file ends inside a record; it may be truncated");
        if (key.kind != FORE_WORD_BARE && key.kind != FORE_WORD_STRING)
            return fore_scan_fail(&r->scan, e, FORE_SYNTAX, "a field's name is expected");
        FORE_TRY(fore_scan_word(&r->scan, &value, e));
        FORE_TRY(read_field(r, fore_word_name(&key), &value, e));
    }
    if (r->nemesis)
        return FORE_OK;
    if (!has_field(r, TYPE) || !has_field(r, PROCESS))
        return fore_scan_fail(&r->scan, e, FORE_SYNTAX, "a record needs a %s",
                              has_field(r, TYPE) ? "process" : "type");
    if (r->rec.type == FORE_REC_INVOKE && !r->rec.f.n)
        return fore_scan_fail(&r->scan, e, FORE_SYNTAX,
                              "an invocation needs f, the operation's name");
    return r->sink->record(r->sink, &r->rec, e);
}

/* Maps one after the other, or all in one list. */
static enum fore_status read_maps(struct map_reader *r, struct fore_err *e)
{
    struct fore_word w;
    bool in_list = false;
    for (;;) {
        FORE_TRY(fore_scan_word(&r->scan, &w, e));
        switch (w.kind) {
        case FORE_WORD_OPEN_MAP:
            FORE_TRY(read_map(r, e));
            break;
        case FORE_WORD_OPEN_LIST:
            if (in_list)
                return fore_scan_fail(&r->scan, e, FORE_SYNTAX, "a record is expected");
            in_list = true;
            break;
        case FORE_WORD_CLOSE_LIST:
            if (!in_list)
                return fore_scan_fail(&r->scan, e, FORE_SYNTAX,
                                      "a bracket closes that was not opened");
            in_list = false;
            break;
        case FORE_WORD_END:
            if (in_list)
                return fore_scan_fail(&r->scan, e, FORE_TORN,
                                      "the list of records is not closed; the file may "
                                      "be truncated");
            return FORE_OK;
        default:
            return fore_scan_fail(&r->scan, e, FORE_SYNTAX, "a record is expected");
        }
    }
}

static enum fore_status read_text(const char *file, const char *text, size_t n, bool json,
                                  struct fore_record_sink *s, struct fore_err *e)
{
    struct map_reader r = {.sink = s};
    fore_scan_init(&r.scan, file, text, n, json);
    enum fore_status st = read_maps(&r, e);
    fore_vec_release(&r.args);
    return st;
}

static enum fore_status read_edn(const char *file, const char *text, size_t n,
                                 struct fore_record_sink *s, struct fore_err *e)
{
    return read_text(file, text, n, false, s, e);
}

static enum fore_status read_json(const char *file, const char *text, size_t n,
                                  struct fore_record_sink *s, struct fore_err *e)
{
    return read_text(file, text, n, true, s, e);
}

/* The first character inside the first map tells: a colon in EDN, a quote in JSON. */
static char first_in_map(const char *head, size_t n)
{
    struct fore_scan s;
    struct fore_word w;
    fore_scan_init(&s, "", head, n, false);
    for (int i = 0; i < 3; i++) {
        if (fore_scan_word(&s, &w, NULL) != FORE_OK)
            return 0;
        if (w.kind == FORE_WORD_OPEN_MAP) {
            enum fore_status st = fore_scan_word(&s, &w, NULL);
            return st == FORE_OK && w.text.n ? w.text.at[0] : 0;
        }
        if (w.kind != FORE_WORD_OPEN_LIST)
            return 0;
    }
    return 0;
}

static bool looks_edn(const char *head, size_t n)
{
    return first_in_map(head, n) == ':';
}

static bool looks_json(const char *head, size_t n)
{
    return first_in_map(head, n) == '"';
}

/* Porcupine's logs are EDN too: lines of maps with a key. */
static bool looks_kv(const char *head, size_t n)
{
    const char *nl = memchr(head, '\n', n);
    size_t line = nl ? (size_t)(nl - head) : n;
    return line && head[0] == '{' && looks_edn(head, n) && memmem(head, line, ":key ", 5);
}

static const char *const types[] = {"invoke", "ok", "fail", "info"};

static void edn_text(const struct fore_vals *t, fore_val v, struct fore_strbuf *out)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_val_text(t, fore_val_is(v, FORE_ANY) ? FORE_NIL : v, &b);
    /* Our commas are blanks in EDN; the rest is the same. */
    fore_strbuf_puts(out, b.at);
    fore_strbuf_release(&b);
}

static void args_text(const struct fore_history *h, const struct fore_op *op,
                      struct fore_strbuf *out)
{
    size_t n = h->model->ops[op->f].nargs;
    if (n == 1) {
        edn_text(&h->values, op->arg[0], out);
    } else if (n == 2) {
        fore_strbuf_putc(out, '[');
        edn_text(&h->values, op->arg[0], out);
        fore_strbuf_putc(out, ' ');
        edn_text(&h->values, op->arg[1], out);
        fore_strbuf_putc(out, ']');
    } else {
        fore_strbuf_puts(out, "nil");
    }
}

/* What the dialect would blur is marked exact. */
static void edn_event(const struct fore_history *h, const struct fore_op *op,
                      enum fore_record_type type, struct fore_strbuf *out)
{
    const struct fore_model_op *what = &h->model->ops[op->f];
    struct fore_bytes f = fore_model_op_name(h->model, op->f);
    bool known = type == FORE_REC_OK && !fore_val_is(op->result, FORE_ANY);
    bool refused =
        known && what->answer == FORE_ANSWER_BOOL && fore_val_is(op->result, FORE_FALSE);
    fore_strbuf_puts(out, "{:process ");
    edn_text(&h->values, h->processes.at[op->process], out);
    fore_strbuf_printf(out, ", :type :%s, :f :%.*s, ",
                       types[refused ? FORE_REC_FAIL : type], (int)f.n, f.at);
    if (h->model->keyed) {
        fore_strbuf_puts(out, ":key ");
        edn_text(&h->values, h->objects.at[op->object], out);
        fore_strbuf_puts(out, ", ");
    } else if (!fore_val_is(h->objects.at[op->object], FORE_NIL)) {
        fore_strbuf_puts(out, ":object ");
        edn_text(&h->values, h->objects.at[op->object], out);
        fore_strbuf_puts(out, ", ");
    }
    fore_strbuf_puts(out, ":value ");
    if (known && what->answer == FORE_ANSWER_VALUE)
        edn_text(&h->values, op->result, out);
    else
        args_text(h, op, out);
    bool keyed = type == FORE_REC_INVOKE && fore_looks_independent(h, op);
    if (keyed || refused || (known && fore_val_is(op->result, FORE_NIL)) ||
        (known && what->answer == FORE_ANSWER_VALUE && what->nargs) ||
        (known && what->answer == FORE_ANSWER_BOOL && what->role != FORE_ROLE_OTHER))
        fore_strbuf_puts(out, ", :exact true");
}

typedef void (*event_writer)(const struct fore_history *h, const struct fore_op *op,
                             enum fore_record_type type, struct fore_strbuf *out);

static enum fore_status write_events(const struct fore_history *h, FILE *to,
                                     event_writer event, const char *id)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    size_t n;
    struct fore_history_event *events = fore_history_events(h, &n);
    bool overlaps = fore_history_overlaps(h);
    for (size_t i = 0; i < n; i++) {
        fore_strbuf_clear(&b);
        event(h, &h->ops.at[events[i].op], events[i].type, &b);
        if (overlaps)
            fore_strbuf_printf(&b, "%s%u", id, events[i].op);
        fore_strbuf_puts(&b, "}\n");
        fwrite(b.at, 1, b.n, to);
    }
    fore_free(events);
    fore_strbuf_release(&b);
    return FORE_OK;
}

static enum fore_status write_edn(const struct fore_history *h, FILE *to,
                                  struct fore_err *e)
{
    (void)e;
    fputs("[\n", to);
    FORE_TRY(write_events(h, to, edn_event, ", :id "));
    fputs("]\n", to);
    return FORE_OK;
}

static enum fore_status write_kv(const struct fore_history *h, FILE *to,
                                 struct fore_err *e)
{
    if (!h->model->keyed)
        return fore_fail(e, FORE_USAGE,
                         "the format kv holds keyed operations; a %s has none",
                         h->model->name);
    return write_events(h, to, edn_event, ", :id ");
}

static void json_value(const struct fore_vals *t, fore_val v, struct fore_strbuf *out)
{
    size_t n;
    const fore_val *items = fore_val_items(t, v, &n);
    if (fore_val_is(v, FORE_NIL)) {
        fore_strbuf_puts(out, "null");
    } else if (fore_val_kind(v) == FORE_VAL_LIST) {
        fore_strbuf_putc(out, '[');
        for (size_t i = 0; i < n; i++) {
            fore_strbuf_puts(out, i ? "," : "");
            json_value(t, items[i], out);
        }
        fore_strbuf_putc(out, ']');
    } else {
        fore_val_text(t, v, out);
    }
}

static void json_event(const struct fore_history *h, const struct fore_op *op,
                       enum fore_record_type type, struct fore_strbuf *out)
{
    struct fore_bytes f = fore_model_op_name(h->model, op->f);
    fore_val object = h->objects.at[op->object];
    size_t nargs = h->model->ops[op->f].nargs;
    fore_strbuf_puts(out, "{\"process\":");
    json_value(&h->values, h->processes.at[op->process], out);
    fore_strbuf_printf(out, ",\"type\":\"%s\",\"f\":\"%.*s\"", types[type], (int)f.n,
                       f.at);
    if (h->model->keyed || !fore_val_is(object, FORE_NIL)) {
        fore_strbuf_puts(out, h->model->keyed ? ",\"key\":" : ",\"object\":");
        json_value(&h->values, object, out);
    }
    if (type == FORE_REC_INVOKE && nargs) {
        fore_strbuf_puts(out, ",\"args\":[");
        for (size_t i = 0; i < nargs; i++) {
            fore_strbuf_puts(out, i ? "," : "");
            json_value(&h->values, op->arg[i], out);
        }
        fore_strbuf_putc(out, ']');
    } else if (type == FORE_REC_OK && !fore_val_is(op->result, FORE_ANY)) {
        fore_strbuf_puts(out, ",\"value\":");
        json_value(&h->values, op->result, out);
    }
}

static enum fore_status write_json(const struct fore_history *h, FILE *to,
                                   struct fore_err *e)
{
    (void)e;
    return write_events(h, to, json_event, ",\"id\":");
}

const struct fore_history_format fore_history_format_kv = {
    "kv",
    "kv",
    "maps in EDN with a key, one a line (Porcupine)",
    FORE_DIALECT_PLAIN,
    looks_kv,
    read_edn,
    write_kv,
};

const struct fore_history_format fore_history_format_edn = {
    "edn",
    "edn",
    "a list of maps in EDN (Knossos)",
    FORE_DIALECT_KNOSSOS,
    looks_edn,
    read_edn,
    write_edn,
};

const struct fore_history_format fore_history_format_json = {
    "jsonl",   "jsonl",    "objects in JSON, one a line", FORE_DIALECT_PLAIN, looks_json,
    read_json, write_json,
};
