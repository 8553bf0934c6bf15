/* What objects are called in the tables. */
#include "capture/ring/leaf.h"
#include "ring/merge.h"

#include <stdlib.h>
#include <string.h>

static const char *const short_names[FORE_OBJ_KINDS] = {
    [FORE_OBJ_CHAN] = "chan",       [FORE_OBJ_LOCK] = "lock",
    [FORE_OBJ_COND] = "cond",       [FORE_OBJ_SEM] = "sem",
    [FORE_OBJ_BARRIER] = "barrier", [FORE_OBJ_ONCE] = "once",
    [FORE_OBJ_WG] = "wg",           [FORE_OBJ_TIMER] = "timer",
    [FORE_OBJ_PLACE] = "place",     [FORE_OBJ_OBJECT] = "object",
    [FORE_OBJ_OUTSIDE] = "outside",
};

/* ---- places in memory ---- */

/* file.c:12 */
static void add_site(struct fore_merge *m, const struct fore_where *w,
                     struct fore_strbuf *name)
{
    const char *file = fore_tables_text(m->tables, w->file), *slash = strrchr(file, '/');
    fore_strbuf_printf(name, "%s:%u", slash ? slash + 1 : file, w->line);
}

/* What a string says of a block; see DEF_PLACES. */
struct name_shape {
    bool local;
    int length;
    const char *name, *layout;
    uint64_t size;
};

static struct name_shape read_shape(const struct fore_strbuf *text)
{
    struct name_shape s = {.name = "", .layout = ""};
    if (text->n < 2)
        return s;
    char *end;
    s.local = text->at[0] == FORE_RING_LOCAL;
    s.name = text->at + 2;
    s.length = (int)strcspn(s.name, " ");
    s.size = strtoull(s.name + s.length, &end, 10);
    s.layout = end + (*end == ' ');
    return s;
}

/* Of the blocks that are called the same, which one it is, in the order in which they come. One
 * place in the source may be several sites, if it became part of several functions. */
static uint64_t ordinal(struct fore_merge *m, const struct fore_strbuf *name,
                        uint32_t number)
{
    bool fresh;
    uint64_t text = fore_tables_string(m->tables, name->at, name->n);
    uint64_t *which = fore_map_put(&m->blocks, text << 32 | number, &fresh);
    if (fresh) {
        uint64_t n = ++*fore_map_put(&m->made, text, NULL);
        *fore_map_get(&m->blocks, text << 32 | number) = n;
        return n;
    }
    return *which;
}

/* The part of the block: by the layout where that says it, otherwise by bytes. What is as long
 * as several of its type is an array of them, unless its last member is as long as one likes. */
static void add_part(const struct name_shape *s, const struct fore_fsr_block *b,
                     struct fore_strbuf *name)
{
    uint64_t offset = b->offset;
    struct fore_leaf leaf;
    bool open = b->size == FORE_RING_LONG || !s->size || b->size % s->size;
    bool many = s->size && b->size > s->size && (b->size == FORE_RING_LONG || !open) &&
                !strstr(s->layout, "[0,");
    if (many) {
        fore_strbuf_printf(name, "[%llu]", (unsigned long long)(offset / s->size));
        offset %= s->size;
    }
    if (!*s->layout || (!many && offset >= s->size)) {
        if (!many || offset)
            fore_strbuf_printf(name, many ? "+%llu" : "[%llu]",
                               (unsigned long long)offset);
        return;
    }
    fore_leaf_at("", s->layout, offset, &leaf);
    fore_strbuf_printf(name, "%s", leaf.name);
    if (leaf.rest)
        fore_strbuf_printf(name, leaf.name[0] || many ? "+%llu" : "[%llu]",
                           (unsigned long long)leaf.rest);
}

/* tank@file.c:12.level of what was allocated there, #2 if it is the second such block; heap, if no
 * variable is known that points to it; level@main is a local; memory@file.c:12 was first accessed
 * there. */
void fore_merge_name_place(struct fore_merge *m, const struct fore_fsr_object *def,
                           uint32_t site, struct fore_strbuf *name)
{
    const struct fore_where *w = &m->tables->wheres.at[site];
    if (!site || !w->line)
        return;
    if (!def->block.number) {
        fore_strbuf_puts(name, "memory@");
        add_site(m, w, name);
        return;
    }
    struct name_shape s = read_shape(fore_fsr_string(&m->file, def->block.shape));
    if (s.length)
        fore_strbuf_printf(name, "%.*s@", s.length, s.name);
    else
        fore_strbuf_puts(name, s.local ? "local@" : "heap@");
    if (s.local && w->function)
        fore_strbuf_puts(name, fore_tables_text(m->tables, w->function));
    else
        add_site(m, w, name);
    uint64_t which = ordinal(m, name, def->block.number);
    if (which > 1)
        fore_strbuf_printf(name, "#%llu", (unsigned long long)which);
    add_part(&s, &def->block, name);
}

/* ---- all objects ---- */

/* The name that the capture gave, or one from its number; made unique, since two objects of
 * a program may well be called the same: by its number, which is that of its creation; but places
 * are numbered when a second thread comes, so that their names count instead. */
uint32_t fore_merge_name(struct fore_merge *m, uint32_t capture_id, unsigned kind,
                         const struct fore_strbuf *given)
{
    struct fore_strbuf name = FORE_STRBUF_INIT;
    if (given && given->n) {
        size_t skip = given->at[0] == '&' && given->n > 1; /* &m is called m */
        fore_strbuf_add(&name, given->at + skip, given->n - skip);
    } else {
        fore_strbuf_printf(&name, "%s%u",
                           short_names[kind] ? short_names[kind] : "object", capture_id);
    }
    size_t own = name.n;
    for (uint64_t uses = 0;;) {
        if (uses && kind == FORE_OBJ_PLACE)
            name.n = own;
        if (uses)
            fore_strbuf_printf(&name, "_%llu",
                               kind == FORE_OBJ_PLACE ? (unsigned long long)uses
                                                      : capture_id);
        uint64_t text = fore_tables_string(m->tables, name.at, name.n);
        uses = ++*fore_map_put(&m->taken, (uint64_t)kind << 32 | text, NULL);
        if (uses == 1)
            break;
    }
    uint32_t id =
        fore_tables_object(m->tables, (enum fore_object_kind)kind, name.at, name.n);
    fore_strbuf_release(&name);
    return id;
}
