/* A harness is read or refused with a place; what is read can be explored for a while. A schedule
 * is read or refused. */
#include "base/arena.h"
#include "explore/script.h"
#include "explore/walk.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_any(struct foresee *f, void *state, const struct foresee_received *m)
{
    int64_t *value = state;
    if (*value < 2)
        FORESEE_SEND(f, 1, 1, ++*value, m->field[1]);
    if (m->field[1] < 0)
        FORESEE_SEND(f, m->field[1], 2, *value);
}

static const struct foresee_message messages[] = {
    {"Ask", "key client"}, {"Pass", "key client"}, {"Answer", "value"}};
static const foresee_handler on[] = {on_any, on_any, NULL};
static const struct foresee_role roles[] = {{"server", 8, NULL, on, NULL}};
static const struct foresee_actor_system definition = {
    sizeof definition, FORESEE_ACTOR_ABI, "toy", messages, 3, roles, 1};

static void explore(const struct fore_system *s, const struct fore_harness *h)
{
    struct fore_explore_options o = {
        .scheduler = &fore_scheduler_optimal, .max_schedules = 50, .max_depth = 30};
    struct fore_explorer x;
    struct fore_err e = {0};
    if (fore_explorer_init(&x, s, h, &o, &e) == FORE_OK) {
        fore_explorer_run(&x);
        FORE_BUG_IF(!x.row.schedules && !x.stop);
    }
    fore_explorer_release(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_system s;
    struct fore_harness h;
    struct fore_script script;
    struct fore_err e = {0};
    if (size > 4000 || fore_system_init(&s, &a, &definition, &e) != FORE_OK)
        return 0;
    enum fore_status status =
        fore_harness_parse(&h, &a, &s, "fuzz", (const char *)data, size, &e);
    FORE_BUG_IF(status != FORE_OK && !e.msg[0]);
    if (status == FORE_OK)
        explore(&s, &h);
    fore_harness_release(&h);
    if (fore_script_read(&script, "fuzz", (const char *)data, size, &e) != FORE_OK)
        FORE_BUG_IF(!e.line);
    fore_script_release(&script);
    fore_arena_release(&a);
    return 0;
}
