#include "../check.h"

#include "finding/finding.h"
#include "finding/load.h"
#include "finding/stable_id.h"
#include "report/report.h"
#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct fore_finding *add(struct fore_findings *f, const char *rule,
                                enum fore_verdict v, const char *location,
                                const char *thread)
{
    struct fore_finding *x = fore_findings_restore(f, rule, v);
    x->message = "m";
    fore_vec_push(&x->places,
                  (struct fore_place){"send", thread, "", thread, "post(x!)", location,
                                      "", "", 3, FORE_NO, false, 0, NULL});
    return x;
}

static void trace_of(const char *text, struct fore_trace *t)
{
    struct fore_err e;
    char path[] = "/tmp/fore-trace-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    fore_trace_init(t, path);
    assert_int_equal(fore_trace_load(path, t, &e), FORE_OK);
    unlink(path);
}

static void ids_ignore_threads_and_counts(void)
{
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

/* The first block of a site has no number in its name; which one of them races differs from run to run. */
static void ids_of_races_join_the_blocks_of_a_site(void)
{
    const char *objects[] = {"p.T@f.go:7.n", "p.T@f.go:7#2.n", "p.T@f.go:7#3[4].n+2",
                             "p.T@f.go:7.m"};
    struct fore_findings f;
    fore_findings_init(&f);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        add(&f, "data-race", FORE_VERDICT_PREDICTED, "f.go:9", "2")->object = objects[i];
    fore_findings_seal(&f);
    assert_int_equal(f.list.n, 2);
    assert_int_equal(f.list.at[0]->count + f.list.at[1]->count, 4);
    fore_findings_release(&f);
}

/* A race is known by its variable, unless that has only the number that this run gave it. */
static void races_are_known_by_their_variables(void)
{
    static const char *const names[] = {"placement", "placement", "place8",   "place8",
                                        "place_9",   "place_9",   "place8[2]"};
    struct fore_findings f;
    char where[16];
    uint64_t id[7];
    fore_findings_init(&f);
    for (int i = 0; i < 7; i++) {
        snprintf(where, sizeof where, "no.c:%d", i + 1);
        struct fore_finding *x = add(&f, "data-race", FORE_VERDICT_OBSERVED, where, "1");
        x->object = names[i];
        id[i] = fore_finding_stable_id(&f, x);
    }
    assert_true(id[0] == id[1] && id[4] == id[5] && id[0] != id[4]);
    assert_true(id[2] != id[3] && id[3] != id[6]);
    fore_findings_release(&f);
}

/* Lines above may come and go: with the source at hand, its text counts, not its number. */
static void ids_follow_the_source_line(void)
{
    char path[] = "/tmp/fore-source-XXXXXX";
    setenv("FORESEE_ROOT", "/tmp", 1);
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

static struct fore_finding *add_wait(struct fore_findings *f, enum fore_verdict v,
                                     const char *one, const char *other)
{
    struct fore_finding *x = fore_findings_restore(f, "blocked-forever", v);
    fore_finding_location(f, x, "waits", "2", one);
    if (other)
        fore_finding_location(f, x, "waits, too", "3", other);
    return x;
}

/* A worker that nobody stops waits at the end of every run, and in each of them a signal could have been lost. */
static void a_wait_that_was_seen_is_not_predicted_as_well(void)
{
    struct fore_findings f;
    fore_findings_init(&f);
    add_wait(&f, FORE_VERDICT_PREDICTED, "a.c:5", NULL);
    add_wait(&f, FORE_VERDICT_OBSERVED, "a.c:5", "a.c:5");
    add_wait(&f, FORE_VERDICT_PREDICTED, "a.c:6", NULL);
    add_wait(&f, FORE_VERDICT_PREDICTED, "a.c:5", "a.c:6");
    fore_finding_location(&f, add_wait(&f, FORE_VERDICT_PREDICTED, "a.c:5", NULL),
                          "holds", "3", "a.c:9");
    add_wait(&f, FORE_VERDICT_PREDICTED, "a.c:5", NULL)->drags = true;
    for (size_t i = 0; i < f.list.n; i++)
        f.list.at[i]->id = i + 1; /* whatever else tells them apart */
    fore_findings_seal(&f);
    assert_int_equal(f.list.n, 4);
    assert_int_equal(f.list.at[0]->verdict, FORE_VERDICT_OBSERVED);
    assert_int_equal(f.list.at[0]->count, 3);
    fore_findings_release(&f);
}

static void bugs_come_before_notes(void)
{
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

static void json_is_read_back_the_same(void)
{
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
    struct fore_deed deed = {.does = "locks m",
                             .kind = "lock",
                             .object = "m",
                             .value = "3",
                             .other = "1.2",
                             .message = "x#1",
                             .waits = true,
                             .odd = true,
                             .frame = 1,
                             .at = 8};
    struct fore_step step = {.thread = "1",
                             .name = "main",
                             .path = "1",
                             .event = "lock(m)",
                             .location = "a.go:3",
                             .note = "blocks",
                             .state = "w=1",
                             .index = 4,
                             .irrelevant = true,
                             .deed = &deed};
    fore_vec_push(&x->witness, step);
    fore_vec_push(&x->observed, step);
    fore_vec_push(&x->frames, (struct fore_call_frame){"f", "a.go:3", 1, 0});
    fore_vec_push(&x->threads,
                  (struct fore_thread_note){"1", "n", "1", "n", "f", "a.go:9", 5});
    x->timeline.title = "t";
    x->timeline.state = "7";
    fore_vec_push(&x->timeline.intervals,
                  (struct fore_interval){"c1", "read", 1, 2, "failing", "h:3"});
    fore_vec_push(&x->timeline.others,
                  (struct fore_interval){"c2", "write", 3, 4, "", "h:4"});
    fore_vec_push(&x->timeline.order, 0);
    static const char *const lines[] = {"one", "two"};
    fore_vec_push(&f.excerpts.v, (struct fore_excerpt){"a.go", 3, lines, 2});
    fore_findings_stats(&f, "explore", "{\"table\":[{\"S\":54,\"x\":null,\"y\":true}]}");
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

static void a_step_says_what_it_does(void)
{
    static const struct {
        const char *line, *does;
    } cases[] = {
        {"1: pre(lock(m))", "waits for m"},
        {"1: lock(m)", "locks m"},
        {"1: write(w)=90", "sets w to 90"},
        {"1: read(w)=\"a\"", "reads \"a\" from w"},
        {"1: signal(2)", "starts thread 2"},
        {"1: pre(x!, y?)", "waits to send on x or receive from y"},
        {"1: close(x)", "closes x"},
        {"1: wgadd(g, 2)", "adds 2 to g"},
        {"1: lock(m); cwait(c, m)", "waits on c and unlocks m"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fore_findings f;
        struct fore_trace t;
        fore_findings_init(&f);
        trace_of(cases[i].line, &t);
        struct fore_deed d =
            fore_deed_of(&f, &t.tables, &t.events.at[t.events.n - 1], t.cases.at);
        assert_string_equal(d.does, cases[i].does);
        fore_trace_release(&t);
        fore_findings_release(&f);
    }
}

static const char *called(struct fore_findings *f, struct fore_trace *t,
                          const char *label)
{
    uint32_t text = fore_tables_string(&t->tables, label, strlen(label));
    return fore_findings_called(f, &t->tables, fore_tables_find_thread(&t->tables, text));
}

static void each_thread_has_one_name(void)
{
    struct fore_findings f;
    struct fore_trace t;
    fore_findings_init(&f);
    trace_of("thread 2 \"helper\"\nthread 3 \"helper\"\nthread 4 \"worker\"\n"
             "thread 5 goroutine 7 \"example.org/pool.run\"\n"
             "thread 6 goroutine 8 \"a/main.f\"\nthread 7 goroutine 9 \"b/main.f\"\n"
             "thread 8 goroutine 10 \"example.org/pool.stop\"\n"
             "thread 9 goroutine 11 \"example.org/pool.stop\"\n"
             "thread 10 \"goroutine 12 (a/main.g)\"\nthread 11 goroutine 13\n"
             "1: signal(2); signal(3); signal(4); signal(5); signal(6); signal(7); "
             "signal(8); signal(9); signal(10); signal(11); signal(T0)\n",
             &t);
    assert_string_equal(called(&f, &t, "1"), "thread 1");
    assert_string_equal(called(&f, &t, "2"), "thread 2 (helper)");
    assert_string_equal(called(&f, &t, "3"), "thread 3 (helper)");
    assert_string_equal(called(&f, &t, "4"), "worker");
    assert_string_equal(called(&f, &t, "5"), "pool.run");
    assert_string_equal(called(&f, &t, "6"), "goroutine 8 (a/main.f)");
    assert_string_equal(called(&f, &t, "7"), "goroutine 9 (b/main.f)");
    assert_string_equal(called(&f, &t, "8"), "goroutine 10 (pool.stop)");
    assert_string_equal(called(&f, &t, "9"), "goroutine 11 (pool.stop)");
    assert_string_equal(called(&f, &t, "10"), "goroutine 12 (a/main.g)"); /* its name */
    assert_string_equal(called(&f, &t, "11"), "goroutine 13");
    assert_string_equal(called(&f, &t, "T0"), "T0");
    fore_trace_release(&t);
    fore_findings_release(&f);
}

/* Of what a thread did, the events near its places are kept, with where they lay in the run. */
static void the_observed_run_is_that_of_the_threads_concerned(void)
{
    struct fore_findings f;
    struct fore_trace t;
    trace_of("1: signal(2); signal(3)\n2: wait(2); lock(m); write(w)=1\n3: wait(3); end\n"
             "2: unlock(m); end\n",
             &t);
    fore_findings_init(&f);
    struct fore_finding *x = fore_findings_add(&f, "data-race", FORE_VERDICT_OBSERVED);
    fore_finding_place(&f, x, "write", &t, &t.events.at[4], 2);
    fore_findings_observe(&f, 0, &t);
    assert_int_equal(x->observed.n, 5);
    assert_string_equal(x->observed.at[2].deed->does, "sets w to 1");
    assert_int_equal(x->observed.at[2].deed->at, 5);
    assert_int_equal(x->observed.at[3].deed->at, 8);
    assert_int_equal(x->threads.n, 3); /* those of the places first, and all of few */
    assert_int_equal(x->threads.at[0].events, 5);
    fore_trace_release(&t);
    fore_findings_release(&f);
}

/* A trace may come from anybody: what it names is no reason to read it. */
static void sources_are_regular_files_below_the_root(void)
{
    char root[] = "/tmp/fore-root-XXXXXX", path[64], link[64], pipe[64];
    assert_non_null(mkdtemp(root));
    setenv("FORESEE_ROOT", root, 1);
    snprintf(path, sizeof path, "%s/a.c", root);
    snprintf(link, sizeof link, "%s/passwd.c", root);
    snprintf(pipe, sizeof pipe, "%s/pipe.c", root);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("one\ntwo\n", out);
    fclose(out);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    struct fore_arena a = FORE_ARENA_INIT;
    assert_string_equal(fore_source_line(&a, path, 2), "two");
    static const char *const never[] = {"/etc/passwd", "/dev/zero", "/dev/stdin", "/tmp"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        assert_null(fore_source_open(never[i]));
    assert_null(fore_source_open(link));
    assert_null(fore_source_open(pipe));
    assert_null(fore_source_open(root));
    fore_arena_release(&a);
    unlink(path);
    unlink(link);
    unlink(pipe);
    rmdir(root);
}

static void every_verdict_and_level_is_read_back(void)
{
    static const char *const words[] = {"possible", "predicted", "observed", "confirmed"};
    for (int v = 0; v < 4; v++)
        for (int level = 0; level < 3; level++) {
            struct fore_findings f;
            struct fore_err e = {0};
            char text[512];
            int n =
                snprintf(text, sizeof text,
                         "{\"schema\": \"foresee.findings/1\", \"findings\": [{\"id\": "
                         "\"0123456789abcdef\", \"rule\": \"lock-cycle\", \"level\": "
                         "\"%s\", \"verdict\": \"%s\", \"message\": \"m\"}]}",
                         fore_level_name((enum fore_level)level), words[v]);
            fore_findings_init(&f);
            assert_int_equal(fore_findings_load(&f, "one", text, (size_t)n, &e), FORE_OK);
            assert_int_equal(f.list.n, 1);
            assert_int_equal(f.list.at[0]->verdict, v);
            assert_int_equal(f.list.at[0]->level, level);
            fore_findings_release(&f);
        }
}

/* What comes from a claim says why; what then happens needs no reason. */
static void a_claim_gives_its_reason(void)
{
    struct fore_findings f;
    struct fore_claim lost = fore_claim_unplayed(FORE_CLAUSE_LOST);
    fore_findings_init(&f);
    struct fore_finding *x = fore_findings_claim(&f, "lock-cycle", NULL, &lost);
    assert_int_equal(x->verdict, FORE_VERDICT_POSSIBLE);
    assert_int_equal(x->facts.n, 1);
    assert_string_equal(x->facts.at[0].label, "only possible");
    fore_finding_fact(&f, x, "observed", "something");
    fore_finding_happened(x, FORE_VERDICT_CONFIRMED);
    assert_int_equal(x->verdict, FORE_VERDICT_CONFIRMED);
    assert_int_equal(x->facts.n, 1);
    assert_string_equal(x->facts.at[0].label, "observed");
    fore_findings_release(&f);
}

static void other_documents_are_refused(void)
{
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

/* Each of the four alone is missing, or no word that is known. */
static void a_finding_without_what_it_needs_is_refused(void)
{
    static const char *const bad[] = {
        "\"rule\": \"lock-cycle\", \"level\": \"error\", \"verdict\": \"observed\"",
        "\"id\": \"1\", \"level\": \"error\", \"verdict\": \"observed\"",
        "\"id\": \"1\", \"rule\": \"lock-cycle\", \"level\": \"x\", \"verdict\": "
        "\"observed\"",
        "\"id\": \"1\", \"rule\": \"lock-cycle\", \"level\": \"error\", \"verdict\": "
        "\"x\""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fore_findings f;
        struct fore_err e = {0};
        char text[512];
        int n = snprintf(text, sizeof text,
                         "{\"schema\": \"foresee.findings/1\", \"findings\": [{%s}]}",
                         bad[i]);
        fore_findings_init(&f);
        assert_int_equal(fore_findings_load(&f, "bad", text, (size_t)n, &e),
                         FORE_MEANING);
        fore_findings_release(&f);
    }
}

/* What draws a graph may rely on its nodes. */
static void an_edge_to_no_node_is_one_to_the_first(void)
{
    static const char text[] =
        "{\"schema\": \"foresee.findings/1\", \"findings\": [{\"id\": \"1\", \"rule\": "
        "\"lock-cycle\", \"level\": \"error\", \"verdict\": \"observed\", \"graph\": "
        "{\"nodes\": [{}, {}, {}], \"edges\": [{\"from\": 2, \"to\": 1}, {\"from\": 1, "
        "\"to\": 2}, {\"from\": 3, \"to\": 1}, {\"from\": 1, \"to\": 3}, {\"from\": -1, "
        "\"to\": -1}]}}]}";
    static const uint32_t want[][2] = {{2, 1}, {1, 2}, {0, 1}, {1, 0}, {0, 0}};
    struct fore_findings f;
    struct fore_err e = {0};
    fore_findings_init(&f);
    assert_int_equal(fore_findings_load(&f, "one", text, sizeof text - 1, &e), FORE_OK);
    const struct fore_graph *g = &f.list.at[0]->graph;
    assert_int_equal(g->nodes.n, 3);
    assert_int_equal(g->edges.n, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(g->edges.at[i].from, want[i][0]);
        assert_int_equal(g->edges.at[i].to, want[i][1]);
    }
    fore_findings_release(&f);
}

static void hostile_names_stay_text_on_a_terminal(void)
{
    struct fore_findings f;
    struct fore_report_options o = {.width = 80};
    struct fore_strbuf out = FORE_STRBUF_INIT;
    fore_findings_init(&f);
    struct fore_finding *x =
        add(&f, "lock-cycle", FORE_VERDICT_PREDICTED, "\033[2Ja.go:3", "\033]0;x\007");
    x->message = "on \033[31mred\033[0m \xff";
    fore_vec_push(&x->witness, (struct fore_step){.thread = "\033[1m",
                                                  .name = "",
                                                  .path = "1",
                                                  .event = "\033[2J\r",
                                                  .location = "",
                                                  .note = "",
                                                  .state = ""});
    fore_findings_seal(&f);
    fore_report_text(&f, &o, &out);
    assert_null(memchr(out.at, '\033', out.n));
    assert_null(memchr(out.at, '\r', out.n));
    assert_null(memchr(out.at, '\007', out.n));
    assert_non_null(strstr(out.at, "\\x1b[31mred"));
    fore_findings_release(&f);
    fore_strbuf_release(&out);
}

RUN_CASES(CASE(ids_ignore_threads_and_counts), CASE(races_are_known_by_their_variables),
          CASE(ids_follow_the_source_line), CASE(ids_of_races_join_the_blocks_of_a_site),
          CASE(a_wait_that_was_seen_is_not_predicted_as_well),
          CASE(bugs_come_before_notes), CASE(json_is_read_back_the_same),
          CASE(a_step_says_what_it_does), CASE(each_thread_has_one_name),
          CASE(the_observed_run_is_that_of_the_threads_concerned),
          CASE(sources_are_regular_files_below_the_root),
          CASE(every_verdict_and_level_is_read_back), CASE(a_claim_gives_its_reason),
          CASE(other_documents_are_refused),
          CASE(a_finding_without_what_it_needs_is_refused),
          CASE(an_edge_to_no_node_is_one_to_the_first),
          CASE(hostile_names_stay_text_on_a_terminal))
