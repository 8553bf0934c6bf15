#include "finding/baseline.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

void fore_baseline_release(struct fore_baseline *b)
{
    fore_vec_release(&b->lines);
    fore_arena_release(&b->arena);
}

static bool is_id(const char *s, size_t n)
{
    return n == 16 && strspn(s, "0123456789abcdef") >= 16;
}

/* The word after `key=`, or NULL if the text does not begin with it. */
static const char *value_of_key(struct fore_arena *a, const char *s, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(s, key, n) != 0)
        return NULL;
    return fore_arena_strndup(a, s + n, strcspn(s + n, " \t"));
}

static enum fore_status read_line(struct fore_baseline *b, const char *file,
                                  const char *line, uint64_t number, struct fore_err *e)
{
    struct fore_baseline_line l = {.text = line, .number = number};
    size_t n = strcspn(line, " \t");
    if (!line[0] || line[0] == '#')
        return FORE_OK;
    if (is_id(line, n)) {
        l.id = strtoull(line, NULL, 16);
    } else {
        const char *s = line;
        l.rule = value_of_key(&b->arena, s, "rule=");
        if (l.rule)
            s += n + strspn(s + n, " \t");
        l.location = value_of_key(&b->arena, s, "location=");
        if (!l.rule && !l.location)
            return fore_fail_at(
                e, FORE_SYNTAX, file, number, 1,
                "expected a finding's id (16 hex digits) or rule=NAME and "
                "location=PATTERN");
        if (l.rule && !fore_rule_named(l.rule))
            return fore_fail_at(e, FORE_MEANING, file, number, 6, "there is no rule '%s'",
                                l.rule);
    }
    fore_vec_push(&b->lines, l);
    return FORE_OK;
}

enum fore_status fore_baseline_read(struct fore_baseline *b, const char *file,
                                    const char *text, size_t n, struct fore_err *e)
{
    const char *end = text + n;
    for (uint64_t number = 1; text < end; number++) {
        const char *nl = memchr(text, '\n', (size_t)(end - text));
        size_t len = (size_t)((nl ? nl : end) - text);
        while (len && (text[len - 1] == '\r' || text[len - 1] == ' '))
            len--;
        FORE_TRY(read_line(b, file, fore_arena_strndup(&b->arena, text, len), number, e));
        text = nl ? nl + 1 : end;
    }
    return FORE_OK;
}

static bool place_matches(const char *pattern, const char *location)
{
    char file[1024];
    size_t n = strcspn(location, ":");
    n = n < sizeof file ? n : sizeof file - 1;
    memcpy(file, location, n);
    file[n] = '\0';
    return fnmatch(pattern, file, 0) == 0;
}

static bool matches(const struct fore_baseline_line *l, const struct fore_finding *x)
{
    if (l->id)
        return l->id == x->id;
    if (l->rule && strcmp(l->rule, x->rule->name) != 0)
        return false;
    for (size_t i = 0; l->location && i < x->places.n; i++)
        if (place_matches(l->location, x->places.at[i].location))
            return true;
    return !l->location;
}

void fore_baseline_apply(struct fore_baseline *b, struct fore_findings *f)
{
    for (size_t i = 0; i < b->lines.n; i++)
        for (size_t k = 0; k < f->list.n; k++)
            if (matches(&b->lines.at[i], f->list.at[k]))
                b->lines.at[i].used = f->list.at[k]->suppressed = true;
}

void fore_baseline_line(const struct fore_finding *x, struct fore_strbuf *out)
{
    char id[17];
    fore_finding_id_text(x->id, id);
    fore_strbuf_printf(out, "%s  %s", id, x->rule->name);
    for (size_t i = 0; i < x->places.n && i < 2; i++)
        if (x->places.at[i].location[0])
            fore_strbuf_printf(out, "  %s", x->places.at[i].location);
    /* A name may hold a newline, but the file has one line per finding. */
    for (size_t i = out->n; i-- > 0 && out->at[i] != '\n';)
        if ((unsigned char)out->at[i] < 0x20)
            out->at[i] = '?';
    fore_strbuf_putc(out, '\n');
}
