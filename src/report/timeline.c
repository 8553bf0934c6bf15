/* Operations as bars, one lane for each process:
 *
 *   c1  |--write 1--|
 *   c2       |-------write 2-------|
 *   c3                               |--read=1--|   X
 *
 * Only the order of the ends is drawn; nothing is ever cropped. */
#include "report/timeline.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

struct bar_end {
    uint64_t at;
    size_t interval;
    bool start;
};

struct lane {
    const char *name;
    size_t until; /* column after its last bar */
    FORE_VEC(size_t) intervals;
};

struct timeline_drawing {
    const struct fore_timeline *t;
    size_t *from, *to; /* columns, by interval */
    FORE_VEC(struct lane) lanes;
    size_t name_width;
};

static int by_time(const void *a, const void *b)
{
    const struct bar_end *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->start != y->start)
        return x->start ? -1 : 1;
    return x->interval < y->interval ? -1 : x->interval > y->interval;
}

static size_t label_width(const struct fore_interval *v)
{
    return fore_utf8_width(v->label, strlen(v->label));
}

/* Each end stands right of the one before; a bar has room for its label. */
static void place_columns(struct timeline_drawing *d)
{
    size_t n = d->t->intervals.n, column = 0;
    struct bar_end *ends = fore_calloc(n * 2 + 1, sizeof *ends);
    for (size_t i = 0; i < n; i++) {
        ends[2 * i] = (struct bar_end){d->t->intervals.at[i].start, i, true};
        ends[2 * i + 1] = (struct bar_end){d->t->intervals.at[i].end, i, false};
    }
    qsort(ends, n * 2, sizeof *ends, by_time);
    for (size_t k = 0; k < n * 2; k++) {
        size_t i = ends[k].interval;
        if (ends[k].start) {
            d->from[i] = column;
        } else {
            size_t least = d->from[i] + label_width(&d->t->intervals.at[i]) + 5;
            column = column > least ? column : least;
            d->to[i] = column;
        }
        column += 2;
    }
    fore_free(ends);
}

/* A process has one lane, or more if its bars overlap. */
static void assign_lanes(struct timeline_drawing *d)
{
    for (size_t i = 0; i < d->t->intervals.n; i++) {
        const struct fore_interval *v = &d->t->intervals.at[i];
        size_t k = 0, w = fore_utf8_width(v->lane, strlen(v->lane));
        while (k < d->lanes.n && (strcmp(d->lanes.at[k].name, v->lane) != 0 ||
                                  d->lanes.at[k].until > d->from[i]))
            k++;
        if (k == d->lanes.n)
            fore_vec_push(&d->lanes, (struct lane){.name = v->lane});
        fore_vec_push(&d->lanes.at[k].intervals, i);
        d->lanes.at[k].until = d->to[i] + 1;
        d->name_width = w > d->name_width ? w : d->name_width;
    }
}

static void repeat_char(struct fore_strbuf *out, char c, size_t n)
{
    while (n--)
        fore_strbuf_putc(out, c);
}

static void draw_bar(const struct timeline_drawing *d, size_t i, struct fore_strbuf *out)
{
    const struct fore_interval *v = &d->t->intervals.at[i];
    size_t inside = d->to[i] - d->from[i] - 1, w = label_width(v);
    size_t left = (inside - w) / 2;
    bool pending = strcmp(v->style, "pending") == 0;
    fore_strbuf_putc(out, '|');
    repeat_char(out, '-', left);
    fore_strbuf_puts(out, v->label);
    repeat_char(out, '-', inside - w - left);
    fore_strbuf_putc(out, pending ? '>' : '|');
    if (strcmp(v->style, "failing") == 0)
        fore_strbuf_puts(out, "   X");
}

static void draw_lane(const struct timeline_drawing *d, const struct lane *l,
                      struct fore_strbuf *out)
{
    size_t column = 0, w = fore_utf8_width(l->name, strlen(l->name));
    fore_strbuf_puts(out, "  ");
    fore_strbuf_puts(out, l->name);
    repeat_char(out, ' ', d->name_width - w + 2);
    for (size_t k = 0; k < l->intervals.n; k++) {
        size_t i = l->intervals.at[k];
        repeat_char(out, ' ', d->from[i] > column ? d->from[i] - column : 0);
        draw_bar(d, i, out);
        column = d->to[i] + 1;
    }
    fore_strbuf_putc(out, '\n');
}

void fore_report_timeline(const struct fore_timeline *t, struct fore_strbuf *out)
{
    struct timeline_drawing d = {.t = t};
    if (!t->intervals.n)
        return;
    d.from = fore_calloc(t->intervals.n, sizeof *d.from);
    d.to = fore_calloc(t->intervals.n, sizeof *d.to);
    place_columns(&d);
    assign_lanes(&d);
    for (size_t k = 0; k < d.lanes.n; k++) {
        draw_lane(&d, &d.lanes.at[k], out);
        fore_vec_release(&d.lanes.at[k].intervals);
    }
    fore_vec_release(&d.lanes);
    fore_free(d.from);
    fore_free(d.to);
}
