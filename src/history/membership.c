/* Decides:  linearizability of one element of a set that is added at most once and removed
 *           at most once with success, all answers known.
 * Sound, complete: yes.  Cost: O(n).  Source: after [leemathur25], sets.
 *
 * The element is present from the point of its add to that of its remove. Operations that
 * saw it present want the add early (by point A) and the remove late (from point R);
 * operations that saw it absent want to be before the add or after the remove. If R <= A
 * both can happen at one point, which hinders no operation that saw it absent; else A and R are the
 * best choice. */
#include "history/special.h"

struct element {
    struct fore_special *s;
    uint32_t add, remove, early, late; /* operations; early and late saw it */
    int64_t added, removed;            /* the points */
};

static const struct fore_op *op_at(const struct element *x, uint32_t i)
{
    return &x->s->part->ops[i];
}

/* Present during the operation, absent, or neither: it made the difference itself. */
static bool saw_element(const struct element *x, uint32_t i, bool *present)
{
    const struct fore_op *op = op_at(x, i);
    enum fore_role role = x->s->part->model->ops[op->f].role;
    bool yes = fore_val_is(op->result, FORE_TRUE);
    *present = role == FORE_ROLE_PUT ? !yes : yes;
    return role == FORE_ROLE_LOOK || !yes;
}

static bool gather_element(struct element *x)
{
    const struct fore_part *p = x->s->part;
    size_t n;
    fore_val_items(p->values, p->init, &n);
    if (n)
        return false;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct fore_op *op = &p->ops[i];
        const struct fore_model_op *what = &p->model->ops[op->f];
        bool present;
        if (what->nargs != 1 || !fore_val_is(op->arg[0], p->ops[0].arg[0]) ||
            (!fore_val_is(op->result, FORE_TRUE) && !fore_val_is(op->result, FORE_FALSE)))
            return false;
        if (saw_element(x, i, &present)) {
            if (present && (x->early == FORE_NEVER || op->ret < op_at(x, x->early)->ret))
                x->early = i;
            if (present &&
                (x->late == FORE_NEVER || op->invoke > op_at(x, x->late)->invoke))
                x->late = i;
            continue;
        }
        uint32_t *mine = what->role == FORE_ROLE_PUT ? &x->add : &x->remove;
        if (*mine != FORE_NEVER)
            return false;
        *mine = i;
    }
    return true;
}

static void blame_element(struct element *x, uint32_t other)
{
    const uint32_t ops[] = {x->add, x->remove, x->early, x->late, other};
    for (size_t i = 0; i < 5; i++)
        fore_special_core(x->s, ops[i]);
}

/* Chooses the two points; false if there are none. */
static bool choose_points(struct element *x)
{
    bool seen = x->early != FORE_NEVER;
    x->added = x->removed = FORE_POINT_END;
    if (x->add == FORE_NEVER)
        return !seen && x->remove == FORE_NEVER;
    const struct fore_op *add = op_at(x, x->add);
    int64_t a = (int64_t)add->ret - 1, r = FORE_POINT_END, end = FORE_POINT_END;
    if (x->remove != FORE_NEVER) {
        r = op_at(x, x->remove)->invoke;
        end = (int64_t)op_at(x, x->remove)->ret - 1;
    }
    if (seen && (int64_t)op_at(x, x->early)->ret - 1 < a)
        a = (int64_t)op_at(x, x->early)->ret - 1;
    if (seen && x->remove != FORE_NEVER && op_at(x, x->late)->invoke > r)
        r = op_at(x, x->late)->invoke;
    if (add->invoke > a || r > end || add->invoke > end)
        return false;
    x->added = a;
    x->removed = r;
    if (r <= a)
        x->added = x->removed = r > add->invoke ? r : add->invoke;
    return true;
}

/* Ties at one point: absent before, add, present, remove, absent after. */
static bool place_operation(struct element *x, uint32_t i)
{
    const struct fore_op *op = op_at(x, i);
    int64_t from = op->invoke, to = (int64_t)op->ret - 1;
    bool present;
    if (!saw_element(x, i, &present)) {
        fore_special_at(x->s, i == x->add ? x->added : x->removed, i == x->add ? 1 : 3,
                        i);
    } else if (present) {
        fore_special_at(x->s, from > x->added ? from : x->added, 2, i);
    } else if (from <= x->added) {
        fore_special_at(x->s, to < x->added ? to : x->added, 0, i);
    } else if (to >= x->removed) {
        fore_special_at(x->s, from > x->removed ? from : x->removed, 4, i);
    } else {
        blame_element(x, i);
        return false;
    }
    return true;
}

bool fore_membership(struct fore_special *s)
{
    struct element x = {s, FORE_NEVER, FORE_NEVER, FORE_NEVER, FORE_NEVER, 0, 0};
    if (!gather_element(&x))
        return false;
    if (!choose_points(&x)) {
        blame_element(&x, FORE_NEVER);
        return true;
    }
    for (uint32_t i = 0; i < s->part->n; i++)
        if (!place_operation(&x, i))
            break;
    return true;
}
