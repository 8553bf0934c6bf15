/* The walk along growing texts against the general search, on random histories of a few keys.
 * What the walk finds must be a linearization; in histories that are right and in which what
 * is appended can be told apart, it must find nearly all. Usage: texts [histories] */
#include "history/texts.h"
#include "base/rng.h"
#include "history/lin.h"
#include "history/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 2, CLIENTS = 5, ROOM = 4096 };

struct client {
    bool open, in_effect;
    unsigned key, kind; /* get, put, append */
    char arg[16], seen[ROOM];
};

struct shape {
    size_t ops;
    unsigned pending, wrong, deletes;
    bool distinct;
};

struct world {
    struct fore_history h;
    struct shape shape;
    struct client clients[CLIENTS];
    char text[KEYS][ROOM], old[KEYS][ROOM]; /* old: what it was some time ago */
    struct fore_rng *rng;
    uint32_t names; /* a client that gives up goes on under a new name */
    uint32_t name[CLIENTS];
};

static const char *const kinds[] = {"get", "put", "append", "delete"};

static void record(struct world *w, size_t who, enum fore_record_type type,
                   const char *value)
{
    const struct client *c = &w->clients[who];
    struct fore_err e = {0};
    struct fore_record r = {.type = type,
                            .process = fore_val_int(&w->h.values, w->name[who]),
                            .f = {kinds[c->kind], strlen(kinds[c->kind])},
                            .key = fore_val_int(&w->h.values, c->key),
                            .has_key = true,
                            .has_value = value != NULL,
                            .line = 1};
    if (value)
        r.value = fore_val_string(&w->h.values, value, strlen(value));
    FORE_BUG_IF(fore_history_add(&w->h, &r, &e) != FORE_OK);
}

static void invoke(struct world *w, size_t who)
{
    static const char *const few[] = {"", "a", "b", "aa", "ab"};
    struct client *c = &w->clients[who];
    *c = (struct client){.open = true, .key = (unsigned)fore_rng_below(w->rng, KEYS)};
    uint64_t dice = fore_rng_below(w->rng, 100);
    c->kind = dice < 40 ? 0 : dice < 50 ? 1 : dice < 100 - w->shape.deletes ? 2 : 3;
    if (w->shape.distinct)
        snprintf(c->arg, sizeof c->arg, "%zu.", w->h.ops.n);
    else
        strcpy(c->arg, few[fore_rng_below(w->rng, 5)]);
    record(w, who, FORE_REC_INVOKE, c->kind == 1 || c->kind == 2 ? c->arg : NULL);
}

static void effect(struct world *w, struct client *c)
{
    char *text = w->text[c->key];
    c->in_effect = true;
    if (!fore_rng_below(w->rng, 6))
        strcpy(w->old[c->key], text);
    if (c->kind == 0)
        strcpy(c->seen, text);
    else if (c->kind == 2)
        memcpy(text + strlen(text), c->arg, sizeof c->arg);
    else
        strcpy(text, c->kind == 1 ? c->arg : "");
}

static void progress(struct world *w, size_t who)
{
    struct client *c = &w->clients[who];
    if (!c->in_effect && fore_rng_below(w->rng, 100) >= w->shape.pending) {
        effect(w, c);
        return;
    }
    c->open = false;
    if (fore_rng_below(w->rng, 100) < w->shape.pending) {
        record(w, who, FORE_REC_INFO, NULL);
        w->name[who] = w->names++;
        return;
    }
    if (!c->in_effect)
        effect(w, c);
    if (c->kind == 0 && fore_rng_below(w->rng, 100) < w->shape.wrong)
        strcpy(c->seen, fore_rng_below(w->rng, 2)
                            ? w->old[c->key]
                            : w->text[fore_rng_below(w->rng, KEYS)]);
    record(w, who, FORE_REC_OK, c->kind == 0 ? c->seen : NULL);
}

static void generate(struct world *w, const struct shape *shape, struct fore_rng *rng)
{
    memset(w, 0, sizeof *w);
    w->shape = *shape;
    w->rng = rng;
    w->names = CLIENTS;
    for (uint32_t i = 0; i < CLIENTS; i++)
        w->name[i] = i;
    fore_history_init(&w->h, "random", fore_model_find("kv"));
    for (size_t i = 0; i < shape->ops * 4; i++) {
        size_t who = fore_rng_below(rng, CLIENTS);
        if (w->clients[who].open)
            progress(w, who);
        else if (w->h.ops.n < shape->ops)
            invoke(w, who);
    }
    fore_history_finish(&w->h);
}

/* Is what was found for this part an order that the object allows? */
static bool order_holds(struct world *w, const struct fore_lin_part *p)
{
    struct fore_world few = {.shared = &w->h.values};
    uint32_t *order = fore_calloc(p->n + 1, sizeof *order);
    fore_world_set(&few, &w->h, p->ops, p->n, p->init, FORE_NEVER);
    for (size_t i = 0; i < p->n_order; i++)
        for (size_t k = 0; k < p->n; k++)
            if (p->ops[k] == p->order[i])
                order[i] = (uint32_t)k;
    bool ok = fore_order_holds(&few.part, order, p->n_order);
    fore_free(order);
    fore_world_release(&few);
    return ok;
}

struct count {
    size_t parts, found, yes, proved;
};

static bool agree(struct world *w, struct count *c)
{
    struct fore_lin_options with = {.keep_orders = true};
    struct fore_lin_options without = {.general_only = true};
    struct fore_lin_result a, b;
    struct fore_err e = {0};
    bool ok = fore_lin_check(&w->h, &with, &a, &e) == FORE_OK &&
              fore_lin_check(&w->h, &without, &b, &e) == FORE_OK &&
              a.verdict == b.verdict;
    for (size_t k = 0; ok && k < a.parts.n && b.verdict == FORE_LIN_YES; k++) {
        c->parts++;
        c->found += a.parts.at[k].special;
        ok = order_holds(w, &a.parts.at[k]);
    }
    c->yes += b.verdict == FORE_LIN_YES;
    c->proved += ok && a.verdict == FORE_LIN_NO && a.parts.at[a.failing].special;
    if (!ok)
        fprintf(stderr, "with the walk: %d, without: %d\n", a.verdict, b.verdict);
    fore_lin_result_release(&a);
    fore_lin_result_release(&b);
    return ok;
}

/* `wrong`: with answers that are falsified, and values that cannot be told apart. */
static bool check(size_t count, bool wrong)
{
    static struct world w;
    struct count c = {0};
    struct fore_rng rng;
    bool ok = true;
    fore_rng_seed(&rng, 77 + wrong);
    for (size_t i = 0; ok && i < count; i++) {
        struct shape shape = {.ops = 4 + fore_rng_below(&rng, 24), .distinct = !wrong};
        shape.pending = (unsigned)fore_rng_below(&rng, 3) * 5;
        if (wrong) {
            shape.wrong = (unsigned)fore_rng_below(&rng, 3) * 10;
            shape.deletes = (unsigned)fore_rng_below(&rng, 4) == 0 ? 5 : 0;
            shape.distinct = fore_rng_below(&rng, 2);
        }
        generate(&w, &shape, &rng);
        ok = agree(&w, &c);
        fore_history_release(&w.h);
    }
    printf("%zu histories, %zu linearizable; of their %zu parts, %zu by the walk; of the "
           "others %zu by a write that was overlooked\n",
           count, c.yes, c.parts, c.found, c.proved);
    if (wrong)
        return ok && c.yes > count / 4 && count - c.yes > count / 10 &&
               c.proved > (count - c.yes) / 4;
    return ok && c.yes == count && c.found > c.parts / 10 * 9;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 20000;
    return check(count, false) && check(count, true) ? 0 : 1;
}
