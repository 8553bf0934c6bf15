/* Decides:  after each event, whether the history so far is linearizable.
 * Sound, complete: yes. Cost: the number of configurations, at a response only.
 * Source:   just-in-time linearization, [lowe17]. */
#include "history/monitor.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct open_op {
    uint64_t id;
    struct fore_op op;
};

/* A configuration is a row of 1 + open.n words: the state, then for each open operation
 * its result, or WAITING. Rows are sorted and differ from each other. */
struct fore_monitor_part {
    uint32_t key;
    FORE_VEC(struct open_op) open;
    uint64_t *rows;
    size_t n_rows;
};

/* No value has this word: there is no kind 7. */
#define WAITING UINT64_MAX

struct rows {
    uint64_t *at;
    size_t n, cap, width;
    struct fore_map index; /* hash -> row + 1, the latest with this hash */
    FORE_VEC(size_t) older;
};

static void rows_release(struct rows *r)
{
    fore_free(r->at);
    fore_map_release(&r->index);
    fore_vec_release(&r->older);
}

static uint64_t *row_at(const struct rows *r, size_t i)
{
    return r->at + i * r->width;
}

/* Adds the row unless it is there. */
static void rows_add(struct rows *r, const uint64_t *row)
{
    uint64_t h = 0;
    for (size_t i = 0; i < r->width; i++)
        h = fore_hash_mix(h, row[i]);
    uint64_t *head = fore_map_put(&r->index, h, NULL);
    for (size_t i = *head; i; i = r->older.at[i - 1])
        if (!memcmp(row_at(r, i - 1), row, r->width * sizeof *row))
            return;
    if (r->n == r->cap) {
        r->cap = fore_vec_grown(r->cap, r->n + 1);
        r->at = fore_realloc(r->at, r->cap * r->width, sizeof *r->at);
    }
    memcpy(row_at(r, r->n), row, r->width * sizeof *row);
    fore_vec_push(&r->older, (size_t)*head);
    *head = ++r->n;
}

void fore_monitor_init(struct fore_history_monitor *m, const struct fore_model *model,
                       struct fore_vals *values, fore_val init)
{
    *m = (struct fore_history_monitor){.model = model, .values = values, .init = init};
}

void fore_monitor_release(struct fore_history_monitor *m)
{
    for (size_t i = 0; i < m->parts.n; i++) {
        fore_vec_release(&m->parts.at[i].open);
        fore_free(m->parts.at[i].rows);
    }
    fore_vec_release(&m->parts);
}

void fore_monitor_copy(struct fore_history_monitor *into,
                       const struct fore_history_monitor *from)
{
    *into = *from;
    memset(&into->parts, 0, sizeof into->parts);
    fore_vec_reserve(&into->parts, from->parts.n);
    for (size_t i = 0; i < from->parts.n; i++) {
        const struct fore_monitor_part *p = &from->parts.at[i];
        struct fore_monitor_part copy = {.key = p->key, .n_rows = p->n_rows};
        for (size_t k = 0; k < p->open.n; k++)
            fore_vec_push(&copy.open, p->open.at[k]);
        size_t words = p->n_rows * (1 + p->open.n);
        copy.rows = fore_calloc(words + 1, sizeof *copy.rows);
        memcpy(copy.rows, p->rows, words * sizeof *copy.rows);
        fore_vec_push(&into->parts, copy);
    }
}

static struct fore_monitor_part *part_of_key(struct fore_history_monitor *m, uint32_t key)
{
    for (size_t i = 0; i < m->parts.n; i++)
        if (m->parts.at[i].key == key)
            return &m->parts.at[i];
    struct fore_monitor_part p = {.key = key, .n_rows = 1};
    p.rows = fore_calloc(1, sizeof *p.rows);
    p.rows[0] = m->init.w;
    fore_vec_push(&m->parts, p);
    return &fore_vec_last(&m->parts);
}

void fore_monitor_invoke(struct fore_history_monitor *m, uint64_t id,
                         const struct fore_op *op)
{
    struct fore_monitor_part *p = part_of_key(m, m->model->keyed ? op->object : 0);
    size_t width = 1 + p->open.n;
    for (size_t i = 0; i < p->open.n; i++)
        FORE_BUG_IF(p->open.at[i].id == id);
    struct open_op open = {.id = id, .op = *op};
    open.op.result = FORE_ANY;
    open.op.ret = FORE_NEVER;
    fore_vec_push(&p->open, open);
    uint64_t *rows = fore_calloc(p->n_rows * (width + 1) + 1, sizeof *rows);
    for (size_t i = 0; i < p->n_rows; i++) {
        memcpy(rows + i * (width + 1), p->rows + i * width, width * sizeof *rows);
        rows[i * (width + 1) + width] = WAITING;
    }
    fore_free(p->rows);
    p->rows = rows;
}

/* All configurations that `p` can reach by open operations taking effect. More than the next
 * answer needs, but then equal futures give equal sets: explorers count on it. */
static void close_over(struct fore_history_monitor *m, const struct fore_monitor_part *p,
                       struct rows *out)
{
    uint64_t *row = fore_calloc(out->width, sizeof *row);
    for (size_t i = 0; i < p->n_rows; i++)
        rows_add(out, p->rows + i * out->width);
    for (size_t i = 0; i < out->n; i++) {
        for (size_t k = 0; k < p->open.n; k++) {
            const uint64_t *now = row_at(out, i);
            fore_val next, result;
            if (now[1 + k] != WAITING)
                continue;
            if (!m->model->step(m->model, m->values, (fore_val){now[0]},
                                &p->open.at[k].op, &next, &result))
                continue;
            memcpy(row, now, out->width * sizeof *row);
            row[0] = next.w;
            row[1 + k] = result.w;
            rows_add(out, row);
        }
    }
    fore_free(row);
}

static int compare_rows(const void *a, const void *b, void *width)
{
    const uint64_t *x = a, *y = b;
    for (size_t i = 0; i < *(size_t *)width; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Replaces the part's rows by `rows` and forgets open operation k, whose column is gone.
 */
static void replace_rows(struct fore_monitor_part *p, size_t k, struct rows *rows)
{
    fore_free(p->rows);
    p->rows = rows->at ? rows->at : fore_calloc(1, sizeof *p->rows);
    p->n_rows = rows->n;
    rows->at = NULL;
    qsort_r(p->rows, p->n_rows, rows->width * sizeof *p->rows, compare_rows,
            &rows->width);
    rows_release(rows);
    p->open.n--;
    memmove(p->open.at + k, p->open.at + k + 1, (p->open.n - k) * sizeof *p->open.at);
}

static void drop_column(uint64_t *into, const uint64_t *row, size_t width, size_t column)
{
    memcpy(into, row, column * sizeof *row);
    memcpy(into + column, row + column + 1, (width - column - 1) * sizeof *row);
}

static void answer_operation(struct fore_history_monitor *m, struct fore_monitor_part *p,
                             size_t k, fore_val result)
{
    size_t width = 1 + p->open.n;
    struct rows all = {.width = width}, left = {.width = width - 1};
    uint64_t *row = fore_calloc(width, sizeof *row);
    struct fore_op op = p->open.at[k].op;
    op.result = result;
    if (m->model->normalize)
        m->model->normalize(m->model, m->values, &op);
    p->open.at[k].op.result = op.result; /* objects that choose their answer look at it */
    close_over(m, p, &all);
    for (size_t i = 0; i < all.n; i++) {
        fore_val had = {row_at(&all, i)[1 + k]};
        drop_column(row, row_at(&all, i), width, 1 + k);
        if (had.w != WAITING && fore_val_agrees(had, op.result))
            rows_add(&left, row);
    }
    fore_free(row);
    rows_release(&all);
    replace_rows(p, k, &left);
}

static struct fore_monitor_part *find_open(struct fore_history_monitor *m, uint64_t id,
                                           size_t *k)
{
    for (size_t i = 0; i < m->parts.n; i++) {
        struct fore_monitor_part *p = &m->parts.at[i];
        for (*k = 0; *k < p->open.n; ++*k)
            if (p->open.at[*k].id == id)
                return p;
    }
    return NULL;
}

bool fore_monitor_respond(struct fore_history_monitor *m, uint64_t id, fore_val result)
{
    size_t k;
    struct fore_monitor_part *p = find_open(m, id, &k);
    FORE_BUG_IF(!p);
    answer_operation(m, p, k, result);
    m->violated = m->violated || p->n_rows == 0;
    return !m->violated;
}

static uint64_t open_hash(const struct fore_history_monitor *m, const struct open_op *o)
{
    uint64_t h = fore_hash_mix(o->id, o->op.f);
    for (size_t i = 0; i < m->model->ops[o->op.f].nargs; i++)
        h = fore_hash_mix(h, fore_val_hash(m->values, o->op.arg[i]));
    return h;
}

/* Sums make the hash independent of the order of rows and of open operations. */
static uint64_t part_hash(const struct fore_history_monitor *m,
                          const struct fore_monitor_part *p)
{
    size_t width = 1 + p->open.n;
    uint64_t sum = 0, opens = 0;
    for (size_t k = 0; k < p->open.n; k++)
        opens += fore_hash_u64(open_hash(m, &p->open.at[k]));
    for (size_t i = 0; i < p->n_rows; i++) {
        const uint64_t *row = p->rows + i * width;
        uint64_t h = fore_val_hash(m->values, (fore_val){row[0]});
        for (size_t k = 0; k < p->open.n; k++) {
            fore_val v = {row[1 + k]};
            uint64_t id = p->open.at[k].id;
            h += fore_hash_mix(id, v.w == WAITING ? 1 : fore_val_hash(m->values, v));
        }
        sum += fore_hash_u64(h);
    }
    return fore_hash_mix(fore_hash_mix(p->key, opens), sum);
}

uint64_t fore_monitor_fingerprint(const struct fore_history_monitor *m)
{
    uint64_t sum = m->violated;
    for (size_t i = 0; i < m->parts.n; i++)
        sum += fore_hash_u64(part_hash(m, &m->parts.at[i]));
    return fore_hash_u64(sum);
}
