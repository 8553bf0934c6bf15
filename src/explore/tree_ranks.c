/* The optimal search by the ranks of a transport. Rank 0 has the shared part of the tree and
 * explores like the others. A rank gets the path to a node that waits, with what sleeps and what is
 * planned beside it; it explores what is below alone. A race whose reversal concerns a state
 * above goes to rank 0, which answers with what is planned there by now, so that most of what
 * comes next is known to be covered without asking. Who has nothing to do makes rank 0 ask others
 * for the first of their own states in which something waits.
 *
 *     from rank 0   T task   U what is planned in a state   H somebody waits   X it is over
 *     to rank 0     I idle   P plan   G gives states away   S stops   F all that is left, and results
 *
 * Messages may overtake each other, so they are numbered. A rank has told all that it planned before it says
 * that it is idle; so the search is over when all are and nothing waits. */
#include "explore/tree.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/varint.h"
#include "explore/results.h"
#include "explore/transport.h"

#include <string.h>

enum { STARTED = 1, LEAF = 2, CURRENT = 4 };

struct peer {
    uint64_t sent, came; /* messages to it; from it, in order */
    /* On rank 0: */
    struct fore_wakeup *tip; /* what it explores, below the last state that it shares */
    uint64_t task;
    bool busy, asked, over;
    struct fore_strbuf results;
};

struct fore_tree_rank {
    struct fore_tree_worker k;
    struct fore_transport *t;
    struct fore_wakeup *root; /* on other ranks: what is known of it */
    struct fore_wakeup_list *given;
    struct peer *peers;
    FORE_VEC(struct fore_strbuf) early; /* messages that overtook others */
    struct fore_strbuf in, out;
    struct fore_map told; /* what was planned since the task began */
    uint64_t task, portion;
    uint32_t hungry,
        asked;   /* on rank 0: peers without work; peers that should give some */
    bool wanted; /* somebody waits for work */
    bool unborn; /* the task's node was not reached: the search stops */
    bool stopped, ending, over;
};

/* ---- messages ---- */

static void begin_message(struct fore_tree_rank *r, uint32_t to, char kind)
{
    fore_strbuf_clear(&r->out);
    fore_strbuf_putc(&r->out, kind);
    fore_results_number(&r->out, r->t->rank);
    fore_results_number(&r->out, r->peers[to].sent++);
}

static void send_message(struct fore_tree_rank *r, uint32_t to)
{
    r->t->send(r->t, to, r->out.at, r->out.n);
}

static void send_word(struct fore_tree_rank *r, uint32_t to, char kind)
{
    begin_message(r, to, kind);
    send_message(r, to);
}

static void put_move(struct fore_strbuf *out, const struct fore_recv *m)
{
    fore_results_number(out, m->id);
    fore_results_number(out, m->how);
    fore_results_number(out, fore_zigzag(m->actor));
    fore_results_number(out, fore_zigzag(m->cut));
    fore_results_number(out, fore_zigzag(m->op));
    fore_results_number(out, m->answers);
    fore_results_number(out, m->goes_on);
    fore_results_number(out, m->link);
}

static struct fore_recv get_move(struct fore_bytes_in *in)
{
    struct fore_recv m = {.id = fore_varint_get(in)};
    m.how = (enum fore_how)fore_varint_get(in);
    m.actor = fore_unzigzag(fore_varint_get(in));
    m.cut = fore_unzigzag(fore_varint_get(in));
    m.op = (int32_t)fore_unzigzag(fore_varint_get(in));
    m.answers = fore_varint_get(in);
    m.goes_on = fore_varint_get(in);
    m.link = fore_varint_get(in);
    return m;
}

static uint64_t count_children(const struct fore_wakeup *n)
{
    uint64_t count = 0;
    for (const struct fore_wakeup *c = n->child; c; c = c->next)
        count++;
    return count;
}

/* What is below a leaf, and below `current`, is not for others to know. */
static void put_children(struct fore_strbuf *out, const struct fore_wakeup *n,
                         const struct fore_wakeup *current)
{
    fore_results_number(out, count_children(n));
    for (const struct fore_wakeup *c = n->child; c; c = c->next) {
        put_move(out, &c->move);
        fore_results_number(out, (c->started ? STARTED : 0u) | (c->leaf ? LEAF : 0u) |
                                     (c == current ? CURRENT : 0u));
        if (!c->leaf && c != current)
            put_children(out, c, NULL);
    }
}

/* Adds what `n` does not have yet: children are only added, behind the others. Returns the one
 * that is current. */
static struct fore_wakeup *get_children(struct fore_tree_rank *r, struct fore_wakeup *n,
                                        struct fore_bytes_in *in)
{
    struct fore_wakeup *c = n->child, *current = NULL;
    for (uint64_t left = fore_varint_get(in); left && !in->bad; left--) {
        struct fore_recv m = get_move(in);
        uint64_t flags = fore_varint_get(in);
        if (!c)
            c = fore_wakeup_append(&r->k.pool, n, &m);
        FORE_BUG_IF(!fore_recv_is(&c->move, &m));
        c->started = flags & STARTED;
        atomic_store(&c->leaf, (flags & LEAF) != 0);
        if (flags & CURRENT)
            current = c;
        else if (!(flags & LEAF))
            get_children(r, c, in);
        c = c->next;
    }
    return current;
}

/* The states of the path from its `from`-th to before its `to`-th. */
static void put_states(struct fore_tree_rank *r, uint32_t from, uint32_t to)
{
    const struct fore_tree_worker *k = &r->k;
    fore_results_number(&r->out, to - from);
    for (uint32_t i = from; i < to; i++)
        put_children(&r->out, k->path.at[i].node,
                     i + 1 < k->path.n ? k->path.at[i + 1].node : NULL);
}

/* ---- a rank besides the first ---- */

static void send_plan(struct fore_tree_worker *k, uint32_t i)
{
    struct fore_tree_rank *r = k->others;
    uint64_t hash = i;
    bool fresh;
    for (size_t q = 0; q < k->v.n; q++)
        hash = fore_hash_mix(hash, fore_hash_mix(k->v.at[q].id, k->v.at[q].how));
    if (fore_tree_covers(k, i))
        return;
    fore_map_put(&r->told, hash, &fresh);
    if (!fresh)
        return;
    begin_message(r, 0, 'P');
    fore_results_number(&r->out, i);
    fore_results_number(&r->out, k->v.n);
    for (size_t q = 0; q < k->v.n; q++)
        put_move(&r->out, &k->v.at[q]);
    send_message(r, 0);
}

static void give_states(struct fore_tree_worker *k)
{
    struct fore_tree_rank *r = k->others;
    uint32_t i = r->wanted ? fore_tree_waiting(k) : (uint32_t)k->path.n;
    if (i == k->path.n)
        return;
    begin_message(r, 0, 'G');
    put_states(r, k->shared, i + 1);
    send_message(r, 0);
    k->shared = i + 1;
    r->wanted = false;
}

static void take_task(struct fore_tree_rank *r, struct fore_bytes_in *in)
{
    struct fore_wakeup *node = r->root;
    fore_wakeup_clear(&r->k.pool, r->root);
    fore_map_clear(&r->told);
    r->wanted = false;
    r->task = fore_varint_get(in);
    for (uint64_t depth = fore_varint_get(in); depth; depth--) {
        node = get_children(r, node, in);
        FORE_BUG_IF(in->bad || !node);
    }
    r->unborn = !fore_tree_go_to(&r->k, node);
}

static void take_update(struct fore_tree_rank *r, struct fore_bytes_in *in)
{
    uint64_t task = fore_varint_get(in), state = fore_varint_get(in);
    if (task == r->task && state < r->k.shared)
        get_children(r, r->k.path.at[state].node, in);
}

/* All that is left to explore, for a resume, and what was found. */
static void send_rest(struct fore_tree_rank *r)
{
    struct fore_tree_worker *k = &r->k;
    bool left = k->path.n > k->shared && !r->unborn;
    struct fore_wakeup *last = left ? fore_tree_step_back(k) : NULL;
    bool tip = last && k->path.n == k->shared + 1;
    if (last)
        last->started = false;
    begin_message(r, 0, 'F');
    fore_results_number(&r->out, r->unborn || tip);
    put_states(r, left && !tip ? k->shared : 0, left && !tip ? (uint32_t)k->path.n : 0);
    fore_results_pack(k->s, &r->out);
    send_message(r, 0);
    r->over = true;
}

/* ---- the first rank ---- */

/* How deep it is in the tree. */
static uint32_t depth_of(const struct fore_wakeup *n)
{
    uint32_t depth = 0;
    for (; n->parent; n = n->parent)
        depth++;
    return depth;
}

static struct fore_wakeup *ancestor_at(struct fore_wakeup *n, uint32_t depth)
{
    for (uint32_t at = depth_of(n); at > depth; at--)
        n = n->parent;
    return n;
}

static void plan_here(struct fore_tree_rank *r, struct fore_wakeup *at,
                      const struct fore_wakeup *current, struct fore_recv *v, size_t n)
{
    struct fore_wakeup *grown =
        fore_tree_insert(&r->k.pool, at, current, v, n, r->k.s->opt->dependence);
    if (grown)
        fore_vec_push(&r->given->v, grown);
}

static void plan_own(struct fore_tree_worker *k, uint32_t i)
{
    plan_here(k->others, k->path.at[i - 1].node, k->path.at[i].node, k->v.at, k->v.n);
}

static void offer_own(struct fore_tree_worker *k)
{
    struct fore_tree_rank *r = k->others;
    uint32_t i;
    if (!r->hungry || fore_tree_next_given(r->given) ||
        (i = fore_tree_waiting(k)) == k->path.n)
        return;
    k->shared = i + 1;
    fore_vec_push(&r->given->v, k->path.at[i].node);
}

static void take_plan(struct fore_tree_rank *r, uint32_t from, struct fore_bytes_in *in)
{
    uint32_t step = (uint32_t)fore_varint_get(in);
    FORE_VEC(struct fore_recv) v = {0};
    for (uint64_t n = fore_varint_get(in); n && !in->bad; n--)
        fore_vec_push(&v, get_move(in));
    struct fore_wakeup *current = ancestor_at(r->peers[from].tip, step);
    plan_here(r, current->parent, current, v.at, v.n);
    fore_vec_release(&v);
    if (r->ending)
        return; /* it does not listen any more */
    begin_message(r, from, 'U');
    fore_results_number(&r->out, r->peers[from].task);
    fore_results_number(&r->out, step - 1);
    put_children(&r->out, current->parent, current);
    send_message(r, from);
}

static void take_states(struct fore_tree_rank *r, uint32_t from, struct fore_bytes_in *in)
{
    struct fore_wakeup *node = r->peers[from].tip;
    for (uint64_t n = fore_varint_get(in); n && !in->bad; n--) {
        fore_vec_push(&r->given->v, node);
        node = get_children(r, node, in);
        FORE_BUG_IF(!node && n > 1);
    }
    r->peers[from].tip = node;
    if (r->peers[from].asked)
        r->asked--;
    r->peers[from].asked = false;
}

static void set_idle(struct fore_tree_rank *r, uint32_t rank)
{
    struct peer *p = &r->peers[rank];
    r->asked -= p->asked;
    r->hungry += p->busy;
    p->asked = p->busy = false;
}

static void take_rest(struct fore_tree_rank *r, uint32_t from, struct fore_bytes_in *in)
{
    struct peer *p = &r->peers[from];
    if (fore_varint_get(in))
        p->tip->started = false;
    take_states(r, from, in);
    fore_strbuf_add(&p->results, in->at, (size_t)(in->end - in->at));
    p->over = true;
}

static void send_task(struct fore_tree_rank *r, uint32_t to, struct fore_wakeup *node)
{
    struct peer *p = &r->peers[to];
    uint32_t depth = depth_of(node);
    begin_message(r, to, 'T');
    fore_results_number(&r->out, ++p->task);
    fore_results_number(&r->out, depth);
    for (uint32_t i = 1; i <= depth; i++) {
        const struct fore_wakeup *current = ancestor_at(node, i);
        put_children(&r->out, current->parent, current);
    }
    send_message(r, to);
    p->tip = node;
    p->busy = true;
    r->hungry--;
}

static bool is_at_work(const struct fore_tree_rank *r)
{
    return r->k.path.n > r->k.shared;
}

/* Whatever waits goes to those that have nothing to do; if nothing does, others are asked. */
static void deal_out(struct fore_tree_rank *r)
{
    struct fore_wakeup *next;
    if (!is_at_work(r) && (next = fore_tree_next_given(r->given))) {
        next = fore_tree_start_chain(r->given, next);
        fore_tree_leave(&r->k);
        if (!fore_tree_go_to(&r->k, next))
            next->started = false;
    }
    for (uint32_t i = 1; i < r->t->ranks && r->hungry; i++)
        if (!r->peers[i].busy && (next = fore_tree_next_given(r->given)))
            send_task(r, i, fore_tree_start_chain(r->given, next));
    for (uint32_t i = 1; i < r->t->ranks && r->asked < r->hungry; i++)
        if (r->peers[i].busy && !r->peers[i].asked) {
            send_word(r, i, 'H');
            r->peers[i].asked = true;
            r->asked++;
        }
}

/* ---- both ---- */

static void take_message(struct fore_tree_rank *r, char kind, uint32_t from,
                         struct fore_bytes_in *in)
{
    switch (kind) {
    case 'T':
        take_task(r, in);
        break;
    case 'U':
        take_update(r, in);
        break;
    case 'H':
        r->wanted = true;
        break;
    case 'X':
        send_rest(r);
        break;
    case 'I':
        set_idle(r, from);
        break;
    case 'P':
        take_plan(r, from, in);
        break;
    case 'G':
        take_states(r, from, in);
        break;
    case 'S':
        r->stopped = true;
        break;
    case 'F':
        take_rest(r, from, in);
        break;
    default:
        FORE_BUG_IF(true);
    }
    FORE_BUG_IF(in->bad);
}

/* False if it comes too early. */
static bool take_in_order(struct fore_tree_rank *r, const struct fore_strbuf *m)
{
    struct fore_bytes_in in = {m->at + 1, m->at + m->n, false};
    uint32_t from = (uint32_t)fore_varint_get(&in);
    uint64_t number = fore_varint_get(&in);
    FORE_BUG_IF(in.bad || from >= r->t->ranks);
    if (number != r->peers[from].came)
        return false;
    r->peers[from].came++;
    take_message(r, m->at[0], from, &in);
    return true;
}

static bool take_early(struct fore_tree_rank *r)
{
    for (size_t i = 0; i < r->early.n; i++) {
        struct fore_strbuf m = r->early.at[i];
        if (!take_in_order(r, &m))
            continue;
        fore_strbuf_release(&m);
        r->early.at[i] = fore_vec_last(&r->early);
        r->early.n--;
        return true;
    }
    return false;
}

static bool talk_to_ranks(struct fore_tree_rank *r)
{
    bool any = false;
    while (!r->over && r->t->receive(r->t, &r->in)) {
        any = true;
        if (!take_in_order(r, &r->in)) {
            fore_vec_push(&r->early, r->in);
            r->in = (struct fore_strbuf)FORE_STRBUF_INIT;
        }
        while (take_early(r))
            continue;
    }
    return any;
}

static void merge_ranks(struct fore_tree_rank *r)
{
    for (uint32_t i = 1; i < r->t->ranks; i++) {
        const struct fore_strbuf *m = &r->peers[i].results;
        struct fore_bytes_in in = {m->at, m->at + m->n, false};
        FORE_BUG_IF(!fore_results_merge(r->k.s, &in));
    }
}

/* Tells all that it is over, and waits for what they have. */
static bool end_search(struct fore_tree_rank *r)
{
    bool all = true;
    for (uint32_t i = 1; i < r->t->ranks; i++) {
        if (!r->ending)
            send_word(r, i, 'X');
        all &= r->peers[i].over;
    }
    r->ending = true;
    if (all)
        merge_ranks(r);
    return all;
}

static bool turn_of_first(struct fore_tree_rank *r, bool talked)
{
    struct fore_explorer *s = r->k.s;
    r->stopped |= s->stop;
    if (!r->stopped && !r->ending) {
        if (is_at_work(r))
            fore_tree_explore(&r->k, r->portion);
        deal_out(r);
        bool busy = is_at_work(r) || r->hungry < r->t->ranks - 1;
        if (busy && (is_at_work(r) || talked))
            return true;
        if (busy) {
            fore_explorer_poll(s);
            r->t->idle(r->t);
            return true;
        }
    }
    if (!r->over && end_search(r))
        r->over = true;
    else if (!talked)
        r->t->idle(r->t);
    return !r->over;
}

static bool turn_of_other(struct fore_tree_rank *r, bool talked)
{
    struct fore_explorer *s = r->k.s;
    if (r->over)
        return false;
    if (s->stop && !r->stopped) {
        send_word(r, 0, 'S');
        r->stopped = true;
    }
    if (!s->stop && is_at_work(r)) {
        fore_tree_explore(&r->k, r->portion);
        if (!is_at_work(r) && !s->stop) {
            fore_tree_leave(&r->k);
            send_word(r, 0, 'I');
        }
    } else if (!talked) {
        fore_explorer_poll(s);
        r->t->idle(r->t);
    }
    return true;
}

bool fore_tree_rank_turn(struct fore_tree_rank *r)
{
    bool talked = talk_to_ranks(r);
    if (r->t->lost(r->t) >= 0) {
        r->k.s->row.bound = FORE_BOUND_LOST;
        r->stopped = true;
        return false;
    }
    return r->t->rank ? turn_of_other(r, talked) : turn_of_first(r, talked);
}

struct fore_tree_rank *fore_tree_rank_new(struct fore_explorer *s,
                                          struct fore_transport *t,
                                          struct fore_wakeup *root,
                                          struct fore_wakeup_list *given,
                                          uint64_t portion)
{
    struct fore_tree_rank *r = fore_calloc(1, sizeof *r);
    *r = (struct fore_tree_rank){.t = t,
                                 .root = root,
                                 .given = given,
                                 .portion = portion,
                                 .hungry = t->ranks - 1,
                                 .in = FORE_STRBUF_INIT,
                                 .out = FORE_STRBUF_INIT};
    r->k = (struct fore_tree_worker){.s = s,
                                     .plan = t->rank ? send_plan : plan_own,
                                     .offer = t->rank ? give_states : offer_own,
                                     .others = r};
    r->peers = fore_calloc(t->ranks, sizeof *r->peers);
    for (uint32_t i = 0; i < t->ranks; i++)
        r->peers[i].results = (struct fore_strbuf)FORE_STRBUF_INIT;
    if (!t->rank && !root->child) {
        fore_vec_clear(&given->v); /* it is this rank's until it gives something away */
        fore_tree_begin(&r->k, root);
    }
    return r;
}

static bool waits_below(const struct fore_wakeup *n)
{
    for (const struct fore_wakeup *c = n->child; c; c = c->next)
        if (!c->started || waits_below(c))
            return true;
    return false;
}

bool fore_tree_rank_free(struct fore_tree_rank *r)
{
    bool first = !r->t->rank, at_work = first && is_at_work(r);
    struct fore_wakeup *last = at_work ? fore_tree_step_back(&r->k) : NULL;
    if (last)
        last->started = false;
    bool left = first && r->stopped && (at_work || waits_below(r->root));
    for (uint32_t i = 0; i < r->t->ranks; i++)
        fore_strbuf_release(&r->peers[i].results);
    for (size_t i = 0; i < r->early.n; i++)
        fore_strbuf_release(&r->early.at[i]);
    fore_vec_release(&r->early);
    fore_strbuf_release(&r->in);
    fore_strbuf_release(&r->out);
    fore_map_release(&r->told);
    fore_free(r->peers);
    fore_tree_release(&r->k);
    fore_free(r);
    return left;
}
