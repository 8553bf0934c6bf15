#include "explore/program/journal.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "capture/control/schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "foresee-search 1"

/* A number for the program: its executable and its arguments. */
static uint64_t mark_of_program(char *const *argv)
{
    struct fore_file image;
    struct fore_err unheard = {0};
    uint64_t h = 0;
    if (fore_file_open(&image, argv[0], &unheard) == FORE_OK) {
        h = fore_hash(image.at, image.n);
        fore_file_release(&image);
    }
    for (; *argv; argv++)
        h = fore_hash_more(h, *argv, strlen(*argv) + 1);
    return h;
}

static char *copy_text(const char *at, size_t n)
{
    char *copy = fore_calloc(n + 1, 1);
    memcpy(copy, at, n);
    return copy;
}

/* ---- out ---- */

static unsigned count_lines(const char *text)
{
    unsigned n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

void fore_journal_try(const struct fore_try *t, struct fore_strbuf *out)
{
    fore_strbuf_printf(out, "try %" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n%s", t->score,
                       t->order, t->seed, count_lines(t->schedule), t->schedule);
}

/* Writes what comes after the options and the seed, without the last line, which names the
 * strategy. */
static void put_failed(const struct fore_search *s, const struct fore_search_failure *f,
                       struct fore_strbuf *out)
{
    const char *at = f->schedule + strlen(FORE_SCHEDULE_FIRST_LINE) + 1;
    at += strncmp(at, s->options, strlen(s->options)) ? 0 : strlen(s->options);
    if (!strncmp(at, "seed ", 5))
        at += strcspn(at, "\n") + 1;
    const char *then = strstr(at, "then ");
    size_t n = then ? (size_t)(then - at) : strlen(at);
    char *steps = copy_text(at, n);
    fore_journal_try(&(struct fore_try){0, 0, steps, f->seed}, out);
    fore_free(steps);
}

static void put_map(const char *word, const struct fore_map *m, bool unseen,
                    struct fore_strbuf *out)
{
    uint64_t key, value;
    for (size_t i = 0; fore_map_next(m, &i, &key, &value);)
        if (!unseen || !value)
            fore_strbuf_printf(out, "%s %016" PRIx64 " %" PRIu64 "\n", word, key, value);
}

void fore_journal_write(const struct fore_journal *j, struct fore_strbuf *out)
{
    const struct fore_search *s = j->search;
    fore_strbuf_puts(out, HEAD "\n");
    fore_strbuf_printf(out, "program %016" PRIx64 "\n", mark_of_program(s->how.argv));
    fore_strbuf_printf(out, "options %u\n%s", count_lines(s->options), s->options);
    fore_strbuf_printf(out, "seed %" PRIu64 "\n", s->seed);
    fore_strbuf_printf(out, "counts %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d\n",
                       *j->started, s->longest, j->tries->order, *j->timed, *j->whole);
    /* A class in which something was found is analysed again. */
    put_map("class", j->classes, true, out);
    put_map("tried", &j->tries->tried, false, out);
    put_map("pair", &j->tries->pairs, false, out);
    for (size_t i = 0; i < s->failures.n; i++)
        put_failed(s, s->failures.at[i], out);
    for (size_t i = 0; i < j->tries->heap.n; i++)
        fore_journal_try(&j->tries->heap.at[i], out);
}

enum fore_status fore_journal_close(struct fore_strbuf *text, const char *file,
                                    struct fore_err *e)
{
    fore_strbuf_puts(text, "end\n");
    return fore_file_replace(file, text->at, text->n, e);
}

/* ---- in ---- */

struct journal_reader {
    const char *file, *at;
    unsigned line;
    char text[128]; /* the line, or its beginning */
};

/* The next line; NULL: there is none. Either way `line` is its number. */
static const char *next_line(struct journal_reader *r)
{
    const char *end = strchr(r->at, '\n');
    r->line++;
    if (!end)
        return NULL;
    snprintf(r->text, sizeof r->text, "%.*s",
             (int)(end - r->at < 127 ? end - r->at : 127), r->at);
    r->at = end + 1;
    return r->text;
}

/* Takes the next n lines, which the caller frees; NULL: there are fewer. */
static char *take_lines(struct journal_reader *r, unsigned n)
{
    const char *from = r->at;
    while (n--)
        if (!next_line(r))
            return NULL;
    return copy_text(from, (size_t)(r->at - from));
}

static enum fore_status fail_damaged(const struct journal_reader *r, const char *wanted,
                                     struct fore_err *e)
{
    return fore_fail_at(e, FORE_SYNTAX, r->file, r->line, 1,
                        "expected %s, as explore --save writes it", wanted);
}

/* Are the options equal, except for the start of the virtual clock? */
static bool are_alike(const char *a, const char *b)
{
    static const char clock[] = "clock virtual ";
    if (!strncmp(a, clock, sizeof clock - 1) && !strncmp(b, clock, sizeof clock - 1)) {
        a += strcspn(a, "\n");
        b += strcspn(b, "\n");
    }
    return !strcmp(a, b);
}

static enum fore_status read_head(struct fore_journal *j, struct journal_reader *r,
                                  struct fore_strbuf *kept, struct fore_err *e)
{
    struct fore_search *s = j->search;
    uint64_t mark;
    unsigned lines;
    int timed, whole;
    const char *line = next_line(r);
    if (!line || strcmp(line, HEAD) != 0)
        return fail_damaged(r, "'foresee-search 1'", e);
    line = next_line(r);
    if (!line || sscanf(line, "program %" SCNx64, &mark) != 1)
        return fail_damaged(r, "'program' and a number", e);
    if (mark != mark_of_program(s->how.argv))
        return fore_fail_at(e, FORE_MEANING, r->file, r->line, 1,
                            "saved for another program, other arguments, or before it "
                            "was built anew");
    line = next_line(r);
    char *options = line && sscanf(line, "options %u", &lines) == 1 && lines < 100
                        ? take_lines(r, lines)
                        : NULL;
    if (!options)
        return fail_damaged(r, "'options', how many, and as many lines", e);
    bool same = are_alike(options, s->options);
    fore_strbuf_clear(kept);
    fore_strbuf_puts(kept, options);
    fore_free(options);
    if (!same)
        return fore_fail_at(e, FORE_MEANING, r->file, r->line, 1,
                            "saved with other --clock, --points or --spurious");
    s->options = kept->at;
    line = next_line(r);
    if (!line || sscanf(line, "seed %" SCNu64, &s->seed) != 1)
        return fail_damaged(r, "'seed' and a number", e);
    line = next_line(r);
    if (!line || sscanf(line, "counts %" SCNu64 " %" SCNu64 " %" SCNu64 " %d %d",
                        j->started, &s->longest, &j->tries->order, &timed, &whole) != 5)
        return fail_damaged(r, "'counts' and five numbers", e);
    *j->timed = timed != 0;
    *j->whole = whole != 0;
    return FORE_OK;
}

static enum fore_status read_try(struct fore_journal *j, struct journal_reader *r,
                                 const char *line, struct fore_err *e)
{
    struct fore_try t;
    unsigned lines;
    if (sscanf(line, "try %" SCNu64 " %" SCNu64 " %" SCNu64 " %u", &t.score, &t.order,
               &t.seed, &lines) != 4)
        return fail_damaged(r, "'try' and four numbers", e);
    t.schedule = take_lines(r, lines);
    if (!t.schedule)
        return fail_damaged(r, "the lines of the schedule", e);
    fore_tries_put(j->tries, t);
    return FORE_OK;
}

static enum fore_status read_rest(struct fore_journal *j, struct journal_reader *r,
                                  struct fore_err *e)
{
    for (const char *line; (line = next_line(r));) {
        char word[8];
        uint64_t key, value;
        if (!strcmp(line, "end"))
            return FORE_OK;
        if (!strncmp(line, "try ", 4)) {
            FORE_TRY(read_try(j, r, line, e));
            continue;
        }
        if (sscanf(line, "%7s %" SCNx64 " %" SCNu64, word, &key, &value) != 3)
            return fail_damaged(r, "class, tried, pair, try or end", e);
        struct fore_map *m = !strcmp(word, "class")   ? j->classes
                             : !strcmp(word, "tried") ? &j->tries->tried
                             : !strcmp(word, "pair")  ? &j->tries->pairs
                                                      : NULL;
        if (!m)
            return fail_damaged(r, "class, tried, pair, try or end", e);
        *fore_map_put(m, key, NULL) = value;
    }
    return fail_damaged(r, "'end': the file was cut off", e);
}

enum fore_status fore_journal_read(struct fore_journal *j, const char *file,
                                   struct fore_strbuf *kept, struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    enum fore_status s = fore_strbuf_read_file(&text, file, e);
    struct journal_reader r = {.file = file, .at = text.at};
    if (s == FORE_OK)
        s = read_head(j, &r, kept, e);
    if (s == FORE_OK)
        s = read_rest(j, &r, e);
    j->search->classes = j->classes->n;
    fore_strbuf_release(&text);
    return s;
}
