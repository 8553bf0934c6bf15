/* Histories of any size, as JSON lines: an object is run by clients whose operations
 * overlap. Usage: lin-generate OBJECT OPERATIONS CLIENTS KEYS VALUES SEED [wrong|misplaced]
 * VALUES 0: every value that is put is new. OBJECT: kv, queue, stack, pqueue, set, multiset.
 * wrong: after half of the operations, one answer is another than it was. misplaced: one take
 * gets a value of the container that is not the one in front. */
#include "base/rng.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum what { PUT, TAKE, LOOK };

struct client {
    bool open, in_effect;
    enum what what;
    uint64_t key, value, result;
};

/* How an object's operations are called. */
struct object {
    const char *name, *does[3];
    bool answers_bool; /* of sets: whether it worked; else what was taken */
};

struct world {
    const struct object *object;
    uint64_t keys, values, fresh;
    uint64_t *state; /* of each key, or how often a set holds a value */
    bool wrong;      /* an answer is still to be falsified */
    bool misplaced;  /* a take is still to go wrong */
    uint64_t half, invoked;
    FORE_VEC(uint64_t) items; /* of a container */
    size_t head;
    struct fore_rng rng;
};

enum { NIL = 0 };

static bool is_set(const struct world *w)
{
    return w->object->answers_bool;
}

static void event(const struct world *w, size_t client, const struct client *c,
                  bool answer)
{
    bool put = c->what == PUT;
    printf("{\"process\":%zu,\"type\":\"%s\",\"f\":\"%s\"", client,
           answer ? "ok" : "invoke", w->object->does[c->what]);
    if (w->keys)
        printf(",\"key\":%llu", (unsigned long long)c->key);
    if (is_set(w) && answer)
        printf(",\"value\":%s", c->result ? "true" : "false");
    else if ((is_set(w) || put) && !answer)
        printf(",\"value\":%llu", (unsigned long long)c->value);
    else if (!put && answer && c->result != NIL)
        printf(",\"value\":%llu", (unsigned long long)c->result);
    else if (!put && answer)
        fputs(w->keys ? ",\"value\":\"\"" : ",\"value\":null", stdout);
    puts("}");
}

static uint64_t smallest(struct world *w)
{
    size_t best = 0;
    for (size_t i = 1; i < w->items.n; i++)
        best = w->items.at[i] < w->items.at[best] ? i : best;
    uint64_t v = w->items.at[best];
    w->items.at[best] = fore_vec_pop(&w->items);
    return v;
}

/* One with a few others between it and the front; NIL: there is none now. */
static uint64_t take_misplaced(struct world *w)
{
    enum { FAR = 4 };
    bool stack = !strcmp(w->object->name, "stack");
    uint64_t front = stack ? fore_vec_last(&w->items) : w->items.at[w->head];
    size_t from = w->head + (stack ? 0 : FAR), to = w->items.n;
    for (size_t i = from; i + (stack ? FAR : 0) < to; i++)
        if (w->items.at[i] != front) {
            uint64_t v = w->items.at[i];
            memmove(&w->items.at[i], &w->items.at[i + 1],
                    (w->items.n - i - 1) * sizeof v);
            w->items.n--;
            w->misplaced = false;
            return v;
        }
    return NIL;
}

static uint64_t take(struct world *w)
{
    if (w->items.n == w->head)
        return NIL;
    uint64_t v = w->misplaced && w->invoked > w->half ? take_misplaced(w) : NIL;
    if (v != NIL)
        return v;
    if (!strcmp(w->object->name, "queue"))
        return w->items.at[w->head++];
    return strcmp(w->object->name, "stack") ? smallest(w) : fore_vec_pop(&w->items);
}

static void effect_on_set(struct world *w, struct client *c)
{
    bool many = !strcmp(w->object->name, "multiset");
    uint64_t *count = &w->state[c->value];
    c->result = c->what == PUT ? many || !*count : *count > 0;
    if (c->what == PUT && c->result)
        ++*count;
    if (c->what == TAKE && c->result)
        --*count;
}

static void effect(struct world *w, struct client *c)
{
    c->in_effect = true;
    if (is_set(w))
        effect_on_set(w, c);
    else if (w->keys && c->what == PUT)
        w->state[c->key] = c->value;
    else if (w->keys)
        c->result = w->state[c->key];
    else if (c->what == PUT)
        fore_vec_push(&w->items, c->value);
    else
        c->result = take(w);
}

static void invoke(struct world *w, struct client *c)
{
    *c = (struct client){.open = true};
    c->what = fore_rng_below(&w->rng, 2) == 0 ? PUT : TAKE;
    /* A container that is neither always empty nor ever growing. */
    if (!w->keys && w->items.n - w->head > 1000)
        c->what = TAKE;
    if (w->object->does[LOOK] && fore_rng_below(&w->rng, 4) == 0)
        c->what = LOOK;
    if (w->keys)
        c->key = fore_rng_below(&w->rng, w->keys);
    c->value = w->values ? 1 + fore_rng_below(&w->rng, w->values) : ++w->fresh;
}

/* One answer about a value becomes another. */
static void falsify(struct world *w, struct client *c)
{
    if (c->what == PUT || (!is_set(w) && c->result == NIL))
        return;
    c->result = is_set(w)   ? !c->result
                : w->values ? 1 + c->result % w->values
                            : c->result + 1;
    w->wrong = false;
}

static int run(struct world *w, uint64_t operations, size_t n_clients)
{
    struct client *clients = fore_calloc(n_clients, sizeof *clients);
    uint64_t done = 0;
    w->half = operations / 2;
    while (done < operations) {
        size_t i = fore_rng_below(&w->rng, n_clients);
        struct client *c = &clients[i];
        if (!c->open && w->invoked < operations) {
            invoke(w, c);
            event(w, i, c, false);
            w->invoked++;
        } else if (c->open && !c->in_effect) {
            effect(w, c);
        } else if (c->open) {
            if (w->wrong && done >= w->half)
                falsify(w, c);
            event(w, i, c, true);
            c->open = false;
            done++;
        }
    }
    fore_free(clients);
    return ferror(stdout) != 0;
}

static const struct object objects[] = {
    {"kv", {"put", "get", NULL}, false},
    {"queue", {"enqueue", "dequeue", NULL}, false},
    {"stack", {"push", "pop", NULL}, false},
    {"pqueue", {"insert", "delete-min", NULL}, false},
    {"set", {"add", "remove", "contains"}, true},
    {"multiset", {"add", "remove", "contains"}, true},
};

int main(int argc, char **argv)
{
    struct world w = {0};
    w.wrong = argc == 8 && !strcmp(argv[7], "wrong");
    w.misplaced = argc == 8 && !strcmp(argv[7], "misplaced");
    if (argc != 7 && !w.wrong && !w.misplaced) {
        fputs("usage: lin-generate OBJECT OPERATIONS CLIENTS KEYS VALUES SEED "
              "[wrong|misplaced]\n",
              stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        if (!strcmp(objects[i].name, argv[1]))
            w.object = &objects[i];
    if (!w.object) {
        fprintf(stderr, "lin-generate: no object %s\n", argv[1]);
        return 2;
    }
    w.keys = !strcmp(argv[1], "kv") ? strtoull(argv[4], NULL, 10) : 0;
    w.values = strtoull(argv[5], NULL, 10);
    if (is_set(&w) && !w.values) {
        fprintf(stderr, "lin-generate: VALUES of a %s must be 1 or more\n", argv[1]);
        return 2;
    }
    w.state = fore_calloc(w.keys + w.values + 1, sizeof *w.state);
    fore_rng_seed(&w.rng, strtoull(argv[6], NULL, 10));
    int bad = run(&w, strtoull(argv[2], NULL, 10), (size_t)strtoull(argv[3], NULL, 10));
    fore_vec_release(&w.items);
    fore_free(w.state);
    return bad;
}
