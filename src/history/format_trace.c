#include "history/format_trace.h"

#include "base/bitset.h"
#include "trace/format.h"
#include "trace/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fore_val value_as(struct fore_vals *v, const struct fore_tables *t,
                         struct fore_value x)
{
    fore_val out = FORE_ANY;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct fore_bytes s;
    switch (x.type) {
    case FORE_VALUE_NONE:
        break;
    case FORE_VALUE_INT:
        out = fore_val_int(v, (int64_t)x.bits);
        break;
    case FORE_VALUE_BOOL:
        out = fore_val_bool(x.bits != 0);
        break;
    case FORE_VALUE_NIL:
        out = FORE_NIL;
        break;
    case FORE_VALUE_STRING:
        s = fore_intern_bytes(&t->strings, (uint32_t)x.bits);
        out = fore_val_string(v, s.at, s.n);
        break;
    case FORE_VALUE_FLOAT:
    case FORE_VALUE_LIST:
        fore_value_text(t, x, &b);
        if (!fore_val_parse(v, b.at, b.n, &out))
            out = FORE_ANY;
        fore_strbuf_release(&b);
        break;
    }
    return out;
}

/* A label that is a number is one: formats whose processes are numbers can hold it. */
static fore_val process_of(struct fore_vals *v, const struct fore_tables *t,
                           uint32_t thread)
{
    const char *label = fore_tables_label(t, thread);
    size_t n = strlen(label);
    bool number = n && n < 10 && label[0] != '0' && strspn(label, "0123456789") == n;
    return number ? fore_val_number(v, label, n) : fore_val_string(v, label, n);
}

static void read_args(struct fore_trace_records *r, const struct fore_tables *t,
                      const struct fore_event *e)
{
    struct fore_strbuf list = FORE_STRBUF_INIT;
    struct fore_bytes args = fore_intern_bytes(&t->strings, (uint32_t)(e->a >> 32));
    fore_val v;
    size_t n = 0;
    const fore_val *items = NULL;
    fore_strbuf_putc(&list, '[');
    fore_strbuf_add(&list, args.at, args.n);
    fore_strbuf_putc(&list, ']');
    if (fore_val_parse(r->to->values, list.at, list.n, &v))
        items = fore_val_items(r->to->values, v, &n);
    fore_vec_clear(&r->args);
    fore_vec_reserve(&r->args, n + 1);
    for (size_t i = 0; i < n; i++)
        fore_vec_push(&r->args, items[i]);
    fore_strbuf_release(&list);
}

/* Whose operation is this? A numbered one may be answered by another thread. */
static uint32_t owner_of(struct fore_trace_records *r, const struct fore_event *e)
{
    bool fresh;
    if (!e->b)
        return e->thread;
    uint64_t *thread = fore_map_put(&r->numbers, e->b, &fresh);
    if (fresh || e->kind == FORE_EV_INVOKE)
        *thread = e->thread;
    return (uint32_t)*thread;
}

static fore_val place_of(struct fore_vals *v, const struct fore_tables *t, uint32_t where)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_val place = FORE_NIL;
    fore_tables_place(t, where, &b);
    if (b.n)
        place = fore_val_string(v, b.at, b.n);
    fore_strbuf_release(&b);
    return place;
}

/* `init NAME=VALUE` of the trace, if it has one for this object. */
static void take_init(struct fore_trace_records *r, const struct fore_tables *t,
                      uint32_t object, struct fore_record *rec)
{
    uint64_t key = (uint64_t)FORE_OBJ_PLACE << 32 | t->objects.at[object].name;
    const uint64_t *place = fore_map_get(&t->object_by_name, key);
    struct fore_value v = place ? t->objects.at[*place].init : (struct fore_value){0};
    if (v.type == FORE_VALUE_NONE)
        return;
    rec->init = value_as(r->to->values, t, v);
    rec->has_init = true;
}

static void read_operation(struct fore_trace_records *r, const struct fore_tables *t,
                           const struct fore_event *e)
{
    struct fore_record rec = {0};
    bool invoke = e->kind == FORE_EV_INVOKE;
    rec.type = invoke                      ? FORE_REC_INVOKE
               : e->kind == FORE_EV_RETURN ? FORE_REC_OK
               : e->kind == FORE_EV_FAIL   ? FORE_REC_FAIL
                                           : FORE_REC_INFO;
    rec.process = process_of(r->to->values, t, owner_of(r, e));
    rec.number = (uint32_t)e->b;
    if (invoke) {
        const char *name = fore_tables_name(t, e->object);
        rec.object = fore_val_string(r->to->values, name, strlen(name));
        rec.place = place_of(r->to->values, t, e->where);
        rec.f = fore_intern_bytes(&t->strings, (uint32_t)e->a);
        take_init(r, t, e->object, &rec);
        read_args(r, t, e);
        rec.args = r->args.at;
        rec.n_args = r->args.n;
    } else if (rec.type == FORE_REC_OK) {
        struct fore_value x = {fore_event_type_a(e), e->a};
        rec.value = value_as(r->to->values, t, x);
        rec.has_value = !fore_val_is(rec.value, FORE_ANY);
    }
    r->status = r->to->record(r->to, &rec, r->err);
}

/* Answers name no object: they belong to the operation that their thread has open. */
static bool is_wanted(struct fore_trace_records *r, const struct fore_event *e)
{
    if (!r->only)
        return true;
    uint64_t key = e->b ? e->b | (uint64_t)1 << 63 : e->thread;
    if (e->kind == FORE_EV_INVOKE)
        *fore_map_put(&r->open, key, NULL) = e->object;
    const uint64_t *object = fore_map_get(&r->open, key);
    return object && *object == r->only;
}

static enum fore_flow take_batch(struct fore_sink *s, const struct fore_batch *b)
{
    struct fore_trace_records *r = (struct fore_trace_records *)s;
    for (size_t i = 0; r->status == FORE_OK && i < b->n; i++)
        if (fore_kind_group(b->events[i].kind) == FORE_GROUP_OPERATION &&
            is_wanted(r, &b->events[i]))
            read_operation(r, b->tables, &b->events[i]);
    return r->status == FORE_OK ? FORE_CONTINUE : FORE_STOP;
}

static enum fore_status
finish_history(struct fore_sink *s, const struct fore_trace_end *end, struct fore_err *e)
{
    struct fore_trace_records *r = (struct fore_trace_records *)s;
    if (r->status == FORE_OK && end->why) {
        *e = *end->why;
        return end->why->status;
    }
    return r->status;
}

void fore_trace_records_init(struct fore_trace_records *r, struct fore_record_sink *to,
                             struct fore_err *e)
{
    *r = (struct fore_trace_records){
        .sink = {take_batch, finish_history}, .to = to, .err = e};
}

void fore_trace_records_release(struct fore_trace_records *r)
{
    fore_map_release(&r->numbers);
    fore_map_release(&r->open);
    fore_vec_release(&r->args);
}

static enum fore_status read_trace(const char *file, const char *text, size_t n,
                                   struct fore_record_sink *s, struct fore_err *e)
{
    struct fore_trace_records r;
    struct fore_tables tables;
    struct fore_input in;
    fore_tables_init(&tables);
    fore_input_memory(&in, file, text, n);
    fore_trace_records_init(&r, s, e);
    enum fore_status st = fore_input_stream(&in, &tables, &r.sink, e);
    if (st == FORE_OK)
        st = r.status;
    fore_trace_records_release(&r);
    fore_tables_release(&tables);
    fore_input_release(&in);
    return st;
}

static bool looks_trace(const char *head, size_t n)
{
    for (size_t i = 0; fore_formats[i]; i++)
        if (fore_formats[i]->matches(head, n))
            return true;
    return false;
}

static void name_text(const struct fore_vals *t, fore_val v, const char *otherwise,
                      struct fore_strbuf *out)
{
    struct fore_bytes b = fore_val_bytes(t, v);
    struct fore_strbuf text = FORE_STRBUF_INIT;
    if (fore_val_kind(v) == FORE_VAL_STRING)
        fore_strbuf_add(&text, b.at, b.n);
    else if (fore_val_is(v, FORE_NIL))
        fore_strbuf_puts(&text, otherwise);
    else
        fore_val_text(t, v, &text);
    fore_text_name(text.at, text.n, out);
    fore_strbuf_release(&text);
}

static void invoke_text(const struct fore_history *h, const struct fore_op *op,
                        struct fore_strbuf *out)
{
    struct fore_bytes f = fore_model_op_name(h->model, op->f);
    fore_val object = h->objects.at[op->object];
    fore_strbuf_puts(out, "invoke(");
    name_text(&h->values, h->model->keyed ? FORE_NIL : object, h->model->name, out);
    fore_strbuf_putc(out, '.');
    fore_text_name(f.at, f.n, out);
    if (h->model->keyed) {
        fore_strbuf_puts(out, ", ");
        fore_val_text(&h->values, object, out);
    }
    for (size_t i = 0; i < h->model->ops[op->f].nargs; i++) {
        fore_strbuf_puts(out, ", ");
        fore_val_text(&h->values, op->arg[i], out);
    }
    fore_strbuf_putc(out, ')');
}

static void event_text(const struct fore_history *h,
                       const struct fore_history_event *event, struct fore_strbuf *out)
{
    const struct fore_op *op = &h->ops.at[event->op];
    fore_val process = h->processes.at[op->process];
    /* Threads are numbered from 1, processes often from 0: process 7 is thread c7. */
    if (fore_val_kind(process) == FORE_VAL_INT)
        fore_history_process_text(h, op->process, out);
    else
        name_text(&h->values, process, "process", out);
    fore_strbuf_puts(out, ": ");
    if (event->type == FORE_REC_INVOKE) {
        invoke_text(h, op, out);
    } else if (event->type == FORE_REC_INFO) {
        fore_strbuf_puts(out, "info");
    } else {
        fore_strbuf_puts(out, "return(");
        if (!fore_val_is(op->result, FORE_ANY))
            fore_val_text(&h->values, op->result, out);
        fore_strbuf_putc(out, ')');
    }
}

static void events_text(const struct fore_history *h, struct fore_strbuf *out)
{
    size_t n;
    bool overlaps = fore_history_overlaps(h);
    struct fore_history_event *events = fore_history_events(h, &n);
    for (size_t i = 0; i < n; i++) {
        event_text(h, &events[i], out);
        if (overlaps)
            fore_strbuf_printf(out, "#%u", events[i].op + 1);
        fore_strbuf_putc(out, '\n');
    }
    fore_free(events);
}

/* The notation has integers of 64 bits and floats, other formats numbers of any size. */
static bool fits_number(const struct fore_vals *v, fore_val x)
{
    size_t n;
    const fore_val *items = fore_val_items(v, x, &n);
    int64_t integer;
    for (size_t i = 0; i < n; i++)
        if (!fits_number(v, items[i]))
            return false;
    if (fore_val_kind(x) != FORE_VAL_NUMBER || fore_val_to_int(v, x, &integer))
        return true;
    struct fore_bytes text = fore_val_bytes(v, x);
    return text.n < 64 && strpbrk(text.at, ".eE") && isfinite(strtod(text.at, NULL));
}

static enum fore_status check_numbers(const struct fore_history *h, struct fore_err *e)
{
    for (size_t i = 0; i < h->ops.n; i++) {
        const struct fore_op *op = &h->ops.at[i];
        bool good = fits_number(&h->values, op->result) &&
                    fits_number(&h->values, h->objects.at[op->object]);
        for (size_t k = 0; k < h->model->ops[op->f].nargs; k++)
            good &= fits_number(&h->values, op->arg[k]);
        if (!good)
            return fore_fail(e, FORE_MEANING,
                             "the trace notation holds numbers of 64 bits; operation %zu "
                             "has a larger one",
                             i + 1);
    }
    return FORE_OK;
}

static enum fore_status write_trace(const struct fore_history *h, FILE *to,
                                    struct fore_err *e)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    FORE_TRY(check_numbers(h, e));
    fore_strbuf_puts(&b, "foresee 1\n");
    events_text(h, &b);
    fwrite(b.at, 1, b.n, to);
    fore_strbuf_release(&b);
    return FORE_OK;
}

/* The names under which the objects of the operations are written. */
static void init_text(const struct fore_history *h, fore_val init,
                      struct fore_strbuf *out)
{
    uint64_t *said = fore_calloc(FORE_BITSET_WORDS(h->objects.n) + 1, sizeof *said);
    for (size_t i = 0; i < h->ops.n; i++) {
        uint32_t object = h->model->keyed ? 0 : h->ops.at[i].object;
        if (fore_bit_has(said, object))
            continue;
        fore_bit_add(said, object);
        fore_strbuf_puts(out, "init ");
        name_text(&h->values, h->model->keyed ? FORE_NIL : h->objects.at[object],
                  h->model->name, out);
        fore_strbuf_putc(out, '=');
        fore_model_state_text(h->model, &h->values, init, out);
        fore_strbuf_putc(out, '\n');
    }
    fore_free(said);
}

void fore_history_witness_text(const struct fore_history *h, const uint32_t *ops,
                               size_t n, uint32_t cut, const fore_val *init,
                               const char *broken, struct fore_strbuf *out)
{
    struct fore_history few = *h;
    FORE_VEC(fore_val) objects = {0};
    memset(&few.ops, 0, sizeof few.ops);
    bool one = !h->model->keyed && h->model->user == NULL;
    for (size_t i = 0; i < n; i++) {
        struct fore_op op = h->ops.at[ops[i]];
        one = one && op.object == h->ops.at[ops[0]].object;
        if (op.ret >= cut) {
            op.ret = FORE_NEVER;
            op.result = FORE_ANY;
        }
        fore_vec_push(&few.ops, op);
    }
    /* A single object is named after its kind, so that --object is not needed. */
    for (size_t i = 0; i < h->objects.n; i++)
        fore_vec_push(&objects, one ? FORE_NIL : h->objects.at[i]);
    few.objects.at = objects.at;
    fore_strbuf_puts(out, "foresee 1\n");
    if (init)
        init_text(&few, *init, out);
    events_text(&few, out);
    fore_strbuf_printf(out, "expect violation %s\n", broken);
    fore_vec_release(&few.ops);
    fore_vec_release(&objects);
}

const struct fore_history_format fore_history_format_trace = {
    "trace",
    "trace",
    "the trace notation's invoke and return",
    FORE_DIALECT_PLAIN,
    looks_trace,
    read_trace,
    write_trace,
};
