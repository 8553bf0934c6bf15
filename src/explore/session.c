#include "explore/session.h"

#include "base/child.h"
#include "base/json.h"
#include "explore/child.h"
#include "explore/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_MS 50
#define ANSWER_NS 850000000 /* a child that was asked to stop does so within this time */
#define SLOW_ANSWER_NS 5000000000 /* when its time is up, if its steps take long */

/* The parent's side. */
struct supervisor {
    const struct fore_session *x;
    struct fore_session_result *r;
    struct fore_progress *progress;
    struct fore_shared *shared;
    size_t shared_bytes;
    pid_t child;
    int fd;
    struct fore_strbuf in; /* bytes that are no whole frame yet */
    const struct fore_json *kinds;
    bool done, given_up;
    uint64_t stop_ns;                  /* when it was asked to stop; 0: not yet */
    FORE_VEC(struct fore_pulse) looks; /* one per worker */
};

static enum fore_status start_workers(struct supervisor *v, struct fore_err *e)
{
    int pipes[2];
    uint32_t workers = v->x->options.jobs ? v->x->options.jobs : 1;
    v->shared_bytes = sizeof *v->shared + workers * sizeof(struct fore_actor_watch);
    void *shared;
    FORE_TRY(fore_child_share(v->shared_bytes, &shared, e));
    v->shared = shared;
    v->shared->workers = workers;
    fore_vec_ensure(&v->looks, workers);
    if (pipe2(pipes, O_CLOEXEC))
        return fore_fail(e, FORE_IO, "cannot make a pipe: %s", strerror(errno));
    FORE_TRY(fore_child_fork(&v->child, e));
    if (!v->child) {
        close(pipes[0]);
        signal(SIGINT, SIG_IGN);
        fore_session_child(v->x, v->shared, pipes[1]);
        _exit(0);
    }
    close(pipes[1]);
    v->fd = pipes[0];
    return FORE_OK;
}

static const char *kind_name(const struct supervisor *v, uint32_t kind)
{
    const struct fore_json *k = v->kinds ? v->kinds->first : NULL;
    while (k && kind--)
        k = k->next;
    return k ? fore_json_text(k) : "?";
}

/* "the handler of Write at actor 1 …, at step 3 of the schedule 1 4 2" */
static enum fore_status blame_worker(struct supervisor *v, uint32_t worker,
                                     const char *what, struct fore_err *e)
{
    const struct fore_actor_watch *w = &v->shared->watch[worker];
    struct fore_strbuf path = FORE_STRBUF_INIT, actor = FORE_STRBUF_INIT;
    for (uint32_t i = 0; i < w->depth && i < 40; i++)
        fore_strbuf_printf(&path, " %u", w->path[i].msg);
    fore_actor_text(w->actor, &actor);
    enum fore_status s = fore_fail(
        e, FORE_CHILD,
        "system %s: the handler of %s at actor %s %s (receiving messages%s)",
        v->x->subject.system_name, kind_name(v, w->kind), actor.at, what, path.at);
    fore_strbuf_release(&path);
    fore_strbuf_release(&actor);
    return s;
}

static enum fore_status handle_end(struct supervisor *v, int status, struct fore_err *e)
{
    char what[128];
    if (v->given_up || (v->done && WIFEXITED(status) && !WEXITSTATUS(status)))
        return FORE_OK;
    fore_child_end_text(status, what, sizeof what);
    for (uint32_t i = 0; i < v->shared->workers; i++)
        if (v->shared->watch[i].steps & 1)
            return blame_worker(v, i, what, e);
    return fore_fail(e, FORE_CHILD, "system %s, outside of a handler, %s",
                     v->x->subject.system_name, what);
}

/* Looks for a handler that does not end, or waits for something that does not come. */
static enum fore_status look_for_loops(struct supervisor *v, struct fore_err *e)
{
    double limit = v->x->handler_seconds * v->shared->workers;
    for (uint32_t i = 0; i < v->shared->workers; i++) {
        uint64_t steps = v->shared->watch[i].steps;
        char what[80];
        if (!fore_child_hangs(v->child, &v->looks.at[i], steps, steps & 1, limit))
            continue;
        snprintf(what, sizeof what, "has not returned within %g seconds",
                 v->x->handler_seconds);
        return blame_worker(v, i, what, e);
    }
    return FORE_OK;
}

static enum fore_status take_frame(struct supervisor *v, enum fore_frame kind,
                                   const char *text, size_t n, struct fore_err *e)
{
    if (kind == FORE_FRAME_DONE) {
        v->done = true;
    } else if (kind == FORE_FRAME_PROGRESS) {
        unsigned long long done = 0, found = 0, total = 0, most = 0;
        sscanf(text, "%llu %llu %llu %llu", &done, &found, &total, &most);
        total = most && (!total || total > most) ? most : total;
        v->progress->found = found;
        v->progress->calls |= 1023; /* it has come a long way: look at the clock */
        fore_progress_step(v->progress, done, total);
    } else if (kind == FORE_FRAME_KINDS) {
        return fore_json_read(&v->r->findings.arena, "explorer", text, n, &v->kinds, e);
    } else {
        return fore_wire_receive(v->r, kind, text, n, e);
    }
    return FORE_OK;
}

static enum fore_status take_frames(struct supervisor *v, struct fore_err *e)
{
    size_t at = 0;
    while (v->in.n - at >= 5) {
        uint32_t n;
        memcpy(&n, v->in.at + at + 1, sizeof n);
        if (v->in.n - at - 5 < n)
            break;
        struct fore_strbuf text = FORE_STRBUF_INIT;
        fore_strbuf_add(&text, v->in.at + at + 5, n);
        enum fore_status s = take_frame(v, (enum fore_frame)v->in.at[at], text.at, n, e);
        fore_strbuf_release(&text);
        FORE_TRY(s);
        at += 5 + n;
    }
    struct fore_strbuf rest = FORE_STRBUF_INIT;
    fore_strbuf_add(&rest, v->in.at + at, v->in.n - at);
    fore_strbuf_release(&v->in);
    v->in = rest;
    return FORE_OK;
}

/* Asks the child to stop when it is time to. True if it does not answer because a handler does
 * not return. A child that saves the search may take the time for that, except in an MPI job,
 * whose other ranks may be gone. */
static bool stop_is_overdue(struct supervisor *v)
{
    const struct fore_budget *b = &v->x->options.budget;
    uint64_t now = fore_now_ns();
    bool over = b->deadline_ns && now >= b->deadline_ns;
    uint64_t answer = v->x->options.slow ? SLOW_ANSWER_NS : ANSWER_NS;
    if (b->interrupted && *b->interrupted)
        v->shared->stop = over = true, answer = ANSWER_NS;
    if (over && !v->stop_ns)
        v->stop_ns = now;
    bool saves = (v->x->save_file || v->x->options.save) && !v->x->mpi;
    return over && !saves && !v->x->ask && now - v->stop_ns > answer;
}

static enum fore_status listen_to_child(struct supervisor *v, struct fore_err *e)
{
    char block[65536];
    for (;;) {
        struct pollfd p = {.fd = v->fd, .events = POLLIN};
        int k = poll(&p, 1, POLL_MS);
        if (stop_is_overdue(v)) {
            kill(v->child, SIGKILL);
            fore_findings_incomplete(&v->r->findings, "%s",
                                     v->shared->stop ? "interrupted" : "time");
            v->given_up = true;
            return FORE_OK;
        }
        if (k == 0 || (k < 0 && errno == EINTR)) {
            FORE_TRY(look_for_loops(v, e));
            continue;
        }
        ssize_t n = read(v->fd, block, sizeof block);
        if (n <= 0)
            return FORE_OK;
        fore_strbuf_add(&v->in, block, (size_t)n);
        FORE_TRY(take_frames(v, e));
        FORE_TRY(look_for_loops(v, e));
    }
}

enum fore_status fore_session_run(const struct fore_session *x, struct fore_progress *p,
                                  struct fore_session_result *r, struct fore_err *e)
{
    *r = (struct fore_session_result){.told = ""};
    fore_findings_init(&r->findings);
    struct supervisor v = {
        .x = x, .r = r, .progress = p, .fd = -1, .in = FORE_STRBUF_INIT};
    enum fore_status s = start_workers(&v, e);
    if (s == FORE_OK)
        s = listen_to_child(&v, e);
    int status = 0;
    if (v.child > 0) {
        if (s != FORE_OK)
            kill(v.child, SIGKILL);
        status = fore_child_wait(v.child);
    }
    if (s == FORE_OK)
        s = handle_end(&v, status, e);
    if (v.fd >= 0)
        close(v.fd);
    if (v.shared)
        munmap(v.shared, v.shared_bytes);
    fore_strbuf_release(&v.in);
    fore_vec_release(&v.looks);
    return s;
}

void fore_session_release(struct fore_session_result *r)
{
    fore_vec_release(&r->rows);
    fore_findings_release(&r->findings);
}
