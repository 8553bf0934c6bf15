#include "../check.h"

#include "actor/harness.h"
#include "base/strbuf.h"

#include <string.h>

static void on_any(struct foresee *f, void *state, const struct foresee_received *m)
{
    (void)f, (void)state, (void)m;
}

static const struct foresee_message messages[] = {{"Put", "key value client"},
                                                  {"Done", "value"}};
static const foresee_handler on[] = {on_any, NULL};
static const struct foresee_role roles[] = {{"server", 8, NULL, on, NULL}};
static const struct foresee_actor_system definition = {
    sizeof definition, FORESEE_ACTOR_ABI, "toy", messages, 2, roles, 1};

static enum fore_status parse(const char *text, struct fore_harness *h,
                              struct fore_arena *a, struct fore_err *e)
{
    static struct fore_system s;
    assert_int_equal(fore_system_init(&s, a, &definition, e), FORE_OK);
    return fore_harness_parse(h, a, &s, "toy.harness", text, strlen(text), e);
}

static const char good[] = "[specification]\n"
                           "kv nil   # a comment\n"
                           "[agents]\n"
                           "1 2: server ds2-shared\n"
                           "[start]\n"
                           "2 -> 1: Put(key=k1)\n"
                           "[invocations]\n"
                           "put(k1, 5) -> 2: Put(key=k1, value=5, client=me)\n"
                           "get(k1)->1: Put(key=k1, client=me)\n"
                           "[responses]\n"
                           "put: Done\n"
                           "get: Done(value)\n"
                           "[keys]\n"
                           "Put(key) Done(*)\n";

static void six_sections_are_read(void)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_harness h;
    struct fore_err e = {0};
    assert_int_equal(parse(good, &h, &a, &e), FORE_OK);
    assert_string_equal(h.object.name, "kv");
    assert_int_equal(h.agents.n, 2);
    assert_true(h.agents.at[1].shared);
    assert_int_equal(h.start.n, 1);
    assert_int_equal(h.ops.n, 2);
    assert_int_equal(h.posts.at[0].to, 2);
    assert_int_equal(h.posts.at[0].field[1], 5);
    assert_int_equal(h.posts.at[1].field[2], -2);
    assert_int_equal(h.answers[1 * 2 + 0], FORE_ANSWER_VOID);
    assert_int_equal(h.answers[1 * 2 + 1], 0);
    assert_int_equal(h.keys[0], 0);
    assert_int_equal(h.keys[1], FORE_KEY_ANY);
    struct fore_strbuf s = FORE_STRBUF_INIT;
    fore_call_text(&h, &h.ops.at[0], &s);
    assert_string_equal(s.at, "put(k1, 5)");
    fore_strbuf_release(&s);
    fore_harness_release(&h);
    fore_arena_release(&a);
}

static void mistakes_are_named_with_their_line(void)
{
    static const struct {
        const char *text;
        int line;
        const char *part;
    } bad[] = {
        {"register 0\n", 1, "begins with a section"},
        {"[object]\n", 1, "no section `object`"},
        {"[specification]\nkv\n[agents]\n1: client\n", 4, "no role `client`"},
        {"[specification]\nkv\n[agents]\n2: server\n", 4, "expected 1"},
        {"[agents]\n1: server\n[specification]\n", 3, "comes before"},
        {"[specification]\nkv\nkv\n", 3, "already"},
        {"[agents]\n1: server\n[start]\n1 -> 3: Put()\n", 4, "no agent 3"},
        {"[agents]\n1: server\n[start]\n1 -> 1: Push()\n", 4, "no message `Push`"},
        {"[agents]\n1: server\n[start]\n1 -> 1: Put(k=1)\n", 4, "no field `k`"},
        {"[agents]\n1: server\n[start]\n1 -> 1: Put(client=me)\n", 4, "`me`"},
        {"[agents]\n1: server\n[invocations]\nput(1) 1: Put()\n", 4, "expected `->`"},
        {"[agents]\n1: server\n[invocations]\nput(99999999999999999999) -> 1: Put()\n", 4,
         "out of range"},
        {"[agents]\n1: server\n[invocations]\nput(1) -> 1: Put() x\n", 4, "unexpected"},
        {"[agents]\n1: server\n[invocations]\nthen put(1) -> 1: Put()\n", 4, "`then`"},
        {"[agents]\n1: server\n[links]\nall: lifo\n", 4, "expected `fifo`"},
        {"[agents]\n1: server\n[properties]\np: always pending(Put)\n", 4,
         "expected invoked"},
        {"[agents]\n1: server\n[properties]\np: eventually pending(Pet)\n", 4,
         "no message of this name"},
        {"[agents]\n1: server\n[properties]\np: pending(Put) until pending(Put)\n", 4,
         "expected `leads-to`"},
        {"[agents]\n1: server\n[properties]\np: eventually some(leader)\n", 4,
         "exports no proposition"},
        {"[agents]\n1: server\n[links]\n1 -> 2: fifo\n", 4, "no agent 2"},
        {"[specification]\nkv\n[agents]\n1: server\n[invocations]\nput(1) -> 1: Put()\n"
         "[responses]\nget: Done\n",
         8, "no invocation is a `get`"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fore_arena a = FORE_ARENA_INIT;
        struct fore_harness h;
        struct fore_err e = {0};
        assert_int_not_equal(parse(bad[i].text, &h, &a, &e), FORE_OK);
        if (e.line != (uint64_t)bad[i].line || !strstr(e.msg, bad[i].part))
            fail_msg("case %zu: line %d: %s", i, (int)e.line, e.msg);
        fore_harness_release(&h);
        fore_arena_release(&a);
    }
}

static void incomplete_harnesses_are_refused(void)
{
    const char *texts[] = {"", "[specification]\nkv\n",
                           "[specification]\nkv\n[agents]\n1: server\n"};
    for (size_t i = 0; i < 3; i++) {
        struct fore_arena a = FORE_ARENA_INIT;
        struct fore_harness h;
        struct fore_err e = {0};
        assert_int_not_equal(parse(texts[i], &h, &a, &e), FORE_OK);
        fore_harness_release(&h);
        fore_arena_release(&a);
    }
}

RUN_CASES(CASE(six_sections_are_read), CASE(mistakes_are_named_with_their_line),
          CASE(incomplete_harnesses_are_refused))
