/* Random small actor systems and harnesses for them. */
#ifndef FORE_TESTS_ORACLE_EXPLORE_RANDOM_SYSTEM_H
#define FORE_TESTS_ORACLE_EXPLORE_RANDOM_SYSTEM_H

#include "base/rng.h"
#include "foresee/actor.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { KINDS = 5, ACTORS = 3, STATES = 3, SENDS = 2, REPLY = KINDS };

static const struct foresee_message messages[] = {
    {"A", "client"}, {"B", "client"}, {"C", "client"},
    {"D", "client"}, {"E", "client"}, {"Reply", "value"},
};

/* What a handler does, by kind, actor and state. */
struct rule {
    uint8_t next, replies, sends;
    struct {
        uint8_t kind, to;
    } send[SENDS];
};

static struct rule rules[KINDS][ACTORS + 1][STATES]; /* of the system at hand */

struct cell {
    int64_t x;
};

static void on_any(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct cell *me = state;
    const struct rule *r = &rules[m->kind][f->self][me->x % STATES];
    for (int i = 0; i < r->sends; i++)
        FORESEE_SEND(f, r->send[i].to, r->send[i].kind, m->field[0]);
    if (r->replies && m->field[0] < 0)
        FORESEE_SEND(f, m->field[0], REPLY, me->x);
    me->x = r->next;
}

static const foresee_handler on[] = {on_any, on_any, on_any, on_any, on_any, NULL};
static const struct foresee_role roles[] = {
    {"cell", sizeof(struct cell), NULL, on, NULL}};
static const struct foresee_actor_system definition = {
    sizeof definition, FORESEE_ACTOR_ABI, "random", messages, KINDS + 1, roles, 1};

/* Messages only cause messages of later kinds, so every run ends, unless there may be circles:
 * then D and E may cause each other. */
static inline void draw_rules(struct fore_rng *r, bool circles)
{
    for (uint8_t k = 0; k < KINDS; k++)
        for (int a = 1; a <= ACTORS; a++)
            for (int s = 0; s < STATES; s++) {
                struct rule *x = &rules[k][a][s];
                x->next = (uint8_t)fore_rng_below(r, STATES);
                x->replies = !fore_rng_below(r, 2);
                uint8_t first = circles && k >= KINDS - 2 ? KINDS - 2 : k + 1;
                x->sends = (uint8_t)(first < KINDS ? fore_rng_below(r, 2) : 0);
                x->sends = (uint8_t)(x->sends + (x->sends && !fore_rng_below(r, 4)));
                x->sends = circles && k >= KINDS - 2 && x->sends ? 1 : x->sends;
                for (int i = 0; i < x->sends; i++) {
                    x->send[i].kind =
                        (uint8_t)(first + fore_rng_below(r, (uint64_t)(KINDS - first)));
                    x->send[i].to = (uint8_t)(1 + fore_rng_below(r, ACTORS));
                }
            }
}

static inline void draw_harness(struct fore_rng *r, char *out, size_t size)
{
    static const char *const links[] = {"", "", "[links]\nall: fifo\n",
                                        "[links]\n1 -> 2: fifo\n3 -> 2: fifo\n"};
    int ops = 1 + (int)fore_rng_below(r, 3);
    size_t n = (size_t)snprintf(out, size,
                                "[specification]\nregister 0\n[agents]\n1 2 3: cell\n"
                                "%s[invocations]\n",
                                links[fore_rng_below(r, 4)]);
    for (int i = 0; i < ops; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s -> %d: %c(client=me)\n",
                              i && !fore_rng_below(r, 3) ? "then " : "",
                              fore_rng_below(r, 2) ? "read()" : "write(1)",
                              1 + (int)fore_rng_below(r, ACTORS),
                              'A' + (int)fore_rng_below(r, 3));
    snprintf(out + n, size - n, "[responses]\n%s%s",
             strstr(out, "read") ? "read: Reply(value)\n" : "",
             strstr(out, "write") ? "write: Reply\n" : "");
}

#endif
