/* Histories of transactions of any size, as Jepsen's workloads have them: a few keys at a
 * time, which are retired after some writes; clients whose transactions overlap and take
 * effect at one moment. Usage: txn-generate append|register TRANSACTIONS CLIENTS SEED [skew]
 * skew: transactions read what was there when they began, so that some miss each other. */
#include "base/rng.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACTIVE_KEYS = 10, WRITES_PER_KEY = 64, MAX_OPS = 4 };

struct op {
    bool write;
    uint64_t slot, key, value;
    size_t length; /* of what was read */
};

struct client {
    bool open, in_effect;
    int n;
    struct op ops[MAX_OPS];
};

/* The keys that are in use; a list's elements are all that is kept of it. */
struct key {
    uint64_t name;
    FORE_VEC(uint64_t) items;
};

struct world {
    bool append, skew;
    struct key keys[ACTIVE_KEYS];
    uint64_t names, fresh;
    struct fore_rng rng;
};

static void print_read(const struct world *w, const struct op *op)
{
    const struct key *k = &w->keys[op->slot];
    if (!w->append) {
        printf(op->length ? "%llu" : "null",
               (unsigned long long)(op->length ? k->items.at[op->length - 1] : 0));
        return;
    }
    putchar('[');
    for (size_t i = 0; i < op->length; i++)
        printf("%s%llu", i ? "," : "", (unsigned long long)k->items.at[i]);
    putchar(']');
}

static void print_event(const struct world *w, size_t client, const struct client *c,
                        bool answer)
{
    printf("{\"process\":%zu,\"type\":\"%s\",\"f\":\"txn\",\"value\":[", client,
           answer ? "ok" : "invoke");
    for (int i = 0; i < c->n; i++) {
        const struct op *op = &c->ops[i];
        printf("%s[\"%s\",%llu,", i ? "," : "",
               !op->write  ? "r"
               : w->append ? "append"
                           : "w",
               (unsigned long long)op->key);
        if (op->write)
            printf("%llu", (unsigned long long)op->value);
        else if (answer)
            print_read(w, op);
        else
            fputs("null", stdout);
        putchar(']');
    }
    puts("]}");
}

/* A key that has had its writes makes room for another; not while it is being read. */
static void retire_keys(struct world *w, const struct client *clients, size_t n)
{
    for (uint64_t s = 0; s < ACTIVE_KEYS; s++) {
        bool used = w->keys[s].items.n < WRITES_PER_KEY;
        for (size_t i = 0; !used && i < n; i++)
            for (int k = 0; clients[i].open && k < clients[i].n; k++)
                used = used || clients[i].ops[k].slot == s;
        if (!used) {
            w->keys[s].name = w->names++;
            fore_vec_clear(&w->keys[s].items);
        }
    }
}

static void begin(struct world *w, struct client *c)
{
    *c = (struct client){.open = true, .n = 1 + (int)fore_rng_below(&w->rng, MAX_OPS)};
    for (int i = 0; i < c->n; i++) {
        struct op *op = &c->ops[i];
        op->write = fore_rng_below(&w->rng, 2);
        op->slot = fore_rng_below(&w->rng, ACTIVE_KEYS);
        op->key = w->keys[op->slot].name;
        op->length = w->keys[op->slot].items.n;
        if (op->write)
            op->value = w->fresh++;
    }
}

static void take_effect(struct world *w, struct client *c)
{
    for (int i = 0; i < c->n; i++) {
        struct op *op = &c->ops[i];
        struct key *k = &w->keys[op->slot];
        if (op->write)
            fore_vec_push(&k->items, op->value);
        else if (!w->skew || fore_rng_below(&w->rng, 1000))
            op->length = k->items.n;
    }
    c->in_effect = true;
}

int main(int argc, char **argv)
{
    if (argc < 5 ||
        (strcmp(argv[1], "append") != 0 && strcmp(argv[1], "register") != 0)) {
        fputs("usage: txn-generate append|register TRANSACTIONS CLIENTS SEED [skew]\n",
              stderr);
        return 2;
    }
    struct world w = {.append = !strcmp(argv[1], "append"), .skew = argc > 5};
    uint64_t left = strtoull(argv[2], NULL, 10), open = 0;
    size_t n = strtoull(argv[3], NULL, 10);
    struct client *clients = fore_calloc(n + 1, sizeof *clients);
    fore_rng_seed(&w.rng, strtoull(argv[4], NULL, 10));
    for (uint64_t s = 0; s < ACTIVE_KEYS; s++)
        w.keys[s].name = w.names++;
    w.fresh = 1;
    while (left || open) {
        size_t i = fore_rng_below(&w.rng, n);
        struct client *c = &clients[i];
        if (!c->open && left) {
            retire_keys(&w, clients, n);
            begin(&w, c);
            print_event(&w, i, c, false);
            left--;
            open++;
        } else if (c->open && !c->in_effect) {
            take_effect(&w, c);
        } else if (c->open) {
            print_event(&w, i, c, true);
            c->open = false;
            open--;
        }
    }
    for (uint64_t s = 0; s < ACTIVE_KEYS; s++)
        fore_vec_release(&w.keys[s].items);
    fore_free(clients);
    return ferror(stdout) != 0;
}
