#include "explore/histories.h"

#include "base/hash.h"

#include "base/progress.h"
#include "base/vec.h"

#include <string.h>

enum fore_status fore_histories_init(struct fore_histories *s,
                                     const struct fore_harness *h, struct fore_err *e)
{
    *s = (struct fore_histories){0};
    FORE_TRY(fore_judge_init(&s->judge, h, e));
    struct fore_history_node root = {.state = FORE_JUDGE_START};
    fore_vec_push(&s->nodes, root);
    return FORE_OK;
}

void fore_histories_release(struct fore_histories *s)
{
    fore_judge_release(&s->judge);
    fore_vec_release(&s->nodes);
    fore_map_release(&s->children);
    fore_intern_release(&s->answers);
}

static uint64_t *child_of(struct fore_histories *s, uint32_t node, uint32_t event,
                          bool *fresh)
{
    return fore_map_put(&s->children, (uint64_t)node << 32 | event, fresh);
}

static uint32_t add_history(struct fore_histories *s, uint64_t *slot,
                            struct fore_history_node n)
{
    *slot = s->nodes.n;
    fore_vec_push(&s->nodes, n);
    return (uint32_t)s->nodes.n - 1;
}

uint32_t fore_histories_invoke(struct fore_histories *s, uint32_t node, uint32_t op)
{
    bool fresh;
    uint64_t *slot = child_of(s, node, op, &fresh);
    if (!fresh)
        return (uint32_t)*slot;
    struct fore_history_node n = {.parent = node, .op = op};
    n.state = fore_judge_invoke(&s->judge, s->nodes.at[node].state, op);
    return add_history(s, slot, n);
}

uint32_t fore_histories_respond(struct fore_histories *s, uint32_t node, uint32_t op,
                                int64_t result)
{
    bool fresh;
    uint64_t answer[2] = {op, (uint64_t)result};
    uint32_t event = FORE_OPS_MAX + fore_intern(&s->answers, answer, sizeof answer);
    uint64_t *slot = child_of(s, node, event, &fresh);
    if (!fresh)
        return (uint32_t)*slot;
    struct fore_history_node n = {
        .parent = node, .op = op, .response = true, .result = result};
    uint64_t from = fore_now_ns();
    n.state = fore_judge_respond(&s->judge, s->nodes.at[node].state, op, result);
    s->check_ns += fore_now_ns() - from;
    return add_history(s, slot, n);
}

uint32_t fore_histories_step(struct fore_histories *s, uint32_t node,
                             const struct fore_actors *w)
{
    const struct fore_receipt *step = &fore_vec_last(&w->steps);
    if (step->op >= 0)
        node = fore_histories_invoke(s, node, (uint32_t)step->op);
    for (size_t i = step->first_reply; i < w->replies.n; i++)
        if (!w->replies.at[i].repeated)
            node = fore_histories_respond(s, node, w->replies.at[i].op,
                                          w->replies.at[i].result);
    return node;
}

bool fore_histories_end(struct fore_histories *s, uint32_t node, bool open)
{
    struct fore_history_node *n = &s->nodes.at[node];
    if (n->ended)
        return false;
    bool dead = n->state == FORE_JUDGE_BROKEN;
    n->ended = true;
    n->open = open;
    s->unique++;
    s->incomplete += open;
    s->broken += dead;
    s->broken_complete += dead && !open;
    return true;
}

static uint32_t copy_node(struct fore_histories *into, const struct fore_histories *from,
                          uint32_t node)
{
    const struct fore_history_node *n = &from->nodes.at[node];
    if (!node)
        return 0;
    uint32_t parent = copy_node(into, from, n->parent);
    return n->response ? fore_histories_respond(into, parent, n->op, n->result)
                       : fore_histories_invoke(into, parent, n->op);
}

void fore_histories_merge(struct fore_histories *into, const struct fore_histories *from)
{
    for (uint32_t i = 0; i < from->nodes.n; i++)
        if (from->nodes.at[i].ended)
            fore_histories_end(into, copy_node(into, from, i), from->nodes.at[i].open);
    into->check_ns += from->check_ns;
}

/* Words: per operation whether it was answered, its result, and the set of operations whose
 * invocation came after its response. Walking up from the end, the operations invoked so far
 * are exactly those invoked later. */
static uint32_t class_key(const struct fore_histories *s, uint32_t node,
                          struct fore_intern *keys)
{
    uint64_t key[3 * FORE_OPS_MAX] = {0};
    size_t ops = s->judge.ops.n;
    uint64_t later = 0;
    for (; node; node = s->nodes.at[node].parent) {
        const struct fore_history_node *n = &s->nodes.at[node];
        if (n->response) {
            key[3 * n->op] = 1;
            key[3 * n->op + 1] = (uint64_t)n->result;
            key[3 * n->op + 2] = later;
        } else {
            later |= (uint64_t)1 << n->op;
        }
    }
    return fore_intern(keys, key, ops * 3 * sizeof *key);
}

void fore_histories_class_keys(const struct fore_histories *s, struct fore_intern *keys)
{
    for (uint32_t i = 0; i < s->nodes.n; i++)
        if (s->nodes.at[i].ended)
            class_key(s, i, keys);
}

uint64_t fore_histories_fingerprint(const struct fore_histories *s)
{
    struct fore_intern keys = {0};
    uint64_t sum = 0;
    fore_histories_class_keys(s, &keys);
    for (uint32_t i = 1; i <= fore_intern_count(&keys); i++) {
        struct fore_bytes b = fore_intern_bytes(&keys, i);
        sum += fore_hash(b.at, b.n);
    }
    fore_intern_release(&keys);
    return sum;
}

void fore_histories_classes(const struct fore_histories *s, uint64_t *classes,
                            uint64_t *violating)
{
    struct fore_intern all = {0}, dead = {0};
    for (uint32_t i = 0; i < s->nodes.n; i++) {
        if (!s->nodes.at[i].ended)
            continue;
        class_key(s, i, &all);
        if (fore_histories_dead(s, i))
            class_key(s, i, &dead);
    }
    *classes = fore_intern_count(&all);
    *violating = fore_intern_count(&dead);
    fore_intern_release(&all);
    fore_intern_release(&dead);
}
