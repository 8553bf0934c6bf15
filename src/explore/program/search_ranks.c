/* Messages: O the options, from rank 0 · B a beginning, to its rank · Q how far are you? · A the answer ·
 * N a failure · E it is over · R results · Z so many beginnings were sent to you: leave when they have come.
 *
 * Nothing is left to try when two rounds of questions one after the other bring the same answer: nobody
 * has anything, and as many beginnings have come as were sent. */
#include "explore/program/search_ranks.h"

#include "base/mem.h"
#include "base/progress.h"
#include "explore/program/search_results.h"
#include "explore/results.h"
#include "explore/transport.h"

#include <string.h>

#define ASK_NS 20000000 /* between rounds of questions */

struct rank_sums {
    uint64_t sent, came, answers;
    bool quiet; /* guided has nothing to try on any rank */
    bool idle;  /* no rank runs anything, or can */
    bool plain; /* every run could be analysed as a whole, and time decides nothing */
};

struct search_ranks {
    struct fore_transport *t;
    uint64_t *sent, came,
        wait_for; /* beginnings: sent to each rank; arrived; that will have arrived */
    struct fore_map handed; /* to others, by hash */
    struct rank_sums now, before;
    uint64_t asked_ns, wave;
    bool asking, ended, left;
    /* the search ended because guided has nothing to try on any rank */
    bool nothing_left;
    bool out_of_runs;
    char *options; /* the first rank's */
    struct fore_strbuf in, out;
    struct fore_strbuf *results; /* by rank */
    bool *over;                  /* by rank: whether its results came */
    bool busy;
};

/* ---- numbers ---- */

static void begin_message(struct search_ranks *r, char kind)
{
    fore_strbuf_clear(&r->out);
    fore_strbuf_putc(&r->out, kind);
}

static void send_message(struct search_ranks *r, uint32_t to)
{
    r->t->send(r->t, to, r->out.at, r->out.n);
}

static void send_to_all(struct search_ranks *r)
{
    for (uint32_t i = 0; i < r->t->ranks; i++)
        if (i != r->t->rank)
            send_message(r, i);
}

uint64_t fore_search_ranks_run(const struct search_state *st)
{
    return st->ranks ? st->started * st->ranks->t->ranks + st->ranks->t->rank + 1
                     : st->started + 1;
}

bool fore_search_ranks_ended(const struct search_state *st)
{
    return st->ranks && st->ranks->ended;
}

/* ---- beginnings ---- */

static void send_beginning(struct search_ranks *r, uint32_t owner,
                           const struct fore_beginning *x, uint64_t seed)
{
    begin_message(r, 'B');
    fore_results_number(&r->out, x->hash);
    fore_results_number(&r->out, x->pair);
    fore_results_number(&r->out, x->preemptions);
    fore_results_number(&r->out, x->dull);
    fore_results_number(&r->out, seed);
    fore_search_put_text(&r->out, x->schedule);
    send_message(r, owner);
    r->sent[owner]++;
}

void fore_search_ranks_hand_over(struct search_state *st, struct fore_beginnings *b,
                                 uint64_t seed)
{
    struct search_ranks *r = st->ranks;
    size_t kept = 0;
    for (size_t i = 0; r && i < b->v.n; i++) {
        struct fore_beginning *x = &b->v.at[i];
        uint32_t owner = (uint32_t)(x->hash % r->t->ranks);
        bool fresh;
        if (owner == r->t->rank) {
            b->v.at[kept++] = *x;
            continue;
        }
        fore_map_put(&r->handed, x->hash, &fresh);
        if (fresh && !r->ended)
            send_beginning(r, owner, x, seed);
        fore_free(x->schedule);
    }
    if (r)
        b->v.n = kept;
}

static void take_beginning(struct search_state *st, struct fore_bytes_in *in)
{
    struct fore_beginnings b = {0};
    struct fore_beginning x = {.hash = fore_varint_get(in)};
    x.pair = fore_varint_get(in);
    x.preemptions = (uint32_t)fore_varint_get(in);
    x.dull = fore_varint_get(in);
    uint64_t seed = fore_varint_get(in);
    x.schedule = fore_search_get_text(in);
    fore_vec_push(&b.v, x);
    st->whole &= fore_tries_add(&st->tries, &b, seed);
    fore_beginnings_release(&b);
    st->ranks->came++;
}

/* ---- is anything left? ---- */

/* Adds this rank's progress to `s`. */
static void add_own(const struct search_state *st, struct rank_sums *s)
{
    const struct search_ranks *r = st->ranks;
    for (uint32_t i = 0; i < r->t->ranks; i++)
        s->sent += r->sent[i];
    s->came += r->came;
    s->answers++;
    s->quiet &= st->first && !st->tries.heap.n && !st->guided_out;
    s->idle &= !r->busy;
    s->plain &= st->whole && !st->timed;
}

static void answer_question(struct search_state *st, uint64_t wave)
{
    struct search_ranks *r = st->ranks;
    struct rank_sums own = {.quiet = true, .idle = true, .plain = true};
    add_own(st, &own);
    begin_message(r, 'A');
    fore_results_number(&r->out, wave);
    fore_results_number(&r->out, own.sent);
    fore_results_number(&r->out, own.came);
    fore_results_number(&r->out, own.quiet);
    fore_results_number(&r->out, own.idle);
    fore_results_number(&r->out, own.plain);
    send_message(r, 0);
}

static void end_all(struct search_ranks *r)
{
    if (!r->ended) {
        begin_message(r, 'E');
        send_to_all(r);
    }
    r->ended = true;
}

/* On rank 0: all ranks have answered. */
static void compare_answers(struct search_state *st)
{
    struct search_ranks *r = st->ranks;
    add_own(st, &r->now);
    bool still = r->now.sent == r->now.came && r->before.sent == r->now.sent &&
                 r->before.came == r->now.came;
    bool guided = st->s->uses[FORE_SEARCH_GUIDED];
    if (guided && still && r->before.quiet && r->now.quiet && r->now.plain) {
        r->nothing_left = true;
        end_all(r);
    } else if (still && r->before.idle && r->now.idle) {
        r->nothing_left = guided && r->now.quiet;
        r->out_of_runs = !r->nothing_left;
        end_all(r);
    }
    r->before = r->now;
    r->asking = false;
    r->asked_ns = fore_now_ns();
}

static void take_answer(struct search_state *st, struct fore_bytes_in *in)
{
    struct rank_sums *s = &st->ranks->now;
    if (fore_varint_get(in) != st->ranks->wave)
        return;
    s->sent += fore_varint_get(in);
    s->came += fore_varint_get(in);
    s->quiet &= fore_varint_get(in) != 0;
    s->idle &= fore_varint_get(in) != 0;
    s->plain &= fore_varint_get(in) != 0;
    if (++s->answers == st->ranks->t->ranks - 1)
        compare_answers(st);
}

static void ask_now_and_then(struct search_state *st)
{
    struct search_ranks *r = st->ranks;
    if (r->t->rank || r->asking || r->ended || fore_now_ns() - r->asked_ns < ASK_NS)
        return;
    r->now = (struct rank_sums){.quiet = true, .idle = true, .plain = true};
    r->asking = true;
    begin_message(r, 'Q');
    fore_results_number(&r->out, ++r->wave);
    send_to_all(r);
    if (r->t->ranks == 1)
        compare_answers(st);
}

/* ---- talk ---- */

static void take_message(struct search_state *st, struct fore_bytes_in *in, char kind)
{
    struct search_ranks *r = st->ranks;
    if (kind == 'B') {
        take_beginning(st, in);
    } else if (kind == 'Q') {
        answer_question(st, fore_varint_get(in));
    } else if (kind == 'A') {
        take_answer(st, in);
    } else if (kind == 'N') {
        end_all(r);
    } else if (kind == 'E') {
        r->ended = true;
    } else if (kind == 'Z') {
        r->wait_for = fore_varint_get(in);
        r->left = true;
    } else if (kind == 'R') {
        uint64_t from = fore_varint_get(in);
        FORE_BUG_IF(from >= r->t->ranks);
        fore_strbuf_add(&r->results[from], in->at, (size_t)(in->end - in->at));
        r->over[from] = true;
        end_all(r); /* if it has an error, or no time left */
    }
}

static bool take_messages(struct search_state *st)
{
    struct search_ranks *r = st->ranks;
    bool any = false;
    while (r->t->receive(r->t, &r->in)) {
        struct fore_bytes_in in = {r->in.at + 1, r->in.at + r->in.n, false};
        take_message(st, &in, r->in.at[0]);
        any = true;
    }
    return any;
}

bool fore_search_ranks_talk(struct search_state *st, bool busy)
{
    struct search_ranks *r = st->ranks;
    if (!r)
        return !busy;
    r->busy = busy;
    bool talked = take_messages(st);
    bool enough = fore_search_is_enough(st);
    if (enough && !r->t->rank)
        end_all(r);
    if (enough && !r->ended) {
        begin_message(r, 'N');
        send_message(r, 0);
        r->ended = true;
    }
    ask_now_and_then(st);
    if (!busy && !r->ended && !talked)
        r->t->idle(r->t);
    return r->ended && !busy;
}

/* ---- beginning and end ---- */

/* Makes all ranks use the first rank's options, so that the clock of all programs begins at the
 * same time. */
static void agree_on_options(struct search_state *st)
{
    struct search_ranks *r = st->ranks;
    begin_message(r, 'O');
    fore_search_put_text(&r->out, st->s->options);
    if (!r->t->rank)
        send_to_all(r);
    while (r->t->rank) {
        if (!r->t->receive(r->t, &r->in)) {
            r->t->idle(r->t);
            continue;
        }
        struct fore_bytes_in in = {r->in.at + 1, r->in.at + r->in.n, false};
        if (r->in.at[0] != 'O') {
            take_message(st, &in, r->in.at[0]);
            continue;
        }
        r->options = fore_search_get_text(&in);
        st->s->options = r->options;
        return;
    }
}

void fore_search_ranks_join(struct search_state *st)
{
    struct fore_transport *t = st->s->transport;
    if (!t)
        return;
    struct search_ranks *r = st->ranks = fore_calloc(1, sizeof *r);
    *r = (struct search_ranks){.t = t, .in = FORE_STRBUF_INIT, .out = FORE_STRBUF_INIT};
    r->sent = fore_calloc(t->ranks, sizeof *r->sent);
    r->over = fore_calloc(t->ranks, sizeof *r->over);
    r->results = fore_calloc(t->ranks, sizeof *r->results);
    for (uint32_t i = 0; i < t->ranks; i++)
        r->results[i] = (struct fore_strbuf)FORE_STRBUF_INIT;
    st->first |= t->rank != 0; /* the first rank does the first run of guided */
    agree_on_options(st);
}

static bool all_came(const struct search_ranks *r)
{
    for (uint32_t i = 1; i < r->t->ranks; i++)
        if (!r->over[i])
            return false;
    return true;
}

static void wait_for_messages(struct search_state *st)
{
    if (!take_messages(st))
        st->ranks->t->idle(st->ranks->t);
}

/* On rank 0: all ranks have sent their results; beginnings may still be under way. */
static enum fore_status gather_all(struct search_state *st, struct fore_err *e)
{
    struct search_ranks *r = st->ranks;
    uint64_t *total = fore_calloc(r->t->ranks, sizeof *total);
    end_all(r);
    while (!all_came(r))
        wait_for_messages(st);
    memcpy(total, r->sent, r->t->ranks * sizeof *total);
    for (uint32_t i = 1; i < r->t->ranks; i++) {
        struct fore_bytes_in in = {r->results[i].at, r->results[i].at + r->results[i].n,
                                   false};
        for (uint32_t k = 0; k < r->t->ranks; k++)
            total[k] += fore_varint_get(&in);
        fore_search_get_results(st, &in, e);
    }
    for (uint32_t i = 1; i < r->t->ranks; i++) {
        begin_message(r, 'Z');
        fore_results_number(&r->out, total[i]);
        send_message(r, i);
    }
    while (r->came < total[0])
        wait_for_messages(st);
    fore_free(total);
    st->nothing_left = r->nothing_left;
    if (r->out_of_runs && !st->s->bound && st->s->runs)
        st->s->bound = FORE_SPENT_RUNS;
    return e->status;
}

enum fore_status fore_search_ranks_gather(struct search_state *st,
                                          enum fore_status status, struct fore_err *e)
{
    struct search_ranks *r = st->ranks;
    if (!r)
        return status;
    if (!r->t->rank)
        return gather_all(st, e);
    r->ended = true;
    begin_message(r, 'R');
    fore_results_number(&r->out, r->t->rank);
    for (uint32_t i = 0; i < r->t->ranks; i++)
        fore_results_number(&r->out, r->sent[i]);
    fore_search_put_results(st, status, e, &r->out);
    send_message(r, 0);
    while (!r->left || r->came < r->wait_for)
        wait_for_messages(st);
    return status;
}

void fore_search_ranks_leave(struct search_state *st)
{
    struct search_ranks *r = st->ranks;
    if (!r)
        return;
    for (uint32_t i = 0; i < r->t->ranks; i++)
        fore_strbuf_release(&r->results[i]);
    fore_free(r->results);
    fore_free(r->over);
    fore_free(r->sent);
    fore_free(r->options);
    fore_strbuf_release(&r->in);
    fore_strbuf_release(&r->out);
    fore_map_release(&r->handed);
    fore_free(r);
}
