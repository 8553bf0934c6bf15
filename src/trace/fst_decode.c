#include "trace/fst_decode.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 1024,
    FLAGS_WITHOUT_VALUES = ((1 << FORE_F_VALUE_SHIFT) - 1) | FORE_F_STRAIGHT,
};

/* Which operands of a template hold ids, and of what. */
enum operand_check {
    FREE,
    THREAD_A,
    STRING_A,
    CREATES, /* a = a thread, whose parent this is */
    LOCK_A,
    THREAD_B,
    STRING_B,
    STRINGS,
    INVOKES,
    SELECTS,
    UNKNOWN,
};

void fore_fst_decoder_init(struct fore_fst_decoder *d, struct fore_tables *t,
                           struct fore_sink *s)
{
    *d = (struct fore_fst_decoder){.tables = t, .sink = s};
    d->batch = fore_calloc(BLOCK, sizeof *d->batch);
}

void fore_fst_decoder_release(struct fore_fst_decoder *d)
{
    fore_free(d->batch);
    fore_vec_release(&d->templates);
    fore_vec_release(&d->cases);
    fore_vec_release(&d->expects);
}

static bool get_fields(struct fore_fst_bytes *row, uint64_t *fields, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!fore_fst_get(row, &fields[i]))
            return false;
    return true;
}

static bool is_string(const struct fore_fst_decoder *d, uint64_t id)
{
    return id <= fore_intern_count(&d->tables->strings);
}

static bool is_where(const struct fore_fst_decoder *d, uint64_t id)
{
    return id < d->tables->wheres.n;
}

static const char *string_row(struct fore_fst_decoder *d, struct fore_fst_bytes row)
{
    size_t n = (size_t)(row.end - row.p), before = fore_intern_count(&d->tables->strings);
    if (n > FORE_FST_STRING)
        return "a string that is too long";
    if (fore_tables_string(d->tables, (const char *)row.p, n) != before + 1)
        return "the same string twice";
    return NULL;
}

static const char *where_row(struct fore_fst_decoder *d, struct fore_fst_bytes row)
{
    uint64_t f[5];
    size_t before = d->tables->wheres.n;
    if (!get_fields(&row, f, 5) || !is_string(d, f[0]) || !is_string(d, f[1]) ||
        f[2] > UINT32_MAX || f[3] > UINT32_MAX || !is_where(d, f[4]))
        return "a malformed location";
    struct fore_where w = {(uint32_t)f[0], (uint32_t)f[1], (uint32_t)f[2], (uint32_t)f[3],
                           (uint32_t)f[4]};
    return fore_tables_where(d->tables, w) == before ? NULL : "the same location twice";
}

static bool is_value(const struct fore_fst_decoder *d, uint64_t type, uint64_t bits)
{
    if (type == FORE_VALUE_STRING || type == FORE_VALUE_LIST)
        return is_string(d, bits);
    return type <= FORE_VALUE_LIST;
}

static const char *object_row(struct fore_fst_decoder *d, struct fore_fst_bytes row)
{
    uint64_t f[7];
    bool fresh;
    if (!get_fields(&row, f, 7) || f[0] >= FORE_OBJ_KINDS || f[1] > UINT16_MAX ||
        !is_string(d, f[2]) || !is_where(d, f[3]) || !is_value(d, f[5], f[6]))
        return "a malformed object";
    uint32_t id = fore_tables_object_of(d->tables, (enum fore_object_kind)f[0],
                                        (uint32_t)f[2], &fresh);
    if (!fresh)
        return "the same object twice";
    struct fore_object *o = &d->tables->objects.at[id];
    o->flags = (uint16_t)f[1];
    o->where = (uint32_t)f[3];
    o->capacity = f[4];
    o->init = (struct fore_value){(enum fore_value_type)f[5], f[6]};
    return NULL;
}

/* Before 1.4 only the name showed that a thread is a goroutine: "goroutine 7 (main.worker)". */
static void name_goroutine(struct fore_tables *t, uint32_t thread)
{
    static const char word[] = "goroutine ";
    struct fore_bytes name = fore_intern_bytes(&t->strings, t->threads.at[thread].name);
    char *end;
    if (name.n < sizeof word || memcmp(name.at, word, sizeof word - 1) != 0)
        return;
    uint32_t number = (uint32_t)strtoul(name.at + sizeof word - 1, &end, 10);
    size_t left = (size_t)(name.at + name.n - end);
    bool begun = left > 3 && end[0] == ' ' && end[1] == '(' && end[left - 1] == ')';
    char *begins = fore_strdup(begun ? end + 2 : ""); /* interning moves the strings */
    fore_tables_goroutine(t, thread, number, begins, begun ? left - 3 : 0);
    free(begins);
}

static const char *thread_row(struct fore_fst_decoder *d, struct fore_fst_bytes row)
{
    uint64_t f[3], group = 0, goroutine[2] = {0};
    bool fresh;
    if (!get_fields(&row, f, 3) || !is_string(d, f[0]) || !is_string(d, f[1]) ||
        !is_where(d, f[2]))
        return "a malformed thread";
    if (row.p < row.end && /* since 1.3 */
        (!fore_fst_get(&row, &group) || !is_string(d, group)))
        return "a malformed thread";
    if (row.p < row.end && /* since 1.4 */
        (!get_fields(&row, goroutine, 2) || goroutine[0] > UINT32_MAX ||
         !is_string(d, goroutine[1])))
        return "a malformed goroutine";
    uint32_t id = fore_tables_thread_of(d->tables, (uint32_t)f[0], &fresh);
    if (!fresh)
        return "the same thread twice";
    struct fore_thread_info *info = &d->tables->threads.at[id];
    info->name = (uint32_t)f[1];
    info->where = (uint32_t)f[2];
    info->group = (uint32_t)group;
    info->goroutine = (uint32_t)goroutine[0];
    info->begins = (uint32_t)goroutine[1];
    if (d->names_goroutines)
        name_goroutine(d->tables, id);
    return NULL;
}

static const char *expect_row(struct fore_fst_decoder *d, struct fore_fst_bytes row)
{
    uint64_t f[2];
    if (!get_fields(&row, f, 2))
        return "a malformed expectation";
    if (f[0] > FORE_EXPECT_RACE) {
        d->unknown++;
        return NULL;
    }
    if (f[0] == FORE_EXPECT_VIOLATION ? !is_string(d, f[1])
                                      : f[1] >= d->tables->threads.n)
        return "a malformed expectation";
    fore_vec_push(&d->expects,
                  (struct fore_expect){(enum fore_expect_kind)f[0], (uint32_t)f[1]});
    return NULL;
}

static const char *sees_row(struct fore_fst_decoder *d, struct fore_fst_bytes row)
{
    uint64_t f;
    if (!get_fields(&row, &f, 1))
        return "a malformed line of what was seen";
    d->tables->sees |= (unsigned)f & (FORE_SEES_ALL | FORE_SEES_DECLARED);
    return NULL;
}

static const char *unseen_row(struct fore_fst_decoder *d, struct fore_fst_bytes row)
{
    uint64_t f[2], member = 0;
    if (!get_fields(&row, f, 2) || !is_string(d, f[0]) || !is_where(d, f[1]))
        return "a malformed line of what was not seen";
    if (row.p < row.end && /* since 1.4 */
        (!fore_fst_get(&row, &member) || !is_string(d, member)))
        return "a malformed line of what was not seen";
    fore_vec_push(&d->tables->unseen, (struct fore_unseen){.text = (uint32_t)f[0],
                                                           .where = (uint32_t)f[1],
                                                           .member = (uint32_t)member});
    return NULL;
}

static const char *ended_row(struct fore_fst_decoder *d, struct fore_fst_bytes row)
{
    uint64_t f[2];
    if (!get_fields(&row, f, 2) || f[0] >= FORE_ENDINGS || !is_string(d, f[1]))
        return "a malformed end of the process";
    d->tables->ended = (enum fore_ended)f[0];
    d->tables->ended_text = (uint32_t)f[1];
    return NULL;
}

static enum operand_check value_check(const struct fore_event *e)
{
    enum fore_value_type a = fore_event_type_a(e), b = fore_event_type_b(e);
    bool in_a = a == FORE_VALUE_STRING || a == FORE_VALUE_LIST;
    bool in_b = b == FORE_VALUE_STRING || b == FORE_VALUE_LIST;
    return in_a && in_b ? STRINGS : in_a ? STRING_A : in_b ? STRING_B : FREE;
}

static enum operand_check check_of(const struct fore_fst_decoder *d,
                                   const struct fore_event *e)
{
    switch (e->kind) {
    case FORE_EV_SIGNAL:
    case FORE_EV_SPAWN:
        return CREATES;
    case FORE_EV_WAIT:
    case FORE_EV_JOIN:
    case FORE_EV_CSIGNAL:
        return THREAD_A;
    case FORE_EV_RECV:
        return d->tables->objects.at[e->object].capacity ? FREE : THREAD_A;
    case FORE_EV_ASEND:
        return THREAD_B;
    case FORE_EV_CWAIT:
    case FORE_EV_CWOKEN:
        return LOCK_A;
    case FORE_EV_INVOKE:
        return INVOKES;
    case FORE_EV_PRE:
        return e->flags & FORE_F_CASES ? SELECTS : FREE;
    default:
        return value_check(e);
    }
}

static bool right_object(const struct fore_fst_decoder *d, unsigned kind, uint64_t object)
{
    if (kind == FORE_EV_ASEND)
        return is_string(d, object);
    return object < d->tables->objects.n &&
           (!object || d->tables->objects.at[object].kind == fore_kind_object(kind));
}

/* Types of values and memory orders mean something in these kinds only. */
static bool has_values(unsigned kind)
{
    return fore_kind_group(kind) == FORE_GROUP_MEMORY || kind == FORE_EV_RETURN ||
           kind == FORE_EV_IN || kind == FORE_EV_OUT || kind == FORE_EV_MISUSE;
}

static bool right_flags(const struct fore_event *e)
{
    bool pre = e->flags & FORE_F_PRE, cases = e->flags & FORE_F_CASES;
    return (!pre || fore_kind_blocks(e->kind)) && (!cases || e->kind == FORE_EV_PRE) &&
           fore_event_type_a(e) <= FORE_VALUE_LIST &&
           fore_event_type_b(e) <= FORE_VALUE_LIST &&
           fore_event_order(e) <= FORE_ORDER_SEQ_CST;
}

static bool is_plain_access(const struct fore_event *e)
{
    return (e->kind == FORE_EV_READ || e->kind == FORE_EV_WRITE) &&
           fore_event_order(e) == FORE_ORDER_PLAIN;
}

static const char *template_cases(struct fore_fst_decoder *d, struct fore_fst_bytes row)
{
    size_t before = d->cases.n;
    while (row.p < row.end) {
        uint64_t x;
        if (d->cases.n - before >= FORE_FST_CASES)
            return "a select with too many cases";
        if (!fore_fst_get(&row, &x) || x >> 2 >= d->tables->objects.n ||
            (x >> 2 && d->tables->objects.at[x >> 2].kind != FORE_OBJ_CHAN))
            return "a malformed select";
        fore_vec_push(&d->cases, (struct fore_case){(uint32_t)(x >> 2), x & 3});
    }
    return NULL;
}

static const char *template_row(struct fore_fst_decoder *d, struct fore_fst_bytes row)
{
    uint64_t f[5];
    struct fore_fst_template t = {.first = (uint32_t)d->cases.n, .check = UNKNOWN};
    if (!get_fields(&row, f, 5))
        return "a malformed event";
    if (f[0] < FORE_KINDS) {
        t.last.kind = (uint16_t)f[0];
        t.last.flags =
            (uint16_t)(has_values(t.last.kind) ? f[1] : f[1] & FLAGS_WITHOUT_VALUES);
        t.last.thread = (uint32_t)f[2];
        t.last.object = (uint32_t)f[3];
        t.last.where = (uint32_t)f[4];
        if (!f[0] || f[1] > UINT16_MAX || !right_flags(&t.last) || !f[2] ||
            f[2] >= d->tables->threads.n || !right_object(d, t.last.kind, f[3]) ||
            !is_where(d, f[4]))
            return "a malformed event";
        if (d->sees_memory && is_plain_access(&t.last))
            d->tables->sees |= FORE_SEES_LEGACY_MEMORY;
        t.check = check_of(d, &t.last);
        t.bound = t.check == FREE ? UINT64_MAX : 0;
    }
    if (t.check == SELECTS) {
        const char *wrong = template_cases(d, row);
        if (wrong)
            return wrong;
        t.cases = (uint32_t)(d->cases.n - t.first);
    }
    fore_vec_push(&d->templates, t);
    return NULL;
}

static void push_events(struct fore_fst_decoder *d, size_t n)
{
    struct fore_batch b = {d->tables, d->batch, n, d->cases.at, false};
    if (n && !d->stopped && d->sink->events(d->sink, &b) == FORE_STOP)
        d->stopped = true;
}

/* Checks an operand that reached the bound of its template; the tables may have grown since the
 * bound was set. Returns whether the event counts. */
static bool check_operand(struct fore_fst_decoder *d, struct fore_fst_template *t,
                          struct fore_event *e, bool *bad)
{
    const struct fore_tables *tables = d->tables;
    switch ((enum operand_check)t->check) {
    case FREE:
        break;
    case THREAD_A:
        t->bound = tables->threads.n;
        *bad |= e->a >= t->bound;
        break;
    case STRING_A:
        t->bound = fore_intern_count(&tables->strings) + 1;
        *bad |= e->a >= t->bound;
        break;
    case CREATES:
        if (!e->a || e->a >= tables->threads.n)
            *bad = true;
        else
            (void)fore_tables_adopt(d->tables, e->thread, (uint32_t)e->a);
        break;
    case LOCK_A:
        *bad |= !e->a || e->a >= tables->objects.n ||
                tables->objects.at[e->a].kind != FORE_OBJ_LOCK;
        break;
    case THREAD_B:
        *bad |= e->b >= tables->threads.n;
        break;
    case STRING_B:
        *bad |= !is_string(d, e->b);
        break;
    case STRINGS:
        *bad |= !is_string(d, e->a) || !is_string(d, e->b);
        break;
    case INVOKES:
        *bad |= !is_string(d, (uint32_t)e->a) || !is_string(d, e->a >> 32);
        break;
    case SELECTS:
        e->a = t->first;
        e->b = t->cases;
        break;
    case UNKNOWN:
        d->unknown++;
        return false;
    }
    return true;
}

/* A column and the width of its numbers. */
struct column {
    const unsigned char *p;
    unsigned width;
};

static inline int64_t signed_at(struct column c, size_t i)
{
    int16_t x2;
    int32_t x4;
    int64_t x8;
    switch (c.width) {
    case 0:
        return 0;
    case 1:
        return (int8_t)c.p[i];
    case 2:
        memcpy(&x2, c.p + 2 * i, 2);
        return x2;
    case 4:
        memcpy(&x4, c.p + 4 * i, 4);
        return x4;
    default:
        memcpy(&x8, c.p + 8 * i, 8);
        return x8;
    }
}

static inline size_t id_at(struct column c, size_t i)
{
    int64_t x = signed_at(c, i);
    return c.width == 1 ? (uint8_t)x : c.width == 2 ? (uint16_t)x : (uint32_t)x;
}

/* Decodes events from..to of the columns. Inlined where the widths are known, which makes the
 * loop short; no other loop of a reader is as hot. */
static inline __attribute__((always_inline)) bool
decode(struct fore_fst_decoder *d, struct column ids, struct column as, struct column bs,
       size_t from, size_t to)
{
    struct fore_fst_template *templates = d->templates.at;
    struct fore_event *out = d->batch;
    bool bad = false;
    for (size_t i = from; i < to; i++) {
        struct fore_fst_template *t = &templates[id_at(ids, i)];
        uint64_t a = t->last.a + (uint64_t)signed_at(as, i);
        uint64_t b = t->last.b + (uint64_t)signed_at(bs, i);
        /* Not *out = t->last: a wide load right after two narrow stores would wait for them. */
        memcpy(out, &t->last, offsetof(struct fore_event, a));
        out->a = t->last.a = a;
        out->b = t->last.b = b;
        if (__builtin_expect(a >= t->bound, 0))
            out -= !check_operand(d, t, out, &bad);
        out++;
    }
    if (!bad)
        push_events(d, (size_t)(out - d->batch));
    return !bad;
}

static bool decode_block(struct fore_fst_decoder *d, struct column ids, struct column a,
                         struct column b, size_t from, size_t to)
{
#define WIDTHS(i, x, y)                                                                  \
    if (ids.width == i && a.width == x && b.width == y)                                  \
    return decode(d, (struct column){ids.p, i}, (struct column){a.p, x},                 \
                  (struct column){b.p, y}, from, to)
    WIDTHS(1, 1, 1);
    WIDTHS(1, 2, 2);
    WIDTHS(1, 4, 4);
    WIDTHS(2, 4, 4);
#undef WIDTHS
    return decode(d, ids, a, b, from, to);
}

static bool get_column(struct fore_fst_bytes *b, uint64_t n, struct column *c)
{
    struct fore_fst_bytes bytes;
    if (b->p == b->end)
        return false;
    c->width = *b->p++;
    if ((c->width > 2 && c->width != 4 && c->width != 8) ||
        !fore_fst_sub(b, n * c->width, &bytes))
        return false;
    c->p = bytes.p;
    return true;
}

/* Every number in the column is that of a template. */
static bool right_ids(const struct fore_fst_decoder *d, struct column ids, size_t n)
{
    uint8_t most1 = 0;
    uint32_t most = 0;
    if (ids.width == 1) { /* apart, for a loop of 16 at once */
        for (size_t i = 0; i < n; i++)
            most1 = ids.p[i] > most1 ? ids.p[i] : most1;
        most = most1;
    } else {
        for (size_t i = 0; i < n; i++) {
            uint32_t id = (uint32_t)id_at(ids, i);
            most = id > most ? id : most;
        }
    }
    return !n || most < d->templates.n;
}

static const char *decode_events(struct fore_fst_decoder *d, struct fore_fst_bytes s)
{
    struct column ids, a, b;
    uint64_t n;
    if (!fore_fst_get(&s, &n) || n > FORE_FST_EVENTS || !get_column(&s, n, &ids) ||
        !get_column(&s, n, &a) || !get_column(&s, n, &b) || !ids.width || ids.width == 8)
        return "malformed columns";
    if (!right_ids(d, ids, n))
        return "an event of no known shape";
    for (size_t i = 0; i < n && !d->stopped; i += BLOCK)
        if (!decode_block(d, ids, a, b, i, n - i < BLOCK ? n : i + BLOCK))
            return "an event whose operands are out of range";
    d->decoded += n;
    return NULL;
}

static const char *decode_rows(struct fore_fst_decoder *d, struct fore_fst_bytes s,
                               const char *(*row)(struct fore_fst_decoder *,
                                                  struct fore_fst_bytes))
{
    while (s.p < s.end) {
        struct fore_fst_bytes r;
        uint64_t n;
        if (!fore_fst_get(&s, &n) || !fore_fst_sub(&s, n, &r))
            return "a row longer than its section";
        const char *wrong = row(d, r);
        if (wrong)
            return wrong;
    }
    return NULL;
}

/* Adds rows to the tables. A row of a few bytes takes some 64 in memory. */
static const char *table_rows(struct fore_fst_decoder *d, struct fore_fst_bytes s,
                              const char *(*row)(struct fore_fst_decoder *,
                                                 struct fore_fst_bytes))
{
    enum { ROW_FACTOR = 8 };
    size_t bytes = (size_t)(s.end - s.p);
    d->held += row == string_row ? bytes : bytes * ROW_FACTOR;
    if (d->held > FORE_FST_TABLES)
        return "names and places that take more than a gigabyte";
    return decode_rows(d, s, row);
}

static const char *read_section(struct fore_fst_decoder *d, unsigned type,
                                struct fore_fst_bytes s)
{
    switch (type) {
    case FORE_FST_STRINGS:
        return table_rows(d, s, string_row);
    case FORE_FST_WHERES:
        return table_rows(d, s, where_row);
    case FORE_FST_OBJECTS:
        return table_rows(d, s, object_row);
    case FORE_FST_THREADS:
        return table_rows(d, s, thread_row);
    case FORE_FST_TEMPLATES:
        return decode_rows(d, s, template_row);
    case FORE_FST_EVENTS_:
        return decode_events(d, s);
    case FORE_FST_EXPECTS:
        return decode_rows(d, s, expect_row);
    case FORE_FST_SEES:
        return decode_rows(d, s, sees_row);
    case FORE_FST_UNSEEN:
        return decode_rows(d, s, unseen_row);
    case FORE_FST_ENDED:
        return decode_rows(d, s, ended_row);
    default:
        d->unknown++;
        return NULL;
    }
}

const char *fore_fst_decode(struct fore_fst_decoder *d, struct fore_fst_bytes payload,
                            uint64_t expected)
{
    d->decoded = 0;
    fore_vec_clear(&d->templates);
    fore_vec_clear(&d->cases);
    while (payload.p < payload.end && !d->stopped) {
        struct fore_fst_bytes s;
        unsigned type = *payload.p++;
        uint64_t n;
        if (!fore_fst_get(&payload, &n) || !fore_fst_sub(&payload, n, &s))
            return "a section longer than the chunk";
        const char *wrong = read_section(d, type, s);
        if (wrong)
            return wrong;
    }
    return d->decoded == expected || d->stopped ? NULL : "other events than it says";
}
