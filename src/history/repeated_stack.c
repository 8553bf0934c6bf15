/* Decides:  linearizability of a stack, also if values repeat.
 * Sound:    yes; the order is replayed by the caller.
 * Complete: yes, within the limits.
 * Cost:     polynomial in the number of answers and of the ways in which the open operations
 *           can be divided by value; the content of the stack does not matter.
 *
 * The history is a pushdown system: its control state says which operations have taken effect, its stack is the
 * stack. What can happen above a value, until it is popped, does not depend on what is below it. So for every pair of
 * a value and the control state in which it was pushed there is one frame: the control states that are reachable
 * while the value is on top, and those in which it has just been popped. A push of the same value in the same control
 * state uses the same frame; what is below is never part of a configuration.
 *
 * Operations take effect only when the first answer that is due needs it:
 * - a pop that answers v: takes v from the top, or a push of v that is open takes effect right before it (looks that
 *   saw v come between); or what is on top is popped first;
 * - an empty answer: everything is popped first;
 * - a push: what is on top may be popped first, then other open pushes may come below it;
 * - a look at v: the same, where the last push is one of v.
 * All else can wait: it is open, and what it needs is there later too. A look whose value is on top takes effect at
 * once. Of open operations with the same request and answer, the one that answers first goes first.
 *
 * An operation that takes effect before its answer is due, so that a push can come after it, was early in vain if
 * what came after it is gone again before the answer: it could have followed. So no frame is left in favour of one
 * whose own push is still open (unless looks could have seen it), nor of a node that was reached by a pop that is
 * still open. And nothing is pushed that cannot stay as long as it must, be it for that or because nothing pops it
 * sooner: until then, every pop must find a push of its own above it. */
#include "history/foresight.h"

#include "base/rng.h"

#include <string.h>

#define NONE UINT32_MAX

/* A control state: answers passed; bits. In the upper half of the first, until the next answer
 * is passed: PUSHING if a push has come before the one that is due, POPPED plus the
 * operation if the last that took effect was a pop before its time. */
enum { AT, BITS };
enum { PUSHING = 1, POPPED = 2 };

/* One node in so many changes the style of a search by chance. */
enum { FLIP = 8 };

enum arrival { ENTRY, STEP, RETURN };

/* A control state in a frame. */
struct stack_node {
    uint32_t frame, control;
    uint32_t before;     /* STEP: the node it comes from; RETURN: the one that pushed */
    uint32_t push, exit; /* RETURN: the push, and the node of the other frame */
    uint32_t ops, n_ops; /* operations that took effect last */
    uint32_t below;      /* the next to look at on its level */
    uint8_t arrival;
};

struct stack_frame {
    uint32_t value;   /* on top; 0: the empty stack */
    uint32_t push;    /* that brought it; NONE */
    uint32_t callers; /* lists */
    uint32_t exits;
};

struct caller {
    uint32_t node, push, next;
};

struct exit {
    uint32_t control, node, pop, next;
};

struct stack {
    const struct fore_part *part;
    struct fore_search_outcome *out;
    struct fore_deeds deeds;
    struct fore_deadlines line;
    struct fore_intern controls;
    struct fore_map frame_ids, node_ids, exit_ids;
    FORE_VEC(struct stack_frame) frames;
    FORE_VEC(struct stack_node) nodes;
    FORE_VEC(struct caller) callers;
    FORE_VEC(struct exit) exits;
    FORE_VEC(uint32_t) ops;
    uint32_t *todo; /* nodes to look at, by level: see next_node */
    size_t n_todo;
    uint32_t level, furthest, round;
    size_t width;
    unsigned style; /* which choices are looked at first */
    bool by_chance; /* the style then changes from node to node */
    struct fore_rng dice;
    bool has_looks; /* at values */
    uint64_t *now;  /* the control state that is being made */
    struct fore_foresight ahead;
    uint32_t
        *best[2]; /* by value, while a node is looked at: put and take to try first */
    FORE_VEC(uint32_t) open_values; /* that have such */
    uint32_t any_take;              /* a take that never returned */
    uint32_t done;                  /* the node at the end */
};

static uint32_t passed(const uint64_t *row)
{
    return (uint32_t)row[AT];
}

static const uint64_t *row_of(const struct stack *s, uint32_t control)
{
    return (const uint64_t *)(const void *)s->controls.strings.at[control].at;
}

static bool is_used(const struct stack *s, const uint64_t *row, uint32_t op)
{
    return fore_bit_has(row + BITS, s->line.slot[op]);
}

static void use_operation(struct stack *s, uint64_t *row, uint32_t op)
{
    uint32_t at = passed(row), was = at;
    fore_deadlines_use(&s->line, row + BITS, &at, op);
    row[AT] = at == was ? row[AT] : at;
    fore_vec_push(&s->ops, op);
}

/* By levels: the answers that a node has passed. Else all are on one, the last first. */
static uint32_t level_of(const struct stack *s, const uint64_t *row)
{
    return s->style & FORE_BY_LEVELS ? passed(row) : 0;
}

static uint32_t mode_of(const uint64_t *row)
{
    return (uint32_t)(row[AT] >> 32);
}

static void set_mode(uint64_t *row, uint32_t mode)
{
    row[AT] = passed(row) | (uint64_t)mode << 32;
}

/* Has the answer of an operation not been passed yet? */
static bool is_open(const struct stack *s, const uint64_t *row, uint32_t op)
{
    return s->part->ops[op].ret >= fore_deadline(&s->line, passed(row));
}

static void note_best(struct stack *s, uint32_t op)
{
    uint32_t value = s->deeds.value[op];
    bool take = s->deeds.deed[op] == FORE_DEED_TAKE;
    uint32_t *best = &s->best[take][value];
    if (take && !value && fore_op_pending(&s->part->ops[op]))
        best = &s->any_take;
    if (*best == NONE || s->part->ops[op].ret < s->part->ops[*best].ret)
        *best = op;
    fore_vec_push(&s->open_values, value);
}

/* Of the open puts and takes that have not taken effect, for each value, the first that
 * answers; those that never returned come last. */
static void find_best(struct stack *s, const uint64_t *row)
{
    const struct fore_deadlines *d = &s->line;
    uint32_t at = passed(row);
    for (size_t i = 0; i < s->open_values.n; i++)
        s->best[0][s->open_values.at[i]] = s->best[1][s->open_values.at[i]] = NONE;
    fore_vec_clear(&s->open_values);
    s->any_take = NONE;
    for (size_t i = d->from[at]; i < d->from[at + 1]; i++)
        if (s->deeds.deed[d->open[i]] != FORE_DEED_LOOK && !is_used(s, row, d->open[i]))
            note_best(s, d->open[i]);
    for (size_t i = 0; i < d->n_pending; i++) {
        if (s->part->ops[d->pending[i]].invoke > fore_deadline(d, at))
            break;
        if (!is_used(s, row, d->pending[i]))
            note_best(s, d->pending[i]);
    }
}

/* Everything that changes nothing and saw this value on top, or nothing, takes effect. */
static void look_around(struct stack *s, uint64_t *row, uint32_t value)
{
    const struct fore_deadlines *d = &s->line;
    for (bool more = true; more && passed(row) < d->n;) {
        uint32_t at = passed(row);
        more = false;
        for (size_t i = d->from[at]; !more && i < d->from[at + 1]; i++) {
            uint32_t op = d->open[i];
            bool idle = s->deeds.deed[op] == FORE_DEED_LOOK ||
                        (s->deeds.deed[op] == FORE_DEED_TAKE && !s->deeds.value[op]);
            if (!idle || s->deeds.value[op] != value || is_used(s, row, op))
                continue;
            use_operation(s, row, op);
            set_mode(row, 0);         /* what came before it was not in vain */
            more = passed(row) != at; /* others are open then */
        }
    }
}

/* Nodes and frames. */

static void put_off(struct stack *s, struct stack_node *n, uint32_t id)
{
    uint32_t level = level_of(s, s->now);
    n->below = s->todo[level];
    s->todo[level] = id;
    s->n_todo++;
    if (level > s->furthest)
        s->furthest = level;
}

/* Begins again some levels back: half the times 1, of the others half the times 2, and so on,
 * so that mistakes of all ages get the same share of the work. */
static void step_back(struct stack *s)
{
    s->round++;
    uint32_t back = s->round & (~s->round + 1);
    s->level = s->furthest > back ? s->furthest - back : 0;
}

/* One node of each level, up to the furthest. A mistake then costs no more than the levels since
 * it was made, where the last first would look at all that can follow from it. */
static uint32_t next_node(struct stack *s)
{
    while (s->todo[s->level] == NONE)
        if (s->level++ >= s->furthest)
            step_back(s);
    uint32_t node = s->todo[s->level];
    s->todo[s->level] = s->nodes.at[node].below;
    s->n_todo--;
    if (s->level++ >= s->furthest)
        step_back(s);
    return node;
}

/* The control state in `now`, with the operations since `ops` on the way to it. */
static uint32_t add_node(struct stack *s, uint32_t frame, struct stack_node n, size_t ops)
{
    look_around(s, s->now, s->frames.at[frame].value);
    n.frame = frame;
    n.control = fore_intern(&s->controls, s->now, s->width * sizeof *s->now);
    bool fresh;
    uint64_t *id = fore_map_put(&s->node_ids, (uint64_t)frame << 32 | n.control, &fresh);
    if (!fresh) {
        s->ops.n = ops;
        return (uint32_t)*id;
    }
    *id = s->nodes.n;
    n.ops = (uint32_t)ops;
    n.n_ops = (uint32_t)(s->ops.n - ops);
    if (passed(s->now) == s->line.n)
        s->done = (uint32_t)*id;
    put_off(s, &n, (uint32_t)*id);
    fore_vec_push(&s->nodes, n);
    s->out->configs++;
    return (uint32_t)*id;
}

static void set_now(struct stack *s, uint32_t control)
{
    memcpy(s->now, row_of(s, control), s->width * sizeof *s->now);
}

/* Was the push of this frame, or the pop before the caller's push, early in vain? */
static bool is_in_vain(const struct stack *s, const struct caller *c,
                       const struct exit *x)
{
    const struct stack_node *n = &s->nodes.at[c->node];
    const uint64_t *row = row_of(s, x->control);
    uint32_t push = s->frames.at[n->frame].push, mode = mode_of(row_of(s, n->control));
    if (push != NONE && !s->has_looks && is_open(s, row, push))
        return true;
    return mode >= POPPED && is_open(s, row, mode - POPPED);
}

static void return_to(struct stack *s, const struct caller *c, const struct exit *x)
{
    uint32_t frame = s->nodes.at[c->node].frame;
    size_t ops = s->ops.n;
    if (fore_map_get(&s->node_ids, (uint64_t)frame << 32 | x->control) ||
        is_in_vain(s, c, x))
        return;
    set_now(s, x->control);
    fore_vec_push(&s->ops, x->pop);
    struct stack_node n = {
        .before = c->node, .push = c->push, .exit = x->node, .arrival = RETURN};
    add_node(s, frame, n, ops);
}

/* The value on top of `node` is popped. */
static void leave_frame(struct stack *s, uint32_t node, uint32_t pop)
{
    uint32_t frame = s->nodes.at[node].frame;
    size_t ops = s->ops.n;
    set_now(s, s->nodes.at[node].control);
    uint32_t was = passed(s->now);
    use_operation(s, s->now, pop);
    s->ops.n = ops;
    if (passed(s->now) == was)
        set_mode(s->now, POPPED + pop);
    uint32_t control = fore_intern(&s->controls, s->now, s->width * sizeof *s->now);
    bool fresh;
    fore_map_put(&s->exit_ids, (uint64_t)frame << 32 | control, &fresh);
    if (!fresh)
        return;
    struct exit x = {control, node, pop, s->frames.at[frame].exits};
    s->frames.at[frame].exits = (uint32_t)s->exits.n;
    fore_vec_push(&s->exits, x);
    for (uint32_t i = s->frames.at[frame].callers; i != NONE; i = s->callers.at[i].next) {
        struct caller c = s->callers.at[i];
        return_to(s, &c, &x);
    }
}

static uint32_t frame_at(struct stack *s, uint32_t control, uint32_t push)
{
    bool fresh;
    uint64_t *id = fore_map_put(&s->frame_ids, (uint64_t)control << 32 | push, &fresh);
    if (!fresh)
        return (uint32_t)*id;
    uint32_t frame = (uint32_t)(*id = s->frames.n);
    uint32_t value = push == NONE ? 0 : s->deeds.value[push];
    fore_vec_push(&s->frames, (struct stack_frame){value, push, NONE, NONE});
    add_node(s, frame, (struct stack_node){.arrival = ENTRY}, s->ops.n);
    return frame;
}

/* When can this value be popped, that is pushed now? Zero: at once. */
static uint32_t first_pop_of(const struct stack *s, const uint64_t *row, uint32_t value)
{
    if (s->best[1][value] != NONE || s->any_take != NONE)
        return 0;
    return fore_foresight_pop(&s->ahead, fore_deadline(&s->line, passed(row)), value);
}

/* Until when must a push on this node stay, because nobody pops it before, or lest an earlier
 * operation was early in vain? Zero: it need not. */
static uint32_t must_stay_until(const struct stack *s, uint32_t node, uint32_t value)
{
    const struct stack_node *n = &s->nodes.at[node];
    const uint64_t *row = row_of(s, n->control);
    uint32_t push = s->frames.at[n->frame].push, mode = mode_of(row), until = 0;
    if (push != NONE && !s->has_looks && is_open(s, row, push))
        until = s->part->ops[push].ret;
    if (mode >= POPPED && s->part->ops[mode - POPPED].ret > until)
        until = s->part->ops[mode - POPPED].ret;
    uint32_t pop = first_pop_of(s, row, value);
    return pop > until ? pop : until;
}

static void push_on(struct stack *s, uint32_t node, uint32_t push)
{
    const uint64_t *row = row_of(s, s->nodes.at[node].control);
    uint32_t was = passed(row);
    uint32_t until = must_stay_until(s, node, s->deeds.value[push]);
    size_t ops = s->ops.n;
    if (until && !fore_foresight_can_stay(&s->ahead, was, row + BITS, push, until))
        return;
    set_now(s, s->nodes.at[node].control);
    use_operation(s, s->now, push);
    s->ops.n = ops;
    if (passed(s->now) == was)
        set_mode(s->now, PUSHING);
    uint32_t control = fore_intern(&s->controls, s->now, s->width * sizeof *s->now);
    uint32_t frame = frame_at(s, control, push);
    struct caller c = {node, push, s->frames.at[frame].callers};
    s->frames.at[frame].callers = (uint32_t)s->callers.n;
    fore_vec_push(&s->callers, c);
    for (uint32_t i = s->frames.at[frame].exits; i != NONE; i = s->exits.at[i].next) {
        struct exit x = s->exits.at[i];
        return_to(s, &c, &x);
    }
}

/* A push and a pop of the same value, one right after the other. */
static void push_and_pop(struct stack *s, uint32_t node, uint32_t push, uint32_t pop)
{
    size_t ops = s->ops.n;
    set_now(s, s->nodes.at[node].control);
    use_operation(s, s->now, push);
    look_around(s, s->now, s->deeds.value[push]);
    use_operation(s, s->now, pop);
    add_node(s, s->nodes.at[node].frame,
             (struct stack_node){.before = node, .arrival = STEP}, ops);
}

/* Moves. */

/* Pushes that can come below the one that is due; then that one, of the value `last`. */
static void push_some(struct stack *s, uint32_t node, uint32_t last)
{
    uint32_t due = s->best[0][last];
    uint32_t mode = mode_of(row_of(s, s->nodes.at[node].control));
    uint32_t popped = mode >= POPPED ? s->deeds.value[mode - POPPED] : 0;
    FORE_VEC(uint32_t) pushes = {0};
    for (size_t i = 0; i < s->open_values.n; i++) {
        uint32_t value = s->open_values.at[i], push = s->best[0][value];
        if (push == NONE || value == last)
            continue;
        s->best[0][value] = NONE; /* once */
        /* To pop a value early and push the same early changes nothing. */
        if (value != popped && (s->has_looks || !fore_op_pending(&s->part->ops[push])))
            fore_vec_push(&pushes, push);
    }
    for (size_t i = pushes.n; s->by_chance && i > 1; i--) {
        size_t k = fore_rng_below(&s->dice, i);
        uint32_t push = pushes.at[k];
        pushes.at[k] = pushes.at[i - 1];
        pushes.at[i - 1] = push;
    }
    if (s->style & FORE_BELOW_FIRST)
        push_on(s, node, due);
    for (size_t i = 0; i < pushes.n; i++)
        push_on(s, node, pushes.at[i]);
    if (!(s->style & FORE_BELOW_FIRST))
        push_on(s, node, due);
    fore_vec_release(&pushes);
}

/* What is on top goes, by an operation that is known to have taken it, or by any. */
static void pop_top(struct stack *s, uint32_t node, uint32_t top)
{
    uint32_t any = s->any_take, known = s->best[1][top];
    if (any != NONE)
        leave_frame(s, node, any);
    if (known != NONE)
        leave_frame(s, node, known);
}

/* Is a pop of what is on top due before a value that is pushed now can be popped? */
static bool pop_is_urgent(const struct stack *s, const uint64_t *row, uint32_t top,
                          uint32_t value)
{
    uint32_t known = s->best[1][top];
    return s->style & FORE_POP_URGENT && known != NONE && value &&
           s->part->ops[known].ret < first_pop_of(s, row, value);
}

/* What is tried last is looked at first. */
static void expand_node(struct stack *s, uint32_t node)
{
    if (s->by_chance)
        s->style ^=
            fore_rng_below(&s->dice, FLIP) ? 0 : 1u << fore_rng_below(&s->dice, 3);
    uint32_t top = s->frames.at[s->nodes.at[node].frame].value;
    const uint64_t *row = row_of(s, s->nodes.at[node].control);
    uint32_t due = s->line.due[passed(row)], value = s->deeds.value[due];
    uint32_t mode = mode_of(row);
    bool take = s->deeds.deed[due] == FORE_DEED_TAKE;
    find_best(s, row);
    uint32_t push = value ? s->best[0][value] : NONE;
    bool may_pop = top && mode != PUSHING && !(take && top == value);
    bool soon = take ? s->style & FORE_DIG_FIRST : pop_is_urgent(s, row, top, value);
    if (may_pop && !soon)
        pop_top(s, node, top);
    if (top && take && top == value)
        leave_frame(s, node, due);
    else if (take && push != NONE && !mode)
        push_and_pop(s, node, push, due);
    else if (!take && push != NONE)
        push_some(s, node, value);
    if (may_pop && soon)
        pop_top(s, node, top);
}

/* The witness, from its end. */

struct piece {
    uint32_t id;
    enum { OPERATION, WITHIN, FROM_START } kind;
};

struct pieces {
    FORE_VEC(struct piece) v;
};

static void add_piece(struct pieces *p, uint32_t id, int kind)
{
    fore_vec_push(&p->v, (struct piece){id, kind});
}

/* The way to a node, from the entry of its frame or from the start. */
static void unfold(const struct stack *s, struct pieces *p, struct piece x)
{
    const struct stack_node *n = &s->nodes.at[x.id];
    if (n->arrival == ENTRY && x.kind == FROM_START) {
        uint32_t i = s->frames.at[n->frame].callers;
        if (i != NONE) {
            add_piece(p, s->callers.at[i].node, FROM_START);
            add_piece(p, s->callers.at[i].push, OPERATION);
        }
    } else if (n->arrival != ENTRY) {
        add_piece(p, n->before, x.kind);
    }
    if (n->arrival == RETURN) {
        add_piece(p, n->push, OPERATION);
        add_piece(p, n->exit, WITHIN);
    }
    for (uint32_t i = 0; i < n->n_ops; i++)
        add_piece(p, s->ops.at[n->ops + i], OPERATION);
}

static void keep_order(struct stack *s)
{
    struct pieces p = {0};
    add_piece(&p, s->done, FROM_START);
    while (p.v.n) {
        struct piece x = fore_vec_pop(&p.v);
        if (x.kind == OPERATION)
            fore_vec_push(&s->out->order, x.id);
        else
            unfold(s, &p, x);
    }
    for (size_t i = 0, k = s->out->order.n; i + 1 < k; i++) {
        uint32_t op = s->out->order.at[i];
        s->out->order.at[i] = s->out->order.at[--k];
        s->out->order.at[k] = op;
    }
    fore_vec_release(&p.v);
}

static bool stack_init(struct stack *s)
{
    const struct fore_part *p = s->part;
    bool *in = fore_calloc(p->n + 1, sizeof *in);
    fore_deeds_init(&s->deeds, p);
    for (uint32_t i = 0; i < p->n; i++) {
        in[i] = s->deeds.deed[i] != FORE_DEED_NONE;
        s->has_looks |= s->deeds.deed[i] == FORE_DEED_LOOK && s->deeds.value[i];
    }
    bool fits = fore_deadlines_init(&s->line, p, in);
    fore_free(in);
    s->width = BITS + s->line.words;
    s->now = fore_calloc(s->width, sizeof *s->now);
    s->done = NONE;
    size_t levels = (s->line.n + 1) * sizeof *s->todo;
    s->todo = memset(fore_alloc(levels), 0xff, levels);
    fore_foresight_init(&s->ahead, p, &s->deeds, &s->line);
    for (unsigned i = 0; i < 2; i++) {
        size_t bytes = (s->deeds.n_values + 1) * sizeof *s->best[i];
        s->best[i] = memset(fore_alloc(bytes), 0xff, bytes);
    }
    return fits;
}

static void stack_release(struct stack *s)
{
    fore_deeds_release(&s->deeds);
    fore_deadlines_release(&s->line);
    fore_intern_release(&s->controls);
    fore_map_release(&s->frame_ids);
    fore_map_release(&s->node_ids);
    fore_map_release(&s->exit_ids);
    fore_vec_release(&s->frames);
    fore_vec_release(&s->nodes);
    fore_vec_release(&s->callers);
    fore_vec_release(&s->exits);
    fore_vec_release(&s->ops);
    fore_free(s->todo);
    fore_vec_release(&s->open_values);
    fore_foresight_release(&s->ahead);
    fore_free(s->best[0]);
    fore_free(s->best[1]);
    fore_free(s->now);
}

static size_t bytes_held(const struct stack *s)
{
    size_t control = s->width * sizeof *s->now + sizeof(struct fore_bytes) + 32;
    return fore_intern_count(&s->controls) * control +
           s->nodes.n * (sizeof(struct stack_node) + 48) +
           s->exits.n * (sizeof(struct exit) + 32) +
           s->callers.n * sizeof(struct caller) +
           s->frames.n * sizeof(struct stack_frame);
}

bool fore_repeated_stack(const struct fore_part *p, struct fore_limits *l, unsigned style,
                         struct fore_search_outcome *out)
{
    struct stack s = {.part = p,
                      .out = out,
                      .style = style % FORE_BY_CHANCE,
                      .by_chance = style >= FORE_BY_CHANCE};
    fore_rng_seed(&s.dice, style / FORE_BY_CHANCE);
    bool fits = stack_init(&s);
    if (fits)
        frame_at(&s, fore_intern(&s.controls, s.now, s.width * sizeof *s.now), NONE);
    while (s.done == NONE && s.n_todo && !out->bound) {
        expand_node(&s, next_node(&s));
        out->bound = fore_repeated_limit(l, out->configs, bytes_held(&s));
    }
    if (s.done != NONE) {
        out->bound = NULL;
        keep_order(&s);
    }
    out->verdict = s.done != NONE ? FORE_LIN_YES
                   : out->bound   ? FORE_LIN_UNKNOWN
                                  : FORE_LIN_NO;
    stack_release(&s);
    return fits;
}
