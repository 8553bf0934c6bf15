#include "history/txn/record.h"

#include <ctype.h>
#include <string.h>

void fore_txn_record_release(struct fore_txn_record *r)
{
    fore_vec_release(&r->steps);
    fore_vec_release(&r->items);
}

static bool is_word(struct fore_bytes b, const char *word)
{
    return strlen(word) == b.n && !memcmp(word, b.at, b.n);
}

static enum fore_status fail_torn(struct fore_scan *s, struct fore_err *e)
{
    return fore_scan_fail(s, e, FORE_TORN,
                          "the file ends inside a record; it may be truncated");
}

static enum fore_status next_word(struct fore_scan *s, struct fore_word *w,
                                  struct fore_err *e)
{
    FORE_TRY(fore_scan_word(s, w, e));
    return w->kind == FORE_WORD_END ? fail_torn(s, e) : FORE_OK;
}

static enum fore_status expect_close(struct fore_scan *s, const char *what,
                                     struct fore_err *e)
{
    struct fore_word w;
    FORE_TRY(next_word(s, &w, e));
    return w.kind == FORE_WORD_CLOSE_LIST ? FORE_OK
                                          : fore_scan_fail(s, e, FORE_SYNTAX, "%s", what);
}

/* Keywords and strings with the same letters are the same key: EDN and JSON agree. */
static enum fore_status read_scalar(struct fore_scan *s, const struct fore_word *w,
                                    struct fore_vals *t, fore_val *v, struct fore_err *e)
{
    struct fore_bytes b = w->text;
    if (w->kind == FORE_WORD_BARE && b.n > 1 && b.at[0] == ':') {
        *v = fore_val_string(t, b.at + 1, b.n - 1);
        return FORE_OK;
    }
    return fore_scan_value(s, w, t, v, e);
}

/* Most elements are small numbers between blanks: they need no word of their own. */
static bool read_small_number(struct fore_scan *s, struct fore_vals *t, fore_val *v)
{
    const char *p = s->at;
    int64_t i = 0;
    while (p < s->end && (*p == ' ' || *p == ','))
        p++;
    const char *from = p;
    while (p < s->end && isdigit((unsigned char)*p) && p - from < 15)
        i = i * 10 + (*p++ - '0');
    if (p == from || p >= s->end || (*p != ' ' && *p != ',' && *p != ']'))
        return false;
    s->at = p;
    *v = fore_val_int(t, i);
    return true;
}

static enum fore_status read_items(struct fore_txn_record *r, struct fore_scan *s,
                                   struct fore_vals *t, struct fore_txn_step *step,
                                   struct fore_err *e)
{
    struct fore_word w;
    fore_val v;
    step->is_list = true;
    step->first = r->items.n;
    for (;;) {
        if (!read_small_number(s, t, &v)) {
            FORE_TRY(next_word(s, &w, e));
            if (w.kind == FORE_WORD_CLOSE_LIST)
                break;
            FORE_TRY(read_scalar(s, &w, t, &v, e));
        }
        fore_vec_push(&r->items, v);
    }
    step->n = r->items.n - step->first;
    return FORE_OK;
}

static enum fore_status read_act(struct fore_scan *s, const struct fore_word *w,
                                 enum fore_txn_act *act, struct fore_err *e)
{
    struct fore_bytes b = fore_word_name(w);
    if (is_word(b, "r") || is_word(b, "read"))
        *act = FORE_ACT_READ;
    else if (is_word(b, "w") || is_word(b, "write"))
        *act = FORE_ACT_WRITE;
    else if (is_word(b, "append"))
        *act = FORE_ACT_APPEND;
    else
        return fore_scan_fail(s, e, FORE_SYNTAX,
                              "a transaction's operation is r, w or append, not \"%.*s\"",
                              (int)(b.n < 40 ? b.n : 40), b.at);
    return FORE_OK;
}

static fore_val value_under_key(struct fore_vals *t, const fore_val *independent,
                                fore_val key)
{
    fore_val pair[2] = {independent ? *independent : FORE_NIL, key};
    return independent ? fore_val_list(t, pair, 2) : key;
}

/* [:r k v], behind its bracket. */
static enum fore_status read_step(struct fore_txn_record *r, struct fore_scan *s,
                                  struct fore_vals *t, const fore_val *independent,
                                  struct fore_err *e)
{
    static const char shape[] = "an operation is written [:r key value], [:w key value] "
                                "or [:append key value]";
    struct fore_txn_step step = {0};
    struct fore_word w;
    FORE_TRY(next_word(s, &w, e));
    FORE_TRY(read_act(s, &w, &step.act, e));
    FORE_TRY(next_word(s, &w, e));
    if (w.kind == FORE_WORD_CLOSE_LIST)
        return fore_scan_fail(s, e, FORE_SYNTAX, "%s", shape);
    FORE_TRY(read_scalar(s, &w, t, &step.key, e));
    step.key = value_under_key(t, independent, step.key);
    FORE_TRY(next_word(s, &w, e));
    if (w.kind == FORE_WORD_CLOSE_LIST) { /* a read that asks: no value yet */
        if (step.act != FORE_ACT_READ)
            return fore_scan_fail(s, e, FORE_SYNTAX, "%s", shape);
        fore_vec_push(&r->steps, step);
        return FORE_OK;
    }
    bool set = w.kind == FORE_WORD_OPEN_LIST && w.text.at[0] == '{';
    if (step.act == FORE_ACT_READ && w.kind == FORE_WORD_OPEN_LIST && !set)
        FORE_TRY(read_items(r, s, t, &step, e));
    else
        FORE_TRY(read_scalar(s, &w, t, &step.value, e));
    FORE_TRY(expect_close(s, shape, e));
    fore_vec_push(&r->steps, step);
    return FORE_OK;
}

/* The operations up to the bracket that closes them. */
static enum fore_status read_steps(struct fore_txn_record *r, struct fore_scan *s,
                                   struct fore_vals *t, struct fore_word w,
                                   const fore_val *independent, struct fore_err *e)
{
    for (; w.kind != FORE_WORD_CLOSE_LIST;) {
        if (w.kind != FORE_WORD_OPEN_LIST)
            return fore_scan_fail(s, e, FORE_SYNTAX,
                                  "a transaction is a list of operations like [:r x 1]");
        FORE_TRY(read_step(r, s, t, independent, e));
        FORE_TRY(next_word(s, &w, e));
    }
    return FORE_OK;
}

/* Two transactions each look for both rows of a key and insert one of them if there is
 * none: that is a read of both, and a write of one. */
static enum fore_status read_insert(struct fore_txn_record *r, struct fore_scan *s,
                                    struct fore_vals *t, const struct fore_word *first,
                                    struct fore_err *e)
{
    static const char shape[] = "an insert's value is [key [a b]], one of a and b nil";
    struct fore_word w;
    fore_val key, rows[2];
    FORE_TRY(read_scalar(s, first, t, &key, e));
    FORE_TRY(next_word(s, &w, e));
    if (w.kind != FORE_WORD_OPEN_LIST)
        return fore_scan_fail(s, e, FORE_SYNTAX, "%s", shape);
    for (int i = 0; i < 2; i++) {
        FORE_TRY(next_word(s, &w, e));
        if (w.kind == FORE_WORD_CLOSE_LIST)
            return fore_scan_fail(s, e, FORE_SYNTAX, "%s", shape);
        FORE_TRY(read_scalar(s, &w, t, &rows[i], e));
    }
    FORE_TRY(expect_close(s, shape, e));
    FORE_TRY(expect_close(s, shape, e));
    for (int i = 0; i < 4; i++) {
        fore_val row = fore_val_string(t, i % 2 ? "b" : "a", 1);
        struct fore_txn_step step = {i < 2 ? FORE_ACT_READ : FORE_ACT_WRITE,
                                     value_under_key(t, &key, row),
                                     FORE_NIL,
                                     false,
                                     0,
                                     0};
        if (i >= 2)
            step.value = rows[i - 2];
        if (i < 2 || !fore_val_is(step.value, FORE_NIL))
            fore_vec_push(&r->steps, step);
    }
    return FORE_OK;
}

/* {k v ...}: several registers at once, or accounts. */
static enum fore_status read_registers(struct fore_txn_record *r, struct fore_scan *s,
                                       struct fore_vals *t, struct fore_err *e)
{
    struct fore_word w;
    for (;;) {
        struct fore_txn_step step = {0};
        step.act =
            is_word(r->f, "write") || is_word(r->f, "w") ? FORE_ACT_WRITE : FORE_ACT_READ;
        FORE_TRY(next_word(s, &w, e));
        if (w.kind == FORE_WORD_CLOSE_MAP)
            return FORE_OK;
        FORE_TRY(read_scalar(s, &w, t, &step.key, e));
        FORE_TRY(next_word(s, &w, e));
        FORE_TRY(read_scalar(s, &w, t, &step.value, e));
        fore_vec_push(&r->steps, step);
    }
}

static enum fore_status read_value(struct fore_txn_record *r, struct fore_scan *s,
                                   struct fore_vals *t, struct fore_err *e)
{
    struct fore_word w;
    fore_val key;
    FORE_TRY(next_word(s, &w, e));
    if (r->transfer)
        return fore_scan_skip(s, &w, e);
    r->told = w.kind == FORE_WORD_OPEN_MAP || w.kind == FORE_WORD_OPEN_LIST;
    if (w.kind == FORE_WORD_OPEN_MAP)
        return read_registers(r, s, t, e);
    if (w.kind != FORE_WORD_OPEN_LIST)
        return fore_scan_skip(s, &w, e); /* nil, or what a nemesis said */
    FORE_TRY(next_word(s, &w, e));
    if (w.kind == FORE_WORD_OPEN_LIST || w.kind == FORE_WORD_CLOSE_LIST)
        return read_steps(r, s, t, w, NULL, e);
    if (is_word(r->f, "insert"))
        return read_insert(r, s, t, &w, e);
    FORE_TRY(read_scalar(s, &w, t, &key, e));
    FORE_TRY(next_word(s, &w, e));
    if (w.kind == FORE_WORD_OPEN_LIST) {
        FORE_TRY(next_word(s, &w, e));
        FORE_TRY(read_steps(r, s, t, w, &key, e));
    }
    return expect_close(s, "a transaction is a list of operations like [:r x 1]", e);
}

static enum fore_status read_type(struct fore_txn_record *r, struct fore_scan *s,
                                  struct fore_err *e)
{
    static const char *const names[] = {"invoke", "ok", "fail", "info"};
    struct fore_word w;
    FORE_TRY(next_word(s, &w, e));
    struct fore_bytes b = fore_word_name(&w);
    r->has_type = true;
    for (unsigned i = 0; i < 4; i++)
        if (is_word(b, names[i])) {
            r->type = (enum fore_record_type)i;
            return FORE_OK;
        }
    return fore_scan_fail(s, e, FORE_SYNTAX,
                          "the type is invoke, ok, fail or info, not \"%.*s\"",
                          (int)(b.n < 40 ? b.n : 40), b.at);
}

static enum fore_status read_process(struct fore_txn_record *r, struct fore_scan *s,
                                     struct fore_vals *t, struct fore_err *e)
{
    struct fore_word w;
    FORE_TRY(next_word(s, &w, e));
    FORE_TRY(read_scalar(s, &w, t, &r->process, e));
    r->has_process = true;
    r->skip = fore_val_kind(r->process) == FORE_VAL_STRING &&
              is_word(fore_val_bytes(t, r->process), "nemesis");
    return FORE_OK;
}

static enum fore_status read_number(struct fore_txn_record *r, struct fore_scan *s,
                                    struct fore_vals *t, struct fore_err *e)
{
    struct fore_word w;
    fore_val v;
    int64_t i;
    FORE_TRY(next_word(s, &w, e));
    FORE_TRY(fore_scan_value(s, &w, t, &v, e));
    if (!fore_val_to_int(t, v, &i) || i < 0 || i >= UINT32_MAX)
        return fore_scan_fail(s, e, FORE_SYNTAX, "id must be a small number");
    r->number = (uint32_t)i + 1;
    return FORE_OK;
}

/* Has the record this field already? `value`: where its value is to be read later. */
static bool has_field(const struct fore_txn_record *r, const struct fore_scan *value,
                      struct fore_bytes name)
{
    return (r->has_type && is_word(name, "type")) ||
           (r->has_process && is_word(name, "process")) ||
           (r->f.at && is_word(name, "f")) || (r->number && is_word(name, "id")) ||
           ((r->has_value || value->file) && is_word(name, "value"));
}

/* How the value reads depends on `f` and on whose it is. Where these come behind it, it is
 * read again afterwards. */
static enum fore_status read_fields(struct fore_txn_record *r, struct fore_scan *s,
                                    struct fore_vals *t, struct fore_scan *value,
                                    struct fore_err *e)
{
    struct fore_word key, w;
    for (;;) {
        FORE_TRY(next_word(s, &key, e));
        if (key.kind == FORE_WORD_CLOSE_MAP)
            return FORE_OK;
        if (key.kind != FORE_WORD_BARE && key.kind != FORE_WORD_STRING)
            return fore_scan_fail(s, e, FORE_SYNTAX, "a field's name is expected");
        struct fore_bytes name = fore_word_name(&key);
        if (has_field(r, value, name))
            return fore_scan_fail(s, e, FORE_SYNTAX,
                                  "the field %.*s is twice in this record", (int)name.n,
                                  name.at);
        if (is_word(name, "type")) {
            FORE_TRY(read_type(r, s, e));
        } else if (is_word(name, "process")) {
            FORE_TRY(read_process(r, s, t, e));
        } else if (is_word(name, "id")) {
            FORE_TRY(read_number(r, s, t, e));
        } else if (is_word(name, "f")) {
            FORE_TRY(next_word(s, &w, e));
            r->f = fore_word_name(&w);
        } else if (is_word(name, "value") && r->f.at && r->has_process) {
            r->transfer = is_word(r->f, "transfer");
            r->has_value = true;
            if (r->skip) {
                FORE_TRY(next_word(s, &w, e));
                FORE_TRY(fore_scan_skip(s, &w, e));
            } else {
                FORE_TRY(read_value(r, s, t, e));
            }
        } else {
            if (is_word(name, "value"))
                *value = *s;
            FORE_TRY(next_word(s, &w, e));
            FORE_TRY(fore_scan_skip(s, &w, e));
        }
    }
}

enum fore_status fore_txn_record_read(struct fore_txn_record *r, struct fore_scan *s,
                                      struct fore_vals *t, struct fore_err *e)
{
    struct fore_scan value = {0};
    fore_vec_clear(&r->steps);
    fore_vec_clear(&r->items);
    fore_vec_reserve(&r->items, 1); /* an empty list is somewhere, too */
    r->line = s->line;
    r->number = 0;
    r->skip = r->transfer = r->told = r->has_value = r->has_type = r->has_process = false;
    r->f = (struct fore_bytes){NULL, 0};
    FORE_TRY(read_fields(r, s, t, &value, e));
    if (r->skip)
        return FORE_OK;
    if (!r->has_type || !r->has_process)
        return fore_scan_fail(s, e, FORE_SYNTAX, "a record needs a %s",
                              r->has_type ? "process" : "type");
    r->transfer = is_word(r->f, "transfer");
    if (!r->has_value && value.file) {
        r->has_value = true;
        FORE_TRY(read_value(r, &value, t, e));
    }
    return FORE_OK;
}
