/* Finds the threads that still wait when main has returned, or the tests are over. Such a thread
 * is leaked if nothing can wake it any more; it is cut if something still could, or if it was
 * never meant to end before the program does.
 *
 * One bug leaves many: threads that wait at the same place, for each other, or that the same
 * function began, are one finding, about the one that was created first, or if that one waits
 * for a lock, about the one that holds it. */
#include "analysis/observed/wording.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TOGETHER = 16 };

/* Is the lock that `thread` waits for, or the one that its holder waits for, and so on, held by the
 * first thread, whose end ended the program? A thread that ends the program need not unlock before. */
static bool waits_for_who_left(const struct fore_observed_job *j, uint32_t thread)
{
    for (size_t steps = 0; thread && steps <= j->o.threads.n; steps++) {
        thread = fore_observed_waits_for(j, thread);
        if (thread == 1)
            return j->t->tables.ended == FORE_ENDED_RETURNED &&
                   j->o.threads.at[1].life == FORE_LIFE_OVER;
    }
    return false;
}

/* Why the end of the program cut the wait off; NULL: it would have lasted for ever. */
static const char *cut_by(const struct fore_observed_job *j, uint32_t thread)
{
    const struct fore_tables *tab = &j->t->tables;
    if (j->o.threads.at[thread].life == FORE_LIFE_READY)
        return "nothing kept it from going on: the run ended first";
    if (fore_observed_is_endless(&j->o, thread))
        return "a select without cases waits for ever on purpose";
    if (fore_observed_is_served(j, thread))
        return "a thread that served such waits was still running";
    if (j->o.threads.at[thread].may_go_on)
        return "other threads were still running when the program ended, and might have "
               "ended the wait";
    if (waits_for_who_left(j, thread))
        return fore_findings_printf(j->ctx->out,
                                    "%s ended the program while it held the lock",
                                    fore_observed_who(j, 1));
    if (fore_observed_is_background(&j->o, thread))
        return "a library keeps this thread for as long as the program runs";
    if (!strcmp(fore_tables_text(tab, tab->threads.at[thread].group), "init"))
        return "an init function started this thread: it may serve as long as the "
               "program runs";
    return NULL;
}

static void tell_object(struct fore_observed_job *j, struct fore_finding *x,
                        uint32_t thread)
{
    const struct fore_event *e = fore_observed_last(j, thread);
    if (e->kind != FORE_EV_PRE || *x->object || e->flags & FORE_F_CASES)
        return;
    x->object = fore_arena_strdup(&j->ctx->out->arena,
                                  fore_tables_name(&j->t->tables, e->object));
    x->object_kind = FORE_OBJ_CHAN;
}

static void tell_cut(struct fore_observed_job *j, uint32_t thread, const char *why)
{
    struct fore_finding *x = fore_observed_begin(j, "blocked-forever");
    x->level = FORE_LEVEL_NOTE;
    fore_observed_add_wait(j, x, "waits", thread);
    tell_object(j, x, thread);
    if (j->o.threads.at[thread].life != FORE_LIFE_READY)
        fore_observed_tell_partners(j, x, thread);
    fore_finding_fact(j->ctx->out, x, "cut", "%s", why);
    x->message = fore_findings_printf(
        j->ctx->out, "%s waits %s%s when the program ends", fore_observed_who(j, thread),
        fore_observed_waits_how(j, thread),
        fore_observed_at(j, fore_observed_last(j, thread)->where));
    fore_observed_tell_creation(j, x, thread);
    fore_observed_tell_makes(j, x, thread);
}

/* ---- which leaks belong together ---- */

struct leaks {
    FORE_VEC(uint32_t) threads;
    FORE_VEC(uint32_t)
    root; /* by thread: one of its group, itself for the first; 0: not leaked */
};

static uint32_t root_of(struct leaks *l, uint32_t thread)
{
    while (l->root.at[thread] != thread)
        thread = l->root.at[thread] = l->root.at[l->root.at[thread]];
    return thread;
}

/* Captures number threads as they are created. */
static bool came_before(const struct fore_observed_job *j, uint32_t a, uint32_t b)
{
    unsigned long x = strtoul(fore_tables_label(&j->t->tables, a), NULL, 10);
    unsigned long y = strtoul(fore_tables_label(&j->t->tables, b), NULL, 10);
    return x != y ? x < y : a < b;
}

/* Joins two groups; the thread that was created first stands for both. */
static void join_leaks(const struct fore_observed_job *j, struct leaks *l, uint32_t a,
                       uint32_t b)
{
    if (!l->root.at[a] || !l->root.at[b])
        return;
    a = root_of(l, a);
    b = root_of(l, b);
    if (came_before(j, a, b))
        l->root.at[b] = a;
    else
        l->root.at[a] = b;
}

/* Joins a thread with the first that has the same key. */
static void join_by(const struct fore_observed_job *j, struct leaks *l,
                    struct fore_map *first, uint64_t key, uint32_t thread)
{
    bool fresh;
    uint64_t *at = fore_map_put(first, key, &fresh);
    if (fresh)
        *at = thread;
    else
        join_leaks(j, l, (uint32_t)*at, thread);
}

static void join_partners(const struct fore_observed_job *j, struct leaks *l,
                          uint32_t thread)
{
    const struct fore_case *cases;
    struct fore_case one;
    size_t n = fore_observed_cases(&j->o, thread, &one, &cases);
    for (size_t c = 0; c < n; c++)
        for (uint32_t i = cases[c].chan ? fore_observed_ties(&j->o, cases[c].chan) : 0; i;
             i = j->o.ties.at[i - 1].next)
            if (j->o.ties.at[i - 1].thread)
                join_leaks(j, l, thread, j->o.ties.at[i - 1].thread);
}

static void join_all(const struct fore_observed_job *j, struct leaks *l)
{
    const struct fore_tables *tab = &j->t->tables;
    struct fore_map sites = {0}, makers = {0};
    for (size_t i = 0; i < l->threads.n; i++) {
        uint32_t th = l->threads.at[i], where = fore_observed_last(j, th)->where;
        const struct fore_thread_info *info = &tab->threads.at[th];
        uint32_t maker = tab->wheres.at[info->where].function;
        const struct fore_where *w = &tab->wheres.at[where]; /* its caller */
        if (w->file)
            join_by(j, l, &sites,
                    fore_hash_mix((uint64_t)w->file << 32 | w->line, info->group), th);
        if (maker)
            join_by(j, l, &makers, (uint64_t)info->parent << 32 | maker, th);
        join_leaks(j, l, th, info->parent);
        join_partners(j, l, th);
    }
    fore_map_release(&sites);
    fore_map_release(&makers);
}

/* ---- telling ---- */

/* The thread that the finding is about: not one that waits for a lock, but the one that waits
 * for something else while it holds the lock. */
static uint32_t reason_of(const struct fore_observed_job *j, struct leaks *l,
                          uint32_t first)
{
    uint32_t at = first;
    for (size_t steps = 0; steps < l->threads.n; steps++) {
        uint32_t holder = fore_observed_waits_for(j, at);
        if (!holder)
            return at;
        if (!l->root.at[holder] || root_of(l, holder) != first)
            break;
        at = holder;
    }
    return first; /* the holder is not left behind, or they wait for each other */
}

/* Tells the stack of the thread that the finding is about, and where the others were created. */
static void tell_stacks(struct fore_observed_job *j, struct leaks *l,
                        struct fore_finding *x, uint32_t about)
{
    size_t n = 1;
    fore_observed_tell_stack(j, x, about);
    for (size_t i = 0; i < l->threads.n && n < MAX_TOGETHER; i++) {
        uint32_t th = l->threads.at[i];
        if (th == about || root_of(l, th) != root_of(l, about))
            continue;
        n++;
        fore_observed_tell_stack(j, x, th);
        fore_observed_tell_creation(j, x, th);
    }
}

static void tell_leak(struct fore_observed_job *j, struct leaks *l, uint32_t first)
{
    uint32_t about = reason_of(j, l, first);
    struct fore_finding *x = fore_observed_begin(j, "blocked-forever");
    size_t n = 1;
    fore_observed_add_wait(j, x, "waits", about);
    for (size_t i = 0; i < l->threads.n; i++) {
        uint32_t th = l->threads.at[i];
        if (th == about || root_of(l, th) != first)
            continue;
        if (n++ < MAX_TOGETHER)
            fore_observed_add_wait(j, x, "waits, too", th);
        j->told.at[th] = true;
    }
    tell_object(j, x, about);
    fore_observed_tell_partners(j, x, about);
    x->message = fore_findings_printf(
        j->ctx->out, "%s waits %s%s, and nobody is left to end it%s",
        fore_observed_who(j, about), fore_observed_waits_how(j, about),
        fore_observed_at(j, fore_observed_last(j, about)->where),
        n > 1 ? fore_findings_printf(j->ctx->out, " (%zu threads of one cause)", n) : "");
    fore_observed_tell_creation(j, x, about);
    fore_observed_tell_makes(j, x, about);
    tell_stacks(j, l, x, about);
}

/* Finds tests whose own thread, which records their name when it begins, ended by itself and not
 * with the process. */
static void find_tests_over(const struct fore_observed_job *j, struct fore_map *over)
{
    const struct fore_thread_info *all = j->t->tables.threads.at;
    for (uint32_t th = 1; th < j->o.threads.n; th++) {
        uint64_t scope = fore_observed_scope(&j->o, th);
        if (scope && all[th].child &&
            scope != fore_observed_scope(&j->o, all[th].parent) &&
            j->o.threads.at[th].life == FORE_LIFE_OVER &&
            fore_observed_last(j, th)->kind == FORE_EV_END)
            fore_map_put(over, scope, NULL);
    }
}

/* Finds threads that a test began and did not stop, but that a timer wakes again and again: they
 * do not wait for ever. */
static void find_timed(struct fore_observed_job *j)
{
    struct fore_map over = {0};
    find_tests_over(j, &over);
    for (uint32_t th = 1; over.n && th < j->o.threads.n; th++)
        if (j->o.threads.at[th].life == FORE_LIFE_TIMED && !j->o.threads.at[th].hidden &&
            !fore_observed_is_background(&j->o, th) &&
            fore_map_get(&over, fore_observed_scope(&j->o, th)))
            tell_cut(
                j, th,
                "its test is over, and nobody stopped it, but a timer still wakes it");
    fore_map_release(&over);
}

void fore_observed_find_leaks(struct fore_observed_job *j)
{
    struct leaks l = {{0}, {0}};
    fore_vec_ensure(&l.root, j->o.threads.n + 1);
    for (uint32_t th = 1; th < j->o.threads.n; th++) {
        if (!fore_observed_is_left(j, th))
            continue;
        const char *why = cut_by(j, th);
        if (why) {
            tell_cut(j, th, why);
            continue;
        }
        fore_vec_push(&l.threads, th);
        l.root.at[th] = th;
    }
    join_all(j, &l);
    for (size_t i = 0; i < l.threads.n; i++)
        if (l.root.at[l.threads.at[i]] == l.threads.at[i])
            tell_leak(j, &l, l.threads.at[i]);
    fore_vec_release(&l.threads);
    fore_vec_release(&l.root);
    find_timed(j);
}

void fore_observed_find_left(struct fore_observed_job *j)
{
    struct fore_map over = {0};
    find_tests_over(j, &over);
    for (uint32_t th = 1; over.n && th < j->o.threads.n; th++)
        if (fore_observed_is_left(j, th) &&
            fore_map_get(&over, fore_observed_scope(&j->o, th)))
            tell_cut(j, th,
                     "its test is over, but the program ended before all other tests "
                     "were: one of them might have ended the wait");
    fore_map_release(&over);
}
