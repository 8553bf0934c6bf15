#include "cli/supervise.h"

#include "base/child.h"
#include "history/user.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void be_child(struct fore_cli *c)
{
    struct fore_err e = {0};
    char text[1200];
    int status = c->verb->run(c, &e);
    fore_progress_finish(&c->progress);
    fore_err_format(&e, text, sizeof text);
    if (status == FORE_EXIT_ERROR && e.status != FORE_OK)
        fore_cli_say(c, "%s", text);
    fflush(NULL);
    _exit(status);
}

/* Waits for the child's end. False: it was ended, because a call does not return. */
static bool watch(pid_t child, const struct fore_beat *beat, double seconds, int *status)
{
    struct fore_pulse last = {0};
    struct timespec pause = {0, 1000000};
    while (waitpid(child, status, WNOHANG) != child) {
        uint64_t left = atomic_load(&beat->left);
        if (fore_child_hangs(child, &last, left, atomic_load(&beat->inside) != 0,
                             seconds)) {
            kill(child, SIGKILL);
            *status = fore_child_wait(child);
            return false;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 50000000)
            pause.tv_nsec *= 2;
    }
    return true;
}

static int run_supervised(struct fore_cli *c, const char *object, struct fore_err *e)
{
    void *shared;
    double seconds;
    pid_t child;
    int status;
    char text[128];
    if (fore_params_double(&c->params, "call-time", 5, &seconds, e) != FORE_OK ||
        fore_child_share(sizeof(struct fore_beat), &shared, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    c->budget.beat = shared;
    fflush(NULL);
    if (fore_child_fork(&child, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    if (child == 0)
        be_child(c);
    bool returned = watch(child, c->budget.beat, seconds, &status);
    bool inside = atomic_load(&c->budget.beat->inside) != 0;
    c->budget.beat = NULL;
    munmap(shared, sizeof(struct fore_beat));
    if (!returned) {
        fore_fail(e, FORE_CHILD, "the object %s has not returned within %g seconds",
                  object, seconds);
        return FORE_EXIT_ERROR;
    }
    if (WIFEXITED(status) && !inside)
        return WEXITSTATUS(status);
    fore_child_end_text(status, text, sizeof text);
    fore_fail(e, FORE_CHILD, "the object %s %s", object, text);
    return FORE_EXIT_ERROR;
}

int fore_cli_run(struct fore_cli *c, struct fore_err *e)
{
    const char *object = fore_params_text(&c->params, "object", NULL);
    if (c->verb->runs_objects && object && fore_model_is_path(object))
        return run_supervised(c, object, e);
    return c->verb->run(c, e);
}
