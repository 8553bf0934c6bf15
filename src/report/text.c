/* Findings for people: about twenty lines each. */
#include "base/hash.h"
#include "base/map.h"
#include "report/pen.h"

#include "base/utf8.h"
#include "report/timeline.h"

#include <stdio.h>
#include <string.h>

enum { MAX_COLUMNS = 12, NARROWEST = 22, WIDEST = 26, TITLE = 34, NARROW = 80 };

static const char *level_color(enum fore_level l)
{
    static const char *const colors[] = {"36", "33;1", "31;1"};
    return colors[l];
}

static void write_headline(struct fore_pen *p, const struct fore_finding *x)
{
    char id[17];
    fore_finding_id_text(x->id, id);
    id[8] = '\0';
    fore_pen_colored(p, level_color(x->level), x->rule->name);
    fore_strbuf_printf(p->out, "%*s%-10s %s\n",
                       strlen(x->rule->name) < 38 ? 39 - (int)strlen(x->rule->name) : 1,
                       "", fore_verdict_name(x->verdict), id);
    fore_pen_colored(p, "1", x->message);
    fore_strbuf_puts(p->out, "\n\n");
}

/* A thread by its name, cut at the limit. */
static void write_thread(struct fore_pen *p, const struct fore_finding *x,
                         const char *path, const char *label, const char *name,
                         size_t limit)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_report_thread(x, path, label, name, &b);
    fore_pen_text(p, b.at, limit);
    fore_strbuf_release(&b);
}

/* Is there no room for things to stand below each other? */
static bool is_narrow(const struct fore_pen *p)
{
    return p->o->width < NARROW;
}

static void write_places(struct fore_pen *p, const struct fore_finding *x)
{
    for (size_t i = 0; i < x->places.n; i++) {
        const struct fore_place *at = &x->places.at[i];
        fore_pen_label(p, at->role);
        size_t from = p->out->n;
        fore_pen_plain(p, at->location[0] ? at->location : "(no location)");
        fore_strbuf_puts(p->out, "  ");
        fore_pen_pad(p, from, is_narrow(p) ? 0 : 18);
        size_t used =
            FORE_PEN_LABEL + 2 + fore_utf8_width(p->out->at + from, p->out->n - from);
        from = p->out->n;
        fore_pen_text(p, fore_report_place(x, at, p->o),
                      p->o->width > used + 48 ? p->o->width - used - 24 : 24);
        fore_strbuf_puts(p->out, "  ");
        fore_pen_pad(p, from, is_narrow(p) ? 0 : 24);
        write_thread(p, x, at->path, at->thread, at->name, SIZE_MAX);
        if (at->committed == FORE_NO)
            fore_strbuf_puts(p->out, ", never completed");
        fore_strbuf_putc(p->out, '\n');
    }
}

/* A text that begins with a new line is a drawing: its lines stay as they are. */
static void write_drawing(struct fore_pen *p, const char *s)
{
    fore_pen_end_line(p);
    while (*s) {
        size_t n = strcspn(s, "\n");
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)(n < 500 ? n : 500), s);
        fore_strbuf_puts(p->out, "    ");
        fore_pen_plain(p, line);
        fore_strbuf_putc(p->out, '\n');
        s += n + (s[n] == '\n');
    }
}

static void write_order(struct fore_pen *p, const struct fore_finding *x)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_report_order(x, p->o, &b);
    if (b.n) {
        fore_pen_label(p, "observed");
        fore_pen_wrapped(p, b.at);
    }
    fore_strbuf_release(&b);
}

static void write_facts(struct fore_pen *p, const struct fore_finding *x)
{
    write_order(p, x);
    for (size_t i = 0; i < x->facts.n; i++) {
        fore_pen_label(p, x->facts.at[i].label);
        if (x->facts.at[i].text[0] == '\n')
            write_drawing(p, x->facts.at[i].text + 1);
        else
            fore_pen_wrapped(p, x->facts.at[i].text);
    }
    if (x->explanation[0]) {
        fore_pen_label(p, "why");
        fore_pen_wrapped(p, x->explanation);
    }
}

/* A run of the finding: the witness, or the one that was observed. */
struct run {
    const struct fore_finding *x;
    const struct fore_step *at;
    size_t n;
    bool observed;
};

/* The threads of the run, in the order in which they first act. */
struct columns {
    const struct fore_finding *x;
    const struct fore_step *first[MAX_COLUMNS]; /* of the thread */
    size_t n, width, title;                     /* of a column; of the longest title */
    bool overflow;
    const char *state; /* of some step, or NULL */
};

/* Does the announced operation never happen in this run: a wait that nobody ends? */
static bool is_last_of_thread(const struct run *r, size_t i)
{
    const char *path = r->at[i].path;
    while (++i < r->n)
        if (strcmp(r->at[i].path, path) == 0)
            return false;
    return true;
}

/* That a thread begins, or decides, goes without saying, and a wait that ends is told by what follows it. */
static bool is_step_shown(struct fore_pen *p, const struct run *r, size_t i)
{
    const struct fore_step *s = &r->at[i];
    if (p->o->full || s->irrelevant || p->o->notation || !s->deed)
        return p->o->full || !s->irrelevant;
    if (s->deed->waits)
        return is_last_of_thread(r, i);
    const char *kind = s->deed->kind ? s->deed->kind : "";
    return s->note[0] || (strcmp(kind, "wait") != 0 && strcmp(kind, "use") != 0);
}

static size_t column_of(const struct columns *c, const struct fore_step *s)
{
    size_t i = 0;
    while (i < c->n && strcmp(c->first[i]->thread, s->thread) != 0)
        i++;
    return i;
}

static void write_title(struct fore_pen *p, const struct fore_finding *x,
                        const struct fore_step *s, size_t limit)
{
    if (!x->threads.n && !s->name[0]) /* of a protocol: an actor's number */
        fore_pen_text(p, s->thread, limit);
    else
        write_thread(p, x, s->path, s->thread, s->name, limit);
}

static size_t title_width(struct fore_pen *p, const struct fore_finding *x,
                          const struct fore_step *s)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct fore_pen aside = {&b, p->o};
    write_title(&aside, x, s, SIZE_MAX);
    size_t n = fore_utf8_width(b.at, b.n);
    fore_strbuf_release(&b);
    return n;
}

static struct columns lay_out(struct fore_pen *p, const struct run *r)
{
    struct columns c = {.x = r->x, .width = 12};
    for (size_t i = 0; i < r->n; i++) {
        const struct fore_step *s = &r->at[i];
        if (!is_step_shown(p, r, i))
            continue;
        c.state = s->state[0] ? s->state : c.state;
        size_t at = column_of(&c, s);
        if (at == MAX_COLUMNS) {
            c.overflow = true;
        } else if (at == c.n) {
            size_t title = title_width(p, r->x, s);
            c.title = title > c.title ? title : c.title;
            c.first[c.n++] = s;
        }
        const char *words = fore_report_step(s, p->o);
        size_t w = fore_utf8_width(words, strlen(words));
        w += s->location[0] ? 6 : 0;
        c.width = w > c.width ? w : c.width;
    }
    size_t room = p->o->width > 40 ? p->o->width - 18 : 60;
    c.width = c.width > WIDEST ? WIDEST : c.width;
    if (c.n * (c.width + 2) > room && c.n * (NARROWEST + 2) <= room)
        c.width = room / c.n - 2;
    c.overflow |= c.n * (c.width + 2) > room;
    for (size_t want = c.overflow ? 0 : c.title; c.width < want && c.width < TITLE;)
        if (c.n * (++c.width + 2) > room)
            break;
    return c;
}

/* ":12" of "valve.c:12:3": the column's file is in the places above. */
static void short_location(const char *location, char out[16])
{
    const char *colon = strchr(location, ':');
    size_t n = colon ? 1 + strspn(colon + 1, "0123456789") : 0;
    snprintf(out, 16, "%.*s", (int)(n < 15 ? n : 15), colon ? colon : "");
}

static void write_step_cell(struct fore_pen *p, const struct columns *c,
                            const struct fore_step *s)
{
    char line[16];
    size_t from = p->out->n;
    short_location(s->location, line);
    fore_pen_text(p, fore_report_step(s, p->o),
                  line[0] && c->width > strlen(line) + 1 ? c->width - strlen(line) - 1
                                                         : c->width);
    if (line[0])
        fore_strbuf_printf(p->out, " %s", line);
    fore_pen_pad(p, from, c->width);
}

/* Of the column that names the thread, if each has no column of its own. */
static size_t title_column(const struct columns *c)
{
    return c->title < 15 ? 15 : c->title > TITLE ? TITLE : c->title;
}

static void write_row(struct fore_pen *p, const struct columns *c, size_t number,
                      const struct fore_step *s)
{
    size_t mine = column_of(c, s);
    fore_strbuf_printf(p->out, "  %4zu  ", number);
    if (c->overflow) {
        size_t from = p->out->n;
        size_t title = title_column(c);
        write_title(p, c->x, s, title);
        fore_pen_pad(p, from, title + 1);
        write_step_cell(p, c, s);
        fore_strbuf_puts(p->out, "  ");
    }
    for (size_t i = 0; i < c->n && !c->overflow; i++) {
        if (i == mine)
            write_step_cell(p, c, s);
        else
            fore_strbuf_printf(p->out, ".%*s", (int)c->width - 1, "");
        fore_strbuf_puts(p->out, "  ");
    }
    if (s->state[0]) {
        fore_pen_plain(p, s->state);
        fore_strbuf_puts(p->out, "  ");
    }
    if (s->note[0]) {
        fore_pen_color(p, "33");
        fore_strbuf_puts(p->out, "< ");
        fore_pen_plain(p, s->note);
        fore_pen_color(p, "0");
    }
    fore_pen_end_line(p);
}

static void write_titles(struct fore_pen *p, const struct columns *c)
{
    fore_pen_color(p, "4");
    for (size_t i = 0; i < c->n && !c->overflow; i++) {
        size_t from = p->out->n;
        write_title(p, c->x, c->first[i], c->width);
        fore_pen_pad(p, from, c->width);
        fore_strbuf_puts(p->out, i + 1 < c->n ? "  " : "");
    }
    if (c->overflow) {
        size_t from = p->out->n;
        fore_strbuf_puts(p->out,
                         c->x->witness_of == FORE_WITNESS_OF_ACTORS ? "actor" : "thread");
        if (c->state)
            fore_pen_pad(p, from, title_column(c) + 1 + c->width);
    }
    if (c->state) /* a monitor in C has no propositions */
        fore_strbuf_printf(
            p->out, "  values |%s monitor",
            strchr(c->state, '|') != strrchr(c->state, '|') ? " what holds |" : "");
    fore_pen_color(p, "0");
    fore_pen_end_line(p);
}

/* Of what was observed the last steps, which led there. */
static struct run choose_run(const struct fore_finding *x)
{
    enum { MOST_OBSERVED = 12 };
    struct run r = {x, x->witness.at, x->witness.n, false};
    if (r.n || x->verdict < FORE_VERDICT_OBSERVED || x->timeline.intervals.n)
        return r;
    size_t skipped = x->observed.n > MOST_OBSERVED ? x->observed.n - MOST_OBSERVED : 0;
    return (struct run){x, x->observed.at + skipped, x->observed.n - skipped, true};
}

/* A loop gives a run a hundred steps that matter. Of these the first show where it begins, and the last where it leads. */
static size_t write_rows(struct fore_pen *p, const struct run *r, const struct columns *c)
{
    size_t shown = 0, dropped = 0, nth = 0;
    bool all =
        p->o->full || !p->o->most_steps || r->x->witness_of != FORE_WITNESS_OF_PROGRAM;
    size_t most = all ? SIZE_MAX : p->o->most_steps;
    for (size_t i = 0; i < r->n; i++)
        shown += is_step_shown(p, r, i);
    bool gap = false;
    for (size_t i = 0; i < r->n; i++) {
        bool row = is_step_shown(p, r, i);
        nth += row;
        if (row && shown > most && nth > most / 4 && shown - nth >= most - most / 4 &&
            !r->at[i].note[0]) {
            fore_strbuf_puts(p->out, gap ? "" : "     …\n");
            gap = true;
            row = false;
        }
        gap &= !row;
        dropped += !row;
        if (row)
            write_row(p, c, i + 1, &r->at[i]);
    }
    return dropped;
}

static void write_run(struct fore_pen *p, const struct fore_finding *x)
{
    struct run r = choose_run(x);
    struct columns c = lay_out(p, &r);
    if (!c.n || (r.observed && c.n < 2))
        return; /* the timeline, or the places, show it all */
    fore_strbuf_puts(p->out, r.observed ? "\n  seen  " : "\n  step  ");
    write_titles(p, &c);
    size_t dropped = write_rows(p, &r, &c);
    if (dropped && !r.observed) {
        fore_pen_label(p, "not shown");
        fore_strbuf_printf(p->out, "%zu more step%s (--full)\n", dropped,
                           dropped == 1 ? "" : "s");
    }
}

static void write_tests(struct fore_pen *p, const struct fore_finding *x)
{
    enum { MOST = 3 };
    fore_pen_plain(p, x->test);
    for (size_t i = 0; i < x->also_in.n && i < MOST; i++) {
        fore_strbuf_puts(p->out, ", ");
        fore_pen_plain(p, x->also_in.at[i]);
    }
    if (x->also_in.n > MOST)
        fore_strbuf_printf(p->out, " and %zu more", x->also_in.n - MOST);
    fore_strbuf_putc(p->out, '\n');
}

void fore_report_finding(const struct fore_finding *x,
                         const struct fore_report_options *o, struct fore_strbuf *out)
{
    struct fore_pen p = {out, o};
    char id[17];
    fore_finding_id_text(x->id, id);
    id[8] = '\0';
    write_headline(&p, x);
    if (x->test[0]) {
        fore_pen_label(&p, "test");
        write_tests(&p, x);
    }
    write_places(&p, x);
    fore_report_timeline(&x->timeline, out);
    if (o->name_trace && x->trace[0]) {
        fore_pen_label(&p, "trace");
        fore_pen_wrapped(&p, x->trace);
    }
    write_facts(&p, x);
    write_run(&p, x);
    if (!x->completeness.exhausted) {
        fore_pen_label(&p, "incomplete");
        fore_pen_wrapped(&p, x->completeness.bound ? x->completeness.bound
                                                   : "a limit was reached");
    }
    if (x->count > 1) {
        fore_pen_label(&p, "also");
        unsigned long long more = x->count - 1;
        if (strcmp(x->rule->name, "data-race") == 0)
            fore_strbuf_printf(out, "%llu more pair%s of places that access%s it\n", more,
                               more == 1 ? "" : "s", more == 1 ? "es" : "");
        else
            fore_strbuf_printf(out, "%llu more at these places\n", more);
    }
    if (x->alone[0]) {
        fore_pen_label(&p, "alone");
        fore_pen_plain(&p, x->alone);
        fore_strbuf_putc(out, '\n');
    }
    fore_pen_label(&p, "next");
    if (x->witness_trace[0])
        fore_strbuf_printf(out, "foresee show %s%s%*sforesee replay %s\n", id,
                           is_narrow(&p) ? "\n" : "",
                           is_narrow(&p) ? FORE_PEN_LABEL + 2 : 6, "", id);
    else
        fore_strbuf_printf(out, "foresee show %s\n", id);
}

/* Many traces may be remarked on alike. */
static void write_remarks(struct fore_pen *p, const struct fore_findings *f)
{
    struct fore_map seen = {0};
    for (size_t i = 0; i < f->remarks.n; i++)
        ++*fore_map_put(&seen, fore_hash(f->remarks.at[i], strlen(f->remarks.at[i])),
                        NULL);
    for (size_t i = 0; i < f->remarks.n; i++) {
        uint64_t key = fore_hash(f->remarks.at[i], strlen(f->remarks.at[i]));
        uint64_t *times = fore_map_get(&seen, key);
        if (!*times)
            continue;
        fore_pen_plain(p, f->remarks.at[i]);
        if (*times > 1)
            fore_strbuf_printf(p->out, " (%llu times)", (unsigned long long)*times);
        fore_strbuf_putc(p->out, '\n');
        *times = 0;
    }
    fore_map_release(&seen);
}

static void write_summary(struct fore_pen *p, const struct fore_findings *f,
                          size_t hidden)
{
    size_t count[3] = {0}, suppressed = 0, possible = 0;
    for (size_t i = 0; i < f->list.n; i++) {
        const struct fore_finding *x = f->list.at[i];
        bool doubt = x->verdict == FORE_VERDICT_POSSIBLE && x->level > FORE_LEVEL_NOTE;
        possible += !x->suppressed && doubt;
        count[x->level] += !x->suppressed && !doubt;
        suppressed += x->suppressed;
    }
    write_remarks(p, f);
    for (size_t i = 0; i < f->traces.n; i++)
        if (f->traces.at[i].truncated) {
            fore_pen_plain(p, f->traces.at[i].name);
            unsigned long long lost = f->traces.at[i].lost;
            fore_strbuf_printf(p->out,
                               lost ? ": incomplete, %llu event%s lost\n"
                                    : ": incomplete, %llu event%s read\n",
                               lost ? lost : f->traces.at[i].events,
                               (lost ? lost : f->traces.at[i].events) == 1 ? "" : "s");
        }
    fore_strbuf_printf(p->out, "%zu error%s, %zu warning%s, %zu note%s", count[2],
                       count[2] == 1 ? "" : "s", count[1], count[1] == 1 ? "" : "s",
                       count[0], count[0] == 1 ? "" : "s");
    if (hidden)
        fore_strbuf_puts(p->out, " (--notes lists them)");
    if (possible)
        fore_strbuf_printf(p->out, ", %zu possible", possible);
    if (suppressed)
        fore_strbuf_printf(p->out, ", %zu in the baseline", suppressed);
    if (!f->completeness.exhausted) {
        fore_strbuf_puts(p->out, "; not exhaustive: ");
        fore_pen_plain(p, f->completeness.bound ? f->completeness.bound
                                                : "a limit was reached");
    }
    fore_strbuf_putc(p->out, '\n');
    if (!f->withheld)
        return;
    fore_strbuf_printf(p->out, "%zu more %s only possible (--possible): ", f->withheld,
                       f->withheld == 1 ? "is" : "are");
    fore_pen_plain(p, f->withheld_why);
    fore_strbuf_putc(p->out, '\n');
}

/* Notes are facts, often intended: they are counted, or listed, or shown, as was asked; shown, too,
 * if the program was made to do it. */
void fore_report_text(const struct fore_findings *f, const struct fore_report_options *o,
                      struct fore_strbuf *out)
{
    struct fore_pen p = {out, o};
    size_t hidden = 0;
    for (size_t i = 0; i < f->list.n; i++) {
        const struct fore_finding *x = f->list.at[i];
        bool note = x->level == FORE_LEVEL_NOTE && !o->all &&
                    x->verdict != FORE_VERDICT_CONFIRMED;
        if (x->suppressed)
            continue;
        if (note) {
            hidden += !o->notes;
            if (o->notes)
                write_headline(&p, x);
            continue;
        }
        fore_report_brief(x, o, out);
        fore_strbuf_putc(out, '\n');
    }
    if (!o->quiet)
        write_summary(&p, f, hidden);
}
