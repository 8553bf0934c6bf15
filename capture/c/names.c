#include "c/rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *number(const char *s, uint64_t *n)
{
    char *end;
    *n = strtoull(s, &end, 10);
    return end;
}

/* Past one layout. */
static const char *skip(const char *s)
{
    uint64_t n;
    if (*s == '[') {
        s = skip(s + strcspn(s, " ") + 1);
        return s + (*s == ']');
    }
    if (*s != '{')
        return *s ? number(s + 1, &n) : s;
    for (s++; *s && *s != '}';) {
        s = number(s, &n);
        s += 1 + strcspn(s + 1, " ") + 1;
        s = skip(s);
        s += *s == ';';
    }
    return s + (*s == '}');
}

static void add(struct fore_rt_leaf *l, const char *before, const char *text, size_t n)
{
    size_t used = strlen(l->name);
    snprintf(l->name + used, sizeof l->name - used, "%s%.*s", before, (int)n, text);
}

/* The last member that begins at or before *offset; NULL if there is none. */
static const char *member(const char *s, uint64_t *offset, struct fore_rt_leaf *l)
{
    const char *found = NULL, *name = NULL;
    uint64_t start = 0, n;
    size_t length = 0;
    for (s++; *s && *s != '}'; s += *s == ';') {
        const char *at = number(s, &n) + 1;
        size_t own = strcspn(at, " ");
        s = at + own + 1;
        if (n <= *offset) {
            found = s;
            name = at;
            length = own;
            start = n;
        }
        s = skip(s);
    }
    if (found && length)
        add(l, ".", name, length);
    *offset -= start;
    return found;
}

bool fore_rt_leaf_at(const struct fore_c_variable *v, uint64_t offset,
                     struct fore_rt_leaf *l)
{
    const char *s = v->layout;
    *l = (struct fore_rt_leaf){0};
    snprintf(l->name, sizeof l->name, "%s", v->name);
    while (s && (*s == '[' || *s == '{')) {
        uint64_t count, size;
        char index[32];
        if (*s == '{') {
            s = member(s, &offset, l);
            continue;
        }
        s = number(number(s + 1, &count) + 1, &size);
        s += *s == ' ';
        if (!size || offset / size >= count)
            break;
        int n =
            snprintf(index, sizeof index, "[%llu]", (unsigned long long)(offset / size));
        add(l, "", index, (size_t)n);
        offset %= size;
    }
    if (s && *s && *s != '[' && *s != '{') {
        l->type = *s;
        number(s + 1, &l->size);
    }
    l->rest = offset;
    return l->type && offset < l->size;
}
