#include "explore/wire.h"

#include "base/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void put(int fd, const char *at, size_t n)
{
    while (n) {
        ssize_t k = write(fd, at, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            _exit(1); /* nobody listens any more */
        at += k;
        n -= (size_t)k;
    }
}

void fore_wire_send(int fd, enum fore_frame kind, const char *text, size_t n)
{
    char head[5] = {(char)kind};
    uint32_t length = (uint32_t)n;
    memcpy(head + 1, &length, sizeof length);
    put(fd, head, sizeof head);
    put(fd, text, n);
}

static uint64_t number(const struct fore_json *o, const char *key)
{
    return (uint64_t)fore_json_int(fore_json_get(o, key), 0);
}

static const char *text_of(const struct fore_json *o, const char *key)
{
    return fore_json_text(fore_json_get(o, key));
}

static enum fore_status receive_error(const struct fore_json *o, struct fore_err *e)
{
    enum fore_status s = (enum fore_status)number(o, "status");
    if (number(o, "line"))
        return fore_fail_at(e, s, text_of(o, "file"), number(o, "line"),
                            number(o, "column"), "%s", text_of(o, "message"));
    return fore_fail(e, s, "%s", text_of(o, "message"));
}

static void receive_row(struct fore_session_result *r, const struct fore_json *o)
{
    struct fore_session_row x = {
        .scheduler = fore_scheduler_find(text_of(o, "scheduler")),
        .compat = fore_json_true(fore_json_get(o, "compat")),
        .crossed = fore_json_true(fore_json_get(o, "crossed")),
        .unique = number(o, "UH"),
        .broken = number(o, "NL"),
        .check_ns = number(o, "check_ns"),
        .history_classes = number(o, "history_classes"),
        .violating_classes = number(o, "violating_classes"),
        .row = {.schedules = number(o, "S"),
                .incomplete = number(o, "IH"),
                .first_bug = number(o, "first_bug"),
                .first_bug_ns = number(o, "first_bug_ns"),
                .ns = number(o, "ns"),
                .steps = number(o, "steps"),
                .stateless_steps = number(o, "stateless_steps"),
                .redundant = number(o, "redundant"),
                .states = number(o, "states"),
                .transitions = number(o, "transitions")},
    };
    const char *bound = text_of(o, "bound");
    x.bound = *bound ? bound : NULL;
    fore_vec_push(&r->rows, x);
}

static void receive_ops(struct fore_session_bug *b, const struct fore_json *list)
{
    for (const struct fore_json *x = list ? list->first : NULL; x; x = x->next)
        fore_vec_push(&b->ops,
                      (struct fore_session_op){
                          .text = text_of(x, "text"),
                          .client = text_of(x, "client"),
                          .agent = text_of(x, "agent"),
                          .label = text_of(x, "label"),
                          .line = number(x, "line"),
                          .start = number(x, "start"),
                          .end = number(x, "end"),
                          .answered = fore_json_true(fore_json_get(x, "answered")),
                          .blamed = fore_json_true(fore_json_get(x, "blamed"))});
}

static void receive_sequence(struct fore_session_bug *b, const struct fore_json *lanes,
                             const struct fore_json *arrows)
{
    for (const struct fore_json *x = lanes ? lanes->first : NULL; x; x = x->next)
        fore_vec_push(&b->lanes, fore_json_text(x));
    for (const struct fore_json *x = arrows ? arrows->first : NULL; x; x = x->next)
        fore_vec_push(&b->arrows,
                      (struct fore_session_arrow){
                          (uint32_t)number(x, "from_lane"),
                          (uint32_t)number(x, "from_row"), (uint32_t)number(x, "to_lane"),
                          (uint32_t)number(x, "to_row"), text_of(x, "label"),
                          text_of(x, "style")});
}

static void receive_bug(struct fore_session_result *r, const struct fore_json *o)
{
    struct fore_session_bug b = {
        .kind = (enum fore_bug)number(o, "kind"),
        .count = number(o, "count"),
        .shortest = fore_json_true(fore_json_get(o, "shortest")),
        .message = text_of(o, "message"),
        .reason = text_of(o, "reason"),
        .diagram = text_of(o, "diagram"),
        .trace = text_of(o, "trace"),
    };
    receive_ops(&b, fore_json_get(o, "ops"));
    receive_sequence(&b, fore_json_get(o, "lanes"), fore_json_get(o, "arrows"));
    const struct fore_json *list = fore_json_get(o, "steps");
    for (const struct fore_json *x = list ? list->first : NULL; x; x = x->next)
        fore_vec_push(&b.steps,
                      (struct fore_session_step){text_of(x, "actor"), text_of(x, "event"),
                                                 text_of(x, "note")});
    fore_vec_push(&r->bugs, b);
}

enum fore_status fore_wire_receive(struct fore_session_result *r, enum fore_frame kind,
                                   const char *text, size_t n, struct fore_err *e)
{
    const struct fore_json *o;
    FORE_TRY(fore_json_read(&r->arena, "explorer", text, n, &o, e));
    if (kind == FORE_FRAME_ERROR)
        return receive_error(o, e);
    if (kind == FORE_FRAME_ROW)
        receive_row(r, o);
    else if (kind == FORE_FRAME_BUG)
        receive_bug(r, o);
    else if (kind == FORE_FRAME_TOLD)
        r->told = fore_json_text(o);
    return FORE_OK;
}
