#include "../check.h"

#include "base/child.h"

#include <signal.h>
#include <stdlib.h>
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

static void an_end_inside_a_call_is_seen(void **state)
{
    struct fore_beat *b = shared();
    char text[64];
    (void)state;
    fore_child_end_text(fore_child_wait(start(crash, b)), text, sizeof text);
    assert_string_equal(text, "crashed: Killed");
    assert_int_equal(atomic_load(&b->inside), 1);
    fore_child_end_text(fore_child_wait(start(leave, b)), text, sizeof text);
    assert_string_equal(text, "ended the process with status 3");
    munmap(b, sizeof *b);
}

static void a_call_that_returned_is_counted(void **state)
{
    struct fore_beat *b = shared();
    (void)state;
    int status = fore_child_wait(start(nothing, b));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(atomic_load(&b->inside), 0);
    assert_int_equal(atomic_load(&b->left), 1);
    munmap(b, sizeof *b);
}

static void a_loop_is_told_by_the_time_that_it_used(void **state)
{
    struct fore_beat *b = shared();
    struct fore_pulse idle = {0}, busy = {0};
    struct timespec pause = {0, 5000000};
    (void)state;
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

RUN_CASES(CASE(an_end_inside_a_call_is_seen), CASE(a_call_that_returned_is_counted),
          CASE(a_loop_is_told_by_the_time_that_it_used))
