#include "analysis/race/race_state.h"

/* ---- which places matter ---- */

enum { MOST_WAYS = 16 };

/* The ways in which a place was accessed, as long as they are few. */
struct access_way {
    uint32_t thread; /* 0: several */
    fore_lockset held;
    bool writes, atomic;
};

struct place_ways {
    struct access_way *ways;
    uint32_t n;
};

struct survey {
    struct fore_race *r;
    FORE_VEC(struct place_ways) places;
    FORE_VEC(fore_lockset) held; /* by thread */
    FORE_VEC(bool) lives;        /* by thread: was created, and not yet joined */
    size_t living;
};

/* Counts the living threads. A thread that is alone, because all created threads have been
 * joined and none began otherwise, races with none: what others did comes before it, and what
 * they will do comes after it. */
static void count_living(struct survey *s, const struct fore_event *e)
{
    bool begins = e->kind == FORE_EV_SIGNAL || e->kind == FORE_EV_SPAWN;
    bool joins =
        e->kind == FORE_EV_JOIN && !(e->flags & (FORE_F_PRE | FORE_F_BUSY)) && e->a;
    if ((!begins && !joins) || e->a >= s->lives.n || s->lives.at[e->a] == begins)
        return;
    s->lives.at[e->a] = begins;
    s->living = begins ? s->living + 1 : s->living - 1;
}

/* Threads that were not created by others, except the first, count as always alive. */
static void count_roots(struct survey *s)
{
    struct fore_survey own = {0};
    const struct fore_survey *all = fore_trace_survey(s->r->t, &own);
    for (size_t i = 1; i < all->threads.n; i++)
        s->living += all->threads.at[i].count && !all->threads.at[i].creation;
    s->living -= s->living > 0;
    fore_survey_release(&own);
}

static bool way_races(struct fore_locksets *l, const struct access_way *a,
                      const struct access_way *b)
{
    return (!a->thread || a->thread != b->thread) &&
           fore_race_conflict(a->writes, a->atomic, b->writes, b->atomic) &&
           !fore_lockset_excludes(l, a->held, b->held);
}

static bool same_way(const struct access_way *a, const struct access_way *b)
{
    return a->held == b->held && a->writes == b->writes && a->atomic == b->atomic;
}

/* Notes the access; true if it may race with one that was noted before. */
static bool note_way(struct fore_locksets *l, struct place_ways *p, struct access_way w)
{
    struct access_way *same = NULL;
    for (uint32_t i = 0; i < p->n; i++) {
        struct access_way *v = &p->ways[i];
        if (same_way(v, &w))
            same = v;
        if ((v != same || v->thread != w.thread) && way_races(l, v, &w))
            return true;
    }
    if (same) {
        if (same->thread != w.thread)
            same->thread = 0;
        return false;
    }
    if (p->n == MOST_WAYS)
        return true; /* too many to tell */
    if (!p->ways)
        p->ways = fore_calloc(MOST_WAYS, sizeof *p->ways);
    p->ways[p->n++] = w;
    return false;
}

static void survey_access(struct survey *s, const struct fore_event *e)
{
    if (s->r->shared.at[e->object] || !s->living)
        return;
    fore_vec_ensure(&s->places, (size_t)e->object + 1);
    struct access_way w = {e->thread, s->held.at[e->thread], fore_race_writes(e),
                           fore_race_atomic(e)};
    s->r->shared.at[e->object] = note_way(&s->r->locksets, &s->places.at[e->object], w);
}

/* The lockset discipline: two ways of access that no lock keeps apart. */
void fore_race_find_shared(struct fore_race *r)
{
    const struct fore_tables *tables = &r->t->tables;
    struct survey s = {.r = r};
    fore_vec_ensure(&r->shared, tables->objects.n);
    fore_vec_ensure(&s.held, tables->threads.n);
    fore_vec_ensure(&s.lives, tables->threads.n);
    count_roots(&s);
    for (size_t i = 0; i < r->t->events.n; i++) {
        const struct fore_event *e = &r->t->events.at[i];
        struct fore_lock_use use = fore_event_lock(e);
        fore_lockset *held = &s.held.at[e->thread];
        if (use.step == FORE_LOCK_TAKEN)
            *held = fore_lockset_add(&r->locksets, *held, use.lock, use.shared);
        else if (use.step == FORE_LOCK_GIVEN_BACK)
            *held = fore_lockset_remove(&r->locksets, *held, use.lock, use.shared);
        else if (fore_race_is_access(e) &&
                 !(tables->objects.at[e->object].flags & FORE_OBJ_HIDDEN))
            survey_access(&s, e);
        else
            count_living(&s, e);
    }
    for (size_t i = 0; i < s.places.n; i++)
        fore_free(s.places.at[i].ways);
    fore_vec_release(&s.places);
    fore_vec_release(&s.held);
    fore_vec_release(&s.lives);
}

/* ---- their accesses ---- */

/* Locks nest; a recursive one is held from its first taking to its last giving back. */
struct collect {
    struct fore_race *r;
    struct fore_map depth; /* thread << 32 | lock -> how often it is held */
};

static void update_held(struct collect *c, uint32_t thread, struct fore_lock_use use)
{
    fore_lockset *held = &c->r->held.at[thread];
    uint64_t *depth = fore_map_put(&c->depth, (uint64_t)thread << 32 | use.lock, NULL);
    if (use.step == FORE_LOCK_TAKEN && !(*depth)++)
        *held = fore_lockset_add(&c->r->locksets, *held, use.lock, use.shared);
    else if (use.step == FORE_LOCK_GIVEN_BACK && *depth && !--*depth)
        *held = fore_lockset_remove(&c->r->locksets, *held, use.lock, use.shared);
}

static enum fore_flow collect_access(void *ctx, const struct fore_moment *m)
{
    struct collect *c = ctx;
    struct fore_race *r = c->r;
    const struct fore_event *e = m->event;
    struct fore_lock_use use = fore_event_lock(e);
    r->sections.at[e->thread] += !fore_race_is_access(e) && e->kind != FORE_EV_USE;
    if (use.step != FORE_LOCK_NONE) {
        update_held(c, e->thread, use);
    } else if (fore_race_is_access(e) && r->shared.at[e->object]) {
        fore_vec_push(
            &r->accesses,
            (struct fore_race_access){
                .at = (uint32_t)m->at,
                .place = e->object,
                .thread = e->thread,
                .time = m->stamp.time,
                .where = e->where,
                .site = r->sites.at[e->where],
                .section = r->sections.at[e->thread],
                .op = fore_program_op_at(r->program, e->thread, (uint32_t)m->at),
                .held = r->held.at[e->thread],
                .past = fore_clock_keep(&r->clocks, m->stamp.past),
                .writes = fore_race_writes(e),
                .atomic = fore_race_atomic(e)});
        uint64_t *wanted = fore_map_get(&r->access_of, m->at);
        if (wanted)
            *wanted = r->accesses.n;
    }
    return FORE_CONTINUE;
}

/* Keeps all synchronisation except locks as observed; closures handle the locks. */
enum fore_status fore_race_collect(struct fore_race *r, struct fore_err *e)
{
    struct collect c = {.r = r};
    fore_vec_ensure(&r->held, r->t->tables.threads.n);
    fore_vec_ensure(&r->sections, r->t->tables.threads.n);
    struct fore_pass_options o = {.mask = FORE_EDGES_RACE & ~FORE_EDGE_LOCK,
                                  .units = true,
                                  .visit = collect_access,
                                  .results = FORE_RESULTS_ALL,
                                  .ctx = &c};
    struct fore_pass *p = fore_pass_new(&r->clocks, &o);
    enum fore_status s = fore_trace_replay(r->t, fore_pass_sink(p), e);
    fore_pass_free(p);
    fore_map_release(&c.depth);
    return s;
}
