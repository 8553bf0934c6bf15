/* Sync-preserving ideals [syncp]: the least set of events that
 *   - has what the accesses depend on (threads, creation, messages, values read, …), closed;
 *   - has, of any two sections of one lock that exclude each other and that it enters, the
 *     earlier one to its end.
 * Played in the observed order it is a run, after which the accesses are next. */
#include "analysis/race/race_state.h"

struct lock {
    uint32_t round; /* the values are of this round of the ideal, else empty */
    uint64_t last,
        last_alone; /* 1 + position of the last section entered; exclusive ones */
    FORE_VEC(uint32_t)
    open; /* entered, and not to the end; thread and section, in turn */
};

struct fore_race_ideal {
    struct fore_race *r;
    uint32_t *have;    /* thread -> events */
    uint32_t *entered; /* thread -> sections looked at */
    uint32_t *round_of;
    uint32_t round;
    FORE_VEC(uint32_t) used; /* threads with events */
    FORE_VEC(struct lock) locks;
    FORE_VEC(uint32_t) work; /* threads of which it has more than was looked at */
    struct fore_clock sum;   /* of the clocks that were included */
    uint64_t spent;
    bool stuck;
};

struct fore_race_ideal *fore_race_ideal_new(struct fore_race *r)
{
    struct fore_race_ideal *i = fore_calloc(1, sizeof *i);
    size_t threads = r->t->tables.threads.n;
    i->r = r;
    i->round = 1;
    i->have = fore_calloc(threads, sizeof *i->have);
    i->entered = fore_calloc(threads, sizeof *i->entered);
    i->round_of = fore_calloc(threads, sizeof *i->round_of);
    fore_vec_ensure(&i->locks, r->t->tables.objects.n);
    return i;
}

void fore_race_ideal_free(struct fore_race_ideal *i)
{
    if (!i)
        return;
    for (size_t k = 0; k < i->locks.n; k++)
        fore_vec_release(&i->locks.at[k].open);
    fore_clock_drop(&i->r->clocks, &i->sum);
    fore_free(i->have);
    fore_free(i->entered);
    fore_free(i->round_of);
    fore_vec_release(&i->used);
    fore_vec_release(&i->locks);
    fore_vec_release(&i->work);
    fore_free(i);
}

/* Whatever belongs to an earlier round counts as empty. */
void fore_race_ideal_clear(struct fore_race_ideal *i)
{
    i->round++;
    i->stuck = false;
    fore_clock_drop(&i->r->clocks, &i->sum);
    fore_vec_clear(&i->used);
    fore_vec_clear(&i->work);
}

uint32_t fore_race_ideal_of(const struct fore_race_ideal *i, uint32_t thread)
{
    return i->round_of[thread] == i->round ? i->have[thread] : 0;
}

uint64_t fore_race_ideal_work(const struct fore_race_ideal *i)
{
    return i->spent;
}

bool fore_race_ideal_has(const struct fore_race_ideal *i,
                         const struct fore_race_access *a)
{
    return fore_race_ideal_of(i, a->thread) >= a->time;
}

static void grow_ideal(void *ctx, uint32_t thread, uint32_t to)
{
    struct fore_race_ideal *i = ctx;
    uint32_t have = fore_race_ideal_of(i, thread);
    i->spent++;
    if (to <= have)
        return;
    if (i->round_of[thread] != i->round) {
        i->round_of[thread] = i->round;
        i->entered[thread] = 0;
        fore_vec_push(&i->used, thread);
    }
    i->have[thread] = to;
    fore_vec_push(&i->work, thread);
}

/* The thread up to `time`, and all that it knew. A clock knows no more of its own thread. */
static void include(struct fore_race_ideal *i, uint32_t thread, uint32_t time,
                    struct fore_clock past)
{
    fore_clock_news(&i->r->clocks, past, i->sum, grow_ideal, i);
    fore_clock_join(&i->r->clocks, &i->sum, past);
    grow_ideal(i, thread, time);
}

static void to_the_end(struct fore_race_ideal *i, uint32_t thread,
                       const struct fore_race_section *s)
{
    if (!s->to)
        i->stuck = true;
    else if (fore_race_ideal_of(i, thread) < s->to)
        include(i, thread, s->to, s->past);
}

/* A section is entered: it ends if a later one that it excludes was entered, and it ends those
 * before it that it excludes. */
static void enter_section(struct fore_race_ideal *i, uint32_t thread, uint32_t number)
{
    const struct fore_race_section *s = &i->r->threads.at[thread].sections.at[number];
    struct lock *l = &i->locks.at[s->lock];
    if (l->round != i->round) {
        l->round = i->round;
        l->last = l->last_alone = 0;
        fore_vec_clear(&l->open);
    }
    size_t kept = 0;
    for (size_t k = 0; k < l->open.n; k += 2) {
        uint32_t other = l->open.at[k], which = l->open.at[k + 1];
        const struct fore_race_section *o = &i->r->threads.at[other].sections.at[which];
        if (o->at < s->at && !(o->shared && s->shared)) {
            to_the_end(i, other, o);
            continue;
        }
        l->open.at[kept++] = other;
        l->open.at[kept++] = which;
    }
    l->open.n = kept;
    if ((s->shared ? l->last_alone : l->last) > s->at) {
        to_the_end(i, thread, s);
    } else {
        fore_vec_push(&l->open, thread);
        fore_vec_push(&l->open, number);
    }
    if (s->at >= l->last)
        l->last = s->at + 1ull;
    if (!s->shared && s->at >= l->last_alone)
        l->last_alone = s->at + 1ull;
}

static void close_up(struct fore_race_ideal *i)
{
    while (i->work.n && !i->stuck) {
        uint32_t t = fore_vec_pop(&i->work);
        const struct fore_race_thread *th = &i->r->threads.at[t];
        while (!i->stuck && i->entered[t] < th->sections.n &&
               th->sections.at[i->entered[t]].from <= i->have[t]) {
            i->spent++;
            enter_section(i, t, i->entered[t]++);
        }
    }
}

bool fore_race_ideal_lead(struct fore_race_ideal *i, const struct fore_race_access *a)
{
    include(i, a->thread, a->time - 1, a->past);
    close_up(i);
    return !i->stuck;
}
