#include "finding/excerpt.h"

#include "finding/finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    AROUND = 6, /* lines before and after a place */
    MOST_COLUMNS = 240,
    MOST_LINES = 20000, /* of all excerpts together */
};

void fore_excerpts_release(struct fore_excerpts *x)
{
    fore_vec_release(&x->v);
}

struct wanted_line {
    const char *file;
    uint32_t line;
};

struct wants {
    FORE_VEC(struct wanted_line) v;
};

static bool is_there(const struct fore_excerpts *x, const char *file, uint32_t line)
{
    for (size_t i = 0; i < x->v.n; i++)
        if (line >= x->v.at[i].from && line - x->v.at[i].from < x->v.at[i].n &&
            strcmp(x->v.at[i].file, file) == 0)
            return true;
    return false;
}

static void want_lines(struct fore_findings *f, struct wants *w, const char *location)
{
    uint32_t line;
    if (!location[0])
        return;
    const char *file = fore_source_split(&f->arena, location, &line);
    if (!line || (w->v.n && fore_vec_last(&w->v).line == line &&
                  strcmp(fore_vec_last(&w->v).file, file) == 0))
        return;
    fore_vec_push(&w->v, (struct wanted_line){file, line});
}

static void want_all(struct fore_findings *f, struct wants *w)
{
    for (size_t i = 0; i < f->list.n; i++) {
        const struct fore_finding *x = f->list.at[i];
        for (size_t k = 0; k < x->places.n; k++)
            want_lines(f, w, x->places.at[k].location);
        for (size_t k = 0; k < x->witness.n; k++)
            want_lines(f, w, x->witness.at[k].location);
        for (size_t k = 0; k < x->observed.n; k++)
            want_lines(f, w, x->observed.at[k].location);
        for (size_t k = 0; k < x->timeline.intervals.n; k++)
            if (x->timeline.intervals.at[k].location)
                want_lines(f, w, x->timeline.intervals.at[k].location);
    }
}

static int by_file_and_line(const void *a, const void *b)
{
    const struct wanted_line *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    return c ? c : x->line < y->line ? -1 : x->line > y->line;
}

/* Lines `from` to `to` of an open file whose next line is `*at`. */
static void read_lines(struct fore_findings *f, FILE *in, uint32_t *at, const char *file,
                       uint32_t from, uint32_t to)
{
    char text[4096];
    FORE_VEC(const char *) lines = {0};
    while (*at <= to && fgets(text, sizeof text, in)) {
        size_t n = strlen(text);
        bool whole = n && text[n - 1] == '\n';
        while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
            n--;
        if (*at >= from && lines.n == *at - from)
            fore_vec_push(
                &lines,
                fore_arena_strndup(&f->arena, text, n < MOST_COLUMNS ? n : MOST_COLUMNS));
        *at += whole;
    }
    if (lines.n) {
        const char **kept = fore_arena_alloc(&f->arena, lines.n * sizeof *kept);
        memcpy(kept, lines.at, lines.n * sizeof *kept);
        fore_vec_push(&f->excerpts.v, (struct fore_excerpt){file, from, kept, lines.n});
    }
    fore_vec_release(&lines);
}

/* Ranges that touch become one; a file is read once, up to its last range. */
static size_t read_file(struct fore_findings *f, const struct wanted_line *w, size_t n)
{
    FILE *in = fore_source_open(w->file);
    size_t lines = 0;
    uint32_t at = 1;
    for (size_t i = 0; in && i < n;) {
        uint32_t from = w[i].line > AROUND ? w[i].line - AROUND : 1;
        uint32_t to = w[i].line + AROUND;
        for (i++; i < n && w[i].line <= to + AROUND + 1; i++)
            to = w[i].line + AROUND;
        read_lines(f, in, &at, w->file, from, to);
        lines += to - from + 1;
    }
    if (in)
        fclose(in);
    return lines;
}

void fore_findings_read_excerpts(struct fore_findings *f)
{
    struct wants w = {{0}};
    size_t lines = 0;
    want_all(f, &w);
    if (w.v.n)
        qsort(w.v.at, w.v.n, sizeof *w.v.at, by_file_and_line);
    size_t known = f->excerpts.v.n;
    for (size_t i = 0, end; i < w.v.n && lines < MOST_LINES; i = end) {
        for (end = i + 1; end < w.v.n && !strcmp(w.v.at[end].file, w.v.at[i].file);)
            end++;
        if (!known || !is_there(&f->excerpts, w.v.at[i].file, w.v.at[i].line))
            lines += read_file(f, &w.v.at[i], end - i);
    }
    fore_vec_release(&w.v);
}

void fore_findings_read_from(struct fore_findings *f, const char *file, const char *path)
{
    enum { MOST = 400 };
    uint32_t at = 1;
    FILE *in = is_there(&f->excerpts, file, 1) ? NULL : fopen(path, "re");
    if (!in)
        return;
    read_lines(f, in, &at, fore_arena_strdup(&f->arena, file), 1, MOST);
    fclose(in);
}
