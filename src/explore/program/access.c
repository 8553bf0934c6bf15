#include "explore/program/access.h"

static void note_accessor(struct fore_accesses *a, const struct fore_event *e)
{
    uint64_t *first = fore_map_put(&a->first, e->object, NULL);
    for (uint64_t i = *first; i; i = a->who.at[i - 1].next)
        if (a->who.at[i - 1].thread == e->thread)
            return;
    fore_vec_push(&a->who, (struct fore_accessor){e->thread, (uint32_t)*first});
    *first = a->who.n;
}

void fore_accesses_release(struct fore_accesses *a)
{
    fore_map_release(&a->first);
    fore_map_release(&a->written);
    fore_map_release(&a->places);
    fore_vec_release(&a->who);
    fore_free(a->parent);
    fore_free(a->born);
}

/* Was the thread, or one from which it descends, created by the other one after that event? */
static bool begins_after(const struct fore_accesses *a, uint32_t thread, uint32_t other,
                         size_t event)
{
    for (; thread && a->born[thread] > event + 1; thread = a->parent[thread])
        if (a->parent[thread] == other)
            return true;
    return false;
}

static bool is_shared(const struct fore_accesses *a, size_t event)
{
    const struct fore_event *e = &a->t->events.at[event];
    const uint64_t *first = fore_map_get(&a->first, e->object);
    if (a->all || !first) /* or it is not known which memory it is */
        return true;
    if (!fore_map_get(&a->written, e->object))
        return false;
    for (uint64_t i = *first; i; i = a->who.at[i - 1].next) {
        uint32_t thread = a->who.at[i - 1].thread;
        if (thread != e->thread && !begins_after(a, thread, e->thread, event))
            return true;
    }
    return false;
}

/* A call of the library reads and writes at one place in the source; the memory that it reads
 * may be its thread's own. */
static uint64_t place_of(const struct fore_event *e)
{
    return (uint64_t)e->kind << 58 ^ (uint64_t)e->thread << 32 ^ e->where;
}

static void find_places(struct fore_accesses *a)
{
    for (size_t i = 0; i < a->t->events.n; i++) {
        const struct fore_event *e = &a->t->events.at[i];
        if (fore_kind_group(e->kind) == FORE_GROUP_MEMORY && is_shared(a, i))
            fore_map_put(&a->places, place_of(e), NULL);
    }
}

bool fore_access_matters(const struct fore_accesses *a, const struct fore_event *e)
{
    return fore_map_get(&a->places, place_of(e));
}

void fore_accesses_init(struct fore_accesses *a, const struct fore_trace *t)
{
    size_t threads = t->tables.threads.n;
    *a = (struct fore_accesses){.t = t,
                                .parent = fore_calloc(threads, sizeof *a->parent),
                                .born = fore_calloc(threads, sizeof *a->born)};
    for (size_t i = 0; i < t->expects.n; i++)
        a->all |= t->expects.at[i].kind == FORE_EXPECT_VIOLATION;
    for (size_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        if (e->kind == FORE_EV_SIGNAL && e->a < threads) {
            a->parent[e->a] = e->thread;
            a->born[e->a] = i + 1;
        }
        if (fore_kind_group(e->kind) != FORE_GROUP_MEMORY || !e->object)
            continue;
        note_accessor(a, e);
        if (e->kind != FORE_EV_READ)
            fore_map_put(&a->written, e->object, NULL);
    }
    find_places(a);
}
