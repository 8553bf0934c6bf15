/* Names threads and objects in the tables. */
#include "capture/ring/leaf.h"

#include "base/path.h"
#include "ring/merge.h"

#include <stdio.h>
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
    const char *file = fore_tables_text(m->tables, w->file);
    fore_strbuf_printf(name, "%s:%u", fore_base_name(file), w->line);
}

/* The parts of the string that describes a block; see DEF_PLACES. */
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

/* The number of a block among those of the same name, in the order in which they come. One place
 * in the source may be several sites, if it was inlined into several functions. */
static uint64_t number_of_block(struct fore_merge *m, const struct fore_strbuf *name,
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

/* Names a place that was made or first accessed at `site` (of the tables): tank@file.c:12.level
 * for a block that was allocated there, with #2 if it is the second such block; heap, if no
 * variable is known that points to it; level@main for a local; memory@file.c:12 if it was first
 * accessed there. */
static void name_place(struct fore_merge *m, const struct fore_fsr_object *def,
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
    uint64_t which = number_of_block(m, name, def->block.number);
    if (which > 1)
        fore_strbuf_printf(name, "#%llu", (unsigned long long)which);
    char part[sizeof((struct fore_leaf){0}.name) + 32];
    struct fore_leaf_block block = {.layout = s.layout,
                                    .unit = s.size,
                                    .size = def->block.size,
                                    .open = def->block.size == FORE_RING_LONG};
    fore_leaf_in_block(&block, def->block.offset, part, sizeof part);
    fore_strbuf_puts(name, part);
}

/* ---- all objects ---- */

/* The name that the capture gave, or one made from the object's number. Equal names of two
 * objects are made unique by their numbers, which are in the order of creation; places, however,
 * get their numbers when a second thread accesses them, so equal names of places are counted
 * instead. */
static uint32_t make_named_object(struct fore_merge *m, uint32_t capture_id,
                                  unsigned kind, const struct fore_strbuf *given)
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

/* ---- threads ---- */

/* Names the program's first thread, unless it has named itself. */
static void name_first_thread(struct fore_merge *m, uint32_t thread)
{
    static const char begins[] = "main.main", name[] = "main";
    if (m->file.header->source == FORE_RING_GO)
        fore_tables_goroutine(m->tables, thread, 1, begins, sizeof begins - 1);
    else if (m->file.header->source == FORE_RING_C && !m->tables->threads.at[thread].name)
        m->tables->threads.at[thread].name =
            fore_tables_string(m->tables, name, sizeof name - 1);
}

uint32_t fore_merge_thread_id(struct fore_merge *m, uint32_t number)
{
    bool fresh;
    uint64_t *id = fore_map_put(&m->thread_ids, number, &fresh);
    if (fresh) {
        char label[16];
        int n = snprintf(label, sizeof label, "%u", number);
        uint32_t thread = fore_tables_thread(m->tables, label, (size_t)n);
        const struct fore_strbuf *name = fore_fsr_thread_name(&m->file, number);
        if (name->n)
            m->tables->threads.at[thread].name =
                fore_tables_string(m->tables, name->at, name->n);
        if (number == 1)
            name_first_thread(m, thread);
        *id = thread;
        fore_vec_ensure(&m->life, thread + 1);
    }
    return (uint32_t)*id;
}

void fore_merge_rename(struct fore_merge *m)
{
    for (size_t i = 0; i < m->file.threads.n; i++) {
        uint32_t number = m->file.threads.at[i].number;
        const struct fore_strbuf *name = fore_fsr_thread_name(&m->file, number);
        const uint64_t *id = fore_map_get(&m->thread_ids, number);
        if (name->n && id)
            m->tables->threads.at[*id].name =
                fore_tables_string(m->tables, name->at, name->n);
    }
    uint64_t chan, unused;
    for (size_t i = 0; fore_map_next(&m->file.spent, &i, &chan, &unused);) {
        const uint64_t *index = fore_map_get(&m->object_index, chan);
        if (index)
            m->tables->objects.at[m->objects.at[*index].id].flags |= FORE_OBJ_SPENT;
    }
}

/* A test's own goroutine says which test it belongs to; other goroutines belong to the test that
 * created them. */
static void set_group(struct fore_merge *m, uint32_t thread,
                      const struct fore_strbuf *own, const struct fore_strbuf *creator)
{
    const struct fore_strbuf *name = own->n ? own : creator;
    if (name->n)
        m->tables->threads.at[thread].group =
            fore_tables_string(m->tables, name->at, name->n);
}

void fore_merge_describe_thread(struct fore_merge *m, uint32_t child,
                                const struct fore_fsr_op *op)
{
    struct fore_merge_about about = {.name = FORE_STRBUF_INIT};
    const struct fore_strbuf *name = &about.name;
    if (m->resolver) {
        m->resolver->thread(m->resolver, m->tables, op, &about);
    } else {
        about.where = fore_merge_where_id(m, op->where);
        name = fore_fsr_string(&m->file, (uint32_t)op->units[1]);
    }
    struct fore_thread_info *info = &m->tables->threads.at[child];
    info->where = about.where;
    if (about.goroutine)
        fore_tables_goroutine(m->tables, child, about.goroutine, name->at, name->n);
    else if (name->n && !info->name)
        info->name = fore_tables_string(m->tables, name->at, name->n);
    fore_strbuf_release(&about.name);
    if (m->resolver)
        set_group(m, child, fore_fsr_thread_group(&m->file, (uint32_t)op->units[0]),
                  fore_fsr_string(&m->file, (uint32_t)(op->units[0] >> 32)));
}

uint32_t fore_merge_adopt(struct fore_merge *m, uint32_t thread,
                          const struct fore_fsr_op *op)
{
    uint32_t child = fore_merge_thread_id(m, (uint32_t)op->units[0]);
    fore_tables_adopt(m->tables, m->threads.at[thread].id, child);
    fore_merge_describe_thread(m, child, op);
    return child;
}

/* ---- objects ---- */

static bool is_silent(const struct fore_merge *m, uint32_t id,
                      const struct fore_fsr_object *def, unsigned flags)
{
    return def && (def->flags | flags) & FORE_OBJ_HIDDEN && m->file.whole &&
           fore_fsr_is_private(&m->file, id);
}

/* Its name, made or first accessed at a place; the caller releases the name. */
static struct fore_merge_about describe_object(struct fore_merge *m, unsigned kind,
                                               const struct fore_fsr_object *def)
{
    struct fore_merge_about about = {.name = FORE_STRBUF_INIT};
    if (def && m->resolver)
        m->resolver->object(m->resolver, m->tables, def, &about);
    else if (def)
        about.where = fore_merge_where_id(m, def->where);
    if (def && (kind == FORE_OBJ_PLACE || def->block.number) && !def->name.n &&
        !about.name.n)
        name_place(
            m, def,
            fore_merge_where_id(m, def->block.number ? def->block.where : def->where),
            &about.name);
    return about;
}

void fore_merge_name_again(struct fore_merge *m, struct fore_merge_object *o)
{
    const struct fore_fsr_object *def = fore_fsr_object(&m->file, o->from);
    if (def && def->kind && def->kind < FORE_OBJ_KINDS)
        o->kind = (uint8_t)def->kind;
    struct fore_merge_about about = describe_object(m, o->kind, def);
    const struct fore_strbuf *given = about.name.n ? &about.name
                                      : def        ? &def->name
                                                   : NULL;
    o->id = make_named_object(m, o->from, o->kind, given);
    o->timed = about.flags & FORE_OBJ_TIMED;
    o->silent = about.silent || is_silent(m, o->from, def, about.flags);
    struct fore_object *to = &m->tables->objects.at[o->id];
    if (fore_map_get(&m->file.fed, o->from))
        about.flags |= FORE_OBJ_TIMED;
    if (fore_map_get(&m->file.spent, o->from))
        about.flags |= FORE_OBJ_SPENT;
    if (def) {
        to->capacity = o->kind == FORE_OBJ_PLACE ? 0 : def->capacity;
        to->flags = (uint16_t)(def->flags | about.flags | FORE_OBJ_DECLARED);
        to->where = about.where;
        if (o->kind == FORE_OBJ_PLACE && def->init[1] <= FORE_VALUE_NIL)
            to->init =
                (struct fore_value){(enum fore_value_type)def->init[1], def->init[0]};
    }
    fore_strbuf_release(&about.name);
}

/* For a file whose first parts are gone: continues earlier counts. */
static void go_on_counting(struct fore_merge *m, const struct fore_fsr_object *def,
                           struct fore_merge_object *o)
{
    const struct fore_fsr_first *first = fore_fsr_first(&m->file, o->from);
    if (o->kind != FORE_OBJ_CHAN) {
        o->ticket = first ? first->ticket - 1 : 0;
    } else if (def) {
        o->sends = def->init[0];
        o->recvs = def->init[1] << 1 >> 1;
        o->closed = def->init[1] >> 63;
        o->closed_sends = o->sends;
    }
}

struct fore_merge_object *fore_merge_find_object(struct fore_merge *m, uint32_t id,
                                                 unsigned kind)
{
    bool fresh;
    uint64_t *index = fore_map_put(&m->object_index, id, &fresh);
    if (!fresh)
        return &m->objects.at[*index];
    size_t at = m->objects.n;
    *index = at;
    if (id < FORE_MERGE_SMALL) {
        fore_vec_ensure(&m->small, (size_t)id + 1);
        m->small.at[id] = (uint32_t)at + 1;
    }
    const struct fore_fsr_object *def = fore_fsr_object(&m->file, id);
    struct fore_merge_object o = {.from = id,
                                  .kind = (uint8_t)kind,
                                  .lost_count =
                                      kind == FORE_OBJ_PLACE && id <= m->forgotten,
                                  .capacity = def ? def->capacity : 0};
    fore_merge_name_again(m, &o);
    if (m->file.first_part)
        go_on_counting(m, def, &o);
    fore_vec_push(&m->objects, o);
    return &m->objects.at[at];
}
