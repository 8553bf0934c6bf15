#include "history/value.h"

#include "base/hash.h"
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lists nested deeper than this are refused by the parser: recursion must end. */
enum { MAX_DEPTH = 64 };

static fore_val make_value(enum fore_val_kind kind, uint64_t payload)
{
    return (fore_val){payload << 3 | kind};
}

static uint32_t id_of(fore_val v)
{
    return (uint32_t)(v.w >> 3);
}

void fore_vals_release(struct fore_vals *t)
{
    fore_intern_release(&t->strings);
    fore_intern_release(&t->lists);
    fore_intern_release(&t->numbers);
    fore_intern_release(&t->chains);
    fore_intern_release(&t->ropes);
    fore_map_release(&t->classes);
    fore_map_release(&t->next_class);
}

static size_t intern_size(const struct fore_intern *t)
{
    size_t slots = t->slots ? t->mask + 1 : 0;
    return t->arena.bytes + t->strings.cap * (sizeof *t->strings.at + 16) + slots * 4;
}

size_t fore_vals_bytes(const struct fore_vals *t)
{
    return intern_size(&t->strings) + intern_size(&t->lists) + intern_size(&t->numbers) +
           intern_size(&t->chains) + intern_size(&t->ropes);
}

fore_val fore_val_int(struct fore_vals *t, int64_t i)
{
    if (i >= -((int64_t)1 << 60) && i < (int64_t)1 << 60)
        return make_value(FORE_VAL_INT, (uint64_t)i);
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_strbuf_printf(&b, "%lld", (long long)i);
    fore_val v = make_value(FORE_VAL_NUMBER, fore_intern(&t->numbers, b.at, b.n));
    fore_strbuf_release(&b);
    return v;
}

fore_val fore_val_string(struct fore_vals *t, const char *s, size_t n)
{
    return make_value(FORE_VAL_STRING, fore_intern(&t->strings, n ? s : "", n));
}

fore_val fore_val_list(struct fore_vals *t, const fore_val *items, size_t n)
{
    const void *at = n ? (const void *)items : "";
    return make_value(FORE_VAL_LIST, fore_intern(&t->lists, at, n * sizeof *items));
}

fore_val fore_val_number(struct fore_vals *t, const char *text, size_t n)
{
    char buf[24];
    int64_t small = 0;
    size_t digits = 0;
    while (digits < n && n < 18 && text[digits] >= '0' && text[digits] <= '9')
        small = small * 10 + (text[digits++] - '0');
    if (digits == n && n)
        return fore_val_int(t, small);
    if (n < sizeof buf) {
        memcpy(buf, text, n);
        buf[n] = 0;
        char *end;
        errno = 0;
        long long i = strtoll(buf, &end, 10);
        if (!errno && end == buf + n && n)
            return fore_val_int(t, i);
    }
    return make_value(FORE_VAL_NUMBER, fore_intern(&t->numbers, n ? text : "", n));
}

fore_val fore_val_chain(struct fore_vals *t, fore_val before, fore_val last)
{
    /* The length rides along: it follows from `before`, so equality is not disturbed. */
    fore_val link[3] = {before, last, {fore_val_chain_length(t, before) + 1}};
    return make_value(FORE_VAL_CHAIN, fore_intern(&t->chains, link, sizeof link));
}

static const fore_val *link_of(const struct fore_vals *t, fore_val v)
{
    return (const void *)fore_intern_bytes(&t->chains, id_of(v)).at;
}

size_t fore_val_chain_length(const struct fore_vals *t, fore_val v)
{
    return fore_val_kind(v) == FORE_VAL_CHAIN ? link_of(t, v)[2].w : 0;
}

fore_val fore_val_unchain(const struct fore_vals *t, fore_val v, fore_val *last)
{
    FORE_BUG_IF(fore_val_kind(v) != FORE_VAL_CHAIN);
    const fore_val *link = link_of(t, v);
    *last = link[1];
    return link[0];
}

fore_val fore_val_chain_list(struct fore_vals *t, fore_val chain)
{
    size_t n = fore_val_chain_length(t, chain);
    fore_val *items = fore_calloc(n + 1, sizeof *items);
    for (size_t i = n; i-- > 0;)
        chain = fore_val_unchain(t, chain, &items[i]);
    fore_val list = fore_val_list(t, items, n);
    fore_free(items);
    return list;
}

static const fore_val *rope_of(const struct fore_vals *t, fore_val v)
{
    return (const void *)fore_intern_bytes(&t->ropes, id_of(v)).at;
}

/* Of a string or rope. */
static size_t text_length(const struct fore_vals *t, fore_val v)
{
    return fore_val_kind(v) == FORE_VAL_ROPE ? rope_of(t, v)[2].w
                                             : fore_val_bytes(t, v).n;
}

fore_val fore_val_rope(struct fore_vals *t, fore_val before, fore_val end)
{
    fore_val link[3] = {before, end, {text_length(t, before) + text_length(t, end)}};
    return make_value(FORE_VAL_ROPE, fore_intern(&t->ropes, link, sizeof link));
}

bool fore_val_same_text(const struct fore_vals *t, fore_val rope, fore_val string)
{
    return text_length(t, rope) == fore_val_bytes(t, string).n &&
           fore_val_begins(t, string, rope);
}

/* Pieces are compared from the back, where texts differ first. */
bool fore_val_begins(const struct fore_vals *t, fore_val string, fore_val rope)
{
    struct fore_bytes text = fore_val_bytes(t, string);
    if (text_length(t, rope) > text.n)
        return false;
    text.n = text_length(t, rope);
    while (fore_val_kind(rope) == FORE_VAL_ROPE) {
        const fore_val *link = rope_of(t, rope);
        struct fore_bytes end = fore_val_bytes(t, link[1]);
        if (memcmp(text.at + text.n - end.n, end.at, end.n) != 0)
            return false;
        text.n -= end.n;
        rope = link[0];
    }
    return memcmp(text.at, fore_val_bytes(t, rope).at, text.n) == 0;
}

/* The text of a rope; the caller frees. */
static char *rope_text(const struct fore_vals *t, fore_val v, size_t *n)
{
    *n = text_length(t, v);
    char *text = fore_alloc(*n + 1);
    size_t left = *n;
    while (fore_val_kind(v) == FORE_VAL_ROPE) {
        const fore_val *link = rope_of(t, v);
        struct fore_bytes end = fore_val_bytes(t, link[1]);
        left -= end.n;
        memcpy(text + left, end.at, end.n);
        v = link[0];
    }
    memcpy(text, fore_val_bytes(t, v).at, left);
    return text;
}

fore_val fore_val_flat(struct fore_vals *t, fore_val v)
{
    if (fore_val_kind(v) != FORE_VAL_ROPE)
        return v;
    size_t n;
    char *text = rope_text(t, v, &n);
    fore_val string = fore_val_string(t, text, n);
    fore_free(text);
    return string;
}

bool fore_val_to_int(const struct fore_vals *t, fore_val v, int64_t *i)
{
    if (fore_val_kind(v) == FORE_VAL_INT) {
        *i = (int64_t)v.w >> 3;
        return true;
    }
    if (fore_val_kind(v) != FORE_VAL_NUMBER)
        return false;
    char *end;
    errno = 0;
    *i = strtoll(fore_intern_text(&t->numbers, id_of(v)), &end, 10);
    return !errno && !*end;
}

struct fore_bytes fore_val_bytes(const struct fore_vals *t, fore_val v)
{
    if (fore_val_kind(v) == FORE_VAL_STRING)
        return fore_intern_bytes(&t->strings, id_of(v));
    if (fore_val_kind(v) == FORE_VAL_NUMBER)
        return fore_intern_bytes(&t->numbers, id_of(v));
    return (struct fore_bytes){"", 0};
}

const fore_val *fore_val_items(const struct fore_vals *t, fore_val v, size_t *n)
{
    *n = 0;
    if (fore_val_kind(v) != FORE_VAL_LIST)
        return NULL;
    struct fore_bytes b = fore_intern_bytes(&t->lists, id_of(v));
    *n = b.n / sizeof(fore_val);
    return (const fore_val *)(const void *)b.at;
}

static int rank_of_kind(fore_val v)
{
    static const int ranks[] = {
        [FORE_VAL_ATOM] = 0,   [FORE_VAL_INT] = 1,  [FORE_VAL_NUMBER] = 1,
        [FORE_VAL_STRING] = 2, [FORE_VAL_LIST] = 3, [FORE_VAL_CHAIN] = 4,
        [FORE_VAL_ROPE] = 5};
    return ranks[fore_val_kind(v)];
}

static int compare_bytes(struct fore_bytes a, struct fore_bytes b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.at, b.at, n) : 0;
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

static double as_double(const struct fore_vals *t, fore_val v)
{
    if (fore_val_kind(v) == FORE_VAL_INT)
        return (double)((int64_t)v.w >> 3);
    return strtod(fore_intern_text(&t->numbers, id_of(v)), NULL);
}

static int compare_numbers(const struct fore_vals *t, fore_val a, fore_val b)
{
    int64_t i, j;
    if (fore_val_to_int(t, a, &i) && fore_val_to_int(t, b, &j))
        return (i > j) - (i < j);
    double x = as_double(t, a), y = as_double(t, b);
    if (x < y || x > y)
        return x < y ? -1 : 1;
    return compare_bytes(fore_val_bytes(t, a), fore_val_bytes(t, b));
}

static int compare_lists(const struct fore_vals *t, fore_val a, fore_val b)
{
    size_t m, n;
    const fore_val *x = fore_val_items(t, a, &m), *y = fore_val_items(t, b, &n);
    for (size_t i = 0; i < m && i < n; i++) {
        int c = fore_val_compare(t, x[i], y[i]);
        if (c)
            return c;
    }
    return (m > n) - (m < n);
}

int fore_val_compare(const struct fore_vals *t, fore_val a, fore_val b)
{
    if (fore_val_is(a, b))
        return 0;
    if (rank_of_kind(a) != rank_of_kind(b))
        return rank_of_kind(a) < rank_of_kind(b) ? -1 : 1;
    if (rank_of_kind(a) == 1)
        return compare_numbers(t, a, b);
    if (fore_val_kind(a) == FORE_VAL_STRING)
        return compare_bytes(fore_val_bytes(t, a), fore_val_bytes(t, b));
    if (fore_val_kind(a) == FORE_VAL_LIST)
        return compare_lists(t, a, b);
    return a.w < b.w ? -1 : 1;
}

static int by_first_value(const void *a, const void *b, void *values)
{
    return fore_val_compare(values, *(const fore_val *)a, *(const fore_val *)b);
}

void fore_val_sort(struct fore_vals *t, fore_val *rows, size_t n, size_t width)
{
    if (n)
        qsort_r(rows, n, width * sizeof *rows, by_first_value, t);
}

static uint64_t rope_hash(const struct fore_vals *t, fore_val v)
{
    size_t n;
    char *text = rope_text(t, v, &n);
    uint64_t h = fore_hash_more(fore_hash_u64(FORE_VAL_STRING), text, n);
    fore_free(text);
    return h;
}

uint64_t fore_val_hash(const struct fore_vals *t, fore_val v)
{
    uint64_t h = fore_hash_u64(v.w & 7);
    size_t n;
    const fore_val *items;
    switch (fore_val_kind(v)) {
    case FORE_VAL_ATOM:
    case FORE_VAL_INT:
        return fore_hash_mix(h, v.w);
    case FORE_VAL_STRING:
    case FORE_VAL_NUMBER: {
        struct fore_bytes b = fore_val_bytes(t, v);
        return fore_hash_more(h, b.at, b.n);
    }
    case FORE_VAL_LIST:
        items = fore_val_items(t, v, &n);
        for (size_t i = 0; i < n; i++)
            h = fore_hash_mix(h, fore_val_hash(t, items[i]));
        return fore_hash_mix(h, n);
    case FORE_VAL_ROPE:
        return rope_hash(t, v);
    case FORE_VAL_CHAIN:
        while (fore_val_kind(v) == FORE_VAL_CHAIN) {
            fore_val last;
            v = fore_val_unchain(t, v, &last);
            h = fore_hash_mix(h, fore_val_hash(t, last));
        }
        return h;
    }
    return h;
}

static void list_text(const struct fore_vals *t, fore_val v, struct fore_strbuf *out)
{
    size_t n;
    const fore_val *items = fore_val_items(t, v, &n);
    fore_strbuf_putc(out, '[');
    for (size_t i = 0; i < n; i++) {
        if (i)
            fore_strbuf_puts(out, ", ");
        fore_val_text(t, items[i], out);
    }
    fore_strbuf_putc(out, ']');
}

static void chain_text(const struct fore_vals *t, fore_val v, struct fore_strbuf *out)
{
    FORE_VEC(fore_val) items = {0};
    while (fore_val_kind(v) == FORE_VAL_CHAIN) {
        fore_val last;
        v = fore_val_unchain(t, v, &last);
        fore_vec_push(&items, last);
    }
    fore_strbuf_putc(out, '[');
    while (items.n) {
        fore_val_text(t, fore_vec_pop(&items), out);
        fore_strbuf_puts(out, items.n ? ", " : "");
    }
    fore_strbuf_putc(out, ']');
    fore_vec_release(&items);
}

void fore_val_text(const struct fore_vals *t, fore_val v, struct fore_strbuf *out)
{
    static const char *const atoms[] = {"nil", "?", "false", "true"};
    struct fore_bytes b = fore_val_bytes(t, v);
    size_t n;
    char *rope;
    switch (fore_val_kind(v)) {
    case FORE_VAL_ATOM:
        fore_strbuf_puts(out, atoms[v.w >> 3 & 3]);
        break;
    case FORE_VAL_INT:
        fore_strbuf_printf(out, "%lld", (long long)((int64_t)v.w >> 3));
        break;
    case FORE_VAL_STRING:
        fore_strbuf_json(out, b.at, b.n);
        break;
    case FORE_VAL_NUMBER:
        fore_strbuf_add(out, b.at, b.n);
        break;
    case FORE_VAL_LIST:
        list_text(t, v, out);
        break;
    case FORE_VAL_CHAIN:
        chain_text(t, v, out);
        break;
    case FORE_VAL_ROPE:
        rope = rope_text(t, v, &n);
        fore_strbuf_json(out, rope, n);
        fore_free(rope);
        break;
    }
}

static void skip_blanks(const char **s, const char *end)
{
    while (*s < end && (**s == ' ' || **s == '\t' || **s == ','))
        ++*s;
}

static bool parse_value(struct fore_vals *t, const char **s, const char *end, int depth,
                        fore_val *out);

static bool parse_list(struct fore_vals *t, const char **s, const char *end, int depth,
                       fore_val *out)
{
    FORE_VEC(fore_val) items = {0};
    ++*s;
    skip_blanks(s, end);
    bool ok = true;
    while (ok && *s < end && **s != ']') {
        fore_val item;
        ok = depth < MAX_DEPTH && parse_value(t, s, end, depth + 1, &item);
        if (ok)
            fore_vec_push(&items, item);
        skip_blanks(s, end);
    }
    ok = ok && *s < end;
    if (ok) {
        ++*s;
        *out = fore_val_list(t, items.at, items.n);
    }
    fore_vec_release(&items);
    return ok;
}

static bool parse_string(struct fore_vals *t, const char **s, const char *end,
                         fore_val *out)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_bytes text;
    size_t used;
    const char *why;
    bool ok = fore_json_string(&a, *s, (size_t)(end - *s), &used, &text, &why) == FORE_OK;
    if (ok) {
        *out = fore_val_string(t, text.at, text.n);
        *s += used;
    }
    fore_arena_release(&a);
    return ok;
}

static bool parse_word(struct fore_vals *t, const char **s, const char *end,
                       fore_val *out)
{
    const char *from = *s;
    while (*s < end && !strchr(" \t,]", **s))
        ++*s;
    size_t n = (size_t)(*s - from);
    if (!n)
        return false;
    static const char *const atoms[] = {"nil", "?", "false", "true"};
    for (size_t i = 0; i < 4; i++)
        if (strlen(atoms[i]) == n && !memcmp(atoms[i], from, n)) {
            *out = make_value(FORE_VAL_ATOM, i);
            return true;
        }
    char *stop;
    char *copy = strndup(from, n);
    if (!copy)
        return false;
    bool digit = strpbrk(copy, "0123456789") && strspn(copy, "+-.0123456789eE") == n;
    strtod(copy, &stop);
    bool number = digit && !*stop;
    *out = number ? fore_val_number(t, from, n) : fore_val_string(t, from, n);
    free(copy);
    return true;
}

static bool parse_value(struct fore_vals *t, const char **s, const char *end, int depth,
                        fore_val *out)
{
    skip_blanks(s, end);
    if (*s == end)
        return false;
    if (**s == '[')
        return parse_list(t, s, end, depth, out);
    if (**s == '"')
        return parse_string(t, s, end, out);
    return parse_word(t, s, end, out);
}

bool fore_val_parse(struct fore_vals *t, const char *text, size_t n, fore_val *out)
{
    const char *s = text, *end = text + n;
    if (!parse_value(t, &s, end, 0, out))
        return false;
    skip_blanks(&s, end);
    return s == end;
}

fore_val fore_val_import(struct fore_vals *into, const struct fore_vals *from, fore_val v)
{
    struct fore_bytes b = fore_val_bytes(from, v);
    if (fore_val_kind(v) == FORE_VAL_STRING)
        return fore_val_string(into, b.at, b.n);
    if (fore_val_kind(v) == FORE_VAL_NUMBER)
        return fore_val_number(into, b.at, b.n);
    if (fore_val_kind(v) != FORE_VAL_LIST)
        return v;
    size_t n;
    const fore_val *items = fore_val_items(from, v, &n);
    FORE_VEC(fore_val) copy = {0};
    for (size_t i = 0; i < n; i++)
        fore_vec_push(&copy, fore_val_import(into, from, items[i]));
    fore_val list = fore_val_list(into, copy.at, n);
    fore_vec_release(&copy);
    return list;
}

fore_val fore_val_import_state(struct fore_vals *into, const struct fore_vals *from,
                               fore_val v)
{
    size_t n = fore_val_chain_length(from, v);
    if (fore_val_kind(v) == FORE_VAL_ROPE) {
        char *text = rope_text(from, v, &n);
        fore_val string = fore_val_string(into, text, n);
        fore_free(text);
        return string;
    }
    if (!n)
        return fore_val_import(into, from, v);
    fore_val *items = fore_calloc(n, sizeof *items);
    for (size_t i = n; i-- > 0;)
        v = fore_val_unchain(from, v, &items[i]);
    fore_val chain = fore_val_list(into, NULL, 0);
    for (size_t i = 0; i < n; i++)
        chain = fore_val_chain(into, chain, fore_val_import(into, from, items[i]));
    fore_free(items);
    return chain;
}
