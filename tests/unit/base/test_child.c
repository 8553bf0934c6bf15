#include "../check.h"

#include "base/child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t start(void (*code)(struct fore_beat *b), struct fore_beat *b)
{
    struct fore_err e = {0};
    pid_t child;
    assert_int_equal(fore_child_fork(&child, &e), FORE_OK);
    if (child == 0) {
        fore_beat_enter(b);
        code(b);
        fore_beat_leave(b);
        _exit(0);
    }
    return child;
}

static struct fore_beat *shared(void)
{
    struct fore_err e = {0};
    void *b;
    assert_int_equal(fore_child_share(sizeof(struct fore_beat), &b, &e), FORE_OK);
    return b;
}

static void crash(struct fore_beat *b)
{
    (void)b;
    raise(SIGKILL);
}

static void leave(struct fore_beat *b)
{
    (void)b;
    _exit(3);
}

static void loop(struct fore_beat *b)
{
    while (atomic_load(&b->inside))
        continue;
}

static void nothing(struct fore_beat *b)
{
    (void)b;
}

static void an_end_inside_a_call_is_seen(void)
{
    struct fore_beat *b = shared();
    char text[64];
    fore_child_end_text(fore_child_wait(start(crash, b)), text, sizeof text);
    assert_string_equal(text, "crashed: Killed");
    assert_int_equal(atomic_load(&b->inside), 1);
    fore_child_end_text(fore_child_wait(start(leave, b)), text, sizeof text);
    assert_string_equal(text, "ended the process with status 3");
    munmap(b, sizeof *b);
}

static void a_call_that_returned_is_counted(void)
{
    struct fore_beat *b = shared();
    int status = fore_child_wait(start(nothing, b));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(atomic_load(&b->inside), 0);
    assert_int_equal(atomic_load(&b->left), 1);
    munmap(b, sizeof *b);
}

static void a_loop_is_told_by_the_time_that_it_used(void)
{
    struct fore_beat *b = shared();
    struct fore_pulse idle = {0}, busy = {0};
    struct timespec pause = {0, 5000000};
    pid_t child = start(loop, b);
    while (!fore_child_hangs(child, &busy, 7, true, 0.05)) {
        assert_false(fore_child_hangs(child, &idle, 7, false, 0.05));
        nanosleep(&pause, NULL);
    }
    assert_false(fore_child_hangs(child, &busy, 8, true, 0.05)); /* it has moved on */
    kill(child, SIGKILL);
    fore_child_wait(child);
    munmap(b, sizeof *b);
}

static void a_program_that_cannot_be_run_is_told(void)
{
    struct fore_err e = {0};
    char *argv[] = {"/nowhere/at-all", NULL};
    pid_t child;
    int status;
    assert_int_equal(
        fore_child_start(&(struct fore_child_program){.argv = argv}, &child, &e),
        FORE_CHILD);
    assert_non_null(strstr(e.msg, "cannot run /nowhere/at-all: No such file"));
    assert_int_equal(waitpid(-1, &status, 0), -1); /* and nobody is left */
}

static int refuse(struct fore_child_program *p)
{
    (void)p;
    return EACCES;
}

static int run_second(struct fore_child_program *p)
{
    p->argv = p->ctx;
    return 0;
}

static void what_its_process_does_first_counts(void)
{
    struct fore_err e = {0};
    int status;
    char *first[] = {"false", NULL}, *second[] = {"sh", "-c", "exit 7", NULL};
    struct fore_child_program p = {.argv = first, .prepare = refuse};
    assert_int_equal(fore_child_run(&p, &status, &e), FORE_CHILD);
    assert_non_null(strstr(e.msg, "cannot run false: Permission denied"));
    p.prepare = run_second;
    p.ctx = second;
    assert_int_equal(fore_child_run(&p, &status, &e), FORE_OK);
    assert_int_equal(status, 7);
}

static void its_answer_and_its_status_are_given(void)
{
    struct fore_err e = {0};
    struct fore_strbuf out = FORE_STRBUF_INIT;
    int status;
    char *speaks[] = {"sh", "-c", "echo one; echo two; echo no >&2; exit 3", NULL};
    char *dies[] = {"sh", "-c", "kill -9 $$", NULL};
    assert_int_equal(fore_child_ask(speaks, true, &out, &status, &e), FORE_OK);
    assert_string_equal(out.at, "one\ntwo\n");
    assert_int_equal(status, 3);
    assert_int_equal(fore_child_ask(dies, true, &out, &status, &e), FORE_OK);
    assert_int_equal(status, 128 + SIGKILL);
    fore_strbuf_release(&out);
}

RUN_CASES(CASE(an_end_inside_a_call_is_seen), CASE(a_call_that_returned_is_counted),
          CASE(a_loop_is_told_by_the_time_that_it_used),
          CASE(a_program_that_cannot_be_run_is_told),
          CASE(what_its_process_does_first_counts),
          CASE(its_answer_and_its_status_are_given))
