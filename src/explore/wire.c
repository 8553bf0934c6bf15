#include "explore/wire.h"

#include "base/json.h"
#include "finding/load.h"
#include "finding/save.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void put_bytes(int fd, const char *at, size_t n)
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
    put_bytes(fd, head, sizeof head);
    put_bytes(fd, text, n);
}

static uint64_t number_member(const struct fore_json *o, const char *key)
{
    return (uint64_t)fore_json_int(fore_json_get(o, key), 0);
}

static const char *text_of(const struct fore_json *o, const char *key)
{
    return fore_json_text(fore_json_get(o, key));
}

static void receive_row(struct fore_session_result *r, const struct fore_json *o)
{
    struct fore_session_row x = {
        .scheduler = fore_scheduler_find(text_of(o, "scheduler")),
        .compat = fore_json_true(fore_json_get(o, "compat")),
        .crossed = fore_json_true(fore_json_get(o, "crossed")),
        .unique = number_member(o, "UH"),
        .broken = number_member(o, "NL"),
        .check_ns = number_member(o, "check_ns"),
        .history_classes = number_member(o, "history_classes"),
        .violating_classes = number_member(o, "violating_classes"),
        .class_fingerprint = number_member(o, "class_fingerprint"),
        .process_steps = number_member(o, "process_steps"),
        .process_steps_again = number_member(o, "process_steps_again"),
        .processes = number_member(o, "processes"),
        .copies = number_member(o, "copies"),
        .row = {.schedules = number_member(o, "S"),
                .incomplete = number_member(o, "IH"),
                .first_bug = number_member(o, "first_bug"),
                .first_bug_ns = number_member(o, "first_bug_ns"),
                .ns = number_member(o, "ns"),
                .steps = number_member(o, "steps"),
                .stateless_steps = number_member(o, "stateless_steps"),
                .redundant = number_member(o, "redundant"),
                .states = number_member(o, "states"),
                .transitions = number_member(o, "transitions"),
                .walks = number_member(o, "walks"),
                .on_disk = number_member(o, "on_disk"),
                .renamings = number_member(o, "renamings"),
                .wide = fore_json_true(fore_json_get(o, "wide"))},
    };
    const char *bound = text_of(o, "bound"), *hint = text_of(o, "hint");
    const char *no_copy = text_of(o, "no_copy");
    x.bound = *bound ? bound : NULL;
    x.hint = *hint ? hint : NULL;
    x.no_copy = *no_copy ? no_copy : NULL;
    fore_vec_push(&r->rows, x);
}

/* {"finding": an object of the contract, "witness_trace": "…"} */
static enum fore_status receive_finding(struct fore_session_result *r,
                                        const struct fore_json *o, struct fore_err *e)
{
    FORE_TRY(fore_finding_load(&r->findings, "explorer", fore_json_get(o, "finding"), e));
    fore_vec_last(&r->findings.list)->witness_trace = text_of(o, "witness_trace");
    return FORE_OK;
}

void fore_wire_send_finding(int fd, const struct fore_finding *x)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    fore_jsonw_init(&w, &text);
    fore_jsonw_open(&w, NULL, '{');
    fore_finding_save(&w, "finding", x, false);
    fore_jsonw_text(&w, "witness_trace", x->witness_trace);
    fore_jsonw_close(&w, '}');
    fore_wire_send(fd, FORE_FRAME_FINDING, text.at, text.n);
    fore_strbuf_release(&text);
}

enum fore_status fore_wire_receive(struct fore_session_result *r, enum fore_frame kind,
                                   const char *text, size_t n, struct fore_err *e)
{
    const struct fore_json *o;
    FORE_TRY(fore_json_read(&r->findings.arena, "explorer", text, n, &o, e));
    if (kind == FORE_FRAME_ERROR)
        return fore_err_load(o, e);
    if (kind == FORE_FRAME_ROW)
        receive_row(r, o);
    else if (kind == FORE_FRAME_FINDING)
        return receive_finding(r, o, e);
    else if (kind == FORE_FRAME_TOLD)
        r->told = fore_json_text(o);
    return FORE_OK;
}
