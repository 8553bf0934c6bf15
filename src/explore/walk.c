#include "explore/walk.h"

#include "base/bitset.h"
#include "explore/frontier.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static uint64_t *explored_set(struct fore_walk *k, uint32_t step)
{
    return k->words.at + k->path.at[step - 1].sets;
}

static uint64_t *backtrack_set(struct fore_walk *k, uint32_t step)
{
    const struct fore_walk_state *at = &k->path.at[step - 1];
    return k->words.at + at->sets + at->words;
}

void fore_walk_add(struct fore_walk *k, uint32_t step, uint32_t msg)
{
    struct fore_walk_state *at = &k->path.at[step - 1];
    if ((k->rule->freezes && at->frozen) || fore_bit_has(backtrack_set(k, step), msg))
        return;
    at->frozen = true;
    fore_bit_add(backtrack_set(k, step), msg);
}

bool fore_walk_add_since(struct fore_walk *k, uint32_t i, uint32_t j)
{
    const struct fore_actors *w = &k->s->world;
    for (uint32_t b = i + 1; b < j; b++) {
        uint32_t msg = w->steps.at[b - 1].msg;
        if (fore_actors_was_pending(w, msg, i) &&
            !fore_bit_has(explored_set(k, i), msg) &&
            !fore_bit_has(backtrack_set(k, i), msg)) {
            fore_walk_add(k, i, msg);
            return true;
        }
    }
    return false;
}

bool fore_same_actor(const struct fore_actors *w, uint32_t i, uint32_t j)
{
    return w->steps.at[i - 1].slot == w->steps.at[j - 1].slot;
}

bool fore_sender_received(const struct fore_actors *w, uint32_t i, uint32_t j)
{
    return w->msgs.at[w->steps.at[j - 1].msg].r.from ==
           w->msgs.at[w->steps.at[i - 1].msg].r.to;
}

static void enter_state(struct fore_walk *k)
{
    const struct fore_actors *w = &k->s->world;
    size_t words = FORE_BITSET_WORDS(w->msgs.n);
    struct fore_walk_state at = {.sets = k->words.n, .words = words};
    if (k->path.n)
        at.delays = fore_vec_last(&k->path).delays;
    memset(fore_vec_extend(&k->words, 2 * words), 0, 2 * words * sizeof(uint64_t));
    uint64_t *backtrack = k->words.at + at.sets + words;
    bool whole = k->rule->everything || (k->rule->root_whole && !k->path.n);
    for (uint32_t m = fore_actors_first(w); m; m = fore_actors_next(w, m)) {
        fore_bit_add(backtrack, m);
        if (!whole)
            break;
    }
    fore_vec_push(&k->path, at);
}

static void leave_state(struct fore_walk *k)
{
    k->words.n = fore_vec_last(&k->path).sets;
    k->path.n--;
    if (!k->path.n)
        return;
    fore_explorer_undo(k->s);
    fore_vec_last(&k->path).frozen = false;
}

/* The first receive of the actor in `slot` that is still to be explored, or 0. */
static uint32_t candidate_at(const struct fore_walk *k, uint32_t slot)
{
    const struct fore_actors *w = &k->s->world;
    const struct fore_walk_state *at = &fore_vec_last(&k->path);
    const uint64_t *explored = k->words.at + at->sets, *backtrack = explored + at->words;
    for (uint32_t m = fore_actors_first(w); m; m = fore_actors_next(w, m))
        if (w->msgs.at[m].slot == slot && fore_bit_has(backtrack, m) &&
            !fore_bit_has(explored, m))
            return m;
    return 0;
}

static bool anything_left(const struct fore_walk *k)
{
    const struct fore_walk_state *at = &fore_vec_last(&k->path);
    const uint64_t *explored = k->words.at + at->sets, *backtrack = explored + at->words;
    for (size_t i = 0; i < at->words; i++)
        if (backtrack[i] & ~explored[i])
            return true;
    return false;
}

/* How many agents to skip: at random, within what the budget leaves on this path. */
static uint32_t draw_delay(struct fore_walk *k)
{
    struct fore_walk_state *at = &fore_vec_last(&k->path);
    if (!k->rule->delays || at->delays >= k->s->opt->delays)
        return 0;
    uint32_t left = k->s->opt->delays - at->delays;
    uint32_t d = (uint32_t)fore_rng_below(&k->s->rng, left + 1);
    at->delays += d;
    return d;
}

/* Round robin over the actors, 2, 3, …, 1. The cursor moves at every look, also at the one
 * that finds nothing. */
static uint32_t pick_message(struct fore_walk *k)
{
    size_t actors = k->s->world.actors.n;
    if (!anything_left(k)) {
        k->cursor++;
        return 0;
    }
    for (uint32_t skip = draw_delay(k);;) {
        uint32_t m = candidate_at(k, (uint32_t)((k->cursor++ + 1) % actors));
        if (m && !skip)
            return m;
        skip -= m != 0;
    }
}

/* Goes back from what was received to what may have caused it, as long as that came after i;
 * the first cause is added. */
static void add_cause(struct fore_walk *k, uint32_t i, uint32_t j)
{
    const struct fore_actors *w = &k->s->world;
    uint32_t root = j;
    for (uint32_t b = j - 1; b > i; b--)
        if (k->rule->did_enable(w, b, root))
            root = b;
    uint32_t msg = w->steps.at[root - 1].msg;
    if (root != j && fore_actors_was_pending(w, msg, i))
        fore_walk_add(k, i, msg);
}

/* The latest earlier step that the last one depends on gets another receive to explore. */
static void backtrack_step(struct fore_walk *k)
{
    const struct fore_actors *w = &k->s->world;
    uint32_t j = (uint32_t)w->steps.n;
    for (uint32_t i = j - 1; i; i--) {
        if (!k->rule->are_dependent(w, i, j))
            continue;
        uint32_t msg = w->steps.at[j - 1].msg;
        if (fore_actors_was_pending(w, msg, i))
            fore_walk_add(k, i, msg);
        else if (k->rule->add)
            k->rule->add(k, i, j);
        else
            add_cause(k, i, j);
        return;
    }
}

static void advance_path(struct fore_walk *k, uint32_t msg, enum fore_how how)
{
    struct fore_walk_state *at = &fore_vec_last(&k->path);
    at->msg = msg;
    at->how = how;
    fore_bit_add(k->words.at + at->sets, msg);
    fore_explorer_step(k->s, msg, how);
    if (!k->rule->everything)
        backtrack_step(k);
    enter_state(k);
}

/* The other ways in which the message explored last can be received. */
static enum fore_how other_way(const struct fore_walk *k)
{
    const struct fore_walk_state *at = &fore_vec_last(&k->path);
    return at->msg ? fore_explorer_next_how(k->s, at->msg, at->how) : FORE_HOWS;
}

/* "state MSG HOW FROZEN DELAYS" and the two sets, for each state on the path. */
static void save_walk(const struct fore_walk *k, struct fore_strbuf *out)
{
    fore_frontier_write(k->s, out);
    fore_strbuf_printf(out, "cursor %zu\n", k->cursor);
    for (size_t i = 0; i < k->path.n; i++) {
        const struct fore_walk_state *at = &k->path.at[i];
        fore_strbuf_printf(out, "state %u %d %d %u", at->msg, (int)at->how, at->frozen,
                           at->delays);
        for (size_t w = 0; w < 2 * at->words; w++)
            fore_strbuf_printf(out, " %llx",
                               (unsigned long long)k->words.at[at->sets + w]);
        fore_strbuf_putc(out, '\n');
    }
}

/* The file is of this system and harness if the steps fit; if they do not, what is on the path
 * by then is explored. */
static void load_path(struct fore_walk *k)
{
    const char *at = k->s->resume, *line = fore_frontier_line(&at, "cursor");
    if (line)
        k->cursor = strtoul(line, NULL, 10);
    while ((line = fore_frontier_line(&at, "state"))) {
        if (k->path.n) {
            struct fore_walk_state *last = &fore_vec_last(&k->path);
            if (!last->msg || last->msg >= k->s->world.msgs.n ||
                k->s->world.msgs.at[last->msg].received_by ||
                !fore_actors_receivable(&k->s->world, last->msg) ||
                !fore_actors_allows(&k->s->world, last->msg, last->how))
                return;
            fore_explorer_step(k->s, last->msg, last->how);
        }
        enter_state(k);
        struct fore_walk_state *now = &fore_vec_last(&k->path);
        char *rest;
        now->msg = (uint32_t)strtoul(line, &rest, 10);
        now->how = (enum fore_how)strtoul(rest, &rest, 10);
        now->frozen = strtoul(rest, &rest, 10) != 0;
        now->delays = (uint32_t)strtoul(rest, &rest, 10);
        for (size_t w = 0; w < 2 * now->words; w++)
            k->words.at[now->sets + w] = strtoull(rest, &rest, 16);
    }
}

/* If every branch that is left were as large as those that are done. */
static uint64_t estimate_walk(const struct fore_explorer *s)
{
    const struct fore_walk *k = s->search;
    double done = 0, weight = 1;
    for (size_t i = 0; i < k->path.n; i++) {
        const struct fore_walk_state *at = &k->path.at[i];
        const uint64_t *explored = k->words.at + at->sets;
        size_t all = fore_bits_count(explored + at->words, at->words);
        size_t begun = fore_bits_count(explored, at->words);
        if (!all || !begun)
            break;
        weight /= (double)all;
        done += weight * (double)(begun - 1);
    }
    return done > 0 ? (uint64_t)((double)s->row.schedules / done) : 0;
}

/* Somebody else explores what begins so, or counts the schedule that ends here. */
static bool leave_to_others(struct fore_walk *k)
{
    uint32_t split = fore_explorer_split(k->s), depth = fore_explorer_depth(k->s);
    bool ends = depth < split && fore_explorer_next(k->s) == FORE_NEXT_END;
    if (!split || (depth != split && !ends) || fore_explorer_is_mine(k->s))
        return false;
    leave_state(k);
    return true;
}

void fore_walk_run(struct fore_explorer *s)
{
    struct fore_walk k = {.s = s, .rule = s->opt->scheduler};
    s->estimate = estimate_walk;
    s->search = &k;
    if (s->resume)
        load_path(&k);
    else
        enter_state(&k);
    while (k.path.n && !s->stop) {
        bool fresh = !fore_vec_last(&k.path).msg;
        if (fresh && leave_to_others(&k))
            continue;
        enum fore_how how = other_way(&k);
        if (how < FORE_HOWS) {
            advance_path(&k, fore_vec_last(&k.path).msg, how);
        } else if (fresh && fore_explorer_next(s) == FORE_NEXT_END) {
            fore_explorer_end(s);
            leave_state(&k);
        } else {
            uint32_t msg = pick_message(&k);
            if (msg)
                advance_path(&k, msg, FORE_DELIVER);
            else
                leave_state(&k);
        }
    }
    s->estimate = NULL;
    if (s->save && k.path.n)
        save_walk(&k, s->save);
    fore_vec_release(&k.path);
    fore_vec_release(&k.words);
}

#define ROW(name) &fore_scheduler_##name,
const struct fore_scheduler *const fore_schedulers[] = {FORE_SCHEDULERS(ROW) NULL};

const struct fore_scheduler *fore_scheduler_find(const char *name)
{
    for (size_t i = 0; fore_schedulers[i]; i++)
        if (!strcasecmp(fore_schedulers[i]->name, name))
            return fore_schedulers[i];
    return NULL;
}
