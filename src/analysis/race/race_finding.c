#include "analysis/race/witness.h"
#include "analysis/tell/tell.h"

#include "base/hash.h"
#include "finding/stable_id.h"

enum { MOST_STEPS = 1000, SHOWN = 6, ENOUGH = 64, CERTAIN = 8, FEW_EVENTS = 300 };

/* An access by its place in the source, whoever called it; without one, by its variable. */
static uint64_t side_of_access(const struct fore_race_access *a)
{
    return fore_hash_mix(a->site,
                         a->site ? a->writes : (uint64_t)a->place << 1 | a->writes);
}

uint64_t fore_race_variable(struct fore_race *r, uint32_t place)
{
    fore_vec_ensure(&r->variables, r->t->tables.objects.n);
    uint64_t *known = &r->variables.at[place];
    if (!*known) {
        uint64_t h = 1;
        fore_variable_hash(&h, fore_tables_name(&r->t->tables, place));
        *known = h;
    }
    return *known;
}

/* The same either way round. */
static uint64_t pair_of_variable(struct fore_race *r, const struct fore_race_access *a,
                                 const struct fore_race_access *b)
{
    return fore_race_variable(r, a->place) + side_of_access(a) + side_of_access(b);
}

/* How much of the name says what the place is a part of: "tank@f.c:12" of "tank@f.c:12.level", "tank" of "tank.level", of
 * Go "main.tank" of "main.tank.level". */
static size_t whole_name(const char *name, bool go)
{
    const char *made = strchr(name, '@'), *line = made ? strchr(made, ':') : NULL;
    if (line)
        return (size_t)(line - name) + 1 + strspn(line + 1, "0123456789");
    size_t n = strcspn(name, ".[+");
    return go && name[n] == '.' ? n + 1 + strcspn(name + n + 1, ".[+") : n;
}

/* A structure that is copied, or a call of a library, accesses many parts of one object at one line. */
static uint64_t statement_of(const struct fore_race *r, const struct fore_race_access *a)
{
    const struct fore_tables *t = &r->t->tables;
    const char *name = fore_tables_name(t, a->place);
    size_t n = whole_name(name, t->threads.at[a->thread].goroutine);
    const uint64_t of[] = {a->site, a->thread, a->section};
    return fore_hash_more(fore_hash(of, sizeof of), name, n);
}

static uint64_t pair_of_statements(const struct fore_race *r,
                                   const struct fore_race_access *a,
                                   const struct fore_race_access *b)
{
    return statement_of(r, a) + statement_of(r, b);
}

bool fore_race_known(struct fore_race *r, const struct fore_race_access *a,
                     const struct fore_race_access *b)
{
    return fore_map_get(&r->told, pair_of_variable(r, a, b)) ||
           fore_map_get(&r->told, pair_of_statements(r, a, b));
}

static void set_known(struct fore_race *r, const struct fore_race_access *a,
                      const struct fore_race_access *b)
{
    *fore_map_put(&r->told, pair_of_variable(r, a, b), NULL) = 1;
    *fore_map_put(&r->told, pair_of_statements(r, a, b), NULL) = 1;
}

bool fore_race_enough(const struct fore_race *r, uint32_t place)
{
    const uint64_t *n = fore_map_get(&r->enough, place);
    return n && *n >= ENOUGH && r->t->events.n > FEW_EVENTS;
}

/* What is only possible stands for fewer others: the next one may be more than that. */
static void note_told(struct fore_race *r, uint32_t place, struct fore_finding *x)
{
    bool possible = x->verdict == FORE_VERDICT_POSSIBLE;
    fore_vec_ensure(&r->last, (size_t)place + 1);
    if (!possible || !r->last.at[place])
        r->last.at[place] = x;
    *fore_map_put(&r->enough, place, NULL) += possible ? 1 : CERTAIN;
}

static const char *verb_of(const struct fore_event *e)
{
    switch (e->kind) {
    case FORE_EV_READ:
        return "reads";
    case FORE_EV_RMW:
        return "updates";
    case FORE_EV_FREE:
        return "frees";
    default:
        return "writes";
    }
}

static const char *role_of_access(const struct fore_event *e)
{
    return e->kind == FORE_EV_RMW ? "update" : fore_kind_name(e->kind);
}

/* "holding m and n (shared)" */
static void describe_locks(struct fore_race *r, struct fore_finding *x,
                           const struct fore_race_access *a)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    size_t n = fore_lockset_count(&r->locksets, a->held);
    for (size_t i = 0; i < n; i++) {
        bool shared;
        uint32_t lock = fore_lockset_member(&r->locksets, a->held, i, &shared);
        fore_strbuf_printf(&b, "%s%s%s", i ? ", " : "",
                           fore_tables_name(&r->t->tables, lock),
                           shared ? " (shared)" : "");
    }
    fore_finding_fact(r->ctx->out, x, "locks", "%s holds %s",
                      fore_tell_who(r->ctx->out, r->t, a->thread), n ? b.at : "none");
    fore_strbuf_release(&b);
}

static void tell_creation(struct fore_race *r, struct fore_finding *x, uint32_t thread)
{
    uint32_t where = r->t->tables.threads.at[thread].where;
    if (where)
        fore_finding_fact(r->ctx->out, x, "created", "%s%s%s%s",
                          fore_tell_who(r->ctx->out, r->t, thread),
                          fore_tell_at(r->ctx->out, r->t, where),
                          r->t->tables.wheres.at[where].parent ? "," : "",
                          fore_finding_from(r->ctx->out, &r->t->tables, where));
}

/* Of memory that was allocated where callers were recorded. */
static void tell_allocation(struct fore_race *r, struct fore_finding *x, uint32_t place)
{
    uint32_t where = r->t->tables.objects.at[place].where;
    const char *from = fore_finding_from(r->ctx->out, &r->t->tables, where);
    if (*from)
        fore_finding_fact(r->ctx->out, x, "allocated", "%s,%s",
                          fore_tell_at(r->ctx->out, r->t, where) + strlen(" "), from);
}

/* The captures of C programs note accesses to neighbouring bytes together. */
static void tell_near(struct fore_race *r, struct fore_finding *x,
                      const struct fore_race_access *a)
{
    if (r->t->events.at[a->at].flags & FORE_F_NEAR)
        fore_finding_fact(r->ctx->out, x, FORE_FACT_NEAR,
                          "the line of %s is that of its last access to these four "
                          "bytes, which may be of a neighbouring one",
                          fore_tell_who(r->ctx->out, r->t, a->thread));
}

static void tell_distance(struct fore_race *r, struct fore_finding *x,
                          const struct fore_race_access *first,
                          const struct fore_race_access *second, bool ordered)
{
    uint32_t between = second->at - first->at - 1;
    const char *who = fore_tell_who(r->ctx->out, r->t, first->thread);
    if (r->t->tables.merged && !ordered)
        fore_finding_fact(
            r->ctx->out, x, FORE_FACT_OBSERVED,
            "each thread was recorded by itself: which access came first is not known");
    else if (between)
        fore_finding_fact(r->ctx->out, x, FORE_FACT_OBSERVED,
                          "%s came first, with %u event%s between the two accesses", who,
                          between, between == 1 ? "" : "s");
    else
        fore_finding_fact(r->ctx->out, x, FORE_FACT_OBSERVED,
                          "%s came first, and the other access right after it", who);
}

static void describe_race(struct fore_race *r, struct fore_finding *x,
                          const struct fore_race_access *a,
                          const struct fore_race_access *b, enum fore_race_how how)
{
    const struct fore_event *e = &r->t->events.at[a->at], *f = &r->t->events.at[b->at];
    const char *name = fore_tables_name(&r->t->tables, a->place);
    x->object = fore_arena_strdup(&r->ctx->out->arena, name);
    x->object_kind = FORE_OBJ_PLACE;
    x->message = fore_findings_printf(
        r->ctx->out, "%s %s %s%s while %s %s it%s",
        fore_tell_who(r->ctx->out, r->t, a->thread), verb_of(e), name,
        fore_tell_at(r->ctx->out, r->t,
                     fore_finding_users_place(&r->t->tables, a->where)),
        fore_tell_who(r->ctx->out, r->t, b->thread), verb_of(f),
        fore_tell_at(r->ctx->out, r->t,
                     fore_finding_users_place(&r->t->tables, b->where)));
    static const char *const why[] = {
        [FORE_RACE_HAPPENS] = "nothing in the observed run orders the two accesses",
        [FORE_RACE_PREDICTED] =
            "in the observed run only the order in which the threads took a lock kept "
            "the two accesses apart; in the witness each thread reads the same values, "
            "and "
            "the two accesses meet",
        [FORE_RACE_SEARCHED] =
            "in the observed run only the order in which the threads took a lock kept "
            "the two accesses apart; in the witness the other thread takes it first, and "
            "each thread reads the same values"};
    x->explanation = why[how];
    fore_finding_place(r->ctx->out, x, role_of_access(e), r->t, e, a->time - 1);
    fore_finding_place(r->ctx->out, x, role_of_access(f), r->t, f, b->time - 1);
    tell_distance(r, x, a->at < b->at ? a : b, a->at < b->at ? b : a,
                  how != FORE_RACE_HAPPENS);
    tell_near(r, x, a);
    tell_near(r, x, b);
    describe_locks(r, x, a);
    describe_locks(r, x, b);
    fore_finding_callers(r->ctx->out, x, r->t, e);
    fore_finding_callers(r->ctx->out, x, r->t, f);
    tell_creation(r, x, a->thread);
    tell_creation(r, x, b->thread);
    tell_allocation(r, x, a->place);
}

/* The last steps of the two threads are what explains; the others are there to be replayed. */
static void add_steps(struct fore_race *r, struct fore_finding *x,
                      const struct fore_witness *w, uint32_t one, uint32_t two)
{
    size_t n = w->events.n, from = n > MOST_STEPS ? n - MOST_STEPS : 0;
    struct fore_step *s = fore_tell_steps(r->ctx->out, x, r->t, w, from);
    for (size_t i = from; i < n; i++, s++) {
        const struct fore_event *e = &w->events.at[i];
        bool theirs = e->thread == one || e->thread == two;
        s->irrelevant = !theirs || n - i > (size_t)2 * SHOWN;
        if (i + 2 >= n)
            s->note = "races";
    }
}

static enum fore_status with_witness(struct fore_race *r, const struct fore_witness *w,
                                     const struct fore_race_access *a,
                                     const struct fore_race_access *b,
                                     enum fore_race_how how,
                                     const struct fore_claim *claim, struct fore_err *e)
{
    struct fore_finding *x =
        fore_findings_claim(r->ctx->out, "data-race", r->program, claim);
    set_known(r, a, b);
    describe_race(r, x, a, b, how);
    note_told(r, a->place, x);
    add_steps(r, x, w, a->thread, b->thread);
    struct fore_expect race[] = {{FORE_EXPECT_RACE, a->thread},
                                 {FORE_EXPECT_RACE, b->thread}};
    enum fore_status s = fore_finding_witness(r->ctx->out, x, r->t, w->events.at,
                                              w->events.n, r->t->cases.at, race, 2, e);
    if (s == FORE_OK && r->ctx->on_finding)
        r->ctx->on_finding(r->ctx, x);
    return s;
}

/* What a relaxed atomic read saw kept the two apart, in this run and in any other that reads
 * the same; but nothing synchronises them, which is all that a race is. Where something may have that
 * was not seen, or the machine knows less than the program did, it is only possible. */
static void without_witness(struct fore_race *r, const struct fore_race_access *a,
                            const struct fore_race_access *b, bool apart)
{
    struct fore_claim claim = apart
                                  ? fore_claim_unordered(r->program, a->thread, b->thread)
                                  : fore_claim_unplayed(FORE_CLAUSE_NO_RUN);
    bool certain = claim.verdict == FORE_CLAIM_PREDICTED;
    if (!apart && !r->ctx->possible)
        return;
    struct fore_finding *x =
        certain ? fore_findings_add(r->ctx->out, "data-race", FORE_VERDICT_OBSERVED)
                : fore_findings_claim(r->ctx->out, "data-race", r->program, &claim);
    set_known(r, a, b);
    describe_race(r, x, a, b, FORE_RACE_HAPPENS);
    if (apart)
        x->explanation =
            "only the value of an atomic read keeps the two accesses apart; nothing "
            "synchronises them, so neither thread need see what the other did";
    r->happens++;
}

/* Would the two meet if atomic reads could see anything? */
static bool apart_by_atomics(struct fore_closure *ideal, const struct fore_race_access *a,
                             const struct fore_race_access *b)
{
    ideal->keeps = FORE_RACE_KEEPS & ~FORE_KEEPS_ATOMICS;
    bool leads = fore_race_leads_to(ideal, a, b);
    ideal->keeps = FORE_RACE_KEEPS;
    return leads;
}

enum fore_status fore_race_tell(struct fore_race *r, struct fore_closure *ideal,
                                const struct fore_race_access *a,
                                const struct fore_race_access *b, enum fore_race_how how,
                                struct fore_err *e)
{
    if (a->at > b->at) {
        const struct fore_race_access *swap = a;
        a = b;
        b = swap;
    }
    if (fore_budget_spent_now(r->ctx->budget))
        return FORE_OK;
    if (fore_race_enough(r, a->place)) {
        r->last.at[a->place]->count++;
        set_known(r, a, b);
        return FORE_OK;
    }
    struct fore_witness w = {0};
    struct fore_claim claim = {.verdict = FORE_CLAIM_NONE};
    enum fore_status s = FORE_OK;
    bool leads = fore_race_leads_to(ideal, a, b);
    if (leads && fore_race_play(r, ideal, a, b, &w, &claim)) {
        s = with_witness(r, &w, a, b, how, &claim, e);
        *(how == FORE_RACE_HAPPENS ? &r->happens : &r->predicted) += 1;
    } else if (how == FORE_RACE_HAPPENS) {
        without_witness(r, a, b, !leads && apart_by_atomics(ideal, a, b));
    }
    fore_witness_release(&w);
    return s;
}

enum fore_status fore_race_tell_run(struct fore_race *r, const struct fore_move *run,
                                    size_t n, const struct fore_race_access *a,
                                    const struct fore_race_access *b, struct fore_err *e)
{
    struct fore_witness w = {0};
    struct fore_claim claim;
    enum fore_status s = FORE_OK;
    bool turned = a->at > b->at;
    const struct fore_race_access *first = turned ? b : a, *second = turned ? a : b;
    if (fore_race_play_run(r, run, n, first, second, &w, &claim)) {
        s = with_witness(r, &w, first, second, FORE_RACE_SEARCHED, &claim, e);
        r->searched++;
    }
    fore_witness_release(&w);
    return s;
}
