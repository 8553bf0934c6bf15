#include "capture/go/patch.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- reading the plan ---- */

struct reader {
    struct fore_go_plan *plan;
    const char *name, *at, *end;
    uint64_t line;
    struct fore_go_anchor *anchor; /* the hunk that is being read, or NULL */
    struct fore_strbuf find, put;
};

static bool next_line(struct reader *r, struct fore_bytes *line)
{
    if (r->at >= r->end)
        return false;
    const char *nl = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char *stop = nl ? nl : r->end;
    *line = (struct fore_bytes){r->at, (size_t)(stop - r->at)};
    r->at = nl ? nl + 1 : r->end;
    r->line++;
    return true;
}

static struct fore_bytes trim(struct fore_bytes s)
{
    while (s.n && isspace((unsigned char)s.at[0]))
        s.at++, s.n--;
    while (s.n && isspace((unsigned char)s.at[s.n - 1]))
        s.n--;
    return s;
}

/* What stands before `mark`; `*rest` gets what follows it, or nothing if it is not there. */
static struct fore_bytes split(struct fore_bytes s, const char *mark,
                               struct fore_bytes *rest)
{
    const char *m = memmem(s.at, s.n, mark, strlen(mark));
    if (!m) {
        *rest = (struct fore_bytes){s.at + s.n, 0};
        return trim(s);
    }
    size_t before = (size_t)(m - s.at);
    *rest = trim((struct fore_bytes){m + strlen(mark), s.n - before - strlen(mark)});
    return trim((struct fore_bytes){s.at, before});
}

static const char *keep_bytes(struct fore_go_plan *p, struct fore_bytes s)
{
    return fore_arena_strndup(&p->arena, s.at, s.n);
}

static void note_file(struct fore_go_plan *p, const char *file)
{
    for (size_t i = 0; i < p->files.n; i++)
        if (strcmp(p->files.at[i], file) == 0)
            return;
    fore_vec_push(&p->files, file);
}

static void end_spelling(struct reader *r)
{
    if (!r->anchor)
        return;
    struct fore_go_plan *p = r->plan;
    struct fore_go_spelling s = {
        {fore_arena_strndup(&p->arena, r->find.at, r->find.n), r->find.n},
        {fore_arena_strndup(&p->arena, r->put.at, r->put.n), r->put.n},
    };
    fore_vec_push(&r->anchor->spellings, s);
    fore_strbuf_clear(&r->find);
    fore_strbuf_clear(&r->put);
}

static void end_anchor(struct reader *r)
{
    end_spelling(r);
    r->anchor = NULL;
}

/* What may stand at the end of an anchor's name: "x2", "since 1.23", "until 1.22". */
struct limits {
    unsigned count, since, until;
};

static struct fore_bytes take_limits(struct fore_bytes name, struct limits *a)
{
    static const struct {
        const char *word;
        int which;
    } limits[] = {{" x", 0}, {" since 1.", 1}, {" until 1.", 2}};
    bool again = true;
    while (again) {
        again = false;
        size_t digits = 0;
        while (digits < name.n && isdigit((unsigned char)name.at[name.n - 1 - digits]))
            digits++;
        for (size_t i = 0; digits && i < sizeof limits / sizeof *limits; i++) {
            size_t w = strlen(limits[i].word);
            if (name.n < digits + w ||
                memcmp(name.at + name.n - digits - w, limits[i].word, w) != 0)
                continue;
            unsigned v = (unsigned)strtoul(name.at + name.n - digits, NULL, 10);
            *(limits[i].which == 0   ? &a->count
              : limits[i].which == 1 ? &a->since
                                     : &a->until) = v;
            name.n -= digits + w;
            again = true;
            break;
        }
    }
    return name;
}

static void read_anchor(struct reader *r, struct fore_bytes line)
{
    struct fore_bytes rest, file = split(line, ":", &rest);
    struct limits l = {1, 0, 9999};
    struct fore_bytes name = take_limits(rest, &l);
    struct fore_go_anchor a = {.file = keep_bytes(r->plan, file),
                               .name = keep_bytes(r->plan, name),
                               .count = l.count,
                               .since = l.since,
                               .until = l.until};
    note_file(r->plan, a.file);
    fore_vec_push(&r->plan->anchors, a);
    r->anchor = &fore_vec_last(&r->plan->anchors);
}

static void read_word(struct reader *r, struct fore_bytes line)
{
    struct fore_bytes rest, head = split(line, ":", &rest), file;
    struct fore_bytes name = split(head, " ", &file);
    struct fore_go_word w = {.name = keep_bytes(r->plan, name),
                             .file = keep_bytes(r->plan, file)};
    while (rest.n) {
        struct fore_bytes put, one = split(rest, " | ", &rest);
        struct fore_bytes find = split(one, " => ", &put);
        fore_vec_push(&w.spellings, (struct fore_go_spelling){
                                        {keep_bytes(r->plan, find), find.n},
                                        {keep_bytes(r->plan, put), put.n},
                                    });
    }
    note_file(r->plan, w.file);
    fore_vec_push(&r->plan->words, w);
}

static void read_swap(struct reader *r, struct fore_bytes line)
{
    struct fore_bytes rest, put, file = split(line, ":", &rest);
    struct limits l = {1, 0, 9999};
    rest = take_limits(rest, &l);
    struct fore_bytes find = split(rest, " => ", &put);
    struct fore_go_swap s = {
        keep_bytes(r->plan, file),
        l.since,
        l.until,
        {{keep_bytes(r->plan, find), find.n}, {keep_bytes(r->plan, put), put.n}}};
    note_file(r->plan, s.file);
    fore_vec_push(&r->plan->swaps, s);
}

static void read_append(struct reader *r, struct fore_bytes line)
{
    struct fore_bytes hooks, file = split(line, ":", &hooks);
    struct fore_go_append a = {keep_bytes(r->plan, file), keep_bytes(r->plan, hooks)};
    note_file(r->plan, a.file);
    fore_vec_push(&r->plan->appends, a);
}

static void hunk_line(struct reader *r, struct fore_bytes line)
{
    char mark = line.at[0];
    if (mark == '|') {
        end_spelling(r);
        return;
    }
    if (mark != '+') {
        fore_strbuf_add(&r->find, line.at + 1, line.n - 1);
        fore_strbuf_putc(&r->find, '\n');
    }
    if (mark != '-') {
        fore_strbuf_add(&r->put, line.at + 1, line.n - 1);
        fore_strbuf_putc(&r->put, '\n');
    }
}

static enum fore_status plan_line(struct reader *r, struct fore_bytes line,
                                  struct fore_err *e)
{
    char mark = line.n ? line.at[0] : '\0';
    struct fore_bytes rest = {line.at + 1, line.n ? line.n - 1 : 0};
    if (mark == '\0') {
        end_anchor(r);
    } else if (r->anchor && strchr(" +-|", mark)) {
        hunk_line(r, line);
    } else if (mark == '@') {
        end_anchor(r);
        read_anchor(r, rest);
    } else if (mark == '=') {
        read_word(r, trim(rest));
    } else if (mark == '~') {
        read_swap(r, rest);
    } else if (mark == '>') {
        read_append(r, rest);
    } else if (mark != '#') {
        return fore_fail_at(e, FORE_SYNTAX, r->name, r->line, 1,
                            "expected a line of a hunk, @, =, ~, > or #");
    }
    return FORE_OK;
}

enum fore_status fore_go_plan_read(struct fore_go_plan *p, const char *name,
                                   const char *text, size_t n, struct fore_err *e)
{
    struct reader r = {.plan = p,
                       .name = name,
                       .at = text,
                       .end = text + n,
                       .find = FORE_STRBUF_INIT,
                       .put = FORE_STRBUF_INIT};
    enum fore_status s = FORE_OK;
    struct fore_bytes line;
    *p = (struct fore_go_plan){.arena = FORE_ARENA_INIT};
    while (s == FORE_OK && next_line(&r, &line))
        s = plan_line(&r, line, e);
    end_anchor(&r);
    fore_strbuf_release(&r.find);
    fore_strbuf_release(&r.put);
    return s;
}

void fore_go_plan_release(struct fore_go_plan *p)
{
    for (size_t i = 0; i < p->anchors.n; i++)
        fore_vec_release(&p->anchors.at[i].spellings);
    for (size_t i = 0; i < p->words.n; i++)
        fore_vec_release(&p->words.at[i].spellings);
    fore_vec_release(&p->anchors);
    fore_vec_release(&p->words);
    fore_vec_release(&p->swaps);
    fore_vec_release(&p->appends);
    fore_vec_release(&p->files);
    fore_arena_release(&p->arena);
}

/* ---- applying it ---- */

/* The next place at or after `from` where `find` stands at the beginning of a line. */
static const char *find_line(struct fore_bytes text, const char *from,
                             struct fore_bytes find)
{
    const char *end = text.at + text.n;
    while (from < end) {
        const char *m = memmem(from, (size_t)(end - from), find.at, find.n);
        if (!m || m == text.at || m[-1] == '\n')
            return m;
        from = m + 1;
    }
    return NULL;
}

static unsigned count_lines(struct fore_bytes text, struct fore_bytes find)
{
    unsigned n = 0;
    const char *m = text.at;
    while (find.n && (m = find_line(text, m, find))) {
        n++;
        m += find.n;
    }
    return n;
}

static void replace_lines(const struct fore_go_plan *p, struct fore_bytes text,
                          const struct fore_go_spelling *s, struct fore_strbuf *out)
{
    const char *from = text.at, *m;
    while ((m = find_line(text, from, s->find))) {
        fore_strbuf_add(out, from, (size_t)(m - from));
        fore_go_plan_words(p, s->put, out);
        from = m + s->find.n;
    }
    fore_strbuf_add(out, from, (size_t)(text.at + text.n - from));
}

static void lacks(struct fore_strbuf *missing, const char *file, const char *name)
{
    fore_strbuf_printf(missing, "%s%s: %s", missing->n ? "\n" : "", file, name);
}

/* The one spelling that occurs as often as it must, or NULL. */
static const struct fore_go_spelling *matching(const struct fore_go_anchor *a,
                                               struct fore_bytes text)
{
    const struct fore_go_spelling *found = NULL;
    for (size_t i = 0; i < a->spellings.n; i++) {
        unsigned n = count_lines(text, a->spellings.at[i].find);
        if (n == 0)
            continue;
        if (n != a->count || found)
            return NULL;
        found = &a->spellings.at[i];
    }
    return found;
}

void fore_go_plan_choose(struct fore_go_plan *p, const char *file, struct fore_bytes text,
                         struct fore_strbuf *missing)
{
    for (size_t i = 0; i < p->words.n; i++) {
        struct fore_go_word *w = &p->words.at[i];
        if (strcmp(w->file, file) != 0)
            continue;
        w->value = (struct fore_bytes){NULL, 0};
        for (size_t k = 0; k < w->spellings.n && !w->value.at; k++) {
            struct fore_bytes f = w->spellings.at[k].find;
            if (memmem(text.at, text.n, f.at, f.n))
                w->value = w->spellings.at[k].put;
        }
        if (!w->value.at)
            lacks(missing, file, w->name);
    }
}

static bool is_for(const struct fore_go_plan *p, unsigned since, unsigned until)
{
    return p->minor >= since && p->minor <= until;
}

bool fore_go_plan_concerns(const struct fore_go_plan *p, const char *file)
{
    for (size_t i = 0; i < p->anchors.n; i++)
        if (!strcmp(p->anchors.at[i].file, file) &&
            is_for(p, p->anchors.at[i].since, p->anchors.at[i].until))
            return true;
    for (size_t i = 0; i < p->swaps.n; i++)
        if (!strcmp(p->swaps.at[i].file, file) &&
            is_for(p, p->swaps.at[i].since, p->swaps.at[i].until))
            return true;
    for (size_t i = 0; i < p->appends.n; i++)
        if (!strcmp(p->appends.at[i].file, file))
            return true;
    return false;
}

/* Puts the words in place of the text wherever it occurs; false if it occurs nowhere. */
static bool swap_words(const struct fore_go_spelling *s, struct fore_bytes text,
                       struct fore_strbuf *out)
{
    const char *from = text.at, *end = text.at + text.n, *m;
    while ((m = memmem(from, (size_t)(end - from), s->find.at, s->find.n))) {
        fore_strbuf_add(out, from, (size_t)(m - from));
        fore_strbuf_add(out, s->put.at, s->put.n);
        from = m + s->find.n;
    }
    fore_strbuf_add(out, from, (size_t)(end - from));
    return from != text.at;
}

static void exchange(struct fore_strbuf *a, struct fore_strbuf *b)
{
    struct fore_strbuf old = *a;
    *a = *b;
    *b = old;
}

static void apply_swaps(const struct fore_go_plan *p, const char *file,
                        struct fore_strbuf *out, struct fore_strbuf *missing)
{
    struct fore_strbuf next = FORE_STRBUF_INIT;
    for (size_t i = 0; i < p->swaps.n; i++) {
        const struct fore_go_swap *s = &p->swaps.at[i];
        if (strcmp(s->file, file) != 0 || !is_for(p, s->since, s->until))
            continue;
        fore_strbuf_clear(&next);
        if (!swap_words(&s->words, (struct fore_bytes){out->at, out->n}, &next))
            lacks(missing, file, s->words.find.at);
        exchange(out, &next);
    }
    fore_strbuf_release(&next);
}

void fore_go_plan_apply(const struct fore_go_plan *p, const char *file,
                        struct fore_bytes text, struct fore_strbuf *out,
                        struct fore_strbuf *missing)
{
    struct fore_strbuf next = FORE_STRBUF_INIT;
    fore_strbuf_clear(out);
    fore_strbuf_add(out, text.at, text.n);
    for (size_t i = 0; i < p->anchors.n; i++) {
        const struct fore_go_anchor *a = &p->anchors.at[i];
        if (strcmp(a->file, file) != 0 || !is_for(p, a->since, a->until))
            continue;
        struct fore_bytes now = {out->at, out->n};
        const struct fore_go_spelling *s = matching(a, now);
        if (!s) {
            lacks(missing, file, a->name);
            continue;
        }
        fore_strbuf_clear(&next);
        replace_lines(p, now, s, &next);
        exchange(out, &next);
    }
    fore_strbuf_release(&next);
    apply_swaps(p, file, out, missing);
}

void fore_go_plan_words(const struct fore_go_plan *p, struct fore_bytes hooks,
                        struct fore_strbuf *out)
{
    const char *at = hooks.at, *end = hooks.at + hooks.n, *m;
    while (at < end && (m = memchr(at, '$', (size_t)(end - at)))) {
        fore_strbuf_add(out, at, (size_t)(m - at));
        at = m + 1;
        for (size_t i = 0; i < p->words.n; i++) {
            const struct fore_go_word *w = &p->words.at[i];
            size_t n = strlen(w->name);
            if ((size_t)(end - at) >= n && memcmp(at, w->name, n) == 0) {
                fore_strbuf_add(out, w->value.at ? w->value.at : "", w->value.n);
                at += n;
                break;
            }
        }
    }
    fore_strbuf_add(out, at, (size_t)(end - at));
}

unsigned fore_go_minor(const char *version)
{
    const char *go = strstr(version, "go1.");
    if (!go || !isdigit((unsigned char)go[4]))
        return 0;
    return (unsigned)strtoul(go + 4, NULL, 10);
}
