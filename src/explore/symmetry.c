/* The fingerprint of a state is the least of those of its renamings. Clients keep their names, so
 * histories, and with them the judge's states, stay as they are. States with created or isolated
 * actors are not renamed; renaming leads from such states to such states only. */
#include "explore/symmetry.h"

#include "base/hash.h"
#include "explore/print.h"

#include <string.h>

#define GROUP_MOST 720 /* renamings; each costs a look at the state */

static bool is_alike(const struct fore_harness *h, int64_t a, int64_t b)
{
    const struct fore_agent *x = &h->agents.at[a - 1], *y = &h->agents.at[b - 1];
    return x->role == y->role && !memcmp(x->args, y->args, sizeof x->args);
}

static int64_t renamed_actor(const struct fore_renaming *r, const struct fore_actors *w,
                             int64_t id)
{
    return id >= 1 && id <= (int64_t)w->harness->agents.n ? r->to[id] : id;
}

static uint64_t hash_message(const struct fore_actors *w, const struct fore_renaming *r,
                             const struct foresee_received *m, uint64_t seed)
{
    int64_t field[FORESEE_FIELDS];
    uint32_t ids = w->sys->symmetry->fields ? w->sys->symmetry->fields[m->kind] : 0;
    for (uint32_t i = 0; i < m->fields; i++)
        field[i] = ids >> i & 1 ? renamed_actor(r, w, m->field[i]) : m->field[i];
    uint64_t h = fore_hash_mix(seed + m->kind, (uint64_t)renamed_actor(r, w, m->from));
    h = fore_hash_mix(h, (uint64_t)renamed_actor(r, w, m->to));
    return fore_hash_more(h, field, m->fields * sizeof *field);
}

/* Of actors and messages, under a renaming. */
static uint64_t hash_under(struct fore_symmetry *y, const struct fore_actors *w,
                           const struct fore_renaming *r, uint64_t seed)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < w->actors.n; i++) {
        const struct fore_actor *a = &w->actors.at[i];
        size_t size = w->sys->def->roles[a->role].state_size;
        fore_vec_ensure(&y->state, size + 1);
        memcpy(y->state.at, a->state, size);
        w->sys->symmetry->rename[a->role](y->state.at, r->to, w->ctx.agents);
        uint64_t id = (uint64_t)renamed_actor(r, w, a->id);
        sum += fore_hash_more(fore_hash_mix(seed, id), y->state.at, size);
    }
    for (uint32_t i = w->msgs.at[0].next; i; i = w->msgs.at[i].next) {
        const struct fore_message *m = &w->msgs.at[i];
        uint64_t h = hash_message(w, r, &m->r, seed);
        sum += fore_hash_mix(h, fore_print_place(w, m));
    }
    return sum;
}

/* Whether the start looks the same under the renaming: no client and no message tells. */
static bool keeps_start(struct fore_symmetry *y, const struct fore_actors *w,
                        const struct fore_renaming *r)
{
    const struct fore_harness *h = w->harness;
    for (size_t i = 0; i < h->posts.n; i++) {
        uint32_t ids =
            w->sys->symmetry->fields ? w->sys->symmetry->fields[h->posts.at[i].kind] : 0;
        if (renamed_actor(r, w, h->posts.at[i].to) != h->posts.at[i].to)
            return false;
        for (int f = 0; f < FORESEE_FIELDS; f++)
            if (ids >> f & 1 &&
                renamed_actor(r, w, h->posts.at[i].field[f]) != h->posts.at[i].field[f])
                return false;
    }
    for (int64_t a = 1; h->fifo && !h->fifo_all && a <= (int64_t)h->agents.n; a++)
        for (int64_t b = 1; b <= (int64_t)h->agents.n; b++)
            if (fore_harness_fifo(h, a, b) != fore_harness_fifo(h, r->to[a], r->to[b]))
                return false;
    return hash_under(y, w, r, 1) == hash_under(y, w, &y->group.at[0], 1);
}

/* All ways to send agent `at` and those behind it to agents that are alike. */
static void add_renamings(struct fore_symmetry *y, const struct fore_actors *w,
                          struct fore_renaming *r, int64_t at, uint64_t used)
{
    const struct fore_harness *h = w->harness;
    if (y->group.n > GROUP_MOST)
        return;
    if (at > (int64_t)h->agents.n) {
        if (memcmp(r, &y->group.at[0], sizeof *r) != 0 && keeps_start(y, w, r))
            fore_vec_push(&y->group, *r);
        return;
    }
    for (int64_t b = 1; b <= (int64_t)h->agents.n; b++)
        if (!(used >> b & 1) && is_alike(h, at, b)) {
            r->to[at] = b;
            add_renamings(y, w, r, at + 1, used | (uint64_t)1 << b);
        }
}

void fore_symmetry_init(struct fore_symmetry *y, const struct fore_actors *w)
{
    struct fore_renaming r = {{0}};
    *y = (struct fore_symmetry){0};
    for (int64_t i = 1; i <= (int64_t)w->harness->agents.n; i++)
        r.to[i] = i;
    fore_vec_push(&y->group, r);
    if (w->sys->symmetry && w->harness->agents.n <= 8)
        add_renamings(y, w, &r, 1, 0);
    if (y->group.n > GROUP_MOST)
        y->group.n = 1; /* a part of a group is none */
}

void fore_symmetry_release(struct fore_symmetry *y)
{
    fore_vec_release(&y->group);
    fore_vec_release(&y->state);
}

struct fore_print fore_symmetry_print(struct fore_symmetry *y,
                                      const struct fore_explorer *s, uint32_t judge)
{
    const struct fore_actors *w = &s->world;
    if (y->group.n == 1 || w->actors.n > w->harness->agents.n || w->isolated.n)
        return fore_print_of(s, judge);
    struct fore_print least = {UINT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < y->group.n; i++) {
        uint64_t at = hash_under(y, w, &y->group.at[i], 1);
        uint64_t more = s->opt->wide ? hash_under(y, w, &y->group.at[i], 2) : 0;
        if (at < least.at || (at == least.at && more < least.more))
            least = (struct fore_print){at, more};
    }
    uint64_t rest = fore_judge_hash(&s->histories.judge, judge);
    rest = fore_hash_more(rest, &w->left, sizeof w->left);
    least.at = fore_hash_mix(least.at, rest);
    least.more = s->opt->wide ? fore_hash_mix(least.more, rest) : 0;
    return least;
}
