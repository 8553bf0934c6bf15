/* A process of the operating system in which something may go wrong. */
#ifndef FORE_TESTS_UNIT_CSP_CHILD_H
#define FORE_TESTS_UNIT_CSP_CHILD_H

#include "../check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Programs that end while processes wait leave memory behind. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

/* Runs fn in a child and collects what it prints on standard error. Returns its status as a
 * shell would. A child that returns from fn exits with 0. */
static inline int run_child(void (*fn)(void), char *said, size_t size)
{
    int ends[2], status;
    size_t n = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        fn();
        exit(0);
    }
    close(ends[1]);
    for (ssize_t got; n < size - 1 && (got = read(ends[0], said + n, size - 1 - n)) > 0;)
        n += (size_t)got;
    said[n] = 0;
    close(ends[0]);
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

#define ASSERT_SAYS(text, part)                                                          \
    do {                                                                                 \
        if (!strstr(text, part))                                                         \
            fail_msg("expected \"%s\" in: %s", part, text);                              \
    } while (0)

#endif
