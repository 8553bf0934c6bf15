#include "finding/deed.h"

#include "base/strbuf.h"
#include "finding/finding.h"
#include "trace/format.h"

#include <inttypes.h>
#include <string.h>

/* %o the object, %t the other thread, %v and %w the values, %l the lock of a condition. A kind
 * without words of its own is told in the notation. */
static const struct {
    const char *done, *waits, *odd;
    const char *unknown; /* if the value was not recorded */
} words[FORE_KINDS] = {
    [FORE_EV_SIGNAL] = {"starts %t", NULL, NULL},
    [FORE_EV_WAIT] = {"begins", NULL, NULL},
    [FORE_EV_END] = {"ends", NULL, NULL},
    [FORE_EV_EXIT] = {"ends the program", NULL, NULL},
    [FORE_EV_PANIC] = {"panics", NULL, NULL},
    [FORE_EV_JOIN] = {"sees that %t has ended", "waits for %t to end", NULL},
    [FORE_EV_SEND] = {"sends on %o", NULL, "sends on %o, which is closed"},
    [FORE_EV_RECV] = {"receives from %o", NULL, "finds %o closed"},
    [FORE_EV_SELECT] = {"takes the default of a select", NULL, "waits no longer"},
    [FORE_EV_CLOSE] = {"closes %o", NULL, "closes %o, which is closed"},
    [FORE_EV_LOCK] = {"locks %o", "waits for %o", NULL},
    [FORE_EV_TRYLOCK] = {"locks %o", NULL, "finds %o locked"},
    [FORE_EV_UNLOCK] = {"unlocks %o", NULL, NULL},
    [FORE_EV_RLOCK] = {"locks %o to read", "waits for %o, to read", NULL},
    [FORE_EV_TRYRLOCK] = {"locks %o to read", NULL, "finds %o locked"},
    [FORE_EV_RUNLOCK] = {"unlocks %o", NULL, NULL},
    [FORE_EV_CWAIT] = {"waits on %o and unlocks %l", NULL, NULL},
    [FORE_EV_CWOKEN] = {"wakes on %o", "waits on %o", NULL},
    [FORE_EV_CSIGNAL] = {"signals %o", NULL, NULL},
    [FORE_EV_CBROADCAST] = {"wakes all who wait on %o", NULL, NULL},
    [FORE_EV_ACQUIRE] = {"takes from %o", "waits for %o", "finds %o empty"},
    [FORE_EV_RELEASE] = {"gives to %o", NULL, NULL},
    [FORE_EV_BARRIER] = {"passes %o", "waits at %o", NULL},
    [FORE_EV_ONCE] = {"runs once %o", "waits for once %o", "finds once %o done"},
    [FORE_EV_WGADD] = {"adds %v to %o", NULL, NULL},
    [FORE_EV_WGDONE] = {"counts %o down", NULL, NULL},
    [FORE_EV_WGWAIT] = {"has waited for %o", "waits for %o", NULL},
    [FORE_EV_ARM] = {"sets timer %o", NULL, NULL},
    [FORE_EV_FIRE] = {"fires timer %o", NULL, NULL},
    [FORE_EV_READ] = {"reads %v from %o", NULL, NULL, "reads %o"},
    [FORE_EV_WRITE] = {"sets %o to %v", NULL, NULL, "writes %o"},
    [FORE_EV_RMW] = {"changes %o from %w to %v", NULL, NULL, "changes %o"},
    [FORE_EV_ALLOC] = {"allocates %o", NULL, NULL},
    [FORE_EV_FREE] = {"frees %o", NULL, NULL},
    [FORE_EV_SPAWN] = {"starts %t", NULL, NULL},
    [FORE_EV_USE] = {"decides by what it has read", NULL, NULL},
    [FORE_EV_IN] = {"takes %v from %o", NULL, NULL},
    [FORE_EV_OUT] = {"gives %v to %o", NULL, NULL},
    [FORE_EV_MISUSE] = {"misuses %o", NULL, NULL},
};

static const char *kept_text(struct fore_arena *a, struct fore_strbuf *b)
{
    const char *text = b->n ? fore_arena_strndup(a, b->at, b->n) : NULL;
    fore_strbuf_clear(b);
    return text;
}

/* The thread that the event is also about, or 0. */
static uint32_t other_thread(const struct fore_tables *t, const struct fore_event *e)
{
    bool names = e->kind == FORE_EV_SIGNAL || e->kind == FORE_EV_JOIN ||
                 e->kind == FORE_EV_SPAWN || e->kind == FORE_EV_CSIGNAL;
    bool sender = e->kind == FORE_EV_RECV && !(e->flags & FORE_F_CLOSED) &&
                  !t->objects.at[e->object].capacity;
    return (names || sender) && e->a < t->threads.n ? (uint32_t)e->a : 0;
}

static void put_value(const struct fore_tables *t, const struct fore_event *e,
                      bool second, struct fore_strbuf *out)
{
    struct fore_value v = second ? (struct fore_value){fore_event_type_b(e), e->b}
                                 : (struct fore_value){fore_event_type_a(e), e->a};
    if (e->kind == FORE_EV_WGADD)
        fore_strbuf_printf(out, "%" PRId64, (int64_t)e->a);
    else if (v.type != FORE_VALUE_NONE)
        fore_value_text(t, v, out);
}

/* A send of an unbuffered channel is the thread's k-th on it; one of a buffered has a number. */
static const char *message_of(struct fore_arena *a, const struct fore_tables *t,
                              const struct fore_event *e, struct fore_strbuf *b)
{
    if ((e->kind != FORE_EV_SEND && e->kind != FORE_EV_RECV) || e->flags & FORE_F_CLOSED)
        return NULL;
    fore_strbuf_printf(b, "%s#", fore_tables_name(t, e->object));
    if (t->objects.at[e->object].capacity) {
        fore_strbuf_printf(b, "%" PRIu64, e->a);
        return kept_text(a, b);
    }
    bool send = e->kind == FORE_EV_SEND;
    fore_tables_path(t, send || e->a >= t->threads.n ? e->thread : (uint32_t)e->a, b);
    fore_strbuf_printf(b, "#%" PRIu64, send ? e->a : e->b);
    return kept_text(a, b);
}

static void say_cases(const struct fore_tables *t, const struct fore_event *e,
                      const struct fore_case *side, struct fore_strbuf *out)
{
    static const char *const verbs[] = {"receive from", "send on", "take the default",
                                        "wait no longer"};
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_event_cases(e, side, &one, &n);
    fore_strbuf_puts(out, "waits to ");
    for (size_t i = 0; i < n; i++) {
        bool channel = c[i].kind <= FORE_CASE_SEND;
        fore_strbuf_printf(out, "%s%s%s%s", i ? " or " : "", verbs[c[i].kind],
                           channel ? " " : "",
                           !channel    ? ""
                           : c[i].chan ? fore_tables_name(t, c[i].chan)
                                       : "nil");
    }
}

static void say_words(const char *form, struct fore_findings *f,
                      const struct fore_tables *t, const struct fore_event *e,
                      struct fore_strbuf *out)
{
    bool rmw = e->kind == FORE_EV_RMW;
    uint32_t other = other_thread(t, e);
    for (const char *c = form; *c; c++) {
        if (*c != '%') {
            fore_strbuf_putc(out, *c);
            continue;
        }
        size_t before = out->n;
        switch (*++c) {
        case 'o':
            fore_strbuf_puts(out, fore_tables_name(t, e->object));
            break;
        case 't':
            fore_strbuf_puts(out, other ? fore_findings_called(f, t, other) : "another");
            break;
        case 'l':
            fore_strbuf_puts(out, e->a < t->objects.n
                                      ? fore_tables_name(t, (uint32_t)e->a)
                                      : "its lock");
            break;
        default:
            put_value(t, e, rmw ? *c == 'v' : *c == 'w', out);
        }
        if (out->n == before)
            fore_strbuf_puts(out, *c == 'v' || *c == 'w' ? "a value" : "nil");
    }
}

static void say_deed(struct fore_findings *f, const struct fore_tables *t,
                     const struct fore_event *e, const struct fore_case *cases,
                     struct fore_strbuf *out)
{
    bool pre = e->flags & FORE_F_PRE;
    bool odd = e->flags & (FORE_F_BUSY | FORE_F_CLOSED | FORE_F_TIMEOUT);
    const char *form = words[e->kind].done;
    if (e->kind == FORE_EV_PRE) {
        say_cases(t, e, cases, out);
        return;
    }
    if (words[e->kind].unknown && fore_event_type_a(e) == FORE_VALUE_NONE)
        form = words[e->kind].unknown;
    else if (pre && words[e->kind].waits)
        form = words[e->kind].waits;
    else if (odd && words[e->kind].odd)
        form = words[e->kind].odd;
    if (form)
        say_words(form, f, t, e, out);
    else
        fore_event_text(t, e, cases, out);
}

struct fore_deed fore_deed_of(struct fore_findings *f, const struct fore_tables *t,
                              const struct fore_event *e, const struct fore_case *cases)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct fore_arena *a = &f->arena;
    struct fore_deed d = {.kind = fore_kind_name(e->kind)};
    bool memory = fore_kind_group(e->kind) == FORE_GROUP_MEMORY;
    uint32_t other = other_thread(t, e);
    say_deed(f, t, e, cases, &b);
    d.does = kept_text(a, &b);
    if (e->object && e->object < t->objects.n && fore_kind_object(e->kind))
        d.object = fore_arena_strdup(a, fore_tables_name(t, e->object));
    if (memory) {
        put_value(t, e, e->kind == FORE_EV_RMW, &b);
        d.value = kept_text(a, &b);
    }
    if (other) {
        fore_tables_path(t, other, &b);
        d.other = kept_text(a, &b);
    }
    d.message = message_of(a, t, e, &b);
    d.waits = e->kind == FORE_EV_PRE || e->flags & FORE_F_PRE;
    d.odd = e->flags & (FORE_F_BUSY | FORE_F_CLOSED | FORE_F_TIMEOUT);
    fore_strbuf_release(&b);
    return d;
}
