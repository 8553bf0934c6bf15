#include "trace/tables.h"

#include "base/hash.h"

void fore_tables_init(struct fore_tables *t)
{
    *t = (struct fore_tables){0};
    fore_vec_ensure(&t->threads, 1);
    fore_vec_ensure(&t->objects, 1);
    fore_vec_ensure(&t->wheres, 1);
}

void fore_tables_release(struct fore_tables *t)
{
    fore_intern_release(&t->strings);
    fore_vec_release(&t->threads);
    fore_vec_release(&t->objects);
    fore_vec_release(&t->wheres);
    fore_vec_release(&t->unseen);
    fore_vec_release(&t->thread_by_label);
    fore_map_release(&t->object_by_name);
    fore_map_release(&t->where_by_hash);
}

uint32_t fore_tables_string(struct fore_tables *t, const char *s, size_t n)
{
    return fore_intern(&t->strings, s, n);
}

const char *fore_tables_text(const struct fore_tables *t, uint32_t string)
{
    return fore_intern_text(&t->strings, string);
}

uint32_t fore_tables_thread_of(struct fore_tables *t, uint32_t label, bool *fresh)
{
    uint32_t id = fore_tables_find_thread(t, label);
    if (fresh)
        *fresh = !id;
    if (id)
        return id;
    id = (uint32_t)t->threads.n;
    fore_vec_push(&t->threads, (struct fore_thread_info){.label = label});
    fore_vec_ensure(&t->thread_by_label, (size_t)label + 1);
    t->thread_by_label.at[label] = id;
    return id;
}

uint32_t fore_tables_thread(struct fore_tables *t, const char *label, size_t n)
{
    return fore_tables_thread_of(t, fore_tables_string(t, label, n), NULL);
}

void fore_tables_goroutine(struct fore_tables *t, uint32_t thread, uint32_t number,
                           const char *begins, size_t n)
{
    struct fore_thread_info *info = &t->threads.at[thread];
    info->goroutine = number;
    info->begins = n ? fore_tables_string(t, begins, n) : 0;
    if (info->name)
        return;
    struct fore_strbuf name = FORE_STRBUF_INIT;
    fore_strbuf_printf(&name, "goroutine %u", (unsigned)number);
    if (n)
        fore_strbuf_printf(&name, " (%.*s)", (int)n, begins);
    info->name = fore_tables_string(t, name.at, name.n);
    fore_strbuf_release(&name);
}

void fore_tables_unseen_member(struct fore_tables *t, uint32_t member, uint32_t where)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_strbuf_printf(&text, "all but the first that have %s",
                       fore_tables_text(t, member));
    struct fore_unseen u = {
        .text = fore_tables_string(t, text.at, text.n), .where = where, .member = member};
    fore_vec_push(&t->unseen, u);
    fore_strbuf_release(&text);
}

bool fore_tables_adopt(struct fore_tables *t, uint32_t parent, uint32_t child)
{
    struct fore_thread_info *c = &t->threads.at[child];
    if (c->parent || parent == child)
        return false;
    /* A thread cannot descend from itself, however the events name it. */
    for (uint32_t up = c->children ? parent : 0; up; up = t->threads.at[up].parent)
        if (up == child)
            return false;
    c->parent = parent;
    c->child = ++t->threads.at[parent].children;
    return true;
}

uint32_t fore_tables_object_of(struct fore_tables *t, enum fore_object_kind kind,
                               uint32_t name, bool *fresh)
{
    bool added;
    uint64_t *id = fore_map_put(&t->object_by_name, (uint64_t)kind << 32 | name, &added);
    if (added) {
        *id = t->objects.n;
        fore_vec_push(&t->objects,
                      (struct fore_object){.kind = (uint16_t)kind, .name = name});
    }
    if (fresh)
        *fresh = added;
    return (uint32_t)*id;
}

uint32_t fore_tables_object(struct fore_tables *t, enum fore_object_kind kind,
                            const char *name, size_t n)
{
    return fore_tables_object_of(t, kind, fore_tables_string(t, name, n), NULL);
}

uint32_t fore_tables_where(struct fore_tables *t, struct fore_where w)
{
    if (!w.file && !w.function)
        return 0;
    uint64_t key = fore_hash(&w, sizeof w);
    for (;; key++) { /* two contents with one hash: try the next key */
        bool fresh;
        uint64_t *id = fore_map_put(&t->where_by_hash, key, &fresh);
        if (fresh) {
            *id = t->wheres.n;
            fore_vec_push(&t->wheres, w);
        }
        struct fore_where *have = &t->wheres.at[*id];
        if (have->function == w.function && have->file == w.file &&
            have->line == w.line && have->column == w.column && have->parent == w.parent)
            return (uint32_t)*id;
    }
}

/* The number of the thread among the roots. Counted only when asked for, because a thread is
 * often mentioned before the event that gives it a parent. */
static uint32_t root_number(const struct fore_tables *t, uint32_t thread)
{
    uint32_t k = 0;
    for (uint32_t i = 1; i <= thread; i++)
        k += !t->threads.at[i].parent;
    return k;
}

uint32_t *fore_tables_root_numbers(const struct fore_tables *t)
{
    uint32_t *numbers = fore_calloc(t->threads.n + 1, sizeof *numbers);
    for (uint32_t i = 1, k = 0; i < t->threads.n; i++)
        numbers[i] = k += !t->threads.at[i].parent;
    return numbers;
}

void fore_tables_path(const struct fore_tables *t, uint32_t thread,
                      struct fore_strbuf *out)
{
    fore_tables_path_with(t, thread, NULL, out);
}

void fore_tables_path_with(const struct fore_tables *t, uint32_t thread,
                           const uint32_t *root_numbers, struct fore_strbuf *out)
{
    FORE_VEC(uint32_t) steps = {0};
    for (uint32_t i = thread; i; i = t->threads.at[i].parent)
        fore_vec_push(&steps, t->threads.at[i].parent ? t->threads.at[i].child
                              : root_numbers          ? root_numbers[i]
                                                      : root_number(t, i));
    for (size_t i = steps.n; i-- > 0;)
        fore_strbuf_printf(out, i ? "%u." : "%u", steps.at[i]);
    fore_vec_release(&steps);
}

void fore_tables_place(const struct fore_tables *t, uint32_t where,
                       struct fore_strbuf *out)
{
    const struct fore_where *w = &t->wheres.at[where];
    if (!w->file)
        return;
    struct fore_bytes file = fore_intern_bytes(&t->strings, w->file);
    fore_strbuf_add(out, file.at, file.n);
    fore_strbuf_printf(out, ":%u", w->line);
    if (w->column)
        fore_strbuf_printf(out, ":%u", w->column);
}

const char *fore_tables_label(const struct fore_tables *t, uint32_t thread)
{
    return fore_tables_text(t, t->threads.at[thread].label);
}

const char *fore_tables_name(const struct fore_tables *t, uint32_t object)
{
    return fore_tables_text(t, t->objects.at[object].name);
}

/* ---- another part of the same run ---- */

static uint32_t copy_string(struct fore_tables *t, const struct fore_tables *from,
                            uint32_t string)
{
    struct fore_bytes b = fore_intern_bytes(&from->strings, string);
    return string ? fore_tables_string(t, b.at, b.n) : 0;
}

static uint32_t copy_where(struct fore_tables *t, const struct fore_tables *from,
                           uint32_t where)
{
    if (!where)
        return 0;
    struct fore_where w = from->wheres.at[where];
    w.function = copy_string(t, from, w.function);
    w.file = copy_string(t, from, w.file);
    w.parent = copy_where(t, from, w.parent);
    return fore_tables_where(t, w);
}

static void copy_thread(struct fore_tables *t, const struct fore_tables *from,
                        uint32_t thread)
{
    struct fore_thread_info info = from->threads.at[thread];
    info.label = copy_string(t, from, info.label);
    info.name = copy_string(t, from, info.name);
    info.group = copy_string(t, from, info.group);
    info.begins = copy_string(t, from, info.begins);
    info.where = copy_where(t, from, info.where);
    uint32_t id = fore_tables_thread_of(t, info.label, NULL);
    FORE_BUG_IF(id != thread);
    t->threads.at[id] = info;
}

static uint32_t copy_object(struct fore_tables *t, const struct fore_tables *from,
                            uint32_t object)
{
    struct fore_object o = from->objects.at[object];
    o.name = copy_string(t, from, o.name);
    o.where = copy_where(t, from, o.where);
    o.init = (struct fore_value){FORE_VALUE_NONE, 0};
    uint32_t id = fore_tables_object_of(t, (enum fore_object_kind)o.kind, o.name, NULL);
    t->objects.at[id] = o;
    return id;
}

static void copy_keys(struct fore_map *m, struct fore_tables *t,
                      const struct fore_tables *from,
                      uint32_t (*copy)(struct fore_tables *t,
                                       const struct fore_tables *from, uint32_t id))
{
    struct fore_map moved = {0};
    uint64_t key, value;
    for (size_t i = 0; fore_map_next(m, &i, &key, &value);)
        *fore_map_put(&moved, key, NULL) = copy(t, from, (uint32_t)key);
    fore_map_release(m);
    *m = moved;
}

void fore_tables_renew(struct fore_tables *t, struct fore_map *objects,
                       struct fore_map *wheres)
{
    struct fore_tables old = *t;
    fore_tables_init(t);
    t->merged = old.merged;
    t->endless = old.endless;
    t->sees = old.sees;
    t->ended = old.ended;
    for (uint32_t i = 1; i < old.threads.n; i++)
        copy_thread(t, &old, i);
    copy_keys(objects, t, &old, copy_object);
    copy_keys(wheres, t, &old, copy_where);
    fore_tables_release(&old);
}
