#include "cli/supervise.h"

#include "base/child.h"
#include "base/folder.h"
#include "cli/launch.h"
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
static bool watch_child(pid_t child, const struct fore_beat *beat, double seconds,
                        int *status)
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

/* What the two processes share. */
struct shared {
    struct fore_beat beat;
    char scratch[4096];
};

static int end_of(const char *object, bool returned, double seconds, int status,
                  const struct shared *s, struct fore_err *e)
{
    char text[128];
    bool inside = atomic_load(&s->beat.inside) != 0;
    if (returned && WIFEXITED(status) && !inside)
        return WEXITSTATUS(status);
    if (s->scratch[0])
        fore_folder_remove(s->scratch);
    fore_child_end_text(status, text, sizeof text);
    if (returned)
        fore_fail(e, FORE_CHILD, "the object %s %s", object, text);
    else
        fore_fail(e, FORE_CHILD, "the object %s has not returned within %g seconds",
                  object, seconds);
    return FORE_EXIT_ERROR;
}

static int run_supervised(struct fore_cli *c, const char *object, struct fore_err *e)
{
    void *at;
    double seconds;
    pid_t child;
    int status;
    if (fore_params_double(&c->params, "call-time", 5, &seconds, e) != FORE_OK ||
        fore_child_share(sizeof(struct shared), &at, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    struct shared *s = at;
    c->budget.beat = &s->beat;
    c->scratch = s->scratch;
    fflush(NULL);
    if (fore_child_fork(&child, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    if (child == 0)
        be_child(c);
    bool returned = watch_child(child, c->budget.beat, seconds, &status);
    int exit = end_of(object, returned, seconds, status, s, e);
    c->budget.beat = NULL;
    c->scratch = NULL;
    munmap(at, sizeof *s);
    return exit;
}

int fore_cli_run(struct fore_cli *c, struct fore_err *e)
{
    const char *object = fore_params_text(&c->params, "object", NULL);
    if (c->verb->runs_objects && object && fore_model_is_path(object))
        return run_supervised(c, object, e);
    return c->verb->run(c, e);
}
