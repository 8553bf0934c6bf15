/* Decides:  that texts which are appended to, replaced and read are not linearizable, because
 *           a get did not see a write that it must have seen; only ever says no.
 * Sound:    yes, see below.
 * Complete: no; where it finds nothing, the search decides.
 * Cost:     O(gets * (puts + appends since the last put that the get can have seen)), bounded.
 *
 * Before a get comes one of the puts with which its text begins, as the last of all puts, or
 * none, if its text begins as the object did. A write that began after all of these had
 * answered, and that answered before the get began, is between that put and the get: it is no
 * put then, and what it appended is in the text. */
#include "history/special.h"

#include <string.h>

/* Comparisons per operation, above which it is not worth it. */
enum { PATIENCE = 256 };

struct grown {
    struct fore_special *s;
    struct fore_bytes *texts; /* by operation: what it wrote or saw */
    int64_t patience;
};

static enum fore_role role_of(const struct grown *g, uint32_t i)
{
    return g->s->part->model->ops[g->s->part->ops[i].f].role;
}

/* False if a value is no text, or nothing grows. */
static bool take_texts(struct grown *g)
{
    const struct fore_part *p = g->s->part;
    bool grows = false;
    for (uint32_t i = 0; i < p->n; i++) {
        enum fore_role role = role_of(g, i);
        bool look = role == FORE_ROLE_LOOK;
        fore_val v = look ? p->ops[i].result : p->ops[i].arg[0];
        if (look && fore_val_is(v, FORE_ANY))
            continue;
        if ((!look && role != FORE_ROLE_PUT && role != FORE_ROLE_APPEND) ||
            fore_val_kind(v) != FORE_VAL_STRING)
            return false;
        g->texts[i] = fore_val_bytes(p->values, v);
        grows = grows || role == FORE_ROLE_APPEND;
    }
    return grows;
}

static bool begins_with(struct fore_bytes whole, struct fore_bytes head)
{
    return head.n <= whole.n && !memcmp(whole.at, head.at, head.n);
}

static bool is_in(struct fore_bytes part, struct fore_bytes whole)
{
    return memmem(whole.at, whole.n, part.at, part.n) != NULL;
}

/* May this be the last put before the get? */
static bool may_be_last(const struct grown *g, uint32_t put, uint32_t get)
{
    const struct fore_op *ops = g->s->part->ops;
    return role_of(g, put) == FORE_ROLE_PUT && ops[put].invoke < ops[get].ret &&
           begins_with(g->texts[get], g->texts[put]);
}

/* When the last of them has answered; 0: there are none. Positions begin with 0, but the operation that is
 * invoked first has none before it. */
static uint32_t last_answer(struct grown *g, uint32_t get)
{
    const struct fore_op *ops = g->s->part->ops;
    uint32_t last = 0;
    for (uint32_t i = 0; i < g->s->part->n && ops[i].invoke < ops[get].ret; i++) {
        g->patience--;
        if (role_of(g, i) == FORE_ROLE_PUT && ops[i].ret > last && may_be_last(g, i, get))
            last = ops[i].ret;
    }
    return last;
}

/* A write that the get must have seen and did not, or FORE_NEVER. */
static uint32_t find_overlooked(struct grown *g, uint32_t get)
{
    const struct fore_op *ops = g->s->part->ops;
    uint32_t last = last_answer(g, get);
    for (uint32_t i = get; i-- > 0 && ops[i].invoke > last && g->patience > 0;) {
        enum fore_role role = role_of(g, i);
        g->patience--;
        if (role == FORE_ROLE_LOOK || ops[i].ret > ops[get].invoke)
            continue;
        if (role == FORE_ROLE_PUT || !is_in(g->texts[i], g->texts[get]))
            return i;
    }
    return FORE_NEVER;
}

/* Both, and whatever the text that was seen can be made of. */
static void keep_core(struct grown *g, uint32_t get, uint32_t overlooked)
{
    const struct fore_op *ops = g->s->part->ops;
    for (uint32_t i = 0; i < g->s->part->n && ops[i].invoke < ops[get].ret; i++)
        if (i == get || i == overlooked || may_be_last(g, i, get) ||
            (role_of(g, i) == FORE_ROLE_APPEND && is_in(g->texts[i], g->texts[get])))
            fore_vec_push(&g->s->core, i);
    g->s->proof = get + 1;
}

bool fore_overlooked(struct fore_special *s)
{
    const struct fore_part *p = s->part;
    struct grown g = {.s = s, .patience = PATIENCE * (int64_t)p->n};
    if (!p->model->can_grow || fore_val_kind(p->init) != FORE_VAL_STRING)
        return false;
    g.texts = fore_calloc(p->n + 1, sizeof *g.texts);
    bool texts = take_texts(&g);
    for (uint32_t i = 0; texts && !s->core.n && g.patience > 0 && i < p->n; i++) {
        const struct fore_op *op = &p->ops[i];
        if (role_of(&g, i) != FORE_ROLE_LOOK || fore_op_pending(op) ||
            fore_val_is(op->result, FORE_ANY))
            continue;
        uint32_t overlooked = find_overlooked(&g, i);
        if (overlooked != FORE_NEVER)
            keep_core(&g, i, overlooked);
    }
    fore_free(g.texts);
    return s->core.n;
}
