#include "../check.h"

#include "history/format.h"
#include "history/lin.h"
#include "history/monitor.h"

#include <stdlib.h>
#include <string.h>

static enum fore_lin judge(const char *text, const char *object, const char *init)
{
    struct fore_history h;
    struct fore_lin_result r;
    struct fore_lin_options o = {.init = init, .jobs = 2};
    struct fore_err e = {0};
    assert_int_equal(fore_history_read(&h, "test", text, strlen(text),
                                       object ? fore_model_find(object) : NULL, NULL, &e),
                     FORE_OK);
    assert_int_equal(fore_lin_check(&h, &o, &r, &e), FORE_OK);
    enum fore_lin verdict = r.verdict;
    fore_lin_result_release(&r);
    fore_history_release(&h);
    return verdict;
}

static enum fore_status refuse(const char *text, const char *object)
{
    struct fore_history h;
    struct fore_err e = {0};
    enum fore_status s =
        fore_history_read(&h, "test", text, strlen(text),
                          object ? fore_model_find(object) : NULL, NULL, &e);
    assert_int_not_equal(s, FORE_OK);
    assert_true(e.msg[0]);
    return s;
}

#define LOG(process, type, f, value)                                                     \
    "INFO  jepsen.util - " process "\t:" type "\t:" f "\t" value "\n"

static void nil_is_a_value_in_jepsens_logs_and_unknown_in_edn(void)
{
    assert_int_equal(judge(LOG("0", "invoke", "write", "3") LOG("0", "ok", "write", "3")
                               LOG("1", "invoke", "read", "nil")
                                   LOG("1", "ok", "read", "nil"),
                           "register", "nil"),
                     FORE_LIN_NO);
    assert_int_equal(judge("[{:process 0 :type :invoke :f :write :value 3}"
                           " {:process 0 :type :ok :f :write :value 3}"
                           " {:process 1 :type :invoke :f :read :value nil}"
                           " {:process 1 :type :ok :f :read :value nil}]",
                           "register", "0"),
                     FORE_LIN_YES);
}

static void a_failed_cas_compared_in_jepsens_logs_and_did_not_happen_in_edn(void)
{
    assert_int_equal(judge(LOG("0", "invoke", "cas", "[0 1]")
                               LOG("0", "fail", "cas", "[0 1]"),
                           "cas-register", "0"),
                     FORE_LIN_NO);
    assert_int_equal(judge("[{:process 0 :type :invoke :f :cas :value [0 1]}"
                           " {:process 0 :type :fail :f :cas :value [0 1]}]",
                           "cas-register", "0"),
                     FORE_LIN_YES);
}

static void what_never_returned_may_have_happened_or_not(void)
{
    static const char write[] =
        LOG("0", "invoke", "write", "1") LOG("0", "info", "write", ":timed-out");
    char text[512];
    for (int seen = 0; seen < 3; seen++) {
        const char *value[] = {"0", "1", "2"};
        strcpy(text, write);
        strcat(text, "INFO  jepsen.util - 1\t:invoke\t:read\tnil\n"
                     "INFO  jepsen.util - 1\t:ok\t:read\t");
        strcat(text, value[seen]);
        strcat(text, "\n");
        assert_int_equal(judge(text, "register", "0"),
                         seen < 2 ? FORE_LIN_YES : FORE_LIN_NO);
    }
}

static void the_object_is_guessed_from_the_operations(void)
{
    assert_int_equal(
        judge("{\"process\":0,\"type\":\"invoke\",\"f\":\"push\",\"value\":1}\n"
              "{\"process\":0,\"type\":\"ok\"}\n"
              "{\"process\":0,\"type\":\"invoke\",\"f\":\"pop\"}\n"
              "{\"process\":0,\"type\":\"ok\",\"value\":1}\n",
              NULL, NULL),
        FORE_LIN_YES);
    assert_int_equal(
        refuse("{\"process\":0,\"type\":\"invoke\",\"f\":\"add\",\"value\":1}", NULL),
        FORE_USAGE);
}

static void keys_are_judged_apart(void)
{
    assert_int_equal(
        judge("{:process 0, :type :invoke, :f :put, :key \"a\", :value \"1\"}\n"
              "{:process 0, :type :ok, :f :put, :key \"a\", :value \"1\"}\n"
              "{:process 0, :type :invoke, :f :get, :key \"b\", :value nil}\n"
              "{:process 0, :type :ok, :f :get, :key \"b\", :value \"\"}\n",
              NULL, NULL),
        FORE_LIN_YES);
}

static void operations_of_one_thread_may_overlap_if_they_are_numbered(void)
{
    assert_int_equal(judge("1: invoke(r.write, 1)#1; invoke(r.read)#2; return(1)#2; "
                           "return()#1\n",
                           "register", "0"),
                     FORE_LIN_YES);
}

static void a_truncated_file_is_refused(void)
{
    assert_int_equal(
        refuse("[{:process 0 :type :invoke :f :read :value nil}", "register"), FORE_TORN);
    assert_int_equal(refuse("{\"process\":0,\"type\":\"inv", "register"), FORE_TORN);
    assert_int_equal(refuse("{\"process\":0,\"type\":\"invoke\"", "register"), FORE_TORN);
}

static void every_format_reads_what_it_writes(void)
{
    static const char text[] =
        "{\"process\":3,\"type\":\"invoke\",\"f\":\"cas\",\"args\":[0,1]}\n"
        "{\"process\":4,\"type\":\"invoke\",\"f\":\"read\"}\n"
        "{\"process\":3,\"type\":\"ok\",\"f\":\"cas\",\"value\":false}\n"
        "{\"process\":4,\"type\":\"ok\",\"f\":\"read\",\"value\":null}\n";
    const struct fore_model *m = fore_model_find("cas-register");
    struct fore_err e = {0};
    for (size_t i = 0; fore_history_formats[i]; i++) {
        struct fore_history h, again;
        char *out = NULL;
        size_t n = 0;
        if (!strcmp(fore_history_formats[i]->name, "kv"))
            continue; /* has no place for an object without keys */
        assert_int_equal(fore_history_read(&h, "test", text, strlen(text), m, NULL, &e),
                         FORE_OK);
        FILE *f = open_memstream(&out, &n);
        assert_int_equal(fore_history_formats[i]->write(&h, f, &e), FORE_OK);
        fclose(f);
        assert_int_equal(fore_history_read(&again, "test", out, n, m, NULL, &e), FORE_OK);
        assert_int_equal(again.ops.n, 2);
        assert_true(fore_val_is(again.ops.at[0].result, FORE_FALSE));
        assert_true(fore_val_is(again.ops.at[1].result, FORE_NIL));
        fore_history_release(&h);
        fore_history_release(&again);
        free(out);
    }
}

static void copies_of_a_monitor_go_their_own_ways(void)
{
    struct fore_vals t = {0};
    struct fore_history_monitor a, b;
    const struct fore_model *m = fore_model_find("register");
    struct fore_op write = {.f = 1}, read = {.f = 0};
    write.arg[0] = fore_val_int(&t, 1);
    fore_monitor_init(&a, m, &t, fore_val_int(&t, 0));
    fore_monitor_invoke(&a, 1, &write);
    fore_monitor_invoke(&a, 2, &read);
    fore_monitor_copy(&b, &a);
    assert_int_equal(fore_monitor_fingerprint(&a), fore_monitor_fingerprint(&b));
    assert_true(fore_monitor_respond(&a, 2, fore_val_int(&t, 1)));
    assert_false(fore_monitor_respond(&b, 2, fore_val_int(&t, 2)));
    assert_int_not_equal(fore_monitor_fingerprint(&a), fore_monitor_fingerprint(&b));
    fore_monitor_release(&a);
    fore_monitor_release(&b);
    fore_vals_release(&t);
}

RUN_CASES(CASE(nil_is_a_value_in_jepsens_logs_and_unknown_in_edn),
          CASE(a_failed_cas_compared_in_jepsens_logs_and_did_not_happen_in_edn),
          CASE(what_never_returned_may_have_happened_or_not),
          CASE(the_object_is_guessed_from_the_operations), CASE(keys_are_judged_apart),
          CASE(operations_of_one_thread_may_overlap_if_they_are_numbered),
          CASE(a_truncated_file_is_refused), CASE(every_format_reads_what_it_writes),
          CASE(copies_of_a_monitor_go_their_own_ways))
