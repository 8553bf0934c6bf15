/* Runs in the supervised child: loads, checks, explores, shrinks, reports. */
#include "explore/child_state.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/jsonw.h"
#include "explore/bug_finding.h"
#include "explore/frontier.h"
#include "explore/hint.h"
#include "explore/mpi.h"
#include "explore/shrink.h"
#include "finding/save.h"
#include "node/system.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK_WALKS 64 /* random schedules that are run twice */
#define CHECK_DEPTH 500
#define TELLING_NS 400000000        /* time for shorter witnesses, after a stop */
#define SLOW_TELLING_NS 10000000000 /* of systems whose steps take long */

void fore_child_send(struct child *c, enum fore_frame kind,
                     const struct fore_strbuf *json)
{
    fore_wire_send(c->fd, kind, json->at, json->n);
}

static void send_error(struct child *c, const struct fore_err *e)
{
    struct fore_strbuf s = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    fore_jsonw_init(&w, &s);
    fore_err_save(&w, NULL, e);
    fore_child_send(c, FORE_FRAME_ERROR, &s);
    fore_strbuf_release(&s);
}

static void send_kinds(struct child *c)
{
    struct fore_strbuf s = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    fore_jsonw_init(&w, &s);
    fore_jsonw_open(&w, NULL, '[');
    for (uint32_t i = 0; i < c->system.def->message_count; i++)
        fore_jsonw_text(&w, NULL, c->system.kinds[i].name);
    fore_jsonw_close(&w, ']');
    fore_child_send(c, FORE_FRAME_KINDS, &s);
    fore_strbuf_release(&s);
}

/* Adds the services that nodes may ask, as agents after those of the harness. */
static void add_services(struct child *c)
{
    for (uint32_t role = 1; role < c->system.def->role_count; role++)
        if (c->harness.agents.n < FORE_AGENTS_MAX)
            fore_vec_push(&c->harness.agents,
                          (struct fore_agent){.role = role, .lasting = true});
}

static enum fore_status load_system(struct child *c, struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    FORE_TRY(fore_system_load(&c->system, &c->arena, c->x->subject.system, e));
    send_kinds(c);
    FORE_TRY(fore_strbuf_read_file(&text, c->x->subject.harness, e));
    enum fore_status s = FORE_OK;
    if (c->system.def == &fore_node_system)
        s = fore_nodes_open(c->x->subject.harness, text.at, c->x->handler_seconds,
                            !c->x->script && !c->options.no_copies, e);
    if (s == FORE_OK)
        s = fore_harness_parse(&c->harness, &c->arena, &c->system, c->x->subject.harness,
                               text.at, text.n, e);
    if (s == FORE_OK && c->system.def == &fore_node_system)
        add_services(c);
    fore_strbuf_release(&text);
    return s;
}

static void report_tick(struct fore_explorer *s, void *user)
{
    struct child *c = user;
    uint64_t now = fore_now_ns();
    if (c->shared->stop)
        s->stop = true;
    if (s->watch_index || now - c->progress_ns < 50000000u)
        return;
    c->progress_ns = now;
    char text[96];
    bool states = s->opt->scheduler->levels;
    uint64_t done = atomic_load_explicit(s->ended, memory_order_relaxed);
    uint64_t total = s->estimate ? s->estimate(s) : 0;
    uint64_t most = states ? s->opt->max_states : s->opt->max_schedules;
    int n = snprintf(text, sizeof text, "%llu %llu %llu %llu", (unsigned long long)done,
                     (unsigned long long)s->bugs[FORE_BUG_NOT_LINEARIZABLE].count,
                     (unsigned long long)total, (unsigned long long)most);
    fore_wire_send(c->fd, FORE_FRAME_PROGRESS, text, (size_t)n);
}

enum fore_status fore_child_open(struct child *c, struct fore_explorer *s,
                                 struct fore_err *e)
{
    FORE_TRY(fore_explorer_init(s, &c->system, &c->harness, &c->options, e));
    s->watch = c->shared->watch;
    s->world.watch = s->watch;
    s->tick = report_tick;
    s->user = c;
    return FORE_OK;
}

/* Takes one random step in both worlds; false if they differ afterwards. */
static bool same_step(struct fore_explorer *a, struct fore_explorer *b, uint32_t *msg)
{
    uint32_t m = *msg = fore_sr_pick(a);
    fore_explorer_step(a, m, FORE_DELIVER);
    fore_explorer_step(b, m, FORE_DELIVER);
    return fore_actors_hash(&a->world) == fore_actors_hash(&b->world) &&
           a->world.msgs.n == b->world.msgs.n &&
           fore_explorer_node(a) == fore_explorer_node(b);
}

static enum fore_status not_deterministic(const struct fore_explorer *s, uint32_t msg,
                                          struct fore_err *e)
{
    struct fore_strbuf m = FORE_STRBUF_INIT;
    fore_message_text(&s->world, msg, &m);
    fore_strbuf_puts(&m, " at actor ");
    fore_actor_text(s->world.msgs.at[msg].r.to, &m);
    enum fore_status st = fore_fail(
        e, FORE_MEANING,
        "system %s is not deterministic: receiving %s twice in the same state had two "
        "outcomes. Handlers may use only their state and the message: no random numbers, "
        "clocks, static variables or uninitialised bytes",
        s->world.sys->name, m.at);
    fore_strbuf_release(&m);
    return st;
}

/* Handlers that use anything but state and message would make every result worthless. The
 * digest is the same whenever the check is run; 0 if a budget cut it. */
static enum fore_status check_deterministic(struct child *c, uint64_t *digest,
                                            struct fore_err *e)
{
    struct fore_explorer a, b;
    enum fore_status st = fore_child_open(c, &a, e);
    if (st == FORE_OK)
        st = fore_child_open(c, &b, e);
    else
        b = (struct fore_explorer){0};
    *digest = 0;
    /* Nodes are compared whenever they are led to where others were before. */
    int walks = c->system.def == &fore_node_system ? 0 : CHECK_WALKS;
    for (int i = 0; st == FORE_OK && i < walks && !a.stop; i++) {
        uint32_t msg;
        while (st == FORE_OK && a.world.pending && !a.world.trouble &&
               fore_explorer_depth(&a) < CHECK_DEPTH && !a.stop)
            if (!same_step(&a, &b, &msg))
                st = not_deterministic(&a, msg, e);
        while (st == FORE_OK && fore_explorer_depth(&a)) {
            *digest = fore_hash_mix(*digest, fore_actors_hash(&a.world));
            fore_explorer_undo(&a);
            fore_explorer_undo(&b);
        }
    }
    if (a.stop)
        *digest = 0;
    fore_explorer_release(&a);
    fore_explorer_release(&b);
    return st;
}

void fore_child_send_row(struct child *c, const struct fore_explorer *s)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    const struct fore_row *r = &s->row;
    const struct fore_trail_counts n = fore_nodes_count();
    uint64_t classes, violating;
    bool compat = s->opt->compat;
    fore_histories_classes(&s->histories, &classes, &violating);
    fore_jsonw_init(&w, &text);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_text(&w, "scheduler", s->opt->scheduler->name);
    fore_jsonw_bool(&w, "compat", compat);
    fore_jsonw_bool(&w, "crossed", s->opt->scheduler->levels);
    fore_jsonw_u64(&w, "S", r->schedules);
    fore_jsonw_u64(&w, "IH", r->incomplete);
    fore_jsonw_u64(&w, "UH", s->histories.unique);
    fore_jsonw_u64(&w, "NL", compat ? s->histories.broken_complete : s->histories.broken);
    fore_jsonw_u64(&w, "check_ns", s->histories.check_ns);
    fore_jsonw_u64(&w, "first_bug", r->first_bug);
    fore_jsonw_u64(&w, "first_bug_ns", r->first_bug_ns);
    fore_jsonw_u64(&w, "ns", r->ns);
    fore_jsonw_u64(&w, "steps", r->steps);
    fore_jsonw_u64(&w, "stateless_steps", r->stateless_steps);
    fore_jsonw_u64(&w, "redundant", r->redundant);
    fore_jsonw_u64(&w, "states", r->states);
    fore_jsonw_u64(&w, "transitions", r->transitions);
    fore_jsonw_u64(&w, "history_classes", classes);
    fore_jsonw_u64(&w, "violating_classes", violating);
    fore_jsonw_u64(&w, "class_fingerprint",
                   fore_histories_fingerprint(&s->histories) >> 12);
    fore_jsonw_u64(&w, "process_steps", n.steps);
    fore_jsonw_u64(&w, "process_steps_again", n.again);
    fore_jsonw_u64(&w, "processes", n.processes);
    fore_jsonw_u64(&w, "copies", n.copies);
    fore_jsonw_text(&w, "no_copy", n.no_copy ? n.no_copy : "");
    fore_jsonw_u64(&w, "walks", r->walks);
    fore_jsonw_u64(&w, "on_disk", r->on_disk);
    fore_jsonw_u64(&w, "renamings", r->renamings);
    fore_jsonw_bool(&w, "wide", r->wide);
    fore_jsonw_text(&w, "bound", fore_explorer_bound(s));
    fore_jsonw_text(&w, "hint", fore_hint_for(s));
    fore_jsonw_close(&w, '}');
    fore_child_send(c, FORE_FRAME_ROW, &text);
    fore_strbuf_release(&text);
}

static enum fore_status broken_system(struct child *c, const struct fore_bug_report *b,
                                      struct fore_err *e)
{
    struct fore_strbuf where = FORE_STRBUF_INIT;
    struct fore_explorer s;
    if (fore_child_open(c, &s, e) == FORE_OK &&
        fore_explorer_follow(&s, b->schedule.at, b->schedule.n) && s.world.steps.n) {
        uint32_t msg = fore_vec_last(&s.world.steps).msg;
        fore_strbuf_puts(&where, "actor ");
        fore_actor_text(s.world.msgs.at[msg].r.to, &where);
        fore_strbuf_puts(&where, ", on receiving ");
        fore_message_text(&s.world, msg, &where);
        fore_strbuf_puts(&where, ", ");
    }
    fore_explorer_release(&s);
    enum fore_status st = fore_fail(e, FORE_MEANING, "system %s: %s%s", c->system.name,
                                    where.at, b->why.at);
    fore_strbuf_release(&where);
    return st;
}

/* Keeps the simplest schedule of each kind of bug. */
static void keep_bugs(struct child *c, struct fore_explorer *s)
{
    for (int i = 0; i < FORE_BUGS; i++) {
        struct fore_bug_report *best = &c->bugs[i], *new = &s->bugs[i];
        if (!new->count || (best->count && !fore_bug_simpler(new, best)))
            continue;
        struct fore_bug_report old = *best;
        *best = *new;
        *new = old;
    }
}

/* Reports the runs that break properties. */
static enum fore_status tell_lassos(struct child *c, struct fore_explorer *found,
                                    struct fore_err *e)
{
    for (size_t i = 0; i < found->lassos.n; i++) {
        const struct fore_lasso *x = &found->lassos.at[i];
        struct fore_explorer s;
        struct fore_findings f;
        FORE_TRY(fore_child_open(c, &s, e));
        fore_findings_init(&f);
        if (fore_explorer_follow(&s, x->schedule.at, x->schedule.n)) {
            fore_tell_lasso(&s, x, &c->x->subject, &f);
            fore_wire_send_finding(c->fd, f.list.at[0]);
        }
        fore_findings_release(&f);
        fore_explorer_release(&s);
    }
    return FORE_OK;
}

void fore_child_choose(struct child *c, const struct fore_scheduler *rule)
{
    c->options.scheduler = rule;
    c->options.max_schedules = c->x->options.max_schedules;
    if (rule == &fore_scheduler_sr && c->x->walks)
        c->options.max_schedules = c->x->walks;
}

enum fore_status fore_child_explore(struct child *c, const struct fore_scheduler *rule,
                                    struct fore_explorer *s, struct fore_err *e)
{
    fore_child_choose(c, rule);
    FORE_TRY(fore_child_open(c, s, e));
    FORE_TRY(fore_child_take_over(c, s, e));
    struct fore_strbuf left = FORE_STRBUF_INIT;
    s->save = c->x->save_file ? &left : NULL;
    enum fore_status st = FORE_OK;
    if (c->x->resume)
        st = fore_frontier_read(s, c->x->resume_file, c->x->resume, e);
    if (st == FORE_OK)
        fore_explorer_run(s);
    if (st == FORE_OK && left.n)
        st = fore_file_write(c->x->save_file, left.at, left.n, e);
    fore_strbuf_release(&left);
    if (st == FORE_OK && s->failure.msg[0]) {
        *e = s->failure;
        st = e->status;
    }
    return st;
}

enum fore_status fore_child_tell(struct child *c, struct fore_explorer *s,
                                 struct fore_err *e)
{
    enum fore_status st = FORE_OK;
    if (s->bugs[FORE_BUG_SYSTEM].count)
        st = broken_system(c, &s->bugs[FORE_BUG_SYSTEM], e);
    if (st == FORE_OK) {
        fore_child_send_row(c, s);
        keep_bugs(c, s);
        st = tell_lassos(c, s, e);
    }
    fore_explorer_release(s);
    return st;
}

/* Runs one scheduler after the other. */
static enum fore_status explore_alone(struct child *c, struct fore_err *e)
{
    const struct fore_session *x = c->x;
    for (size_t i = 0; i < x->scheduler_count && !c->shared->stop; i++) {
        struct fore_explorer s;
        enum fore_status st = fore_child_explore(c, x->schedulers[i], &s, e);
        if (st == FORE_OK)
            st = fore_child_tell(c, &s, e);
        else
            fore_explorer_release(&s);
        FORE_TRY(st);
    }
    return FORE_OK;
}

static void send_bug(struct child *c, struct fore_explorer *s, enum fore_bug kind,
                     bool shortest)
{
    struct fore_findings f;
    fore_findings_init(&f);
    fore_tell_bug(s, kind, &c->bugs[kind], shortest, &c->x->subject, &f);
    fore_wire_send_finding(c->fd, f.list.at[0]);
    fore_findings_release(&f);
}

/* A worker that is asked to stop, or has used up its time, tells soon what it found. */
static void limit_telling(const struct child *c, struct fore_explorer *s, uint64_t began)
{
    bool hurry = c->shared->stop || c->options.budget.deadline_ns;
    s->budget.interrupted = NULL;
    s->budget.deadline_ns = hurry             ? began + TELLING_NS
                            : c->options.slow ? began + SLOW_TELLING_NS
                                              : 0;
    s->tick = NULL;
}

/* Shrinks and reports the bugs. Published artefacts are no findings. */
static enum fore_status tell_result(struct child *c, struct fore_err *e)
{
    uint64_t began = fore_now_ns();
    for (int i = 0; i < FORE_BUGS && !c->options.compat; i++) {
        struct fore_explorer s;
        enum fore_bug kind = (enum fore_bug)i;
        if (!c->bugs[i].count)
            continue;
        FORE_TRY(fore_child_open(c, &s, e));
        limit_telling(c, &s, began);
        struct fore_bug_report own = s.bugs[i];
        s.bugs[i] = c->bugs[i];
        bool shortest = fore_explorer_shrink(&s, kind, c->x->shrink_states);
        s.stop = false;
        fore_nodes_listen(fore_child_hear, &s);
        bool fits = fore_explorer_follow(&s, s.bugs[i].schedule.at, s.bugs[i].schedule.n);
        fore_nodes_listen(NULL, NULL);
        c->bugs[i] = s.bugs[i];
        s.bugs[i] = own;
        if (fits)
            send_bug(c, &s, kind, shortest);
        fore_explorer_release(&s);
    }
    return FORE_OK;
}

static enum fore_status explore_all(struct child *c, struct fore_err *e)
{
    uint64_t before, after = 0;
    FORE_TRY(check_deterministic(c, &before, e));
    FORE_TRY(c->options.transport ? fore_child_explore_together(c, e)
                                  : explore_alone(c, e));
    c->options.scheduler = &fore_scheduler_ex;
    if (!c->shared->stop)
        FORE_TRY(check_deterministic(c, &after, e));
    if (before && after && before != after)
        return fore_fail(
            e, FORE_MEANING,
            "system %s is not deterministic: the same schedules did not have "
            "the same outcome before the exploration and after it. Handlers "
            "may use only their state and the message",
            c->system.name);
    return tell_result(c, e);
}

void fore_session_child(const struct fore_session *x, struct fore_shared *shared, int fd)
{
    struct child c = {.x = x,
                      .shared = shared,
                      .fd = fd,
                      .arena = FORE_ARENA_INIT,
                      .options = x->options};
    struct fore_err e = {0};
    c.options.budget.interrupted = &shared->stop;
    const struct fore_mpi_plugin *mpi = NULL;
    enum fore_status s = load_system(&c, &e);
    if (s == FORE_OK && x->mpi)
        s = fore_mpi_open(x->mpi, &mpi, &c.options.transport, &e);
    if (s == FORE_OK && x->script)
        s = fore_child_follow(&c, &e);
    if (s == FORE_OK && !x->script) {
        c.options.scheduler = &fore_scheduler_ex;
        s = explore_all(&c, &e);
    }
    if (s != FORE_OK)
        send_error(&c, &e);
    else
        fore_wire_send(fd, FORE_FRAME_DONE, "", 0);
    if (c.options.transport && s == FORE_OK)
        mpi->close(c.options.transport);
    fore_nodes_close();
    _exit(0);
}
