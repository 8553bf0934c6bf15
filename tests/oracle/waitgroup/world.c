#include "oracle/waitgroup/world.h"

#include <string.h>

/* ---- random plans -------------------------------------------------------------------------- */

static void add(struct plan *p, int t, enum op_kind kind, int object)
{
    if (p->count[t] < OPS)
        p->ops[t][p->count[t]++] = (struct op){kind, object};
}

/* Counts down; in an orderly plan, only what the thread (or who started it, for it) has added. */
static void count_down(struct plan *p, int t, int *mine)
{
    if (p->orderly && !*mine)
        return;
    add(p, t, OP_DONE, 0);
    --*mine;
}

static void count_up(struct plan *p, int t, int by, int *mine)
{
    if (p->count[t] < OPS)
        *mine += by;
    add(p, t, OP_ADD, by);
}

/* As many operations as the piece has, or none. */
static void other_piece(struct plan *p, int t, struct fore_rng *r)
{
    static const enum op_kind pieces[][4] = {{OP_ACQUIRE},
                                             {OP_RELEASE},
                                             {OP_ACQUIRE, OP_RELEASE},
                                             {OP_ARRIVE, OP_DEPART},
                                             {OP_ONCE},
                                             {OP_BROADCAST},
                                             {OP_LOCK, OP_CWAIT, OP_CWOKEN, OP_UNLOCK}};
    const enum op_kind *piece = pieces[fore_rng_below(r, sizeof pieces / sizeof *pieces)];
    int n = 1;
    while (n < 4 && piece[n] != OP_ADD)
        n++;
    for (int i = 0; i < n && OPS - p->count[t] >= n - i; i++)
        add(p, t, piece[i], 0);
}

static void random_piece(struct plan *p, int t, int *mine, struct fore_rng *r)
{
    int lock = (int)fore_rng_below(r, LOCKS);
    if (p->others && fore_rng_below(r, 3) == 0) {
        other_piece(p, t, r);
        return;
    }
    switch (fore_rng_below(r, 9)) {
    case 0:
    case 1:
        count_up(p, t, 1, mine);
        if (fore_rng_below(r, 3))
            count_down(p, t, mine);
        return;
    case 2:
        count_up(p, t, 1 + (int)fore_rng_below(r, 2), mine);
        return;
    case 3:
    case 4:
        count_down(p, t, mine);
        return;
    case 5:
        add(p, t, OP_WAIT, 0);
        return;
    case 6:
        if (OPS - p->count[t] < 3)
            return;
        add(p, t, OP_LOCK, lock);
        if (fore_rng_below(r, 2))
            count_up(p, t, 1, mine);
        else
            count_down(p, t, mine);
        add(p, t, OP_UNLOCK, lock);
        return;
    default:
        add(p, t, fore_rng_below(r, 2) ? OP_SEND : OP_RECV, 0);
        return;
    }
}

/* Thread 0 starts the others, and mostly waits in the end. */
void plan_random(struct plan *p, struct fore_rng *r)
{
    int mine[THREADS] = {0};
    *p = (struct plan){.threads = 2 + (int)fore_rng_below(r, THREADS - 1),
                       .capacity = (int)fore_rng_below(r, 3),
                       .units = (int)fore_rng_below(r, 2),
                       .others = fore_rng_below(r, 2),
                       .orderly = fore_rng_below(r, 2)};
    for (int t = 1; t < p->threads; t++) {
        if (fore_rng_below(r, 2))
            count_up(p, 0, 1, &mine[t]);
        add(p, 0, OP_START, t);
    }
    int left_out = (int)fore_rng_below(r, 4); /* of three threads two meet */
    bool meets =
        p->others && fore_rng_below(r, 2) && p->threads - (left_out < p->threads) == 2;
    for (int t = 0; t < p->threads; t++) {
        int pieces = 1 + (int)fore_rng_below(r, 3);
        int when = meets && t != left_out ? (int)fore_rng_below(r, (uint64_t)pieces) : -1;
        for (int i = 0; i < pieces; i++) {
            if (i == when && OPS - p->count[t] >= 2) {
                add(p, t, OP_ARRIVE, 0);
                add(p, t, OP_DEPART, 0);
            }
            random_piece(p, t, &mine[t], r);
        }
        while (t && mine[t] > 0 && p->count[t] < OPS)
            count_down(p, t, &mine[t]);
    }
    add(p, 0, OP_WAIT, 0);
}

/* ---- a run --------------------------------------------------------------------------------- */

struct world {
    int at[THREADS], started, owner[LOCKS], counter;
    int queue[QUEUE], taken, put; /* steps that sent */
    int units, arrived, round[THREADS];
    bool ran, waits[THREADS], woken[THREADS];
};

static bool takes_lock(const struct op *o)
{
    return o->kind == OP_LOCK || o->kind == OP_CWOKEN;
}

static bool gives_lock(const struct op *o)
{
    return o->kind == OP_UNLOCK || o->kind == OP_CWAIT;
}

static const struct op *next_op(const struct plan *p, const struct world *w, int t)
{
    bool there = (!t || w->started >> t & 1) && w->at[t] < p->count[t];
    return there ? &p->ops[t][w->at[t]] : NULL;
}

static int receiver(const struct plan *p, const struct world *w, int t)
{
    for (int o = 0; o < p->threads; o++)
        if (o != t && next_op(p, w, o) && next_op(p, w, o)->kind == OP_RECV)
            return o;
    return -1;
}

static bool can(const struct plan *p, const struct world *w, int t)
{
    const struct op *o = next_op(p, w, t);
    if (!o)
        return false;
    switch (o->kind) {
    case OP_DONE:
        return w->counter > 0; /* else it would panic */
    case OP_WAIT:
        return w->counter == 0;
    case OP_LOCK:
        return !w->owner[o->object];
    case OP_SEND:
        return p->capacity ? w->put - w->taken < p->capacity : receiver(p, w, t) >= 0;
    case OP_RECV:
        return p->capacity && w->put > w->taken;
    case OP_ACQUIRE:
        return w->units > 0;
    case OP_DEPART:
        return w->arrived >= (w->round[t] + 1) * PARTIES;
    case OP_CWOKEN:
        return w->woken[t] && !w->owner[0];
    default:
        return true;
    }
}

/* What is neither wait group nor channel. */
static void take_other(struct world *w, int t, const struct op *o, struct step *s)
{
    switch (o->kind) {
    case OP_ACQUIRE:
    case OP_RELEASE:
        w->units += o->kind == OP_RELEASE ? 1 : -1;
        return;
    case OP_ARRIVE:
        s->round = w->round[t] = w->arrived++ / PARTIES;
        return;
    case OP_DEPART:
        s->round = w->round[t];
        return;
    case OP_ONCE:
        s->first = !w->ran;
        w->ran = true;
        return;
    case OP_CWAIT:
        w->waits[t] = true;
        return;
    case OP_BROADCAST:
        for (int u = 0; u < THREADS; u++)
            w->woken[u] |= w->waits[u];
        return;
    case OP_CWOKEN:
        w->waits[t] = w->woken[t] = false;
        return;
    default:
        return;
    }
}

static struct step take_step(const struct plan *p, struct world *w, int t, int now)
{
    const struct op *o = next_op(p, w, t);
    struct step s = {t * OPS + w->at[t], -1, -1, -1, false};
    int other = o->kind == OP_SEND && !p->capacity ? receiver(p, w, t) : -1;
    w->counter += o->kind == OP_ADD ? o->object : -(o->kind == OP_DONE);
    if (takes_lock(o) || gives_lock(o))
        w->owner[o->object] = takes_lock(o);
    take_other(w, t, o, &s);
    if (o->kind == OP_START)
        w->started |= 1 << o->object;
    if (other >= 0)
        s.other = other * OPS + w->at[other]++;
    else if (o->kind == OP_SEND)
        w->queue[w->put++] = now;
    if (o->kind == OP_RECV)
        s.from = w->queue[w->taken++];
    w->at[t]++;
    return s;
}

static void write_step(const struct plan *p, const struct run *run, struct step s,
                       struct fore_strbuf *b)
{
    static const char *const names[] = {"wgadd(g, ", "wgdone(g", "wgwait(g", "lock(l",
                                        "unlock(l"};
    static const char *const others[] = {
        [OP_ACQUIRE] = "acquire(s)",        [OP_RELEASE] = "release(s)",
        [OP_ARRIVE] = "pre(barrier(b, 2))", [OP_DEPART] = "barrier(b, 2)",
        [OP_CWAIT] = "cwait(c, l0)",        [OP_CWOKEN] = "cwoken(c, l0)",
        [OP_BROADCAST] = "cbroadcast(c)"};
    int t = s.op / OPS + 1, line = s.op + 1;
    const struct op *o = &p->ops[s.op / OPS][s.op % OPS];
    if (o->kind == OP_ONCE)
        fore_strbuf_printf(b, "%d: once(o)=%s\n", t, s.first ? "ran" : "waited");
    else if (o->kind > OP_START)
        fore_strbuf_printf(b, "%d: %s\n", t, others[o->kind]);
    else if (o->kind == OP_START)
        fore_strbuf_printf(b, "%d: signal(%d)\n%d: wait(%d)\n", t, o->object + 1,
                           o->object + 1, o->object + 1);
    else if (o->kind == OP_SEND && p->capacity)
        fore_strbuf_printf(b, "%d: pre(x!); post(x!#%d)@p:%d\n", t, line, line);
    else if (o->kind == OP_SEND)
        fore_strbuf_printf(b, "%d: pre(x!)\n%d: pre(x?)\n%d: post(x!)\n%d: post(%d#x?)\n",
                           t, s.other / OPS + 1, t, s.other / OPS + 1, t);
    else if (o->kind == OP_RECV)
        fore_strbuf_printf(b, "%d: pre(x?); post(%d#x?)\n", t, run->steps[s.from].op + 1);
    else if (o->kind == OP_DONE || o->kind == OP_WAIT)
        fore_strbuf_printf(b, "%d: %s)@p:%d\n", t, names[o->kind], line);
    else
        fore_strbuf_printf(b, "%d: %s%d)@p:%d\n", t, names[o->kind], o->object, line);
}

bool plan_run(const struct plan *p, struct fore_rng *r, struct run *run,
              struct fore_strbuf *trace)
{
    struct world w = {.units = p->units};
    *run = (struct run){.n = 0};
    fore_strbuf_puts(trace, "1: wgadd(g, 0)\n");
    if (p->units)
        fore_strbuf_printf(trace, "1: release(s, %d)\n", p->units);
    if (p->capacity)
        fore_strbuf_printf(trace, "chan x cap=%d\n", p->capacity);
    for (;;) {
        int able[THREADS], n = 0;
        for (int t = 0; t < p->threads; t++)
            if (can(p, &w, t))
                able[n++] = t;
        if (!n)
            break;
        struct step s = take_step(p, &w, able[fore_rng_below(r, (uint64_t)n)], run->n);
        run->steps[run->n++] = s;
        write_step(p, run, s, trace);
    }
    for (int t = 0; t < p->threads; t++)
        if (w.at[t] < p->count[t])
            return false;
    return true;
}

/* ---- every cut ----------------------------------------------------------------------------- */

static const struct op *op_of(const struct plan *p, int op)
{
    return &p->ops[op / OPS][op % OPS];
}

/* Was the step i, which was woken, waiting when step j came? */
static bool waited(const struct run *run, int j, int i)
{
    for (int k = 0; k < j; k++)
        if (run->steps[k].op == run->steps[i].op - 1)
            return true;
    return false;
}

/* The same of what is neither wait group, lock nor channel. Rounds of the barrier keep their order. */
static bool causes_other(const struct plan *p, const struct run *run, int j, int i)
{
    const struct step *a = &run->steps[j], *b = &run->steps[i];
    enum op_kind x = op_of(p, a->op)->kind, y = op_of(p, b->op)->kind;
    switch (y) {
    case OP_ACQUIRE:
        return x == OP_RELEASE && !run->free;
    case OP_DEPART:
        return (x == OP_ARRIVE && a->round <= b->round) ||
               (x == OP_DEPART && a->round < b->round);
    case OP_ONCE:
        return x == OP_ONCE && a->first;
    case OP_CWOKEN:
        return x == OP_BROADCAST && waited(run, j, i);
    case OP_BROADCAST: /* what it wakes waits by then; without that cause it may be more */
        return x == OP_CWAIT && !run->free;
    default:
        return false;
    }
}

/* Is step j of the run one that step i (later) cannot do without? */
static bool causes(const struct plan *p, const struct run *run, int j, int i)
{
    const struct step *a = &run->steps[j], *b = &run->steps[i];
    const struct op *x = op_of(p, a->op), *y = op_of(p, b->op);
    int sent = 0, received = 0;
    bool same = a->op / OPS == b->op / OPS ||
                (a->other >= 0 && a->other / OPS == b->op / OPS) ||
                (b->other >= 0 && b->other / OPS == a->op / OPS) ||
                (a->other >= 0 && b->other >= 0 && a->other / OPS == b->other / OPS);
    if (same || (x->kind == OP_START && (x->object == b->op / OPS ||
                                         (b->other >= 0 && x->object == b->other / OPS))))
        return true;
    if (gives_lock(x) && takes_lock(y) && x->object == y->object && !run->free)
        return true;
    if (causes_other(p, run, j, i))
        return true;
    if (x->kind == OP_DONE && y->kind == OP_WAIT && !run->free)
        return true;
    if (y->kind == OP_RECV && b->from == j)
        return true;
    for (int k = 0; k <= j; k++) /* room in the buffer */
        received += op_of(p, run->steps[k].op)->kind == OP_RECV;
    for (int k = 0; k <= i; k++)
        sent += op_of(p, run->steps[k].op)->kind == OP_SEND;
    return p->capacity && x->kind == OP_RECV && y->kind == OP_SEND &&
           received + p->capacity == sent;
}

static bool has(const int *cut, int op)
{
    return op % OPS < cut[op / OPS];
}

static bool is_next(const int *cut, int op)
{
    return op % OPS == cut[op / OPS];
}

static int counter_of(const struct plan *p, const int *cut)
{
    int sum = 0;
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < cut[t]; i++)
            sum += p->ops[t][i].kind == OP_ADD ? p->ops[t][i].object
                                               : -(p->ops[t][i].kind == OP_DONE);
    return sum;
}

/* Where the order of sections and units is free: nobody holds the lock, there is a unit. */
static bool is_free(const struct plan *p, const int *cut, const struct op *o)
{
    int units = p->units, held = 0;
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < cut[t]; i++) {
            const struct op *x = &p->ops[t][i];
            units += (x->kind == OP_RELEASE) - (x->kind == OP_ACQUIRE);
            if (x->object == o->object)
                held += takes_lock(x) - gives_lock(x);
        }
    return o->kind == OP_ACQUIRE ? units > 0 : !takes_lock(o) || !held;
}

/* Can the step be taken after the cut? All its causes are there, a wait finds zero, and the
 * counter does not fall below it. */
static bool follows(const struct plan *p, const struct run *run, const int *cut, int i)
{
    const struct step *s = &run->steps[i];
    enum op_kind kind = op_of(p, s->op)->kind;
    int counter = counter_of(p, cut);
    if (!is_next(cut, s->op) || (s->other >= 0 && !is_next(cut, s->other)) ||
        (kind == OP_DONE && !counter) || (kind == OP_WAIT && counter) ||
        (run->free && !is_free(p, cut, op_of(p, s->op))))
        return false;
    for (int j = 0; j < i; j++)
        if (causes(p, run, j, i) && !has(cut, run->steps[j].op))
            return false;
    return true;
}

/* Was the thread created by what the cut has? */
static bool created(const struct plan *p, const int *cut, int t)
{
    for (int i = 0; i < cut[0]; i++)
        if (p->ops[0][i].kind == OP_START && p->ops[0][i].object == t)
            return true;
    return t == 0;
}

static void note(const struct plan *p, const int *cut, bool pairs[STEPS][STEPS])
{
    for (int w = 0; w < p->threads; w++)
        for (int a = 0; a < p->threads; a++)
            if (w != a && cut[w] < p->count[w] && cut[a] < p->count[a] &&
                p->ops[w][cut[w]].kind == OP_WAIT && p->ops[a][cut[a]].kind == OP_ADD &&
                created(p, cut, w) && created(p, cut, a))
                pairs[w * OPS + cut[w]][a * OPS + cut[a]] = true;
}

static int number_of(const int *cut)
{
    int n = 0;
    for (int t = THREADS; t-- > 0;)
        n = n * (OPS + 1) + cut[t];
    return n;
}

/* Whatever follows a cut has a greater number. */
void run_pairs(const struct plan *p, const struct run *run, bool pairs[STEPS][STEPS])
{
    bool reached[(OPS + 1) * (OPS + 1) * (OPS + 1) * (OPS + 1)] = {true};
    memset(pairs, 0, STEPS * sizeof *pairs);
    for (int n = 0; n < (int)sizeof reached; n++) {
        int cut[THREADS] = {n % (OPS + 1), n / (OPS + 1) % (OPS + 1),
                            n / (OPS + 1) / (OPS + 1) % (OPS + 1),
                            n / (OPS + 1) / (OPS + 1) / (OPS + 1)};
        if (!reached[n])
            continue;
        if (!counter_of(p, cut))
            note(p, cut, pairs);
        for (int i = 0; i < run->n; i++) {
            const struct step *s = &run->steps[i];
            int more[THREADS];
            if (!follows(p, run, cut, i))
                continue;
            memcpy(more, cut, sizeof more);
            more[s->op / OPS]++;
            if (s->other >= 0)
                more[s->other / OPS]++;
            reached[number_of(more)] = true;
        }
    }
}
