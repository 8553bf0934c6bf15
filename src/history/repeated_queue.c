/* Decides:  linearizability of a queue, also if values repeat.
 * Sound:    yes; the order is replayed by the caller.
 * Complete: yes, within the limits.
 * Cost:     configurations are bounded by the number of answers times the number of ways in
 *           which the open operations can be divided by value; the length of the queue does
 *           not matter.
 *
 * An ordinary search decides the order of concurrent enqueues long before it learns from the
 * dequeues which one was right. Here the k-th enqueue and the k-th dequeue are chosen
 * together: the queue's content is never guessed. A configuration is: which enqueues are
 * used, which dequeues and looks are used, and two clocks.
 *
 * Everything happens as early as it can. The enqueues' clock is the latest invocation among
 * the enqueues so far; the k-th dequeue happens at the latest of its invocation, the k-th
 * enqueue and the dequeue before it: the takes' clock. A clock must stay before every answer
 * that is still due on its side. An empty answer sits between a dequeue and the next enqueue,
 * so it moves the enqueues' clock up to the takes' clock.
 *
 * Of two operations with the same value that can come next, the one that answers first is
 * enough, unless it also begins later and so late that an answer of the other side may be
 * missed. */
#include "history/deadlines.h"
#include "history/repeated.h"

#include <stdlib.h>
#include <string.h>

enum { PUTS, TAKES, SIDES };
/* A configuration: where both sides are, both clocks, the value in front, bits. */
enum { AT, CLOCKS, FRONT, BITS };

struct move {
    uint32_t op;
    uint32_t ret; /* tried in this order */
};

struct queue_frame {
    size_t moves, next; /* where its moves begin, and the one to try next */
    uint32_t op;        /* that led here */
};

struct queue {
    const struct fore_part *part;
    struct fore_limits *limits;
    struct fore_search_outcome *out;
    struct fore_deeds deeds;
    struct fore_deadlines side[SIDES];
    bool has_empties;
    size_t width; /* words of a configuration */
    struct fore_intern seen;
    FORE_VEC(struct queue_frame) frames;
    FORE_VEC(uint64_t) rows; /* `width` words for each frame */
    FORE_VEC(struct move) moves;
    uint64_t *now;       /* the configuration that is being made */
    uint32_t *wanted;    /* by value: the first answer due that sees it in front */
    uint32_t wanted_any; /* the same of takes that never returned: their invocation */
};

static uint32_t at_side(const uint64_t *row, unsigned side)
{
    return (uint32_t)(row[AT] >> (32 * side));
}

static uint32_t clock_of(const uint64_t *row, unsigned side)
{
    return (uint32_t)(row[CLOCKS] >> (32 * side));
}

static void set_clock(uint64_t *row, unsigned side, uint32_t to)
{
    row[CLOCKS] &= ~((uint64_t)UINT32_MAX << (32 * side));
    row[CLOCKS] |= (uint64_t)to << (32 * side);
}

static const uint64_t *bits_of(const struct queue *q, const uint64_t *row, unsigned side)
{
    return row + BITS + (side == TAKES ? q->side[PUTS].words : 0);
}

static uint32_t deadline_of_row(const struct queue *q, const uint64_t *row, unsigned side)
{
    return fore_deadline(&q->side[side], at_side(row, side));
}

static const struct fore_op *op_at(const struct queue *q, uint32_t op)
{
    return &q->part->ops[op];
}

static bool is_empty_answer(const struct queue *q, uint32_t op)
{
    return q->deeds.deed[op] != FORE_DEED_PUT && !q->deeds.value[op] &&
           !fore_op_pending(op_at(q, op));
}

static uint32_t later_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void use_operation(struct queue *q, uint64_t *row, unsigned side, uint32_t op)
{
    uint32_t at[SIDES] = {at_side(row, PUTS), at_side(row, TAKES)};
    fore_deadlines_use(&q->side[side], (uint64_t *)bits_of(q, row, side), &at[side], op);
    row[AT] = at[PUTS] | (uint64_t)at[TAKES] << 32;
}

/* Lets an operation happen as early as it can; its point is that of its side's clock. */
static void apply_operation(struct queue *q, uint64_t *row, uint32_t op)
{
    uint32_t puts = clock_of(row, PUTS), takes = clock_of(row, TAKES);
    uint32_t invoke = op_at(q, op)->invoke;
    if (q->deeds.deed[op] == FORE_DEED_PUT) {
        puts = later_of(puts, invoke);
        takes = later_of(takes, puts);
        row[FRONT] = q->deeds.value[op];
        use_operation(q, row, PUTS, op);
    } else {
        takes = later_of(takes, invoke);
        if (is_empty_answer(q, op))
            puts = takes;
        if (q->deeds.deed[op] == FORE_DEED_TAKE)
            row[FRONT] = 0;
        use_operation(q, row, TAKES, op);
    }
    set_clock(row, PUTS, puts);
    set_clock(row, TAKES, takes);
}

/* Is everything that is due still possible? */
static bool is_possible(const struct queue *q, const uint64_t *row)
{
    return clock_of(row, PUTS) < deadline_of_row(q, row, PUTS) &&
           clock_of(row, TAKES) < deadline_of_row(q, row, TAKES);
}

/* Moves. */

static void add_move(struct queue *q, uint32_t op, uint32_t ret)
{
    fore_vec_push(&q->moves, (struct move){op, ret});
}

/* Does taking `b` instead of `a`, of the same side and value, lose nothing? */
static bool is_as_good(const struct queue *q, const uint64_t *row, uint32_t b, uint32_t a)
{
    const struct fore_op *x = op_at(q, b), *y = op_at(q, a);
    bool put = q->deeds.deed[b] == FORE_DEED_PUT;
    if (x->ret > y->ret || (x->ret == y->ret && x->invoke > y->invoke))
        return false;
    if (x->invoke <= y->invoke || x->invoke <= clock_of(row, TAKES))
        return true;
    return put ? x->invoke < deadline_of_row(q, row, TAKES)
               : !q->has_empties || x->invoke < deadline_of_row(q, row, PUTS);
}

/* Adds the move unless one of those since `from` is as good. */
static void add_choice(struct queue *q, const uint64_t *row, size_t from, uint32_t op,
                       uint32_t ret)
{
    size_t kept = from;
    for (size_t i = from; i < q->moves.n; i++) {
        uint32_t other = q->moves.at[i].op;
        bool same = q->deeds.value[other] == q->deeds.value[op] &&
                    q->deeds.deed[other] == q->deeds.deed[op];
        if (same && is_as_good(q, row, other, op))
            return;
        if (!same || !is_as_good(q, row, op, other))
            q->moves.at[kept++] = q->moves.at[i];
    }
    q->moves.n = kept;
    add_move(q, op, ret);
}

/* The operations of a side that can come next: unused, begun before the first answer due.
 * Starts with *i = 0; FORE_NEVER at the end. */
static uint32_t next_open(const struct queue *q, const uint64_t *row, unsigned side,
                          size_t *i)
{
    const struct fore_deadlines *d = &q->side[side];
    uint32_t at = at_side(row, side);
    const uint64_t *bits = bits_of(q, row, side);
    size_t answered = at < d->n ? d->from[at + 1] - d->from[at] : 0;
    while (*i < answered) {
        uint32_t op = d->open[d->from[at] + (*i)++];
        if (!fore_bit_has(bits, d->slot[op]))
            return op;
    }
    while (*i - answered < d->n_pending) {
        uint32_t op = d->pending[(*i)++ - answered];
        if (op_at(q, op)->invoke > fore_deadline(d, at))
            break;
        if (!fore_bit_has(bits, d->slot[op]))
            return op;
    }
    return FORE_NEVER;
}

/* An operation that sees what is there without changing it or moving a clock: it may as well
 * happen now. */
static bool is_free(const struct queue *q, const uint64_t *row, uint32_t op)
{
    uint32_t takes = clock_of(row, TAKES);
    bool fits =
        is_empty_answer(q, op)
            ? !row[FRONT] && takes < deadline_of_row(q, row, PUTS)
            : q->deeds.deed[op] == FORE_DEED_LOOK && q->deeds.value[op] == row[FRONT];
    return fits && op_at(q, op)->invoke <= takes;
}

static void gather_takes(struct queue *q, const uint64_t *row)
{
    size_t from = q->moves.n;
    uint32_t op;
    q->wanted_any = FORE_NEVER;
    for (size_t i = 0; (op = next_open(q, row, TAKES, &i)) != FORE_NEVER;) {
        uint32_t value = q->deeds.value[op];
        bool any = fore_op_pending(op_at(q, op));
        if (is_free(q, row, op)) {
            q->moves.n = from;
            add_move(q, op, 0);
            return;
        }
        if (any && q->wanted_any == FORE_NEVER)
            q->wanted_any = op_at(q, op)->invoke;
        if (!any && value && op_at(q, op)->ret < q->wanted[value])
            q->wanted[value] = op_at(q, op)->ret;
        if (any ? row[FRONT] != 0 : value == row[FRONT])
            add_choice(q, row, from, op, op_at(q, op)->ret);
    }
}

static void forget_wanted(struct queue *q, const uint64_t *row)
{
    uint32_t op;
    for (size_t i = 0; (op = next_open(q, row, TAKES, &i)) != FORE_NEVER;)
        q->wanted[q->deeds.value[op]] = FORE_NEVER;
}

static void gather_puts(struct queue *q, const uint64_t *row)
{
    size_t from = q->moves.n;
    uint32_t op;
    for (size_t i = 0; (op = next_open(q, row, PUTS, &i)) != FORE_NEVER;) {
        uint32_t ret = q->wanted[q->deeds.value[op]];
        if ((ret == FORE_NEVER && q->wanted_any == FORE_NEVER) ||
            op_at(q, op)->invoke > deadline_of_row(q, row, TAKES))
            continue;
        add_choice(q, row, from, op, ret);
    }
}

/* Most urgent last: moves are tried from the end. */
static int by_urgency(const void *a, const void *b)
{
    const struct move *x = a, *y = b;
    if (x->ret != y->ret)
        return x->ret > y->ret ? -1 : 1;
    return (x->op < y->op) - (x->op > y->op);
}

static void gather_moves(struct queue *q, const uint64_t *row)
{
    size_t from = q->moves.n;
    gather_takes(q, row);
    bool free_move = q->moves.n == from + 1 && !q->moves.at[from].ret;
    if (!row[FRONT] && !free_move)
        gather_puts(q, row);
    forget_wanted(q, row);
    if (q->moves.n > from)
        qsort(q->moves.at + from, q->moves.n - from, sizeof *q->moves.at, by_urgency);
}

/* Makes `now` a frame, unless it is known or hopeless. True at the end. */
static bool enter_row(struct queue *q, uint32_t op)
{
    size_t known = fore_intern_count(&q->seen);
    if (!is_possible(q, q->now))
        return false;
    fore_intern(&q->seen, q->now, q->width * sizeof *q->now);
    if (fore_intern_count(&q->seen) == known)
        return false;
    q->out->configs++;
    memcpy(fore_vec_extend(&q->rows, q->width), q->now, q->width * sizeof *q->now);
    fore_vec_push(&q->frames, (struct queue_frame){q->moves.n, 0, op});
    if (at_side(q->now, TAKES) == q->side[TAKES].n)
        return true;
    gather_moves(q, q->now);
    fore_vec_last(&q->frames).next = q->moves.n;
    return false;
}

static bool advance_queue(struct queue *q)
{
    struct queue_frame *f = &fore_vec_last(&q->frames);
    if (f->next == f->moves) {
        q->moves.n = f->moves;
        q->rows.n -= q->width;
        q->frames.n--;
        return false;
    }
    uint32_t op = q->moves.at[--f->next].op;
    memcpy(q->now, q->rows.at + q->rows.n - q->width, q->width * sizeof *q->now);
    apply_operation(q, q->now, op);
    return enter_row(q, op);
}

/* The witness. */

struct timed {
    uint32_t point, tie, op;
};

static int by_time(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    if (x->point != y->point)
        return x->point < y->point ? -1 : 1;
    return (x->tie > y->tie) - (x->tie < y->tie);
}

/* The remaining enqueues are never seen: they come in the order of their invocations. */
static void keep_order(struct queue *q)
{
    FORE_VEC(struct timed) all = {0};
    bool *used = fore_calloc(q->part->n + 1, sizeof *used);
    for (size_t k = 1; k < q->frames.n; k++) {
        const uint64_t *row = q->rows.at + k * q->width;
        uint32_t op = q->frames.at[k].op;
        unsigned side = q->deeds.deed[op] == FORE_DEED_PUT ? PUTS : TAKES;
        used[op] = true;
        fore_vec_push(&all, (struct timed){clock_of(row, side), (uint32_t)k, op});
    }
    uint32_t last = clock_of(q->rows.at + (q->frames.n - 1) * q->width, PUTS);
    for (size_t i = 0; i < q->side[PUTS].n; i++) {
        uint32_t op = q->side[PUTS].due[i], invoke = op_at(q, op)->invoke;
        if (!used[op])
            fore_vec_push(&all, (struct timed){later_of(last, invoke),
                                               (uint32_t)(q->frames.n + op), op});
    }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, by_time);
    for (size_t i = 0; i < all.n; i++)
        fore_vec_push(&q->out->order, all.at[i].op);
    fore_vec_release(&all);
    fore_free(used);
}

static bool queue_init(struct queue *q)
{
    const struct fore_part *p = q->part;
    bool *in = fore_calloc(2 * p->n + 2, sizeof *in), *takes = in + p->n + 1;
    fore_deeds_init(&q->deeds, p);
    for (uint32_t i = 0; i < p->n; i++) {
        in[i] = q->deeds.deed[i] == FORE_DEED_PUT;
        takes[i] = q->deeds.deed[i] != FORE_DEED_NONE && !in[i];
        q->has_empties = q->has_empties || is_empty_answer(q, i);
    }
    bool fits = fore_deadlines_init(&q->side[PUTS], p, in);
    fits = fore_deadlines_init(&q->side[TAKES], p, takes) && fits;
    fore_free(in);
    q->width = BITS + q->side[PUTS].words + q->side[TAKES].words;
    q->now = fore_calloc(q->width, sizeof *q->now);
    q->wanted = fore_calloc(q->deeds.n_values + 1, sizeof *q->wanted);
    memset(q->wanted, 0xff, (q->deeds.n_values + 1) * sizeof *q->wanted);
    return fits;
}

static void queue_release(struct queue *q)
{
    fore_deeds_release(&q->deeds);
    fore_deadlines_release(&q->side[PUTS]);
    fore_deadlines_release(&q->side[TAKES]);
    fore_intern_release(&q->seen);
    fore_vec_release(&q->frames);
    fore_vec_release(&q->rows);
    fore_vec_release(&q->moves);
    fore_free(q->now);
    fore_free(q->wanted);
}

bool fore_repeated_queue(const struct fore_part *p, struct fore_limits *l,
                         struct fore_search_outcome *out)
{
    struct queue q = {.part = p, .limits = l, .out = out};
    bool fits = queue_init(&q);
    bool done = fits && enter_row(&q, FORE_NEVER);
    while (fits && !done && q.frames.n && !out->bound) {
        size_t row = q.width * sizeof *q.now + 4 * sizeof(void *);
        done = advance_queue(&q);
        out->bound = fore_repeated_limit(l, out->configs, (size_t)out->configs * row);
    }
    if (done) {
        out->bound = NULL;
        keep_order(&q);
    }
    out->verdict = done ? FORE_LIN_YES : out->bound ? FORE_LIN_UNKNOWN : FORE_LIN_NO;
    queue_release(&q);
    return fits;
}
