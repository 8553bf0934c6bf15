#include "capture/ring/leaf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

static const char *number(const char *s, uint64_t *n)
{
    char *end;
    *n = 0;
    if (*s < '0' || *s > '9')
        return s;
    *n = strtoull(s, &end, 10);
    return end;
}

static const char *past(const char *s, char c)
{
    return s + (*s == c);
}

/* Past one layout. */
static const char *skip(const char *s, int depth)
{
    uint64_t n;
    if (depth > DEEPEST)
        return s + strlen(s);
    if (*s == '[') {
        s += strcspn(s, " ");
        return past(skip(past(s, ' '), depth + 1), ']');
    }
    if (*s == ':')
        return s + strcspn(s, ";}");
    if (*s != '{')
        return *s ? number(s + 1, &n) : s;
    for (s++; *s && *s != '}';) {
        const char *from = s;
        s = past(number(s, &n), ' ');
        s = past(s + strcspn(s, " "), ' ');
        s = past(skip(s, depth + 1), ';');
        if (s == from)
            return s + strlen(s);
    }
    return past(s, '}');
}

static void add_part(struct fore_leaf *l, const char *before, const char *text, size_t n)
{
    size_t used = strlen(l->name);
    snprintf(l->name + used, sizeof l->name - used, "%s%.*s", before, (int)n, text);
}

struct member {
    uint64_t offset;
    const char *name, *type;
    size_t length;
};

/* The member at s, and where the next one is; NULL if there is none. */
static const char *read_member(const char *s, struct member *m)
{
    if (!*s || *s == '}')
        return NULL;
    const char *from = s;
    m->name = past(number(s, &m->offset), ' ');
    m->length = strcspn(m->name, " ");
    m->type = past(m->name + m->length, ' ');
    s = past(skip(m->type, 0), ';');
    return s == from ? NULL : s;
}

/* The last member that begins at or before *offset; NULL if there is none. Bit-fields have no
 * address of their own. */
static const char *member_at(const char *s, uint64_t *offset, struct fore_leaf *l)
{
    struct member m, found = {0};
    for (s++; (s = read_member(s, &m));)
        if (m.offset <= *offset && *m.type != ':')
            found = m;
    if (found.type && found.length)
        add_part(l, ".", found.name, found.length);
    *offset -= found.offset;
    return found.type;
}

/* The element of an array that *offset is in; NULL if it is in none. */
static const char *element_at(const char *s, uint64_t *offset, struct fore_leaf *l)
{
    uint64_t count, size;
    char index[32];
    s = past(number(past(number(s + 1, &count), ','), &size), ' ');
    if (!size || *offset / size >= count)
        return NULL;
    int n = snprintf(index, sizeof index, "[%llu]", (unsigned long long)(*offset / size));
    add_part(l, "", index, (size_t)n);
    *offset %= size;
    return s;
}

bool fore_leaf_at(const char *whole, const char *layout, uint64_t offset,
                  struct fore_leaf *l)
{
    const char *s = layout;
    *l = (struct fore_leaf){0};
    snprintf(l->name, sizeof l->name, "%s", whole);
    for (int depth = 0; s && (*s == '[' || *s == '{') && depth < DEEPEST; depth++)
        s = *s == '{' ? member_at(s, &offset, l) : element_at(s, &offset, l);
    if (s && *s && *s != '[' && *s != '{') {
        l->type = *s;
        number(s + 1, &l->size);
    }
    l->rest = offset;
    return l->type && offset < l->size;
}

/* A type whose last member has a flexible length says so by an array of no elements. */
static bool has_flexible_length(const char *layout)
{
    return strstr(layout, "[0,") != NULL;
}

/* An element, "[2]", or a number of bytes behind the name, "+2". */
static void add_number(char *name, size_t room, bool element, uint64_t n)
{
    size_t used = strlen(name);
    snprintf(name + used, room - used, element ? "[%llu]" : "+%llu",
             (unsigned long long)n);
}

void fore_leaf_in_block(const struct fore_leaf_block *b, uint64_t offset, char *name,
                        size_t room)
{
    struct fore_leaf leaf;
    bool many = b->unit && b->size > b->unit && (b->open || b->size % b->unit == 0) &&
                !has_flexible_length(b->layout);
    *name = 0;
    if (many) {
        add_number(name, room, true, offset / b->unit);
        offset %= b->unit;
    }
    if (!*b->layout || (!many && offset >= b->unit)) {
        if (!many || offset)
            add_number(name, room, !many, offset);
        return;
    }
    fore_leaf_at(name, b->layout, offset, &leaf);
    snprintf(name, room, "%s", leaf.name);
    if (leaf.rest)
        add_number(name, room, !*name, leaf.rest);
}

/* ---- bit-fields ---- */

/* The bit-field of a record that begins with this bit; NULL if there is none. */
static const char *bits_at(const char *s, uint64_t bit, struct fore_leaf *l)
{
    struct member m;
    uint64_t first;
    for (s++; (s = read_member(s, &m));)
        if (*m.type == ':') {
            const char *rest = number(m.type + 1, &first);
            if (m.offset * 8 + first != bit)
                continue;
            add_part(l, ".", m.name, m.length);
            return past(rest, ',');
        }
    return NULL;
}

bool fore_leaf_bits_at(const char *whole, const char *layout, uint64_t bit,
                       struct fore_leaf *l)
{
    const char *s = layout;
    *l = (struct fore_leaf){0};
    snprintf(l->name, sizeof l->name, "%s", whole);
    for (int depth = 0; s && (*s == '[' || *s == '{') && depth < DEEPEST; depth++) {
        const char *field = *s == '{' ? bits_at(s, bit, l) : NULL;
        if (field) {
            field = number(field, &l->size);
            l->type = *field ? *field : 'u';
            return true;
        }
        uint64_t offset = bit / 8, rest = bit % 8;
        s = *s == '{' ? member_at(s, &offset, l) : element_at(s, &offset, l);
        bit = offset * 8 + rest;
    }
    return false;
}

/* ---- names ---- */

/* How many bits the layout describes. */
static uint64_t bits_of(const char *s, int depth)
{
    uint64_t n = 0, size, most = 0;
    struct member m;
    if (*s == '[') {
        number(past(number(s + 1, &n), ','), &size);
        return n * size * 8;
    }
    if (*s == ':') {
        number(past(number(s + 1, &n), ','), &size);
        return size;
    }
    if (*s != '{') {
        if (*s)
            number(s + 1, &n);
        return n * 8;
    }
    for (s++; depth < DEEPEST && (s = read_member(s, &m));) {
        uint64_t first = 0;
        if (*m.type == ':')
            number(m.type + 1, &first);
        n = m.offset * 8 + first + bits_of(m.type, depth + 1);
        most = n > most ? n : most;
    }
    return most;
}

/* The layout of the member, whose place is added to *first; members of members without a name count as the record's
 * own. */
static const char *member_named(const char *s, const char *name, size_t n,
                                uint64_t *first, int depth)
{
    struct member m;
    for (s++; depth < DEEPEST && (s = read_member(s, &m));) {
        const char *found = NULL;
        if (m.length == n && !strncmp(m.name, name, n))
            found = m.type;
        else if (!m.length && *m.type == '{')
            found = member_named(m.type, name, n, first, depth + 1);
        if (found) {
            *first += m.offset * 8;
            return found;
        }
    }
    return NULL;
}

/* The layout of the element, whose place is added to *first. */
static const char *element_numbered(const char *s, const char *digits, uint64_t *first)
{
    struct fore_leaf unused = {0};
    uint64_t index, count, size;
    number(past(number(s + 1, &count), ','), &size);
    number(digits, &index);
    if (index >= count)
        return NULL;
    uint64_t offset = index * size;
    *first += offset * 8;
    return element_at(s, &offset, &unused);
}

bool fore_leaf_find(const char *layout, const char *path, struct fore_leaf_part *part,
                    const char **missing)
{
    const char *s = layout;
    uint64_t first = 0, bit = 0;
    for (*missing = NULL; *path;) {
        size_t n = strcspn(path + 1, ".[") + 1;
        *missing = path;
        if (*path == '.' && *s == '{')
            s = member_named(s, path + 1, n - 1, &first, 0);
        else if (*path == '[' && *s == '[')
            s = element_numbered(s, path + 1, &first);
        else
            s = NULL;
        if (!s)
            return false;
        path += n;
    }
    if (*s == ':')
        number(s + 1, &bit);
    *part = (struct fore_leaf_part){first + bit, bits_of(s, 0)};
    *missing = NULL;
    return true;
}
