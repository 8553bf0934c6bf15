#include "ring/golength.h"

#include "base/hash.h"

#include <ctype.h>
#include <string.h>

void fore_golength_release(struct fore_golength *g)
{
    fore_map_release(&g->channels);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next place at which the word stands by itself, or NULL. */
static const char *find_word(const char *at, const char *from, const char *end,
                             const char *word)
{
    size_t n = strlen(word);
    while ((at = memmem(at, (size_t)(end - at), word, n))) {
        if ((at == from || !is_word(at[-1])) && (at + n == end || !is_word(at[n])))
            return at;
        at += n;
    }
    return NULL;
}

static const char *skip_blanks_back(const char *from, const char *at)
{
    while (at > from && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at;
}

static bool skip_back(const char *from, const char **at, const char *text)
{
    size_t n = strlen(text);
    const char *here = skip_blanks_back(from, *at);
    if ((size_t)(here - from) < n || memcmp(here - n, text, n) != 0)
        return false;
    *at = here - n;
    return true;
}

/* Back over "[4]", "[]" or "map[string]". */
static void skip_indices_back(const char *from, const char **at)
{
    while (skip_back(from, at, "]")) {
        while (*at > from && **at != '[')
            --*at;
        skip_back(from, at, "map");
    }
}

static uint64_t key_of_name(uint64_t package, const char *name, size_t n)
{
    return fore_hash_mix(package, fore_hash(name, n));
}

/* The names of the list "a, b" that ends at `at`. */
static void add_names_back(struct fore_golength *g, uint64_t package, const char *from,
                           const char *at)
{
    do {
        const char *end = at = skip_blanks_back(from, at);
        while (at > from && is_word(at[-1]))
            at--;
        if (at == end)
            return;
        fore_map_put(&g->channels, key_of_name(package, at, (size_t)(end - at)), NULL);
        while (skip_back(from, &at, ".")) /* s.queue */
            while (at > from && is_word(at[-1]))
                at--;
    } while (skip_back(from, &at, ","));
}

void fore_golength_declare(struct fore_golength *g, uint64_t package,
                           struct fore_bytes source)
{
    const char *from = source.at, *end = source.at + source.n;
    for (const char *at = from; at && (at = find_word(at, from, end, "chan")); at += 4) {
        const char *back = at;
        skip_back(from, &back, "<-");
        skip_indices_back(from, &back);
        if (skip_back(from, &back, "make("))
            (void)(skip_back(from, &back, ":=") || skip_back(from, &back, "=") ||
                   skip_back(from, &back, ":"));
        add_names_back(g, package, from, back);
    }
}

static bool is_channel(const struct fore_golength *g, uint64_t package, const char *at,
                       const char *end)
{
    const char *name = at;
    while (at < end && (is_word(*at) || *at == '.')) {
        if (*at++ == '.')
            name = at;
    }
    return at > name && at < end && (*at == ')' || *at == '[') &&
           fore_map_get(&g->channels, key_of_name(package, name, (size_t)(at - name)));
}

uint32_t fore_golength_asked(const struct fore_golength *g, uint64_t package,
                             struct fore_bytes source)
{
    const char *from = source.at, *end = source.at + source.n;
    for (const char *at = from; at && (at = find_word(at, from, end, "len")); at += 3) {
        if (at + 4 >= end || at[3] != '(' || !is_channel(g, package, at + 4, end))
            continue;
        uint32_t line = 1;
        for (const char *c = from; c < at; c++)
            line += *c == '\n';
        return line;
    }
    return 0;
}
