#include "ring/goname.h"

#include <string.h>

/* Length of the path in the name. */
static size_t path_length(const char *name)
{
    size_t at = 0, end = strcspn(name, "["); /* after it come type arguments */
    for (size_t i = 0; i < end; i++)
        if (name[i] == '/')
            at = i + 1;
    return at + strcspn(name + at, ".");
}

static const char *package_name(const struct fore_gopackages *all, const char *path,
                                size_t n)
{
    for (size_t i = 0; i < all->v.n; i++)
        if (!strncmp(all->v.at[i].path, path, n) && !all->v.at[i].path[n])
            return all->v.at[i].name;
    return "";
}

/* Is `asked` the word and the rest, or a part of that? */
static bool begins_with(const char *asked, const char *word, size_t n, const char *rest)
{
    size_t more = strlen(rest);
    return n && !strncmp(asked, word, n) && !strncmp(asked + n, rest, more) &&
           (!asked[n + more] || strchr(".[", asked[n + more]));
}

bool fore_goname_asked(const struct fore_gopackages *packages, const char *name,
                       const char *asked, bool by_path, struct fore_strbuf *base)
{
    size_t path = path_length(name), from = path;
    const char *rest = name + path, *dot = strchr(asked, '.');
    fore_strbuf_clear(base);
    fore_strbuf_puts(base, name);
    if (by_path)
        return begins_with(asked, name, path, rest);
    if (!dot || !*rest || strncmp(dot, rest, strlen(rest)) != 0)
        return false;
    while (from && name[from - 1] != '/')
        from--;
    const char *words[] = {package_name(packages, name, path), name + from};
    size_t lengths[] = {strlen(words[0]), path - from};
    for (size_t i = 0; i < 2; i++)
        if (begins_with(asked, words[i], lengths[i], rest)) {
            fore_strbuf_clear(base);
            fore_strbuf_add(base, words[i], lengths[i]);
            fore_strbuf_puts(base, rest);
            return true;
        }
    return false;
}
