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

/* The next place where the word is a whole word, or NULL. */
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

/* Moves back over "[4]", "[]" or "map[string]"; returns how many there are. */
static unsigned skip_indices_back(const char *from, const char **at)
{
    unsigned n = 0;
    for (; skip_back(from, at, "]"); n++) {
        while (*at > from && **at != '[')
            --*at;
        skip_back(from, at, "map");
    }
    return n;
}

/* Moves over "[i]" and "[f(a[i])]"; returns how many there are. */
static unsigned skip_indices(const char **at, const char *end)
{
    unsigned n = 0, depth = 0;
    for (; *at < end && (depth || **at == '['); ++*at) {
        if (**at == '[')
            n += depth++ == 0;
        else if (**at == ']')
            depth--;
    }
    return n;
}

/* A slice of slices of channels has two indices; more than a few count as one number. */
static uint64_t bit_of_indices(unsigned n)
{
    return (uint64_t)1 << (n < 63 ? n : 63);
}

static uint64_t key_of_name(uint64_t package, const char *name, size_t n)
{
    return fore_hash_mix(package, fore_hash(name, n));
}

/* Adds the names of the list "a, b" that ends at `at`: channels, if they have that many indices. */
static void add_names_back(struct fore_golength *g, uint64_t package, const char *from,
                           const char *at, unsigned indices)
{
    do {
        const char *end = at = skip_blanks_back(from, at);
        while (at > from && is_word(at[-1]))
            at--;
        if (at == end)
            return;
        *fore_map_put(&g->channels, key_of_name(package, at, (size_t)(end - at)), NULL) |=
            bit_of_indices(indices);
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
        unsigned indices = skip_indices_back(from, &back);
        if (skip_back(from, &back, "make("))
            (void)(skip_back(from, &back, ":=") || skip_back(from, &back, "=") ||
                   skip_back(from, &back, ":"));
        add_names_back(g, package, from, back, indices);
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
    if (at == name)
        return false;
    const uint64_t *declared =
        fore_map_get(&g->channels, key_of_name(package, name, (size_t)(at - name)));
    return declared && *declared & bit_of_indices(skip_indices(&at, end)) && at < end &&
           *at == ')';
}

uint32_t fore_golength_asked(const struct fore_golength *g, uint64_t package,
                             struct fore_bytes source, uint32_t after)
{
    const char *from = source.at, *end = source.at + source.n, *counted = from;
    uint32_t line = 1;
    for (const char *at = from; at && (at = find_word(at, from, end, "len")); at += 3) {
        if (at + 4 >= end || at[3] != '(' || !is_channel(g, package, at + 4, end))
            continue;
        for (; counted < at; counted++)
            line += *counted == '\n';
        if (line > after)
            return line;
    }
    return 0;
}
