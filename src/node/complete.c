#include "node/complete.h"

#include "base/vec.h"
#include "foresee/actor.h"
#include "node/values.h"

#include <inttypes.h>
#include <string.h>

/* A node that has asked services this often without an answer has none. */
enum { MOST_ROUNDS = 100 };

int fore_service_named(const char *dest)
{
    for (int i = 0; i < FORE_SERVICES; i++)
        if (!strcmp(dest, fore_service_names[i]))
            return i;
    return -1;
}

static bool knows_value(const struct fore_json *body, int64_t value)
{
    const struct fore_json *list = fore_json_get(body, "messages");
    list = list ? list : fore_json_get(body, "value");
    for (const struct fore_json *x = list ? list->first : NULL; x; x = x->next)
        if (fore_value_of_json(x) == value)
            return true;
    return false;
}

static bool knows_all(const struct fore_workload *w, const struct fore_json *body)
{
    if (w->sums)
        return fore_json_int(fore_json_get(body, "value"), INT64_MIN) == w->sum;
    for (size_t i = 0; i < w->n_values; i++)
        if (!knows_value(body, w->values[i]))
            return false;
    return true;
}

/* The question, and its state. */
struct asking {
    const struct fore_question *q;
    struct fore_arena arena;
    int64_t services[FORE_SERVICES]; /* what they would be by now */
    FORE_VEC(const char *) lines;    /* that the node is still to get */
    bool answered, complete;
};

static void ask_service(struct asking *x, int which, const struct fore_json *body)
{
    struct fore_service_answer r;
    const char *state = fore_nodes_value(x->services[which]);
    fore_service_ask((enum fore_service)which, state ? state : "", x->q->node, body, &r);
    x->services[which] = fore_value_of_text(r.state.at, r.state.n);
    fore_vec_push(&x->lines,
                  fore_arena_printf(
                      &x->arena, "{\"src\":\"%s\",\"dest\":\"n%" PRId64 "\",\"body\":%s}",
                      fore_service_names[which], x->q->node, r.body.at));
    fore_service_answer_release(&r);
}

static void hear_line(struct asking *x, const char *line, size_t n)
{
    const struct fore_json *v = NULL;
    struct fore_err e = {0};
    if (fore_json_read(&x->arena, "output", line, n, &v, &e) != FORE_OK)
        return;
    const struct fore_json *body = fore_json_get(v, "body");
    const char *dest = fore_json_text(fore_json_get(v, "dest"));
    int which = fore_service_named(dest);
    if (which >= 0 && body) {
        ask_service(x, which, body);
    } else if (!strcmp(dest, "c0") &&
               fore_json_int(fore_json_get(body, "in_reply_to"), 0) == FORE_NODE_ASKING) {
        x->answered = true;
        x->complete = knows_all(x->q->workload, body);
    }
}

bool fore_node_is_complete(const struct fore_question *q)
{
    struct asking x = {.q = q, .arena = FORE_ARENA_INIT};
    uint64_t at = q->at;
    bool uses_services = false;
    memcpy(x.services, q->services, sizeof x.services);
    for (size_t i = 0; i < FORE_SERVICES; i++)
        uses_services = uses_services || x.services[i];
    fore_vec_push(&x.lines,
                  fore_arena_printf(&x.arena,
                                    "{\"src\":\"c0\",\"dest\":\"n%" PRId64
                                    "\",\"body\":{\"type\":\"read\",\"msg_id\":%d}}",
                                    q->node, FORE_NODE_ASKING));
    for (size_t i = 0; !x.answered && i < x.lines.n && i < MOST_ROUNDS; i++) {
        const struct fore_trail_input in = {
            .kind = FORE_INPUT_LINE, .line = x.lines.at[i], .aside = !uses_services};
        const struct fore_node_step *step = fore_trail_step(q->trails, at, &in);
        at = step->to;
        if (step->why[0])
            break;
        for (const char *s = step->out, *nl; (nl = strchr(s, '\n')); s = nl + 1)
            hear_line(&x, s, (size_t)(nl - s));
    }
    fore_vec_release(&x.lines);
    fore_arena_release(&x.arena);
    return x.complete;
}
