/* Random small computations against the enumeration of all their runs: same states, same
 * number of runs, same violating runs, same verdicts, with locks as order and as exclusion.
 *
 * The enumeration knows no clocks: it takes the events of the trace one by one wherever the
 * definition of the order lets it, and collects the sequences of relevant writes. */
#include "analysis/lattice/feed.h"
#include "analysis/lattice/lattice.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/rng.h"
#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPUTATIONS = 6000, MOST_THREADS = 4, MOST_EVENTS = 60, LOCKS = 2 };

static const char spec_text[] = "p := x > 1  q := y = 2  r := x > y\n"
                                "property a: [] (p -> O q)\n"
                                "property b: [] (start(p) -> !r)\n"
                                "property c: q R !p\n"
                                "property d: ere { {}* {p} {!p}* {q} }\n"
                                "property e: [] (p -> X (!q || r))\n"
                                "property f: match { !({}* {p, q, r} {}*) }\n"
                                "property g: z > 0 -> Y (z = 0)\n";

/* -- Random traces ----------------------------------------------------------------- */

struct maker {
    struct fore_rng *r;
    struct fore_strbuf text;
    int threads, events, writes, owner[LOCKS], readers[LOCKS];
    unsigned reads[MOST_THREADS + 1];       /* locks held for reading */
    int units;                              /* of the semaphore */
    int tasks[MOST_THREADS + 1], all_tasks; /* of the wait group */
    bool ran;                               /* what is done once */
    bool waits[MOST_THREADS + 1];           /* for the condition, with lock 0 */
};

static void say(struct maker *m, int thread, const char *what)
{
    fore_strbuf_printf(&m->text, "%d: %s\n", thread, what);
    m->events++;
}

static void random_access(struct maker *m, int t)
{
    char what[40];
    int var = fore_rng_below(m->r, 3) ? t % 4 : (int)fore_rng_below(m->r, 4);
    if (m->writes < 7 && fore_rng_below(m->r, 3)) {
        snprintf(what, sizeof what, "write(%c)=%d", "xyzu"[var],
                 (int)fore_rng_below(m->r, 4));
        m->writes += var < 3;
    } else {
        snprintf(what, sizeof what, "read(%c)", "xyzu"[var]);
    }
    say(m, t, what);
}

static void random_lock(struct maker *m, int t)
{
    char what[40];
    int k = (int)fore_rng_below(m->r, LOCKS);
    if (m->owner[k] == t) {
        m->owner[k] = 0;
        snprintf(what, sizeof what, "unlock(m%d)", k);
    } else if (m->reads[t] >> k & 1) {
        m->reads[t] &= ~(1u << k);
        m->readers[k]--;
        snprintf(what, sizeof what, "runlock(m%d)", k);
    } else if (!m->owner[k] && fore_rng_below(m->r, 4) == 0) {
        m->reads[t] |= 1u << k;
        m->readers[k]++;
        snprintf(what, sizeof what, "rlock(m%d)", k);
    } else if (!m->owner[k] && !m->readers[k]) {
        m->owner[k] = t;
        snprintf(what, sizeof what, "lock(m%d)", k);
    } else if (m->owner[k] && fore_rng_below(m->r, 3) == 0) {
        snprintf(what, sizeof what, "trylock(m%d)=busy", k);
    } else {
        return;
    }
    say(m, t, what);
}

/* A whole critical section, so that there are many that can swap. */
static void random_section(struct maker *m, int t)
{
    char what[40];
    int k = (int)fore_rng_below(m->r, LOCKS);
    if (m->owner[k] || m->readers[k])
        return;
    snprintf(what, sizeof what, "lock(m%d)", k);
    say(m, t, what);
    random_access(m, t);
    snprintf(what, sizeof what, "unlock(m%d)", k);
    say(m, t, what);
}

static void random_unit(struct maker *m, int t)
{
    bool takes = m->units && fore_rng_below(m->r, 2);
    m->units += takes ? -1 : 1;
    say(m, t, takes ? "acquire(s)" : "release(s)");
}

/* A thread counts down what it has counted up, or who started it for it: the counter is never below
 * zero, whatever the order. */
static void random_task(struct maker *m, int t)
{
    int u = 1 + (int)fore_rng_below(m->r, (uint64_t)m->threads);
    if (m->tasks[t] && fore_rng_below(m->r, 3)) {
        m->tasks[t]--;
        m->all_tasks--;
        random_access(m, t);
        say(m, t, fore_rng_below(m->r, 3) ? "wgdone(g)" : "wgadd(g, -1)");
        if (!m->all_tasks && !m->waits[u] && fore_rng_below(m->r, 2)) {
            say(m, u, "wgwait(g)");
            random_access(m, u);
        }
    } else if (!m->all_tasks && fore_rng_below(m->r, 3)) {
        say(m, t, "wgwait(g)");
    } else {
        m->tasks[t]++;
        m->all_tasks++;
        say(m, t, "wgadd(g, 1)");
    }
}

/* Two at a time: both come before either goes. */
static void random_round(struct maker *m, int t)
{
    int u = 1 + (int)fore_rng_below(m->r, (uint64_t)m->threads);
    bool first = fore_rng_below(m->r, 2);
    if (u == t || m->waits[u])
        return;
    say(m, t, "pre(barrier(b, 2))");
    say(m, u, "pre(barrier(b, 2))");
    say(m, first ? t : u, "barrier(b, 2)");
    say(m, first ? u : t, "barrier(b, 2)");
}

/* Waits with lock 0, which whoever is woken has again. Who wakes need not hold it. */
static void random_condition(struct maker *m, int t)
{
    bool free = !m->owner[0] && !m->readers[0], waiters = false;
    for (int u = 1; u <= m->threads; u++)
        waiters |= m->waits[u];
    if (!waiters && (m->owner[0] == t || free)) {
        if (free)
            say(m, t, "lock(m0)");
        say(m, t, "cwait(c, m0)");
        m->owner[0] = 0;
        m->waits[t] = true;
        return;
    }
    say(m, t, fore_rng_below(m->r, 2) ? "csignal(c)" : "cbroadcast(c)");
    for (int u = 1; u <= m->threads && free; u++)
        if (m->waits[u]) {
            say(m, u, "cwoken(c, m0)");
            m->owner[0] = u;
            m->waits[u] = free = false;
        }
}

static void random_synchronisation(struct maker *m, int t)
{
    switch (fore_rng_below(m->r, 6)) {
    case 0:
        random_unit(m, t);
        return;
    case 1:
    case 4:
        random_task(m, t);
        return;
    case 2:
        random_round(m, t);
        return;
    case 3:
        say(m, t, m->ran ? "once(o)=waited" : "once(o)=ran");
        m->ran = true;
        return;
    default:
        random_condition(m, t);
    }
}

static void make_trace(struct maker *m)
{
    bool forks = fore_rng_below(m->r, 3) == 0, locks = fore_rng_below(m->r, 4) > 0;
    bool others = fore_rng_below(m->r, 2);
    char what[40];
    m->threads = 2 + (int)fore_rng_below(m->r, MOST_THREADS - 1);
    fore_strbuf_printf(&m->text, "lock m0 rw\nlock m1 rw\ninit x=%d y=%d z=0 u=0\n",
                       (int)fore_rng_below(m->r, 3), (int)fore_rng_below(m->r, 3));
    for (int t = 2; forks && t <= m->threads; t++) {
        random_access(m, 1);
        if (others && fore_rng_below(m->r, 2)) {
            m->tasks[t]++;
            m->all_tasks++;
            say(m, 1, "wgadd(g, 1)");
        }
        snprintf(what, sizeof what, "signal(%d)", t);
        say(m, 1, what);
        snprintf(what, sizeof what, "wait(%d)", t);
        say(m, t, what);
    }
    int length = 6 + (int)fore_rng_below(m->r, 8);
    for (int i = 0; i < length && m->events < MOST_EVENTS - 10; i++) {
        int t = 1 + (int)fore_rng_below(m->r, (uint64_t)m->threads);
        uint64_t what_now = locks ? fore_rng_below(m->r, 6) : 5;
        if (m->waits[t])
            continue;
        if (others && fore_rng_below(m->r, 2))
            random_synchronisation(m, t);
        else if (what_now < 2)
            random_lock(m, t);
        else if (what_now < 4)
            random_section(m, t);
        else
            random_access(m, t);
    }
    if (forks && m->reads[2] == 0 && !m->waits[2] && !m->waits[1] && m->owner[0] != 2 &&
        m->owner[1] != 2) {
        say(m, 2, "end");
        say(m, 1, "join(2)");
        random_access(m, 1);
    }
}

/* -- The enumeration --------------------------------------------------------------- */

struct naive {
    const struct fore_trace *t;
    struct fore_watch *watch;
    int n, var[MOST_EVENTS]; /* -1: not relevant */
    bool before[MOST_EVENTS][MOST_EVENTS], exclusive;
    struct fore_map seen;   /* (events done, run so far) */
    struct fore_map states; /* relevant events done */
    uint64_t runs, violating[8];
    bool violated[8];
    int run[16], length;
};

/* The lock that the event takes or gives back; 0: none. */
static uint32_t lock_of(const struct fore_event *e)
{
    switch (e->kind) {
    case FORE_EV_CWAIT:
    case FORE_EV_CWOKEN:
        return (uint32_t)e->a;
    case FORE_EV_LOCK:
    case FORE_EV_TRYLOCK:
    case FORE_EV_UNLOCK:
    case FORE_EV_RLOCK:
    case FORE_EV_RUNLOCK:
        return e->object;
    default:
        return 0;
    }
}

static bool reads_only(const struct fore_event *e)
{
    return e->kind == FORE_EV_READ || e->kind == FORE_EV_RLOCK ||
           e->kind == FORE_EV_RUNLOCK;
}

/* Did the thread of the waking j wait when i was done? */
static bool waited(const struct naive *v, int i, int j)
{
    const struct fore_event *e = v->t->events.at;
    for (int k = i; k >= 0; k--)
        if (e[k].thread == e[j].thread && e[k].object == e[j].object)
            return e[k].kind == FORE_EV_CWAIT;
    return false;
}

/* The round of the barrier that i comes to or leaves: two of each make one. */
static int round_of(const struct naive *v, int i)
{
    const struct fore_event *e = v->t->events.at;
    int n = 0;
    for (int k = 0; k < i; k++)
        n += e[k].kind == FORE_EV_BARRIER && !((e[k].flags ^ e[i].flags) & FORE_F_PRE);
    return n / 2;
}

/* The same of what is neither lock nor memory. */
static bool synchronised(const struct naive *v, int i, int j)
{
    const struct fore_event *a = &v->t->events.at[i], *b = &v->t->events.at[j];
    switch (b->kind) {
    case FORE_EV_ACQUIRE:
        return a->kind == FORE_EV_RELEASE;
    case FORE_EV_WGWAIT:
        return a->kind == FORE_EV_WGDONE ||
               (a->kind == FORE_EV_WGADD && (int64_t)a->a < 0);
    case FORE_EV_ONCE:
        return b->flags & FORE_F_BUSY && !(a->flags & FORE_F_BUSY);
    case FORE_EV_BARRIER:
        return a->flags & FORE_F_PRE && !(b->flags & FORE_F_PRE) &&
               round_of(v, i) == round_of(v, j);
    case FORE_EV_CWOKEN:
        return (a->kind == FORE_EV_CSIGNAL || a->kind == FORE_EV_CBROADCAST) &&
               waited(v, i, j);
    default:
        return false;
    }
}

/* Must i, observed first, stay before j? By definition. */
static bool ordered(const struct naive *v, int i, int j)
{
    const struct fore_event *a = &v->t->events.at[i], *b = &v->t->events.at[j];
    if (a->thread == b->thread)
        return true;
    if (a->kind == FORE_EV_SIGNAL && b->kind == FORE_EV_WAIT && a->a == b->thread)
        return true;
    if (a->kind == FORE_EV_END && b->kind == FORE_EV_JOIN && b->a == a->thread)
        return true;
    /* A failed attempt neither takes nor gives: it is no part of the order of the lock. */
    if (lock_of(a) && lock_of(a) == lock_of(b) && !v->exclusive &&
        !((a->flags | b->flags) & FORE_F_BUSY) && !(reads_only(a) && reads_only(b)))
        return true;
    if (!a->object || a->object != b->object)
        return false;
    if (fore_kind_group(a->kind) != FORE_GROUP_MEMORY)
        return synchronised(v, i, j);
    return !(reads_only(a) && reads_only(b));
}

/* Who holds the lock, as writers and as readers, after the events done: one thread's events come in
 * order, so its last one on the lock decides. */
static void holders(const struct naive *v, uint64_t done, uint32_t lock,
                    uint32_t *writers, uint32_t *readers)
{
    *writers = *readers = 0;
    for (int i = 0; i < v->n; i++) {
        const struct fore_event *e = &v->t->events.at[i];
        uint32_t me = 1u << e->thread;
        if (!(done >> i & 1) || lock_of(e) != lock || e->flags & FORE_F_BUSY)
            continue;
        *writers &= ~me;
        *readers &= ~me;
        if (e->kind == FORE_EV_LOCK || e->kind == FORE_EV_CWOKEN)
            *writers |= me;
        else if (e->kind == FORE_EV_RLOCK)
            *readers |= me;
    }
}

static bool excluded(const struct naive *v, uint64_t done, int i)
{
    const struct fore_event *e = &v->t->events.at[i];
    uint32_t writer, readers;
    if (!lock_of(e) || e->kind == FORE_EV_UNLOCK || e->kind == FORE_EV_RUNLOCK ||
        e->kind == FORE_EV_CWAIT)
        return false;
    holders(v, done, lock_of(e), &writer, &readers);
    writer &= ~(1u << e->thread);
    readers &= ~(1u << e->thread);
    if (e->flags & FORE_F_BUSY)
        return !(writer || readers);
    return writer || (readers && e->kind != FORE_EV_RLOCK);
}

static void finish_run(struct naive *v, bool complete)
{
    for (uint32_t p = 0; p < v->watch->props; p++) {
        struct fore_monitor *m = v->watch->monitors[p];
        struct fore_val vals[8];
        memcpy(vals, v->watch->initial, v->watch->vars * sizeof *vals);
        uint32_t s = fore_monitor_step(m, fore_monitor_start(m),
                                       fore_monitor_letter(m, vals), vals);
        for (int i = 0; i < v->length; i++) {
            uint32_t var = (uint32_t)v->var[v->run[i]];
            vals[var] = fore_written_value(&v->t->events.at[v->run[i]]);
            if (fore_watch_mentions(v->watch, p, var))
                s = fore_monitor_step(m, s, fore_monitor_letter(m, vals), vals);
        }
        bool bad = fore_monitor_bad(m, s);
        v->violated[p] = v->violated[p] || bad;
        v->violating[p] += bad && complete;
    }
    v->runs += complete;
}

/* Is this (where we are, how we came) new? And is the run itself? */
static bool is_new(struct naive *v, uint64_t done, bool *new_run)
{
    uint64_t relevant = 0, word = 1;
    for (int i = 0; i < v->length; i++) {
        relevant |= 1ull << v->run[i];
        word = word * 41 + (uint64_t)v->run[i] + 1;
    }
    bool fresh;
    fore_map_put(&v->states, relevant, NULL);
    fore_map_put(&v->seen, fore_hash_mix(word, 1ull << 63), new_run);
    fore_map_put(&v->seen, fore_hash_mix(word, done), &fresh);
    return fresh;
}

static void explore(struct naive *v, uint64_t done, int relevant)
{
    bool new_run;
    if (!is_new(v, done, &new_run))
        return;
    if (new_run)
        finish_run(v, v->length == relevant);
    for (int j = 0; j < v->n; j++) {
        bool can = !(done >> j & 1) && !excluded(v, done, j);
        for (int i = 0; can && i < j; i++)
            can = !v->before[i][j] || done >> i & 1;
        if (!can)
            continue;
        if (v->var[j] >= 0)
            v->run[v->length++] = j;
        explore(v, done | 1ull << j, relevant);
        if (v->var[j] >= 0)
            v->length--;
    }
}

static void enumerate(struct naive *v, const struct fore_trace *t, struct fore_watch *w,
                      bool exclusive)
{
    struct fore_binding binding = {.spec = w->spec};
    int relevant = 0;
    *v =
        (struct naive){.t = t, .watch = w, .n = (int)t->events.n, .exclusive = exclusive};
    fore_binding_initial(w->spec, &t->tables, w->initial);
    for (int j = 0; j < v->n; j++) {
        v->var[j] = fore_binding_var(&binding, &t->tables, &t->events.at[j]);
        relevant += v->var[j] >= 0;
        for (int i = 0; i < j; i++)
            v->before[i][j] = ordered(v, i, j);
    }
    explore(v, 0, relevant);
    fore_binding_release(&binding);
    fore_map_release(&v->seen);
}

/* -- The comparison ---------------------------------------------------------------- */

struct result {
    int64_t states, runs, violating[8];
    bool found[8], possible;
    uint64_t witnesses;
};

static void read_result(const struct fore_findings *f, const struct fore_spec *s,
                        struct result *r)
{
    struct fore_arena a = FORE_ARENA_INIT;
    const struct fore_json *stats = NULL;
    struct fore_err e = {0};
    *r = (struct result){.states = -1};
    if (!f->stats.n || fore_json_read(&a, "stats", f->stats.at[0].json,
                                      strlen(f->stats.at[0].json), &stats, &e) != FORE_OK)
        return;
    r->states = fore_json_int(fore_json_get(stats, "states"), -1);
    r->runs = fore_json_int(fore_json_get(stats, "runs"), -1);
    const struct fore_json *p = fore_json_get(stats, "properties");
    p = p ? p->first : NULL;
    for (size_t i = 0; i < s->props.n && p; i++, p = p->next)
        r->violating[i] = fore_json_int(fore_json_get(p, "violating_runs"), -1);
    for (size_t i = 0; i < f->list.n; i++) {
        const struct fore_finding *x = f->list.at[i];
        r->possible = r->possible || x->verdict == FORE_VERDICT_POSSIBLE;
        r->witnesses += x->witness.n > 0;
        for (size_t k = 0; k < s->props.n; k++) {
            char part[32];
            snprintf(part, sizeof part, "property %s ", s->props.at[k].name);
            r->found[k] = r->found[k] || strstr(x->message, part);
        }
    }
    fore_arena_release(&a);
}

enum way { WHOLE, STREAM, WINDOW };

static bool analyse(const struct fore_trace *t, const struct fore_spec *s,
                    const char *file, bool exclusive, enum way way, struct result *r)
{
    struct fore_findings f;
    struct fore_params params = {{0}};
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_err e = {0};
    struct fore_analysis_ctx ctx = {.out = &f, .params = &params};
    fore_findings_init(&f);
    fore_params_set(&params, "spec", file);
    fore_params_set(&params, "locks", exclusive ? "exclusive" : "ordered");
    if (way == WINDOW)
        fore_params_set(&params, "window", "3");
    enum fore_status status;
    if (way == STREAM) {
        struct fore_sink *sink = fore_analysis_lattice.open(&a, &ctx, &e);
        status = sink ? fore_trace_replay(t, sink, &e) : e.status;
    } else {
        status = fore_analysis_lattice.run(t, &ctx, &e);
    }
    if (status != FORE_OK)
        printf("# %s\n", e.msg);
    read_result(&f, s, r);
    fore_params_release(&params);
    fore_arena_release(&a);
    fore_findings_release(&f);
    return status == FORE_OK;
}

static bool same(const struct naive *v, const struct result *r, const char *how)
{
    bool ok =
        (int64_t)v->states.n == r->states && (int64_t)v->runs == r->runs && !r->possible;
    for (uint32_t p = 0; p < v->watch->props; p++)
        ok = ok && (int64_t)v->violating[p] == r->violating[p] &&
             v->violated[p] == r->found[p];
    if (ok)
        return true;
    printf("# %s: %lld states, %lld runs, possible %d; enumerated %zu, %llu\n", how,
           (long long)r->states, (long long)r->runs, r->possible, v->states.n,
           (unsigned long long)v->runs);
    for (uint32_t p = 0; p < v->watch->props; p++)
        printf("# property %u: %lld %d, enumerated %llu %d\n", p,
               (long long)r->violating[p], r->found[p],
               (unsigned long long)v->violating[p], v->violated[p]);
    return false;
}

static bool within(const struct naive *v, const struct result *r)
{
    bool ok = (int64_t)v->states.n >= r->states && (int64_t)v->runs >= r->runs;
    for (uint32_t p = 0; p < v->watch->props; p++)
        ok = ok && (int64_t)v->violating[p] >= r->violating[p] &&
             (v->violated[p] || !r->found[p]);
    return ok;
}

struct tally {
    uint64_t runs, violating, swapped, largest;
};

static bool compare(const struct fore_trace *t, struct fore_watch *w, const char *file,
                    struct tally *tally)
{
    bool ok = true;
    uint64_t ordered_runs = 0;
    bool attempts = false; /* a stream cannot place a failed attempt at a lock */
    for (size_t i = 0; i < t->events.n; i++)
        attempts = attempts || t->events.at[i].flags & FORE_F_BUSY;
    for (int exclusive = 0; ok && exclusive < 2; exclusive++) {
        struct naive v;
        struct result r;
        enumerate(&v, t, w, exclusive);
        ok = analyse(t, w->spec, file, exclusive, WHOLE, &r) && same(&v, &r, "whole") &&
             (attempts || (analyse(t, w->spec, file, exclusive, STREAM, &r) &&
                           same(&v, &r, "stream"))) &&
             analyse(t, w->spec, file, exclusive, WINDOW, &r) && within(&v, &r);
        tally->runs += v.runs;
        tally->violating += v.violating[0] > 0;
        tally->largest = v.runs > tally->largest ? v.runs : tally->largest;
        tally->swapped += exclusive && v.runs > ordered_runs;
        ordered_runs = v.runs;
        if (!ok)
            printf("# locks=%s\n", exclusive ? "exclusive" : "ordered");
        fore_map_release(&v.states);
    }
    return ok;
}

static bool try_one(struct fore_rng *r, struct fore_watch *w, const char *file,
                    struct tally *tally)
{
    struct maker m = {.r = r, .text = FORE_STRBUF_INIT};
    struct fore_trace t;
    struct fore_err e = {0};
    make_trace(&m);
    fore_trace_init(&t, "random");
    bool ok = fore_trace_parse(&t, m.text.at, m.text.n, &e) == FORE_OK;
    if (!ok)
        printf("# %s\n", e.msg);
    for (int i = 0; i < 4; i++) /* every variable of the specification is in the trace */
        fore_tables_object(&t.tables, FORE_OBJ_PLACE, &"xyzu"[i], 1);
    ok = ok && compare(&t, w, file, tally);
    if (!ok)
        printf("%s", m.text.at);
    fore_trace_release(&t);
    fore_strbuf_release(&m.text);
    return ok;
}

int main(int argc, char **argv)
{
    struct fore_rng r;
    struct fore_spec spec;
    struct fore_watch watch;
    struct tally tally = {0};
    struct fore_err e = {0};
    char file[] = "/tmp/foresee-oracle-XXXXXX";
    int fd = mkstemp(file), count = argc > 1 ? atoi(argv[1]) : COMPUTATIONS;
    bool ok = fd >= 0 && write(fd, spec_text, sizeof spec_text - 1) > 0;
    ok = ok && fore_spec_load(&spec, file, &e) == FORE_OK &&
         fore_watch_init(&watch, &spec, &e) == FORE_OK;
    fore_rng_seed(&r, 1978);
    for (int i = 0; ok && i < count; i++)
        ok = try_one(&r, &watch, file, &tally);
    printf(
        "# %d computations, %llu runs, at most %llu; property a violated in %llu; more "
        "runs with locks as exclusion in %llu\n",
        count, (unsigned long long)tally.runs, (unsigned long long)tally.largest,
        (unsigned long long)tally.violating, (unsigned long long)tally.swapped);
    printf("%s the lattice agrees with the enumeration of all runs\n",
           ok ? "ok" : "not ok");
    fore_watch_release(&watch);
    fore_spec_release(&spec);
    unlink(file);
    return ok ? 0 : 1;
}
