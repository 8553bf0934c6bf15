#include "history/txn/zone.h"

#include "base/search.h"
#include "base/sort.h"
#include "history/op.h"

#include <stdlib.h>

/* Edges that are written down: so many, and so many for each member. */
enum { MAX_EDGES = 8000000, EDGES_PER_MEMBER = 64 };
/* Literals that are known, by real time. */
#define NEVER (UINT32_MAX - 1)
#define ALWAYS (UINT32_MAX - 2)

/* A member's write of a key. */
struct zone_write {
    uint32_t key;
    uint32_t entry; /* place in the chain; UINT32_MAX: among the others */
    uint32_t member;
    uint32_t begin, end; /* of the member */
    uint32_t latest;     /* brief: the latest end of the others up to here */
};

struct zone_reading {
    uint32_t key, member, reading;
};

struct zone_maker {
    struct fore_zone *z;
    FORE_VEC(struct zone_write) writes;
    FORE_VEC(struct zone_reading) readings;
    struct fore_budget *budget;
    bool open;
    bool brief; /* real time counts, and what it says anyway is left out */
};

static bool ended_before(const struct fore_zone *z, uint32_t a, uint32_t b)
{
    const struct fore_txns *h = z->x->h;
    return h->list.at[z->members[a]].end < h->list.at[z->members[b]].begin;
}

/* "a before b". */
static fore_lit order_literal(struct zone_maker *m, uint32_t a, uint32_t b)
{
    struct fore_zone *z = m->z;
    if (z->level == FORE_TXN_STRICT && ended_before(z, a, b))
        return ALWAYS;
    if (z->level == FORE_TXN_STRICT && ended_before(z, b, a))
        return NEVER;
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t *var = fore_map_put(&z->pairs, (uint64_t)low << 32 | high, NULL);
    if (!*var) {
        uint32_t first = z->members[low], second = z->members[high];
        *var = (uint64_t)fore_solver_var(z->solver,
                                         z->guess->rank[first] < z->guess->rank[second]) +
               1;
        fore_vec_push(&z->pair_of, (uint64_t)first << 32 | second);
    }
    return fore_lit_of((uint32_t)*var - 1, a != low);
}

/* Nodes: a transaction is one; under snapshot isolation two, its start and its commit. */
static void place_edge(const struct fore_zone *z, struct fore_guarded_edge *e,
                       enum fore_dep_kind kind)
{
    if (z->level != FORE_TXN_SNAPSHOT) {
        e->last = z->level == FORE_TXN_PARALLEL_SNAPSHOT && kind == FORE_DEP_RW;
        return;
    }
    bool from_start = kind == FORE_DEP_RW || kind == FORE_DEP_SELF;
    e->from = 2 * e->from + !from_start;
    e->to = 2 * e->to + from_start;
}

static void add_dep(struct zone_maker *m, enum fore_dep_kind kind, uint32_t from,
                    uint32_t to, uint32_t key, fore_lit g0, fore_lit g1)
{
    struct fore_zone *z = m->z;
    if (g0 == NEVER || g1 == NEVER || (from == to && kind != FORE_DEP_SELF))
        return;
    bool by_time = g0 == ALWAYS || g1 == ALWAYS;
    g0 = g0 == ALWAYS ? FORE_NO_LIT : g0;
    g1 = g1 == ALWAYS ? FORE_NO_LIT : g1;
    struct fore_guarded_edge e = {from, to, {g0, g1}, (uint32_t)z->deps.n, false};
    fore_vec_push(&z->deps, (struct fore_dep){z->members[from], z->members[to], key, kind,
                                              by_time});
    if (z->deps.n > MAX_EDGES + (size_t)EDGES_PER_MEMBER * z->n) {
        z->too_large = true;
        m->open = false;
    }
    place_edge(z, &e, kind);
    fore_solver_edge(z->solver, e);
    if (g0 == FORE_NO_LIT && g1 == FORE_NO_LIT)
        fore_vec_push(&z->hard, e);
}

/* Gathering what the members did, by key. */

static int by_key_and_entry(const void *a, const void *b)
{
    const struct zone_write *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->entry != y->entry)
        return x->entry < y->entry ? -1 : 1;
    return (x->member > y->member) - (x->member < y->member);
}

/* The same, with the others in the order in which they began. */
static int by_key_and_time(const void *a, const void *b)
{
    const struct zone_write *x = a, *y = b;
    if (x->key != y->key || x->entry != y->entry || x->begin == y->begin)
        return by_key_and_entry(a, b);
    return x->begin < y->begin ? -1 : 1;
}

static int by_key(const void *a, const void *b)
{
    const struct zone_reading *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->reading > y->reading) - (x->reading < y->reading);
}

static void gather_write(struct zone_maker *m, uint32_t key, uint32_t entry,
                         uint32_t member)
{
    const struct fore_txn *t = &m->z->x->h->list.at[m->z->members[member]];
    fore_vec_push(&m->writes,
                  (struct zone_write){key, entry, member, t->begin, t->end, 0});
}

/* A transaction that is in a chain twice is in its own way: every place of it counts. */
static void gather_tangled(struct zone_maker *m, uint32_t key)
{
    const struct fore_txn_versions *v = &m->z->x->versions[key];
    for (uint32_t i = 0; i < v->chain.n; i++) {
        const uint64_t *at = fore_map_get(&m->z->local, v->chain.at[i]);
        if (at)
            gather_write(m, key, i, (uint32_t)*at - 1);
    }
}

static void gather_member(struct zone_maker *m, uint32_t member, struct fore_map *tangled)
{
    const struct fore_txn_index *x = m->z->x;
    uint32_t t = m->z->members[member];
    for (uint32_t w = x->writes_at[t]; w < x->writes_at[t + 1]; w++) {
        const struct fore_txn_write *write = &x->writes.at[w];
        bool fresh = false;
        if (!write->final)
            continue;
        if (write->entry && x->versions[write->key].tangled) {
            fore_map_put(tangled, write->key, &fresh);
            if (fresh)
                gather_tangled(m, write->key);
            continue;
        }
        gather_write(m, write->key, write->entry ? write->entry - 1 : UINT32_MAX, member);
    }
    for (uint32_t i = x->readings_of_at[t]; i < x->readings_of_at[t + 1]; i++) {
        uint32_t r = x->readings_of[i];
        if (!x->readings.at[r].repeated)
            fore_vec_push(&m->readings,
                          (struct zone_reading){x->readings.at[r].key, member, r});
    }
}

static void gather_zones(struct zone_maker *m)
{
    struct fore_map tangled = {0};
    fore_vec_reserve(&m->writes, 1);
    fore_vec_reserve(&m->readings, 1);
    for (uint32_t i = 0; i < m->z->n; i++)
        gather_member(m, i, &tangled);
    fore_map_release(&tangled);
    if (m->writes.n)
        qsort(m->writes.at, m->writes.n, sizeof *m->writes.at,
              m->brief ? by_key_and_time : by_key_and_entry);
    if (m->readings.n)
        qsort(m->readings.at, m->readings.n, sizeof *m->readings.at, by_key);
}

/* One key: its members' writes, those of the chain first, and its members' readings. */
struct zone_key {
    uint32_t key;
    struct zone_write *writes;
    size_t chained, n;
    const struct zone_reading *readings;
    size_t n_readings;
};

static void order_writes(struct zone_maker *m, const struct zone_key *k)
{
    for (size_t i = 0; i + 1 < k->chained; i++)
        add_dep(m, FORE_DEP_WW, k->writes[i].member, k->writes[i + 1].member, k->key,
                FORE_NO_LIT, FORE_NO_LIT);
    for (size_t i = k->chained; k->chained && i < k->n; i++)
        add_dep(m, FORE_DEP_WW, k->writes[k->chained - 1].member, k->writes[i].member,
                k->key, FORE_NO_LIT, FORE_NO_LIT);
    for (size_t i = k->chained; m->open && i < k->n; i++)
        for (size_t j = i + 1; m->open && j < k->n; j++) {
            if (m->brief && k->writes[j].begin > k->writes[i].end)
                break;
            uint32_t a = k->writes[i].member, b = k->writes[j].member;
            add_dep(m, FORE_DEP_WW, a, b, k->key, order_literal(m, a, b), FORE_NO_LIT);
            add_dep(m, FORE_DEP_WW, b, a, k->key, order_literal(m, b, a), FORE_NO_LIT);
        }
}

/* The others from `from` on replaced what was read. Where real time counts, the first that
 * ended stands for those that began after that. */
static void replaced_by_others(struct zone_maker *m, const struct zone_key *k,
                               size_t from, uint32_t reader, fore_lit guard)
{
    uint32_t ended = FORE_NEVER;
    for (size_t i = from; i < k->n; i++) {
        if (m->brief && k->writes[i].begin > ended)
            break;
        ended = k->writes[i].end < ended ? k->writes[i].end : ended;
        add_dep(m, FORE_DEP_RW, reader, k->writes[i].member, k->key, guard, FORE_NO_LIT);
    }
}

static void place_list_reading(struct zone_maker *m, const struct zone_key *k,
                               const struct fore_txn_reading *r, uint32_t reader)
{
    size_t next = 0;
    while (next < k->chained && k->writes[next].entry < r->seen)
        next++;
    if (next)
        add_dep(m, FORE_DEP_WR, k->writes[next - 1].member, reader, k->key, FORE_NO_LIT,
                FORE_NO_LIT);
    /* Its own write may be the next; what replaces that is behind it anyway. */
    if (next < k->chained)
        add_dep(m, FORE_DEP_RW, reader, k->writes[next].member, k->key, FORE_NO_LIT,
                FORE_NO_LIT);
    else
        replaced_by_others(m, k, k->chained, reader, FORE_NO_LIT);
}

/* Brief: the first of the others that may have been open at or after a moment (`latest` only
 * grows), and the first that began after one. */

static size_t first_not_ended(const struct zone_key *k, uint32_t moment)
{
    size_t lo = k->chained, hi = k->n;
    FORE_BISECT(lo, hi, mid, k->writes[mid].latest < moment);
    return lo;
}

static size_t first_begun_after(const struct zone_key *k, uint32_t moment)
{
    size_t lo = k->chained, hi = k->n;
    FORE_BISECT(lo, hi, mid, k->writes[mid].begin <= moment);
    return lo;
}

/* If `reader` read what `writer` wrote (as `guard` says). */
static void place_source(struct zone_maker *m, const struct zone_key *k, uint32_t writer,
                         uint32_t reader, fore_lit guard)
{
    const struct fore_txn *w = &m->z->x->h->list.at[m->z->members[writer]];
    size_t from = m->brief ? first_not_ended(k, w->begin) : k->chained;
    size_t to = m->brief ? first_begun_after(k, w->end) : k->n;
    add_dep(m, FORE_DEP_WR, writer, reader, k->key, guard, FORE_NO_LIT);
    for (size_t i = from; m->open && i < to; i++) {
        uint32_t other = k->writes[i].member;
        if (other == writer || (m->brief && k->writes[i].end < w->begin))
            continue;
        if (other != reader)
            add_dep(m, FORE_DEP_RW, reader, other, k->key, guard,
                    order_literal(m, writer, other));
        else if (guard == FORE_NO_LIT)
            add_dep(m, FORE_DEP_WW, writer, reader, k->key, FORE_NO_LIT, FORE_NO_LIT);
    }
    if (m->brief)
        replaced_by_others(m, k, to, reader, guard);
}

static uint32_t add_source(struct zone_maker *m, uint32_t reading, uint32_t write)
{
    uint32_t var = fore_solver_var(m->z->solver, m->z->guess->chosen[reading] == write);
    fore_vec_push(&m->z->pair_of, UINT64_MAX);
    fore_vec_push(&m->z->sources, (struct fore_zone_source){reading, write, var});
    return var;
}

static bool may_be_source(const struct zone_maker *m, uint32_t write, uint32_t reader)
{
    const struct fore_txn_index *x = m->z->x;
    bool too_late =
        x->h->list.at[x->writes.at[write].txn].begin > x->h->list.at[reader].end;
    return fore_txn_may_read(x, write, reader) && !(m->brief && too_late);
}

static void place_unclear_reading(struct zone_maker *m, const struct zone_key *k,
                                  uint32_t reading, uint32_t reader)
{
    const struct fore_txn_index *x = m->z->x;
    const struct fore_txn_reading *r = &x->readings.at[reading];
    FORE_VEC(fore_lit) any = {0};
    for (uint32_t w = r->write; w; w = x->writes.at[w - 1].next)
        if (may_be_source(m, w - 1, r->txn) &&
            !fore_map_get(&m->z->local, x->writes.at[w - 1].txn))
            return; /* it may be of a transaction that is not here */
    for (uint32_t w = r->write; w; w = x->writes.at[w - 1].next) {
        if (!may_be_source(m, w - 1, r->txn))
            continue;
        uint32_t var = add_source(m, reading, w);
        fore_vec_push(&any, fore_lit_of(var, false));
        uint32_t writer =
            (uint32_t)*fore_map_get(&m->z->local, x->writes.at[w - 1].txn) - 1;
        place_source(m, k, writer, reader, fore_lit_of(var, false));
    }
    if (r->initial) {
        uint32_t var = add_source(m, reading, 0);
        fore_vec_push(&any, fore_lit_of(var, false));
        replaced_by_others(m, k, k->chained, reader, fore_lit_of(var, false));
    }
    fore_solver_clause(m->z->solver, any.at, any.n);
    fore_vec_release(&any);
}

static void place_readings(struct zone_maker *m, const struct zone_key *k)
{
    const struct fore_txn_index *x = m->z->x;
    bool list = x->h->keys.at[k->key].kind == FORE_KEY_LIST;
    for (size_t i = 0; i < k->n_readings; i++) {
        const struct fore_txn_reading *r = &x->readings.at[k->readings[i].reading];
        uint32_t reader = k->readings[i].member;
        if (list) {
            place_list_reading(m, k, r, reader);
        } else if (r->unclear) {
            if (m->open)
                place_unclear_reading(m, k, k->readings[i].reading, reader);
        } else if (r->write) {
            const uint64_t *at =
                fore_map_get(&m->z->local, x->writes.at[r->write - 1].txn);
            if (at)
                place_source(m, k, (uint32_t)*at - 1, reader, FORE_NO_LIT);
        } else {
            replaced_by_others(m, k, k->chained, reader, FORE_NO_LIT);
        }
    }
}

static struct zone_key next_key(struct zone_maker *m, size_t *w, size_t *r)
{
    struct zone_key k = {.key = UINT32_MAX};
    if (*w < m->writes.n)
        k.key = m->writes.at[*w].key;
    if (*r < m->readings.n && m->readings.at[*r].key < k.key)
        k.key = m->readings.at[*r].key;
    k.writes = m->writes.at + *w;
    k.readings = m->readings.at + *r;
    uint32_t latest = 0;
    for (; *w < m->writes.n && m->writes.at[*w].key == k.key; ++*w) {
        k.n++;
        if (m->writes.at[*w].entry != UINT32_MAX)
            k.chained++;
        else if (m->writes.at[*w].end > latest)
            latest = m->writes.at[*w].end;
        m->writes.at[*w].latest = latest;
    }
    for (; *r < m->readings.n && m->readings.at[*r].key == k.key; ++*r)
        k.n_readings++;
    return k;
}

/* Real time. `a` before `b` for all pairs would be many edges; it is enough to go through
 * moments: a transaction that ends goes before the next moment, and a moment before those that begin. */

static uint32_t count_moments(const struct fore_zone *z)
{
    return z->level == FORE_TXN_STRICT ? z->n : 0;
}

static void add_time_edge(struct fore_zone *z, uint32_t from, uint32_t to)
{
    struct fore_guarded_edge e = {
        from, to, {FORE_NO_LIT, FORE_NO_LIT}, (uint32_t)z->deps.n, false};
    fore_vec_push(&z->deps,
                  (struct fore_dep){from < z->n ? z->members[from] : FORE_NO_TXN,
                                    to < z->n ? z->members[to] : FORE_NO_TXN, 0,
                                    FORE_DEP_TIME, true});
    fore_solver_edge(z->solver, e);
    fore_vec_push(&z->hard, e);
}

/* `place` is where the solver puts members at first; moments go in between. */
static void add_moments(struct fore_zone *z, const uint32_t *place)
{
    const struct fore_txns *h = z->x->h;
    FORE_VEC(uint64_t) events = {0}; /* position, member, begins? */
    for (uint32_t i = 0; i < z->n; i++) {
        const struct fore_txn *t = &h->list.at[z->members[i]];
        if (t->begin)
            fore_vec_push(&events, (uint64_t)t->begin << 32 | (uint64_t)i << 1 | 1);
        if (t->end != FORE_NEVER)
            fore_vec_push(&events, (uint64_t)t->end << 32 | (uint64_t)i << 1);
    }
    fore_sort_u64(events.at, events.n);
    uint32_t moment = 0, latest = 0; /* moment: + 1 */
    bool settled = true;             /* somebody began since the last moment was made */
    for (size_t i = 0; i < events.n; i++) {
        uint32_t member = (uint32_t)events.at[i] >> 1;
        if (events.at[i] & 1) {
            if (moment)
                add_time_edge(z, z->n + moment - 1, member);
            settled = true;
            continue;
        }
        if (settled && moment++)
            add_time_edge(z, z->n + moment - 2, z->n + moment - 1);
        settled = false;
        add_time_edge(z, member, z->n + moment - 1);
        latest = place[member] > latest ? place[member] : latest;
        fore_solver_place(z->solver, z->n + moment - 1, latest + 1);
    }
    fore_vec_release(&events);
}

/* The solver begins with the guess. Returns where it puts the members; the caller frees. */
static uint32_t *place_members(struct fore_zone *z)
{
    uint32_t *place = fore_calloc((size_t)z->n + 1, sizeof *place);
    FORE_VEC(uint64_t) order = {0};
    for (uint32_t i = 0; i < z->n; i++)
        fore_vec_push(&order, z->guess->rank[z->members[i]]);
    fore_sort_u64(order.at, order.n);
    for (uint32_t i = 0; i < z->n; i++) {
        uint32_t at = (uint32_t)*fore_map_get(&z->local, (uint32_t)order.at[i]) - 1;
        place[at] = 2 * i;
        if (z->level == FORE_TXN_SNAPSHOT) {
            fore_solver_place(z->solver, 2 * at, 2 * i);
            fore_solver_place(z->solver, 2 * at + 1, 2 * i + 1);
        } else {
            fore_solver_place(z->solver, at, 2 * i);
        }
    }
    fore_vec_release(&order);
    return place;
}

static void add_keys(struct zone_maker *m)
{
    for (size_t w = 0, r = 0; w < m->writes.n || r < m->readings.n;) {
        struct zone_key k = next_key(m, &w, &r);
        if (fore_budget_spent(m->budget))
            break;
        order_writes(m, &k);
        place_readings(m, &k);
    }
}

void fore_zone_init(struct fore_zone *z, const struct fore_txn_guess *guess,
                    enum fore_txn_level level, const uint32_t *members, uint32_t n,
                    bool brief, struct fore_budget *budget)
{
    *z = (struct fore_zone){
        .x = guess->x, .level = level, .guess = guess, .members = members, .n = n};
    struct zone_maker m = {.z = z, .budget = budget, .open = true};
    m.brief = brief && level == FORE_TXN_STRICT;
    bool doubled = level == FORE_TXN_SNAPSHOT;
    z->solver = fore_solver_new((doubled ? 2 * n : n) + count_moments(z));
    for (uint32_t i = 0; i < n; i++)
        *fore_map_put(&z->local, members[i], NULL) = (uint64_t)i + 1;
    uint32_t *place = place_members(z);
    gather_zones(&m);
    for (uint32_t i = 0; doubled && i < n; i++)
        add_dep(&m, FORE_DEP_SELF, i, i, 0, FORE_NO_LIT, FORE_NO_LIT);
    add_keys(&m);
    if (level == FORE_TXN_STRICT)
        add_moments(z, place);
    fore_free(place);
    fore_vec_release(&m.writes);
    fore_vec_release(&m.readings);
}

void fore_zone_release(struct fore_zone *z)
{
    fore_solver_free(z->solver);
    fore_vec_release(&z->deps);
    fore_vec_release(&z->hard);
    fore_vec_release(&z->sources);
    fore_vec_release(&z->pair_of);
    fore_map_release(&z->local);
    fore_map_release(&z->pairs);
}

void fore_zone_order(const struct fore_zone *z, uint32_t *out)
{
    FORE_VEC(uint64_t) order = {0};
    for (uint32_t i = 0; i < z->n; i++) {
        uint32_t node = z->level == FORE_TXN_SNAPSHOT ? 2 * i + 1 : i;
        fore_vec_push(&order, (uint64_t)fore_solver_position(z->solver, node) << 32 | i);
    }
    fore_sort_u64(order.at, order.n);
    for (uint32_t i = 0; i < z->n; i++)
        out[i] = z->members[(uint32_t)order.at[i]];
    fore_vec_release(&order);
}
