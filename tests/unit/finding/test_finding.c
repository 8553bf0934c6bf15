#include "../check.h"

#include "finding/finding.h"
#include "finding/load.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fore_finding *add(struct fore_findings *f, const char *rule,
                                enum fore_verdict v, const char *location,
                                const char *thread)
{
    struct fore_finding *x = fore_findings_restore(f, rule, v);
    x->message = "m";
    fore_vec_push(&x->places, (struct fore_place){"send", thread, "", thread, "post(x!)",
                                                  location, "", "", 3, FORE_NO, false});
    return x;
}

static void ids_ignore_threads_and_counts(void **state)
{
    (void)state;
    struct fore_findings f;
    fore_findings_init(&f);
    add(&f, "send-on-closed", FORE_VERDICT_PREDICTED, "nosuch.go:4:2", "2");
    add(&f, "send-on-closed", FORE_VERDICT_OBSERVED, "nosuch.go:4:2", "7");
    add(&f, "send-on-closed", FORE_VERDICT_PREDICTED, "nosuch.go:5:2", "2");
    fore_findings_seal(&f);
    assert_int_equal(f.list.n, 2);
    assert_int_equal(f.list.at[0]->verdict, FORE_VERDICT_OBSERVED);
    assert_int_equal(f.list.at[0]->count, 2);
    fore_findings_release(&f);
}

/* Lines above may come and go: with the source at hand, its text counts, not its number. */
static void ids_follow_the_source_line(void **state)
{
    (void)state;
    char path[] = "/tmp/fore-source-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a\n\tc <- 1\n\n  c  <-  1\n", 22), 22);
    close(fd);
    struct fore_findings f;
    struct fore_trace t;
    fore_findings_init(&f);
    fore_trace_init(&t, "t");
    uint32_t thread = fore_tables_thread(&t.tables, "1", 1);
    uint32_t file = fore_tables_string(&t.tables, path, strlen(path));
    for (uint32_t line = 2; line <= 4; line += 2) {
        struct fore_event e = {.thread = thread, .kind = FORE_EV_END};
        e.where =
            fore_tables_where(&t.tables, (struct fore_where){.file = file, .line = line});
        struct fore_finding *x =
            fore_findings_restore(&f, "data-race", FORE_VERDICT_PREDICTED);
        struct fore_place *p = fore_finding_place(&f, x, "write", &t, &e, 0);
        assert_non_null(strstr(p->source, "c"));
    }
    fore_findings_seal(&f);
    assert_int_equal(f.list.n, 1);
    fore_findings_release(&f);
    fore_trace_release(&t);
    unlink(path);
}

static void bugs_come_before_notes(void **state)
{
    (void)state;
    struct fore_findings f;
    fore_findings_init(&f);
    add(&f, "alternative-communication", FORE_VERDICT_PREDICTED, "a.go:1", "1");
    add(&f, "blocked-forever", FORE_VERDICT_PREDICTED, "a.go:2", "1");
    add(&f, "lock-cycle", FORE_VERDICT_CONFIRMED, "a.go:3", "1");
    fore_findings_seal(&f);
    assert_string_equal(f.list.at[0]->rule->name, "lock-cycle");
    assert_string_equal(f.list.at[2]->rule->name, "alternative-communication");
    char id[17];
    fore_finding_id_text(f.list.at[1]->id, id);
    assert_ptr_equal(fore_findings_by_id(&f, id), f.list.at[1]);
    assert_null(fore_findings_by_id(&f, ""));
    assert_null(fore_findings_by_id(&f, "zz"));
    fore_findings_release(&f);
}

static void json_is_read_back_the_same(void **state)
{
    (void)state;
    struct fore_findings f, g;
    struct fore_report_options o = {0};
    struct fore_strbuf one = FORE_STRBUF_INIT, two = FORE_STRBUF_INIT;
    struct fore_err e;
    fore_findings_init(&f);
    fore_findings_init(&g);
    struct fore_finding *x =
        add(&f, "lock-cycle", FORE_VERDICT_PREDICTED, "a.go:3", "\"<1>\"");
    x->object = "m\x01";
    x->object_kind = FORE_OBJ_LOCK;
    fore_finding_fact(&f, x, "why", "%s", "because");
    fore_vec_push(&x->witness, (struct fore_step){"1", "main", "1", "lock(m)", "a.go:3",
                                                  "blocks", "w=1", 4, true});
    fore_findings_incomplete(&f, "time");
    fore_findings_seal(&f);
    fore_report_json(&f, &o, &one);
    assert_int_equal(fore_findings_load(&g, "one", one.at, one.n, &e), FORE_OK);
    fore_report_json(&g, &o, &two);
    assert_string_equal(one.at, two.at);
    fore_findings_release(&f);
    fore_findings_release(&g);
    fore_strbuf_release(&one);
    fore_strbuf_release(&two);
}

static void other_documents_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{}", "[1]", "", "{\"schema\": \"sarif\"}",
        "{\"schema\": \"foresee.findings/1\", \"findings\": [{}]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fore_findings f;
        struct fore_err e;
        fore_findings_init(&f);
        assert_int_not_equal(fore_findings_load(&f, "bad", bad[i], strlen(bad[i]), &e),
                             FORE_OK);
        fore_findings_release(&f);
    }
}

static void hostile_names_stay_text_on_a_terminal(void **state)
{
    (void)state;
    struct fore_findings f;
    struct fore_report_options o = {.width = 80};
    struct fore_strbuf out = FORE_STRBUF_INIT;
    fore_findings_init(&f);
    struct fore_finding *x =
        add(&f, "lock-cycle", FORE_VERDICT_PREDICTED, "\033[2Ja.go:3", "\033]0;x\007");
    x->message = "on \033[31mred\033[0m \xff";
    fore_vec_push(&x->witness, (struct fore_step){"\033[1m", "", "1", "\033[2J\r", "", "",
                                                  "", 0, false});
    fore_findings_seal(&f);
    fore_report_text(&f, &o, &out);
    assert_null(memchr(out.at, '\033', out.n));
    assert_null(memchr(out.at, '\r', out.n));
    assert_null(memchr(out.at, '\007', out.n));
    assert_non_null(strstr(out.at, "\\x1b[31mred"));
    fore_findings_release(&f);
    fore_strbuf_release(&out);
}

RUN_CASES(CASE(ids_ignore_threads_and_counts), CASE(ids_follow_the_source_line),
          CASE(bugs_come_before_notes), CASE(json_is_read_back_the_same),
          CASE(other_documents_are_refused), CASE(hostile_names_stay_text_on_a_terminal))
