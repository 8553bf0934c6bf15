/* Correct histories of any size, as JSON lines: an object is run by clients whose operations
 * overlap. Usage: lin-generate OBJECT OPERATIONS CLIENTS KEYS VALUES SEED
 * VALUES 0: every value that is put is new. OBJECT: kv, queue, stack, pqueue. */
#include "base/rng.h"
#include "history/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct client {
    bool open, in_effect;
    bool put;
    uint64_t key, value, result;
};

struct world {
    const char *object, *put, *take;
    uint64_t keys, values, fresh;
    uint64_t *state;          /* of each key */
    FORE_VEC(uint64_t) items; /* of a container */
    size_t head;
    struct fore_rng rng;
};

enum { NIL = 0 };

static void event(const struct world *w, size_t client, const struct client *c,
                  bool answer)
{
    printf("{\"process\":%zu,\"type\":\"%s\",\"f\":\"%s\"", client,
           answer ? "ok" : "invoke", c->put ? w->put : w->take);
    if (w->keys)
        printf(",\"key\":%llu", (unsigned long long)c->key);
    if (c->put && !answer)
        printf(",\"value\":%llu", (unsigned long long)c->value);
    if (!c->put && answer && c->result != NIL)
        printf(",\"value\":%llu", (unsigned long long)c->result);
    else if (!c->put && answer)
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

static uint64_t take(struct world *w)
{
    if (w->items.n == w->head)
        return NIL;
    if (!strcmp(w->object, "queue"))
        return w->items.at[w->head++];
    return strcmp(w->object, "stack") ? smallest(w) : fore_vec_pop(&w->items);
}

static void effect(struct world *w, struct client *c)
{
    c->in_effect = true;
    if (w->keys && c->put)
        w->state[c->key] = c->value;
    else if (w->keys)
        c->result = w->state[c->key];
    else if (c->put)
        fore_vec_push(&w->items, c->value);
    else
        c->result = take(w);
}

static void invoke(struct world *w, struct client *c)
{
    *c = (struct client){.open = true};
    c->put = fore_rng_below(&w->rng, 2) == 0;
    /* A container that is neither always empty nor ever growing. */
    if (!w->keys && w->items.n - w->head > 1000)
        c->put = false;
    if (w->keys)
        c->key = fore_rng_below(&w->rng, w->keys);
    c->value = w->values ? 1 + fore_rng_below(&w->rng, w->values) : ++w->fresh;
}

static int run(struct world *w, uint64_t operations, size_t n_clients)
{
    struct client *clients = fore_calloc(n_clients, sizeof *clients);
    uint64_t invoked = 0, done = 0;
    while (done < operations) {
        size_t i = fore_rng_below(&w->rng, n_clients);
        struct client *c = &clients[i];
        if (!c->open && invoked < operations) {
            invoke(w, c);
            event(w, i, c, false);
            invoked++;
        } else if (c->open && !c->in_effect) {
            effect(w, c);
        } else if (c->open) {
            event(w, i, c, true);
            c->open = false;
            done++;
        }
    }
    fore_free(clients);
    return ferror(stdout) != 0;
}

int main(int argc, char **argv)
{
    struct world w = {0};
    if (argc != 7) {
        fputs("usage: lin-generate OBJECT OPERATIONS CLIENTS KEYS VALUES SEED\n", stderr);
        return 2;
    }
    const struct fore_model *m = fore_model_find(argv[1]);
    if (!m) {
        fprintf(stderr, "lin-generate: no object %s\n", argv[1]);
        return 2;
    }
    static const char *const names[][3] = {{"kv", "put", "get"},
                                           {"queue", "enqueue", "dequeue"},
                                           {"stack", "push", "pop"},
                                           {"pqueue", "insert", "delete-min"}};
    for (size_t i = 0; i < 4; i++)
        if (!strcmp(names[i][0], argv[1])) {
            w.put = names[i][1];
            w.take = names[i][2];
        }
    w.object = argv[1];
    w.keys = m->keyed ? strtoull(argv[4], NULL, 10) : 0;
    w.values = strtoull(argv[5], NULL, 10);
    w.state = fore_calloc(w.keys + 1, sizeof *w.state);
    fore_rng_seed(&w.rng, strtoull(argv[6], NULL, 10));
    int bad =
        w.put ? run(&w, strtoull(argv[2], NULL, 10), (size_t)strtoull(argv[3], NULL, 10))
              : 2;
    fore_vec_release(&w.items);
    fore_free(w.state);
    return bad;
}
