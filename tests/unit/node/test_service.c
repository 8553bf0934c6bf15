/* Maelstrom's services, beside what their names promise: random requests of three nodes, in which what one
 * node changed is shown to the others in any order. */
#include "node/service.h"

#include "base/rng.h"
#include "base/vec.h"

#include "../check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 3, KEYS = 2, OPS = 60, RUNS = 300, MISSING = -1 };

struct shown {
    int64_t node;
    char *what;
};

struct bench {
    enum fore_service which;
    struct fore_arena arena;
    char *state;
    FORE_VEC(struct shown) pending;
};

static void begin(struct bench *b, enum fore_service which)
{
    *b = (struct bench){.which = which, .arena = FORE_ARENA_INIT};
    b->state = fore_arena_strdup(&b->arena, "");
}

static void end(struct bench *b)
{
    fore_vec_release(&b->pending);
    fore_arena_release(&b->arena);
}

/* What it answers: its body. */
static const struct fore_json *ask(struct bench *b, int64_t node, const char *text)
{
    const struct fore_json *body = NULL, *answer = NULL;
    struct fore_service_answer a;
    struct fore_err e = {0};
    assert_int_equal(fore_json_read(&b->arena, "request", text, strlen(text), &body, &e),
                     FORE_OK);
    fore_service_ask(b->which, b->state, node, body, &a);
    b->state = fore_arena_strndup(&b->arena, a.state.at, a.state.n);
    for (int64_t i = 1; a.show.n && i <= NODES; i++)
        if (i != node)
            fore_vec_push(
                &b->pending,
                (struct shown){i, fore_arena_strndup(&b->arena, a.show.at, a.show.n)});
    char *said = fore_arena_strndup(&b->arena, a.body.at, a.body.n);
    assert_int_equal(fore_json_read(&b->arena, "answer", said, strlen(said), &answer, &e),
                     FORE_OK);
    fore_service_answer_release(&a);
    return answer;
}

static void show_one(struct bench *b, size_t i)
{
    struct fore_strbuf after = FORE_STRBUF_INIT;
    fore_service_show(b->which, b->state, b->pending.at[i].node, b->pending.at[i].what,
                      &after);
    b->state = fore_arena_strndup(&b->arena, after.at, after.n);
    fore_strbuf_release(&after);
    b->pending.at[i] = b->pending.at[--b->pending.n];
}

static int64_t read_key(struct bench *b, int64_t node, int key)
{
    const struct fore_json *a =
        ask(b, node,
            fore_arena_printf(&b->arena,
                              "{\"type\":\"read\",\"key\":\"k%d\",\"msg_id\":7}", key));
    assert_int_equal(fore_json_int(fore_json_get(a, "in_reply_to"), 0), 7);
    if (!strcmp(fore_json_text(fore_json_get(a, "type")), "error")) {
        assert_int_equal(fore_json_int(fore_json_get(a, "code"), 0), 20);
        return MISSING;
    }
    return fore_json_int(fore_json_get(a, "value"), MISSING);
}

static void write_key(struct bench *b, int64_t node, int key, int64_t value)
{
    const struct fore_json *a =
        ask(b, node,
            fore_arena_printf(
                &b->arena, "{\"type\":\"write\",\"key\":\"k%d\",\"value\":%" PRId64 "}",
                key, value));
    assert_string_equal(fore_json_text(fore_json_get(a, "type")), "write_ok");
}

/* The error's code; 0: it worked. */
static int64_t swap_key(struct bench *b, int64_t node, int key, int64_t from, int64_t to,
                        bool create)
{
    const struct fore_json *a =
        ask(b, node,
            fore_arena_printf(&b->arena,
                              "{\"type\":\"cas\",\"key\":\"k%d\",\"from\":%" PRId64
                              ",\"to\":%" PRId64 ",\"create_if_not_exists\":%s}",
                              key, from, to, create ? "true" : "false"));
    return fore_json_int(fore_json_get(a, "code"), 0);
}

/* All that was ever in the store, and which of it a node has seen at least. */
struct past {
    int64_t at[OPS + 1][KEYS];
    int now, seen[NODES + 1];
};

/* One request; the past says what may come of it. `fresh`: only the latest may. */
static void take_random_step(struct bench *b, struct past *p, struct fore_rng *rng,
                             bool fresh)
{
    int64_t node = 1 + (int64_t)fore_rng_below(rng, NODES),
            value = (int64_t)fore_rng_below(rng, 4);
    int key = (int)fore_rng_below(rng, KEYS), what = (int)fore_rng_below(rng, 3);
    int64_t from = (int64_t)fore_rng_below(rng, 4), now = p->at[p->now][key];
    bool changes = what == 1, create = fore_rng_below(rng, 2);
    if (what == 0) {
        int64_t got = read_key(b, node, key);
        int i = fresh ? p->now : p->seen[node];
        while (i <= p->now && p->at[i][key] != got)
            i++;
        assert_true(i <= p->now);
        p->seen[node] = i;
        return;
    }
    if (what == 1) {
        write_key(b, node, key, value);
    } else {
        int64_t code = swap_key(b, node, key, from, value, create);
        changes = now == MISSING ? create : now == from;
        assert_int_equal(code, changes ? 0 : now == MISSING ? 20 : 22);
    }
    if (changes) {
        memcpy(p->at[p->now + 1], p->at[p->now], sizeof p->at[0]);
        p->at[++p->now][key] = value;
    }
    p->seen[node] = p->now;
}

static void run_against_past(enum fore_service which, bool fresh)
{
    for (uint64_t run = 0; run < RUNS; run++) {
        struct fore_rng rng;
        struct bench b;
        struct past p = {.now = 0};
        fore_rng_seed(&rng, run);
        begin(&b, which);
        for (int i = 0; i < KEYS; i++)
            p.at[0][i] = MISSING;
        for (int i = 0; i < OPS; i++)
            if (b.pending.n && fore_rng_below(&rng, 2))
                show_one(&b, fore_rng_below(&rng, (uint32_t)b.pending.n));
            else
                take_random_step(&b, &p, &rng, fresh);
        while (b.pending.n)
            show_one(&b, fore_rng_below(&rng, (uint32_t)b.pending.n));
        for (int64_t n = 1; n <= NODES; n++)
            for (int k = 0; k < KEYS; k++)
                assert_int_equal(read_key(&b, n, k), p.at[p.now][k]);
        end(&b);
    }
}

static void lin_kv_shows_the_latest_to_everybody(void)
{
    run_against_past(FORE_SERVICE_LIN, true);
}

static void seq_kv_shows_each_node_one_past_in_order(void)
{
    run_against_past(FORE_SERVICE_SEQ, false);
}

static void seq_kv_may_show_what_is_old(void)
{
    struct bench b;
    begin(&b, FORE_SERVICE_SEQ);
    write_key(&b, 1, 0, 5);
    assert_int_equal(read_key(&b, 1, 0), 5);
    assert_int_equal(read_key(&b, 2, 0), MISSING);
    while (b.pending.n)
        show_one(&b, 0);
    assert_int_equal(read_key(&b, 2, 0), 5);
    end(&b);
}

static void lww_kv_agrees_when_all_was_shown(void)
{
    for (uint64_t run = 0; run < RUNS; run++) {
        struct fore_rng rng;
        struct bench b;
        fore_rng_seed(&rng, run);
        begin(&b, FORE_SERVICE_LWW);
        for (int i = 0; i < OPS; i++) {
            int64_t node = 1 + (int64_t)fore_rng_below(&rng, NODES);
            if (b.pending.n && fore_rng_below(&rng, 2)) {
                show_one(&b, fore_rng_below(&rng, (uint32_t)b.pending.n));
            } else {
                write_key(&b, node, 0, i);
                assert_int_equal(read_key(&b, node, 0), i);
            }
        }
        while (b.pending.n)
            show_one(&b, fore_rng_below(&rng, (uint32_t)b.pending.n));
        for (int64_t n = 2; n <= NODES; n++)
            assert_int_equal(read_key(&b, n, 0), read_key(&b, 1, 0));
        end(&b);
    }
}

static void lin_tso_counts(void)
{
    struct bench b;
    begin(&b, FORE_SERVICE_TSO);
    for (int i = 0; i < 5; i++) {
        const struct fore_json *a =
            ask(&b, 1 + i % NODES, "{\"type\":\"ts\",\"msg_id\":1}");
        assert_int_equal(fore_json_int(fore_json_get(a, "ts"), -1), i);
    }
    end(&b);
}

static void what_a_service_does_not_know_is_an_error(void)
{
    static const struct {
        enum fore_service which;
        const char *request;
        int64_t code;
    } wrong[] = {{FORE_SERVICE_LIN, "{\"type\":\"delete\",\"key\":1}", 10},
                 {FORE_SERVICE_SEQ, "{\"type\":\"read\"}", 12},
                 {FORE_SERVICE_LWW, "{}", 10},
                 {FORE_SERVICE_TSO, "{\"type\":\"read\",\"key\":1}", 10}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct bench b;
        begin(&b, wrong[i].which);
        const struct fore_json *a = ask(&b, 1, wrong[i].request);
        assert_string_equal(fore_json_text(fore_json_get(a, "type")), "error");
        assert_int_equal(fore_json_int(fore_json_get(a, "code"), 0), wrong[i].code);
        end(&b);
    }
}

RUN_CASES(CASE(lin_kv_shows_the_latest_to_everybody),
          CASE(seq_kv_shows_each_node_one_past_in_order),
          CASE(seq_kv_may_show_what_is_old), CASE(lww_kv_agrees_when_all_was_shown),
          CASE(lin_tso_counts), CASE(what_a_service_does_not_know_is_an_error))
