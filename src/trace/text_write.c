/* Writes the text notation in its canonical form: reading it back gives the same events, and
 * writing those again gives the same bytes.
 *
 * Events of one thread share a line while they follow each other and the line is short.
 * Declarations come before the batch in which they became known. */
#include "trace/formats.h"
#include "trace/pairs.h"
#include "trace/text.h"

#include <errno.h>

enum { LINE = 100, BUFFER = 1 << 16, RECENT = 64 };

/* The text that was written for an event, since the same event often comes again. */
struct said {
    struct fore_event event;
    size_t n; /* 0: nothing yet */
    char text[64];
};

struct text_writer {
    struct fore_sink sink;
    FILE *to;
    struct fore_strbuf out;
    size_t line;               /* where the open line begins in `out` */
    uint32_t thread;           /* the thread whose line is open; 0: none is */
    uint32_t objects, threads; /* declared up to these ids */
    struct fore_pairs pairs;
    struct said recent[RECENT];
    struct fore_strbuf moved; /* an event that did not fit its line */
    const struct fore_tables *tables;
    unsigned sees;   /* what was said of it */
    uint32_t unseen; /* how many rows of the tables were written */
    enum fore_ended ended;
    bool begun;
};

static void drain_text(struct text_writer *w)
{
    fwrite(w->out.at, 1, w->out.n, w->to);
    w->line = 0;
    fore_strbuf_clear(&w->out);
}

static void end_line(struct text_writer *w)
{
    if (w->thread)
        fore_strbuf_putc(&w->out, '\n');
    w->thread = 0;
    if (w->out.n > BUFFER)
        drain_text(w);
    w->line = w->out.n;
}

static void declare_thread(struct text_writer *w, const struct fore_tables *t,
                           uint32_t id)
{
    const struct fore_thread_info *i = &t->threads.at[id];
    struct fore_bytes name = fore_intern_bytes(&t->strings, i->name);
    bool placed = t->wheres.at[i->where].file;
    if (!i->name && !placed && !i->group)
        return;
    end_line(w);
    fore_strbuf_puts(&w->out, "thread ");
    fore_text_label(t, id, &w->out);
    if (i->goroutine) {
        name = fore_intern_bytes(&t->strings, i->begins);
        fore_strbuf_printf(&w->out, " goroutine %u", (unsigned)i->goroutine);
    }
    if (i->goroutine ? i->begins : i->name) {
        fore_strbuf_putc(&w->out, ' ');
        fore_strbuf_json(&w->out, name.at, name.n);
    }
    if (i->group) {
        struct fore_bytes group = fore_intern_bytes(&t->strings, i->group);
        fore_strbuf_puts(&w->out, " in ");
        fore_strbuf_json(&w->out, group.at, group.n);
    }
    if (placed) {
        fore_strbuf_putc(&w->out, ' ');
        fore_text_where(t, i->where, &w->out);
    }
    fore_strbuf_putc(&w->out, '\n');
}

static void declare_lock_flags(struct text_writer *w, unsigned flags)
{
    static const struct {
        unsigned flag;
        const char *word;
    } words[] = {{FORE_OBJ_RECURSIVE, " recursive"},
                 {FORE_OBJ_ROBUST, " robust"},
                 {FORE_OBJ_RW, " rw"},
                 {FORE_OBJ_READERS_FIRST, " readers-first"},
                 {FORE_OBJ_WRITERS_FIRST, " writers-first"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (flags & words[i].flag)
            fore_strbuf_puts(&w->out, words[i].word);
}

static void declare_object(struct text_writer *w, const struct fore_tables *t,
                           uint32_t id)
{
    const struct fore_object *o = &t->objects.at[id];
    bool placed = t->wheres.at[o->where].file, told = o->flags & FORE_OBJ_DECLARED;
    bool chan = o->kind == FORE_OBJ_CHAN && (told || placed || o->capacity);
    bool lock =
        o->kind == FORE_OBJ_LOCK && (told || placed || (o->flags & FORE_OBJ_LOCK_FLAGS));
    bool init = o->kind == FORE_OBJ_PLACE && o->init.type;
    if (!chan && !lock && !init)
        return;
    end_line(w);
    fore_strbuf_puts(&w->out, chan ? "chan " : lock ? "lock " : "init ");
    fore_text_object(t, id, &w->out);
    if (chan && o->capacity) {
        fore_strbuf_puts(&w->out, " cap=");
        fore_strbuf_u64(&w->out, o->capacity);
    }
    if (lock)
        declare_lock_flags(w, o->flags);
    if (init) {
        fore_strbuf_putc(&w->out, '=');
        fore_value_text(t, o->init, &w->out);
    } else if (placed) {
        fore_strbuf_putc(&w->out, ' ');
        fore_text_where(t, o->where, &w->out);
    }
    fore_strbuf_putc(&w->out, '\n');
}

/* Writes how a report treats an object, not how the program does. */
static void declare_role(struct text_writer *w, const struct fore_tables *t, uint32_t id)
{
    const struct fore_object *o = &t->objects.at[id];
    static const struct {
        unsigned flag;
        const char *word;
    } roles[] = {{FORE_OBJ_TIMED, "timed "}, {FORE_OBJ_SPENT, "spent "}};
    if (!(o->flags & (FORE_OBJ_TIMED | FORE_OBJ_SPENT | FORE_OBJ_HIDDEN)))
        return;
    end_line(w);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (!(o->flags & roles[i].flag))
            continue;
        fore_strbuf_puts(&w->out, roles[i].word);
        fore_text_object(t, id, &w->out);
        fore_strbuf_putc(&w->out, '\n');
    }
    if (o->flags & FORE_OBJ_HIDDEN) {
        fore_strbuf_printf(&w->out, "hidden %s ", fore_text_kinds[o->kind]);
        fore_text_object(t, id, &w->out);
        fore_strbuf_putc(&w->out, '\n');
    }
}

static void declare_sees(struct text_writer *w, const struct fore_tables *t)
{
    unsigned fresh = t->sees & ~w->sees;
    if (!fresh)
        return;
    end_line(w);
    fore_strbuf_puts(&w->out, "sees");
    for (unsigned i = 0; i < FORE_SEES_BITS; i++)
        if (fresh & 1u << i)
            fore_strbuf_printf(&w->out, " %s", fore_sees_names[i]);
    fore_strbuf_putc(&w->out, '\n');
    w->sees = t->sees;
}

static void declare_unseen(struct text_writer *w, const struct fore_tables *t,
                           const struct fore_unseen *u)
{
    struct fore_bytes text =
        fore_intern_bytes(&t->strings, u->member ? u->member : u->text);
    end_line(w);
    fore_strbuf_puts(&w->out, u->member ? "unseen member " : "unseen ");
    fore_strbuf_json(&w->out, text.at, text.n);
    fore_text_where(t, u->where, &w->out);
    fore_strbuf_putc(&w->out, '\n');
}

static void declare_ended(struct text_writer *w, const struct fore_tables *t)
{
    if (t->ended == w->ended)
        return;
    w->ended = t->ended;
    end_line(w);
    fore_strbuf_printf(&w->out, "ended %s", fore_ended_names[t->ended]);
    if (t->ended_text) {
        struct fore_bytes text = fore_intern_bytes(&t->strings, t->ended_text);
        fore_strbuf_putc(&w->out, ' ');
        fore_strbuf_json(&w->out, text.at, text.n);
    }
    fore_strbuf_putc(&w->out, '\n');
}

static void write_declarations(struct text_writer *w, const struct fore_tables *t)
{
    if (!w->begun)
        fore_strbuf_puts(&w->out, t->merged ? "foresee 1 merged\n" : "foresee 1\n");
    w->begun = true;
    declare_sees(w, t);
    while (w->unseen < t->unseen.n)
        declare_unseen(w, t, &t->unseen.at[w->unseen++]);
    declare_ended(w, t);
    while (w->threads + 1 < t->threads.n)
        declare_thread(w, t, ++w->threads);
    while (w->objects + 1 < t->objects.n) {
        declare_object(w, t, ++w->objects);
        declare_role(w, t, w->objects);
    }
    w->line = w->thread ? w->line : w->out.n;
}

/* Can a reader tell which send this receive took without being told? */
static bool must_tell(struct text_writer *w, const struct fore_tables *t,
                      const struct fore_event *e)
{
    if (e->kind != FORE_EV_RECV || (e->flags & FORE_F_CLOSED) ||
        t->objects.at[e->object].capacity)
        return false;
    struct fore_pair *p = fore_pairs_of(&w->pairs, (uint32_t)e->a, e->object);
    bool other = e->b != p->next;
    (void)fore_pairs_take(&w->pairs, p, e->b);
    return other;
}

/* Appends the event and its place, which are mostly the same words as the last time. */
static void write_words(struct text_writer *w, const struct fore_batch *b,
                        const struct fore_event *e)
{
    struct fore_strbuf *out = &w->out;
    struct fore_event alike = *e;
    alike.thread = 0;
    struct said *s =
        &w->recent[(e->kind * 7u + e->flags * 5u + e->object * 3u + e->where) % RECENT];
    bool lasts = e->kind != FORE_EV_RECV && !(e->flags & FORE_F_CASES);
    if (lasts && s->n && memcmp(&alike, &s->event, sizeof alike) == 0) {
        fore_strbuf_add(out, s->text, s->n);
        return;
    }
    size_t from = out->n;
    if (e->flags & FORE_F_STRAIGHT)
        fore_strbuf_puts(out, "straight ");
    if (e->flags & FORE_F_LAST && (e->kind == FORE_EV_READ || e->kind == FORE_EV_WRITE))
        fore_strbuf_puts(out, "last ");
    fore_text_event(b->tables, e, b->cases, must_tell(w, b->tables, e), out);
    fore_text_where(b->tables, e->where, out);
    if (!lasts || out->n - from > sizeof s->text)
        return;
    s->event = alike;
    s->n = out->n - from;
    memcpy(s->text, out->at + from, s->n);
}

static void write_event(struct text_writer *w, const struct fore_batch *b,
                        const struct fore_event *e)
{
    struct fore_strbuf *out = &w->out;
    size_t before = out->n;
    if (e->thread != w->thread) {
        end_line(w);
        w->thread = e->thread;
        fore_text_label(b->tables, e->thread, out);
        fore_strbuf_puts(out, ": ");
        before = out->n;
    } else {
        fore_strbuf_puts(out, "; ");
    }
    size_t text = out->n;
    write_words(w, b, e);
    if (before == text || out->n - w->line <= LINE)
        return;
    /* The event is too long for this line: the separator becomes a line's end and the thread. */
    struct fore_strbuf *moved = &w->moved;
    fore_strbuf_clear(moved);
    fore_strbuf_add(moved, out->at + text, out->n - text);
    out->n = before;
    end_line(w);
    w->thread = e->thread;
    fore_text_label(b->tables, e->thread, out);
    fore_strbuf_puts(out, ": ");
    fore_strbuf_add(out, moved->at, moved->n);
}

static enum fore_flow write_events(struct fore_sink *s, const struct fore_batch *b)
{
    struct text_writer *w = (struct text_writer *)s;
    w->tables = b->tables;
    memset(w->recent, 0, sizeof w->recent); /* names may have changed */
    write_declarations(w, b->tables);
    for (size_t i = 0; i < b->n; i++)
        write_event(w, b, &b->events[i]);
    return ferror(w->to) ? FORE_STOP : FORE_CONTINUE;
}

static const char *const expected[] = {
    [FORE_EXPECT_BLOCKED] = "blocked",
    [FORE_EXPECT_PANIC] = "panic",
    [FORE_EXPECT_VIOLATION] = "violation",
    [FORE_EXPECT_RACE] = "race",
};

static void write_expects(struct text_writer *w, const struct fore_tables *t,
                          const struct fore_trace_end *end)
{
    struct fore_strbuf *out = &w->out;
    for (size_t i = 0; i < end->expect_count; i++) {
        const struct fore_expect *x = &end->expects[i];
        bool many = x->kind == FORE_EXPECT_BLOCKED || x->kind == FORE_EXPECT_RACE;
        bool more = i && many && x->subject && x[-1].kind == x->kind && x[-1].subject;
        if (!more)
            fore_strbuf_printf(out, i ? "\nexpect %s" : "expect %s", expected[x->kind]);
        if (!x->subject)
            continue;
        fore_strbuf_putc(out, ' ');
        struct fore_bytes name = fore_intern_bytes(&t->strings, x->subject);
        if (x->kind == FORE_EXPECT_VIOLATION)
            fore_text_name(name.at, name.n, out);
        else
            fore_text_label(t, x->subject, out);
    }
    if (end->expect_count)
        fore_strbuf_putc(out, '\n');
}

static enum fore_status write_end(struct fore_sink *s, const struct fore_trace_end *end,
                                  struct fore_err *e)
{
    struct text_writer *w = (struct text_writer *)s;
    end_line(w);
    w->tables = end->tables ? end->tables : w->tables;
    if (w->tables) {
        write_declarations(w, w->tables);
        write_expects(w, w->tables, end);
    } else {
        fore_strbuf_puts(&w->out, "foresee 1\n");
    }
    if (end->torn)
        fore_strbuf_printf(&w->out, "# torn: %llu events lost\n",
                           (unsigned long long)end->lost);
    drain_text(w);
    fore_strbuf_release(&w->out);
    fore_strbuf_release(&w->moved);
    fore_pairs_release(&w->pairs);
    return fflush(w->to) || ferror(w->to)
               ? fore_fail(e, FORE_IO, "cannot write: %s", strerror(errno))
               : FORE_OK;
}

struct fore_sink *fore_text_write(struct fore_arena *a, FILE *to)
{
    struct text_writer *w = FORE_NEW(a, struct text_writer);
    w->sink = (struct fore_sink){write_events, write_end};
    w->to = to;
    w->out = w->moved = (struct fore_strbuf)FORE_STRBUF_INIT;
    return &w->sink;
}
