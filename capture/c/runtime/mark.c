/* Operations that the program marks (foresee/mark.h), as records of the ring. Their real time is
 * the order of their object's tickets. Definitions are weak: a program that links the recorder
 * of foresee/history.h has its own. */
#include "foresee/mark.h"
#include "capture/c/runtime/rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 1024, SHORT = 48, LONGEST = 2048, SITES = 1024 };

struct foresee_history {
    foresee_history *older;
    uint32_t id;
    uint64_t ticket;
    char name[];
};

struct foresee_call {
    foresee_history *of;
    uint32_t number;
};

/* Short texts (arguments, names of operations) come again and again. A text that shares its slot
 * with another is simply defined again. */
static struct {
    uint32_t lock, calls;
    foresee_history *newest;
    struct {
        uint32_t id;
        char text[SHORT];
    } known[TEXTS];
    struct fore_c_site sites[SITES];
} marks;

/* ---- texts ---- */

static uint32_t text_id(struct fore_rt_thread *t, const char *s, size_t n)
{
    size_t slot = 5381;
    if (n >= SHORT || memchr(s, 0, n))
        return fore_rt_text(t, s, n);
    for (size_t i = 0; i < n; i++)
        slot = slot * 33 + (unsigned char)s[i];
    slot %= TEXTS;
    fore_rt_spin(&marks.lock);
    uint32_t id = marks.known[slot].id;
    if (!id || strlen(marks.known[slot].text) != n ||
        memcmp(marks.known[slot].text, s, n)) {
        id = fore_rt_text(t, s, n);
        memcpy(marks.known[slot].text, s, n);
        marks.known[slot].text[n] = 0;
        marks.known[slot].id = id;
    }
    fore_rt_unspin(&marks.lock);
    return id;
}

struct text {
    size_t n;
    char at[LONGEST];
};

static void add_text(struct text *x, const char *s, size_t n)
{
    if (n > sizeof x->at - x->n)
        n = sizeof x->at - x->n;
    memcpy(x->at + x->n, s, n);
    x->n += n;
}

static void add_string(struct text *x, const char *s, size_t n)
{
    char code[8];
    add_text(x, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c >= 0x20 && c != '"' && c != '\\') {
            add_text(x, s + i, 1);
            continue;
        }
        snprintf(code, sizeof code, "\\u%04x", c);
        add_text(x, code, 6);
    }
    add_text(x, "\"", 1);
}

/* Appends the value as the notation writes it. */
static void add_value(struct text *x, const struct foresee_value *v, unsigned depth)
{
    char number[32];
    switch (v->kind) {
    case FORESEE_BOOL:
        add_text(x, v->i ? "true" : "false", v->i ? 4 : 5);
        return;
    case FORESEE_INT:
        add_text(x, number,
                 (size_t)snprintf(number, sizeof number, "%lld", (long long)v->i));
        return;
    case FORESEE_TEXT:
        add_string(x, v->text, v->n);
        return;
    case FORESEE_NUMBER:
        add_text(x, v->text, v->n);
        return;
    case FORESEE_LIST:
        add_text(x, "[", 1);
        for (size_t i = 0; i < v->n && depth < 8; i++) {
            add_text(x, ", ", i ? 2 : 0);
            add_value(x, &v->items[i], depth + 1);
        }
        add_text(x, "]", 1);
        return;
    default:
        add_text(x, "nil", 3);
    }
}

/* ---- places ---- */

/* Where the mark stands in the source; 0 if too many share a slot. */
static uint32_t site_of(struct fore_rt_thread *t, const char *file, unsigned line)
{
    size_t slot = ((size_t)(uintptr_t)file * 31 + line) % SITES;
    struct fore_c_site *s = NULL;
    fore_rt_spin(&marks.lock);
    for (size_t i = 0; i < 8 && !s; i++) {
        struct fore_c_site *at = &marks.sites[(slot + i) % SITES];
        if (!at->file) {
            *at = (struct fore_c_site){.file = file, .function = "", .line = line};
            at->id = fore_rt_sites_one();
        }
        if (at->file == file && at->line == line)
            s = at;
    }
    fore_rt_unspin(&marks.lock);
    return fore_rt_where(t, s);
}

/* ---- the recorder ---- */

static void define(struct fore_rt_thread *t, foresee_history *h)
{
    size_t n = strlen(h->name), units = 1 + (n + FORE_RING_RECORD - 1) / FORE_RING_RECORD;
    struct fore_ring_record *r = fore_rt_take(t, units);
    memset(r + 1, 0, units * FORE_RING_RECORD);
    ((uint64_t *)(r + 1))[0] = FORE_RING_OBJ_OBJECT;
    memcpy(r + 2, h->name, n);
    h->id = fore_rt_new_ids(1);
    h->ticket = 0;
    fore_rt_put(t, r, 0, h->id,
                FORE_RING_WORD(FORE_RING_DEF_OBJECT, FORE_RING_DONE, units, n));
}

void fore_rt_marks_again(struct fore_rt_thread *t)
{
    marks.lock = marks.calls = 0;
    memset(marks.known, 0, sizeof marks.known);
    for (foresee_history *h = marks.newest; h; h = h->older)
        define(t, h);
}

__attribute__((weak)) foresee_history *foresee_mark_open(const char *object)
{
    struct fore_rt_thread *t = fore_rt_enter();
    size_t n = strnlen(object, 256);
    foresee_history *h = t ? calloc(1, sizeof *h + n + 1) : NULL;
    if (h) {
        memcpy(h->name, object, n);
        define(t, h);
        fore_rt_spin(&marks.lock);
        h->older = marks.newest;
        marks.newest = h;
        fore_rt_unspin(&marks.lock);
    }
    if (t)
        fore_rt_leave(t);
    return h;
}

static uint64_t ticket(foresee_history *h)
{
    return __atomic_add_fetch(&h->ticket, 1, __ATOMIC_SEQ_CST);
}

/* The ticket is drawn last, when everything else that the record needs is there. */
static void record_mark(struct fore_rt_thread *t, unsigned kind, uint32_t where,
                        foresee_history *h, uint64_t a, uint64_t number, unsigned type)
{
    enum { TYPE_A = 6 };
    struct fore_ring_record *r = fore_rt_take(t, 2);
    uint64_t *unit = (uint64_t *)(r + 1);
    unit[0] = a;
    unit[1] = number;
    unit[2] = (uint64_t)type << TYPE_A;
    unit[3] = 0;
    fore_rt_put(t, r, where, h->id,
                FORE_RING_WORD(kind, FORE_RING_DONE | FORE_RING_TYPES, 2, ticket(h)));
}

__attribute__((weak)) foresee_call *foresee_mark_invoke(foresee_history *h,
                                                        const char *operation, unsigned n,
                                                        const struct foresee_value *args,
                                                        const char *file, unsigned line)
{
    struct fore_rt_thread *t = fore_rt_enter();
    foresee_call *c = t ? malloc(sizeof *c) : NULL;
    struct text x;
    if (!t)
        return NULL;
    if (c) {
        x.n = 0;
        for (unsigned i = 0; i < n; i++) {
            add_text(&x, ", ", i ? 2 : 0);
            add_value(&x, &args[i], 0);
        }
        *c = (foresee_call){h, __atomic_add_fetch(&marks.calls, 1, __ATOMIC_RELAXED)};
        uint64_t text = x.n ? text_id(t, x.at, x.n) : 0;
        uint64_t name = text_id(t, operation, strlen(operation));
        record_mark(t, FORE_RING_INVOKE, site_of(t, file, line), h, name | text << 32,
                    c->number, 0);
    }
    fore_rt_leave(t);
    return c;
}

static uint64_t result_bits(struct fore_rt_thread *t, const struct foresee_value *v,
                            unsigned *type)
{
    struct text x;
    double number;
    uint64_t bits = 0;
    switch (v->kind) {
    case FORESEE_ANY:
        *type = 0;
        return 0;
    case FORESEE_NIL:
        *type = FORE_RING_VALUE_NIL;
        return 0;
    case FORESEE_BOOL:
    case FORESEE_INT:
        *type = v->kind == FORESEE_INT ? FORE_RING_VALUE_INT : FORE_RING_VALUE_BOOL;
        return (uint64_t)v->i;
    case FORESEE_TEXT:
        *type = FORE_RING_VALUE_STRING;
        return text_id(t, v->text, v->n < LONGEST ? v->n : LONGEST);
    case FORESEE_NUMBER:
        *type = FORE_RING_VALUE_FLOAT;
        number = strtod(v->text, NULL);
        memcpy(&bits, &number, sizeof bits);
        return bits;
    case FORESEE_LIST:
        break;
    }
    x.n = 0;
    add_value(&x, v, 0);
    *type = FORE_RING_VALUE_LIST;
    return text_id(t, x.at, x.n);
}

__attribute__((weak)) void foresee_mark_return(foresee_call *c,
                                               const struct foresee_value *result)
{
    struct fore_rt_thread *t = fore_rt_enter();
    unsigned type;
    if (t) {
        uint64_t bits = result_bits(t, result, &type);
        record_mark(t, FORE_RING_RETURN, 0, c->of, bits, c->number, type);
        fore_rt_leave(t);
    }
    free(c);
}

__attribute__((weak)) void foresee_mark_fail(foresee_call *c)
{
    struct fore_rt_thread *t = fore_rt_enter();
    if (t) {
        record_mark(t, FORE_RING_FAIL, 0, c->of, 0, c->number, 0);
        fore_rt_leave(t);
    }
    free(c);
}
