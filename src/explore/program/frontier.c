#include "explore/program/frontier.h"

#include "base/hash.h"

#include <string.h>

void fore_tries_release(struct fore_tries *t)
{
    for (size_t i = 0; i < t->heap.n; i++)
        fore_free(t->heap.at[i].schedule);
    fore_vec_release(&t->heap);
    fore_map_release(&t->tried);
    fore_map_release(&t->pairs);
}

static bool is_less(const struct fore_try *a, const struct fore_try *b)
{
    return a->score != b->score ? a->score < b->score : a->order < b->order;
}

static void swap_tries(struct fore_try *a, struct fore_try *b)
{
    struct fore_try t = *a;
    *a = *b;
    *b = t;
}

void fore_tries_put(struct fore_tries *t, struct fore_try x)
{
    fore_vec_push(&t->heap, x);
    t->bytes += strlen(x.schedule);
    struct fore_try *h = t->heap.at;
    for (size_t i = t->heap.n - 1; i && is_less(&h[i], &h[(i - 1) / 2]); i = (i - 1) / 2)
        swap_tries(&h[i], &h[(i - 1) / 2]);
}

static void push_schedule(struct fore_tries *t, uint64_t score, char *schedule,
                          uint64_t seed)
{
    fore_tries_put(t, (struct fore_try){score, t->order++, schedule, seed});
}

/* Prefers pairs of places that were never reversed, then beginnings with few switches. Once
 * there are very many beginnings, only the former are added: others would not be reached before
 * the search ends. */
bool fore_tries_add(struct fore_tries *t, struct fore_beginnings *b, uint64_t seed)
{
    enum { MOST_SWITCHES = 1 << 16, MOST_BYTES = 1 << 27 };
    bool all = true;
    for (size_t i = 0; i < b->v.n; i++) {
        struct fore_beginning *x = &b->v.at[i];
        bool fresh;
        if (t->bytes > MOST_BYTES && fore_map_get(&t->pairs, x->pair)) {
            all &= fore_map_get(&t->tried, x->hash) != NULL;
            continue;
        }
        fore_map_put(&t->tried, x->hash, &fresh);
        if (!fresh)
            continue;
        uint64_t *times = fore_map_put(&t->pairs, x->pair, NULL);
        uint64_t switches =
            x->preemptions < MOST_SWITCHES ? x->preemptions : MOST_SWITCHES - 1;
        push_schedule(t, 1 + ((*times)++ + x->dull) * MOST_SWITCHES + switches,
                      x->schedule, seed);
        x->schedule = NULL;
    }
    return all;
}

void fore_tries_wish(struct fore_tries *t, char *schedule, uint64_t seed)
{
    bool fresh;
    fore_map_put(&t->tried, fore_hash(schedule, strlen(schedule)), &fresh);
    if (fresh)
        push_schedule(t, 0, schedule, seed);
    else
        fore_free(schedule);
}

bool fore_tries_take(struct fore_tries *t, struct fore_try *out)
{
    struct fore_try *h = t->heap.at;
    if (!t->heap.n)
        return false;
    *out = h[0];
    t->bytes -= strlen(out->schedule);
    h[0] = h[--t->heap.n];
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < t->heap.n; k++)
            if (is_less(&h[k], &h[least]))
                least = k;
        if (least == i)
            return true;
        swap_tries(&h[i], &h[least]);
        i = least;
    }
}
