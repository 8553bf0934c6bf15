#include "actor/actors.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ACTORS_MAX 1000
#define CHILDREN_MAX 63 /* an id has six bits per level of the creation path */

static void FORE_PRINTF(3, 4)
    trouble(struct fore_actors *w, enum fore_trouble t, const char *fmt, ...)
{
    if (w->trouble)
        return;
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    w->trouble = t;
    fore_strbuf_clear(&w->why);
    fore_strbuf_puts(&w->why, text);
}

static const struct foresee_role *role_of(const struct fore_actors *w,
                                          const struct fore_actor *a)
{
    return &w->sys->def->roles[a->role];
}

/* Slots keep their order along a path; created actors are found from the end. */
uint32_t fore_actors_slot(const struct fore_actors *w, int64_t id)
{
    if (id >= 1 && id <= w->ctx.agents)
        return (uint32_t)id - 1;
    for (size_t i = w->actors.n; i-- > (size_t)w->ctx.agents;)
        if (w->actors.at[i].id == id)
            return (uint32_t)i;
    return UINT32_MAX;
}

uint64_t fore_actor_hash(const struct fore_actors *w, const struct fore_actor *a)
{
    return fore_hash_more((uint64_t)a->id, a->state, role_of(w, a)->state_size);
}

static uint64_t hash_content(const struct foresee_received *r)
{
    uint64_t head = fore_hash_mix((uint64_t)r->from * 1000003 + (uint64_t)r->to, r->kind);
    return fore_hash_more(head, r->field, r->fields * sizeof *r->field);
}

/* A new message at the end of the bag; its content is still to be filled in. */
static struct fore_message *append_message(struct fore_actors *w, uint32_t slot,
                                           int32_t op)
{
    uint32_t i = (uint32_t)w->msgs.n, last = w->msgs.at[0].prev;
    struct fore_message *m = fore_vec_extend(&w->msgs, 1);
    m->id = fore_hash_mix(w->parent, ++w->sends);
    m->sent_by = (uint32_t)w->steps.n;
    m->received_by = m->next = 0;
    m->prev = last;
    m->slot = slot;
    m->op = op;
    w->msgs.at[last].next = i;
    w->msgs.at[0].prev = i;
    return m;
}

static bool on_link(const struct fore_message *m, int64_t from, int64_t to)
{
    return m->r.from == from && m->r.to == to;
}

bool fore_actors_same_link(const struct fore_actors *w, uint32_t i, uint32_t j)
{
    const struct foresee_received *a = &w->msgs.at[w->steps.at[i - 1].msg].r;
    const struct foresee_received *b = &w->msgs.at[w->steps.at[j - 1].msg].r;
    return a->from == b->from && a->to == b->to &&
           fore_harness_fifo(w->harness, a->from, a->to);
}

/* On a link that keeps order, a message counts with its place among those pending. */
void fore_actors_count_message(struct fore_actors *w, uint32_t msg)
{
    struct fore_message *m = &w->msgs.at[msg];
    m->content = hash_content(&m->r);
    m->ahead = 0;
    w->pending++;
    if (!fore_harness_fifo(w->harness, m->r.from, m->r.to)) {
        w->bag += m->content;
        return;
    }
    uint64_t place = 1;
    for (uint32_t i = m->prev; i; i = w->msgs.at[i].prev)
        if (on_link(&w->msgs.at[i], m->r.from, m->r.to)) {
            m->ahead = m->ahead ? m->ahead : i;
            place++;
        }
    w->bag += fore_hash_mix(m->content, place);
}

/* The first of a link leaves: all behind it move up. */
static void uncount_message(struct fore_actors *w, uint32_t msg)
{
    const struct fore_message *m = &w->msgs.at[msg];
    w->pending--;
    if (!fore_harness_fifo(w->harness, m->r.from, m->r.to)) {
        w->bag -= m->content;
        return;
    }
    uint64_t place = 1;
    w->bag -= fore_hash_mix(m->content, place);
    for (uint32_t i = m->next; i; i = w->msgs.at[i].next) {
        const struct fore_message *x = &w->msgs.at[i];
        if (!on_link(x, m->r.from, m->r.to))
            continue;
        w->bag -= fore_hash_mix(x->content, place + 1);
        w->bag += fore_hash_mix(x->content, place++);
    }
}

/* Posts a message with `n` fields; the others stay undefined, and nothing may read them. */
static void post_message(struct fore_actors *w, int64_t from, int64_t to, uint32_t kind,
                         size_t n, const int64_t *fields, uint32_t slot, int32_t op)
{
    struct fore_message *m = append_message(w, slot, op);
    m->r.from = from;
    m->r.to = to;
    m->r.kind = kind;
    m->r.fields = (uint32_t)n;
    memcpy(m->r.field, fields, n * sizeof *fields);
    fore_actors_count_message(w, (uint32_t)w->msgs.n - 1);
}

static void post_invocation(struct fore_actors *w, uint32_t op)
{
    const struct fore_post *p = &w->harness->posts.at[op];
    post_message(w, p->from, p->to, p->kind, w->sys->kinds[p->kind].fields, p->field,
                 (uint32_t)p->to - 1, (int32_t)op);
}

static void answer_client(struct fore_actors *w, int64_t client, uint32_t kind_index,
                          const int64_t *fields)
{
    const struct fore_harness *h = w->harness;
    size_t op = (size_t)-client - 1;
    const char *kind = w->sys->kinds[kind_index].name;
    if (op >= h->ops.n) {
        trouble(w, FORE_TROUBLE_SYSTEM,
                "sends %s to client %" PRId64 ", which does not exist", kind, -client);
        return;
    }
    int8_t f = h->answers[kind_index * h->ops.n + op];
    if (f == FORE_ANSWER_NO) {
        trouble(w, FORE_TROUBLE_SYSTEM,
                "sends %s to the client of `%s`, but [responses] of the harness does not "
                "list it",
                kind, h->ops.at[op].name);
        return;
    }
    if (!(w->invoked >> op & 1)) {
        if (!w->compat)
            trouble(w, FORE_TROUBLE_SYSTEM, "answers `%s` before it was invoked",
                    h->ops.at[op].name);
        return;
    }
    fore_vec_push(&w->replies,
                  (struct fore_reply){.op = (uint32_t)op,
                                      .kind = kind_index,
                                      .repeated = w->answered >> op & 1,
                                      .result = f < 0 ? FORE_RESULT_VOID : fields[f]});
    bool first = !(w->answered >> op & 1);
    w->answered |= (uint64_t)1 << op;
    if (w->steps.n)
        fore_vec_last(&w->steps).answered |= (uint64_t)1 << op;
    if (first && h->then.at[op] >= 0)
        post_invocation(w, (uint32_t)h->then.at[op]);
}

static bool good_send(struct fore_actors *w, size_t n, const int64_t *v)
{
    if (n < 1 || v[0] < 0 || v[0] >= w->sys->def->message_count) {
        trouble(w, FORE_TROUBLE_SYSTEM, "sends a message of unknown type %" PRId64,
                n ? v[0] : -1);
        return false;
    }
    const struct fore_kind_info *k = &w->sys->kinds[v[0]];
    if (n - 1 != k->fields)
        trouble(w, FORE_TROUBLE_SYSTEM, "sends %s with %zu fields; it has %u", k->name,
                n - 1, k->fields);
    if (w->msgs.n >= FORE_MESSAGES_MAX)
        trouble(w, FORE_TROUBLE_SYSTEM, "sends more than %d messages", FORE_MESSAGES_MAX);
    return !w->trouble;
}

static void do_send(struct foresee *f, int64_t to, size_t n, const int64_t *v)
{
    struct fore_actors *w = (struct fore_actors *)f;
    if (w->trouble || !good_send(w, n, v))
        return;
    uint32_t kind = (uint32_t)v[0];
    if (to < 0) {
        answer_client(w, to, kind, v + 1);
        return;
    }
    uint32_t slot = fore_actors_slot(w, to);
    if (slot == UINT32_MAX)
        trouble(w, FORE_TROUBLE_SYSTEM, "sends %s to nobody: there is no actor %" PRId64,
                w->sys->kinds[kind].name, to);
    else
        post_message(w, f->self, to, kind, n - 1, v + 1, slot, -1);
}

struct fore_actor *fore_actors_add(struct fore_actors *w, int64_t id, uint32_t role,
                                   const int64_t args[FORESEE_FIELDS])
{
    uint32_t slot = (uint32_t)w->actors.n;
    size_t size = w->sys->def->roles[role].state_size;
    fore_vec_reserve(&w->actors, slot + 1);
    struct fore_actor *a = &w->actors.at[slot];
    if (slot >= w->rooms) {
        *a = (struct fore_actor){0};
        w->rooms = slot + 1;
    }
    if (a->room < size + 1) {
        fore_free(a->state);
        a->room = size + 1;
        a->state = fore_alloc(a->room);
    }
    w->actors.n++;
    a->id = id;
    a->role = role;
    a->slot = slot;
    a->children = 0;
    a->shared = false;
    memset(a->state, 0, size);
    memcpy(a->args, args, sizeof a->args);
    return a;
}

static void start_actor(struct fore_actors *w, uint32_t slot)
{
    struct fore_actor *a = &w->actors.at[slot];
    const struct foresee_role *r = role_of(w, a);
    int64_t self = w->ctx.self;
    w->ctx.self = a->id;
    if (r->start)
        r->start(&w->ctx, a->state, a->args);
    w->ctx.self = self;
    a = &w->actors.at[slot];
    a->hash = fore_actor_hash(w, a);
    w->actors_hash += a->hash;
}

static int64_t do_spawn(struct foresee *f, size_t n, const int64_t *v)
{
    struct fore_actors *w = (struct fore_actors *)f;
    if (w->trouble)
        return 0;
    uint32_t parent = fore_actors_slot(w, f->self);
    if (n < 1 || v[0] < 0 || v[0] >= w->sys->def->role_count || n - 1 > FORESEE_FIELDS)
        trouble(w, FORE_TROUBLE_SYSTEM, "creates an actor of unknown role %" PRId64,
                n ? v[0] : -1);
    else if (w->actors.n >= ACTORS_MAX || w->actors.at[parent].children >= CHILDREN_MAX ||
             f->self > INT64_MAX >> 7)
        trouble(w, FORE_TROUBLE_SYSTEM, "creates too many actors (at most %d per actor)",
                CHILDREN_MAX);
    if (w->trouble)
        return 0;
    int64_t id = f->self * 64 + ++w->actors.at[parent].children;
    int64_t args[FORESEE_FIELDS] = {0};
    memcpy(args, v + 1, (n - 1) * sizeof *v);
    start_actor(w, fore_actors_add(w, id, (uint32_t)v[0], args)->slot);
    return id;
}

static void do_broken(struct foresee *f, const char *why)
{
    trouble((struct fore_actors *)f, FORE_TROUBLE_REQUIRED, "%s",
            why ? why : "(no reason)");
}

static const struct foresee_actor_ops ops = {do_send, do_spawn, do_broken};

void fore_actors_init(struct fore_actors *w, const struct fore_system *s,
                      const struct fore_harness *h, bool compat)
{
    *w = (struct fore_actors){
        .sys = s, .harness = h, .compat = compat, .why = FORE_STRBUF_INIT};
    w->ctx = (struct foresee){.ops = &ops, .agents = (int64_t)h->agents.n};
    fore_vec_push(&w->msgs, (struct fore_message){.op = -1});
    for (size_t i = 0; i < h->agents.n; i++) {
        const struct fore_agent *g = &h->agents.at[i];
        fore_actors_add(w, (int64_t)i + 1, g->role, g->args)->shared = g->shared;
    }
    for (uint32_t i = 0; i < h->posts.n; i++)
        if (!(h->waits >> i & 1))
            post_invocation(w, i);
    for (size_t i = 0; i < h->start.n; i++) {
        const struct fore_post *p = &h->start.at[i];
        post_message(w, p->from, p->to, p->kind, s->kinds[p->kind].fields, p->field,
                     (uint32_t)p->to - 1, -1);
    }
    for (uint32_t i = 0; i < h->agents.n; i++)
        start_actor(w, i);
}

void fore_actors_release(struct fore_actors *w)
{
    for (size_t i = 0; i < w->rooms; i++)
        fore_free(w->actors.at[i].state);
    fore_vec_release(&w->actors);
    fore_vec_release(&w->msgs);
    fore_vec_release(&w->steps);
    fore_vec_release(&w->replies);
    fore_vec_release(&w->undo);
    fore_vec_release(&w->isolated);
    fore_strbuf_release(&w->why);
}

static bool is_isolated(const struct fore_actors *w, int64_t id)
{
    for (size_t i = 0; i < w->isolated.n; i++)
        if (w->isolated.at[i] == id)
            return true;
    return false;
}

int64_t fore_actors_cuts_off(const struct fore_actors *w, uint32_t msg, enum fore_how how)
{
    const struct foresee_received *r = &w->msgs.at[msg].r;
    return how == FORE_CUT_FROM ? r->from : how == FORE_CUT_TO ? r->to : 0;
}

/* The network between clients and agents, and within an actor, is perfect. */
static bool is_possible(const struct fore_actors *w, uint32_t msg, enum fore_how how)
{
    const struct foresee_received *r = &w->msgs.at[msg].r;
    bool inside = r->from > 0 && r->from != r->to;
    if (how == FORE_CUT_FROM || how == FORE_CUT_TO)
        return inside && fore_actors_cuts_off(w, msg, how) <= w->ctx.agents;
    if (how == FORE_DUPLICATE && fore_harness_fifo(w->harness, r->from, r->to))
        return false; /* a link that keeps order delivers no message twice */
    if (how == FORE_CRASH)
        return r->to > w->ctx.agents || !w->harness->agents.at[r->to - 1].lasting;
    return inside || how == FORE_DELIVER;
}

bool fore_actors_allows(const struct fore_actors *w, uint32_t msg, enum fore_how how)
{
    if (!is_possible(w, msg, how))
        return false;
    int64_t whom = fore_actors_cuts_off(w, msg, how);
    return how == FORE_DELIVER || fore_faults_left(&w->left, how) ||
           (whom && is_isolated(w, whom));
}

/* Takes the fault out of the budget (by = -1) or puts it back (by = 1). */
static void spend_fault(struct fore_actors *w, const struct fore_receipt *s, int by)
{
    uint32_t change = (uint32_t)by;
    int64_t whom = fore_actors_cuts_off(w, s->msg, s->how);
    if (s->how == FORE_DROP) {
        w->left.drop += change;
    } else if (s->how == FORE_DUPLICATE) {
        w->left.duplicate += change;
    } else if (s->how == FORE_CRASH) {
        w->left.crash += change;
    } else if (by < 0) {
        w->left.partition -= !is_isolated(w, whom);
        fore_vec_push(&w->isolated, whom);
    } else {
        (void)fore_vec_pop(&w->isolated);
        w->left.partition += !is_isolated(w, whom);
    }
}

static void crash_actor(struct fore_actors *w, struct fore_actor *a)
{
    const struct foresee_role *r = role_of(w, a);
    if (r->restart) {
        r->restart(&w->ctx, a->state);
    } else {
        memset(a->state, 0, r->state_size);
        if (r->start)
            r->start(&w->ctx, a->state, a->args);
    }
}

/* Only this worker writes to its watch. */
static void count_watch_step(struct fore_actor_watch *w)
{
    uint64_t steps = atomic_load_explicit(&w->steps, memory_order_relaxed);
    atomic_store_explicit(&w->steps, steps + 1, memory_order_release);
}

static void watch_receipt(struct fore_actors *w, const struct fore_receipt *s)
{
    size_t depth = w->steps.n;
    w->watch->kind = w->msgs.at[s->msg].r.kind;
    w->watch->actor = w->msgs.at[s->msg].r.to;
    w->watch->depth = (uint32_t)depth;
    if (depth <= FORE_WATCH_DEPTH) {
        w->watch->path[depth - 1].msg = s->msg;
        w->watch->path[depth - 1].how = s->how;
    }
    count_watch_step(w->watch);
}

/* Runs the handler on the actor's state. The message is copied: sends may move the array. */
static void handle_message(struct fore_actors *w, uint32_t msg, enum fore_how how,
                           uint32_t slot)
{
    struct foresee_received r = w->msgs.at[msg].r;
    struct fore_actor *a = &w->actors.at[slot];
    foresee_handler on = role_of(w, a)->on[r.kind];
    w->ctx.self = a->id;
    if (how == FORE_CRASH)
        crash_actor(w, a);
    char *state = w->actors.at[slot].state;
    if (on)
        on(&w->ctx, state, &r);
    else
        trouble(w, FORE_TROUBLE_SYSTEM, "has no handler for %s in role %s",
                w->sys->kinds[r.kind].name, role_of(w, &w->actors.at[slot])->name);
}

static void unlink_message(struct fore_actors *w, uint32_t msg)
{
    struct fore_message *m = &w->msgs.at[msg];
    w->msgs.at[m->prev].next = m->next;
    w->msgs.at[m->next].prev = m->prev;
    m->received_by = (uint32_t)w->steps.n;
    uncount_message(w, msg);
}

static void relink_message(struct fore_actors *w, uint32_t msg)
{
    struct fore_message *m = &w->msgs.at[msg];
    w->msgs.at[m->prev].next = msg;
    w->msgs.at[m->next].prev = msg;
    m->received_by = 0;
    w->pending++;
}

static void duplicate(struct fore_actors *w, uint32_t msg)
{
    struct fore_message m = w->msgs.at[msg];
    post_message(w, m.r.from, m.r.to, m.r.kind, m.r.fields, m.r.field, m.slot, m.op);
}

/* Puts the receiver's state aside and opens the step. */
static struct fore_receipt *open_step(struct fore_actors *w, uint32_t msg,
                                      enum fore_how how)
{
    const struct fore_message *m = &w->msgs.at[msg];
    const struct fore_actor *a = &w->actors.at[m->slot];
    struct fore_receipt s = {
        .msg = msg,
        .slot = m->slot,
        .how = how,
        .op = -1,
        .first_sent = (uint32_t)w->msgs.n,
        .first_reply = (uint32_t)w->replies.n,
        .actors = (uint32_t)w->actors.n,
        .children = a->children,
        .undo = w->undo.n,
        .bag = w->bag,
        .actors_hash = w->actors_hash,
        .actor_hash = a->hash,
    };
    size_t size = role_of(w, a)->state_size;
    memcpy(fore_vec_extend(&w->undo, size), a->state, size);
    fore_vec_push(&w->steps, s);
    return &fore_vec_last(&w->steps);
}

bool fore_actors_step(struct fore_actors *w, uint32_t msg, enum fore_how how)
{
    struct fore_receipt *s = open_step(w, msg, how);
    uint32_t slot = s->slot;
    if (how != FORE_DELIVER)
        spend_fault(w, s, -1);
    w->parent = fore_hash_mix(w->msgs.at[msg].id, how);
    w->sends = 0;
    unlink_message(w, msg);
    if (how == FORE_DUPLICATE)
        duplicate(w, msg);
    if (how == FORE_DROP || how == FORE_CUT_FROM || how == FORE_CUT_TO)
        return true;
    int32_t op = w->msgs.at[msg].op;
    if (op >= 0 && !(w->invoked >> op & 1)) {
        s->op = op;
        w->invoked |= (uint64_t)1 << op;
    }
    if (w->watch)
        watch_receipt(w, s);
    handle_message(w, msg, how, slot);
    if (w->watch)
        count_watch_step(w->watch);
    struct fore_actor *a = &w->actors.at[slot];
    w->actors_hash -= a->hash;
    a->hash = fore_actor_hash(w, a);
    w->actors_hash += a->hash;
    return !w->trouble;
}

static void take_back_sends(struct fore_actors *w, const struct fore_receipt *s)
{
    while (w->msgs.n > s->first_sent) {
        struct fore_message *m = &fore_vec_last(&w->msgs);
        w->msgs.at[m->prev].next = m->next;
        w->msgs.at[m->next].prev = m->prev;
        w->msgs.n--;
        w->pending--;
    }
    while (w->replies.n > s->first_reply) {
        struct fore_reply r = fore_vec_pop(&w->replies);
        if (!r.repeated)
            w->answered &= ~((uint64_t)1 << r.op);
    }
}

void fore_actors_undo(struct fore_actors *w)
{
    struct fore_receipt s = fore_vec_pop(&w->steps);
    take_back_sends(w, &s);
    relink_message(w, s.msg);
    if (s.how != FORE_DELIVER)
        spend_fault(w, &s, 1);
    if (s.op >= 0)
        w->invoked &= ~((uint64_t)1 << s.op);
    w->actors.n = s.actors;
    struct fore_actor *a = &w->actors.at[s.slot];
    a->children = s.children;
    if (!w->compat || !a->shared)
        memcpy(a->state, w->undo.at + s.undo, w->undo.n - s.undo);
    a->hash = s.actor_hash;
    w->undo.n = s.undo;
    w->bag = s.bag;
    w->actors_hash = s.actors_hash;
    w->trouble = FORE_TROUBLE_NONE;
}

void fore_actors_rebase(struct fore_actors *w)
{
    for (size_t i = 1; i < w->msgs.n; i++)
        w->msgs.at[i].sent_by = w->msgs.at[i].received_by ? UINT32_MAX : 0;
    w->steps.n = 0;
    w->undo.n = 0;
}

/* Step `at` put aside the receiver's state before it, so the handler can run on a copy of that
 * state; the messages that it sends are taken back at once. */
uint64_t fore_actors_peek(struct fore_actors *w, uint32_t at, uint32_t msg,
                          enum fore_how how)
{
    if (how == FORE_DROP || how == FORE_CUT_FROM || how == FORE_CUT_TO)
        return 0;
    uint32_t slot = w->msgs.at[msg].slot;
    struct fore_actor *a = &w->actors.at[slot];
    size_t size = role_of(w, a)->state_size;
    struct fore_receipt *s = open_step(w, msg, how); /* puts the state aside, too */
    uint64_t answered = w->answered, invoked = w->invoked;
    enum fore_trouble before = w->trouble;
    w->trouble = FORE_TROUBLE_NONE;
    w->answered = 0;
    w->invoked = UINT64_MAX;
    memcpy(a->state, w->undo.at + w->steps.at[at - 1].undo, size);
    handle_message(w, msg, how, slot);
    s = &fore_vec_last(&w->steps);
    uint64_t found = s->answered;
    w->answered = answered;
    w->invoked = invoked;
    take_back_sends(w, s);
    w->answered = answered;
    w->actors.n = s->actors;
    a = &w->actors.at[s->slot];
    a->children = s->children;
    memcpy(a->state, w->undo.at + s->undo, size);
    w->undo.n = s->undo;
    w->bag = s->bag;
    w->actors_hash = s->actors_hash;
    w->steps.n--;
    w->trouble = before;
    return found;
}

uint32_t fore_actors_find(const struct fore_actors *w, uint64_t id)
{
    for (uint32_t m = fore_actors_first(w); m; m = fore_actors_next(w, m))
        if (w->msgs.at[m].id == id)
            return m;
    return 0;
}
