#include "spec/plugin.h"

#include "base/sort.h"
#include "foresee/monitor.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_STATES = 1024, PATIENCE_MS = 5000 };

/* One message of either direction. `count` states, and values only when asking. */
struct message {
    uint32_t count, value_count;
    char problem[256]; /* of the answer: not empty if there is one */
    uint64_t states[MOST_STATES];
    struct foresee_monitor_value values[FORE_SPEC_MAX_ATOMS];
};

struct fore_plugin {
    const struct fore_property *prop;
    pid_t child;
    int socket;
    uint32_t start;
    uint64_t bad;
    struct fore_intern sets; /* of sorted uint64_t */
    struct fore_err failure;
    struct message message;
};

static bool transfer_bytes(int fd, void *buf, size_t n, bool out)
{
    for (char *at = buf; n > 0;) {
        ssize_t got = out ? send(fd, at, n, MSG_NOSIGNAL) : recv(fd, at, n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

/* -- The child --------------------------------------------------------------------- */

static const struct foresee_monitor *load_plugin(const char *path, char *problem,
                                                 size_t size)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct foresee_monitor *m = object ? dlsym(object, "foresee_monitor") : NULL;
    if (!m)
        snprintf(problem, size, "%s", dlerror());
    else if (m->abi != FORESEE_MONITOR_ABI || m->size < sizeof *m)
        snprintf(problem, size,
                 "it was built for version %u of foresee/monitor.h, not %u", m->abi,
                 FORESEE_MONITOR_ABI);
    else
        return m;
    return NULL;
}

static _Noreturn void serve_plugin(const char *path, int fd, struct message *msg)
{
    const struct foresee_monitor *m =
        load_plugin(path, msg->problem, sizeof msg->problem);
    msg->count = 2;
    msg->states[0] = m ? m->start : 0;
    msg->states[1] = m ? m->bad : 0;
    uint64_t next[MOST_STATES];
    while (transfer_bytes(fd, msg, sizeof *msg, true) && m &&
           transfer_bytes(fd, msg, sizeof *msg, false)) {
        size_t n = m->next_states(msg->states, msg->count, msg->values, msg->value_count,
                                  next, MOST_STATES);
        if (n > MOST_STATES)
            snprintf(msg->problem, sizeof msg->problem,
                     "it is in more than %d states at once", MOST_STATES);
        msg->count = n > MOST_STATES ? 0 : (uint32_t)n;
        memcpy(msg->states, next, msg->count * sizeof *next);
    }
    _exit(0);
}

/* -- The parent -------------------------------------------------------------------- */

static enum fore_status fail_plugin(struct fore_plugin *p, const char *what)
{
    return fore_fail(&p->failure, FORE_CHILD, "the monitor %s of property %s %s",
                     p->prop->object, p->prop->name, what);
}

static enum fore_status died(struct fore_plugin *p)
{
    int status = 0;
    char what[80] = "ended without an answer";
    if (waitpid(p->child, &status, 0) == p->child && WIFSIGNALED(status))
        snprintf(what, sizeof what, "crashed (%s)", strsignal(WTERMSIG(status)));
    p->child = 0;
    return fail_plugin(p, what);
}

static enum fore_status receive_answer(struct fore_plugin *p)
{
    struct pollfd fd = {.fd = p->socket, .events = POLLIN};
    int ready;
    do
        ready = poll(&fd, 1, PATIENCE_MS);
    while (ready < 0 && errno == EINTR);
    if (ready == 0) {
        kill(p->child, SIGKILL);
        waitpid(p->child, NULL, 0);
        p->child = 0;
        return fail_plugin(p, "did not answer within 5 seconds");
    }
    if (!transfer_bytes(p->socket, &p->message, sizeof p->message, false))
        return died(p);
    if (p->message.problem[0]) {
        char what[sizeof p->message.problem + 32];
        snprintf(what, sizeof what, "cannot be used: %s", p->message.problem);
        return fail_plugin(p, what);
    }
    return FORE_OK;
}

/* The set in the message; a set with the bad state is bad and nothing else. */
static uint32_t intern_set(struct fore_plugin *p)
{
    uint64_t *s = p->message.states;
    uint32_t n = 0;
    qsort(s, p->message.count, sizeof *s, fore_compare_u64);
    for (uint32_t i = 0; i < p->message.count; i++) {
        if (s[i] == p->bad)
            return fore_intern(&p->sets, &p->bad, sizeof p->bad) - 1;
        if (n == 0 || s[n - 1] != s[i])
            s[n++] = s[i];
    }
    return fore_intern(&p->sets, s, n * sizeof *s) - 1;
}

/* Relative paths are relative to the specification. */
static char *resolve_path(const struct fore_spec *s, const char *object)
{
    const char *slash = strrchr(s->src.file, '/');
    struct fore_strbuf path = FORE_STRBUF_INIT;
    if (object[0] != '/')
        fore_strbuf_add(&path, slash ? s->src.file : "./",
                        slash ? (size_t)(slash + 1 - s->src.file) : 2);
    fore_strbuf_puts(&path, object);
    return fore_strbuf_detach(&path);
}

static enum fore_status start_child(struct fore_plugin *p, const char *path)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return fail_plugin(p, strerror(errno));
    p->socket = pair[0];
    p->child = fork();
    if (p->child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(pair[0]);
        serve_plugin(path, pair[1], &p->message);
    }
    close(pair[1]);
    if (p->child < 0)
        return fail_plugin(p, strerror(errno));
    FORE_TRY(receive_answer(p));
    p->bad = p->message.states[1];
    p->message.count = 1;
    p->start = intern_set(p);
    return FORE_OK;
}

enum fore_status fore_plugin_open(const struct fore_spec *s,
                                  const struct fore_property *prop,
                                  struct fore_plugin **out, struct fore_err *e)
{
    struct fore_plugin *p = fore_calloc(1, sizeof *p);
    p->prop = prop;
    p->socket = -1;
    char *path = resolve_path(s, prop->object);
    enum fore_status status = start_child(p, path);
    fore_free(path);
    if (status == FORE_OK) {
        *out = p;
        return FORE_OK;
    }
    status =
        fore_source_fail(&s->src, prop->span, p->failure.status, e, "%s", p->failure.msg);
    fore_plugin_close(p);
    return status;
}

void fore_plugin_close(struct fore_plugin *p)
{
    if (p->socket >= 0)
        close(p->socket);
    if (p->child > 0) {
        kill(p->child, SIGKILL);
        waitpid(p->child, NULL, 0);
    }
    fore_intern_release(&p->sets);
    fore_free(p);
}

uint32_t fore_plugin_start(const struct fore_plugin *p)
{
    return p->start;
}

bool fore_plugin_bad(const struct fore_plugin *p, uint32_t state)
{
    struct fore_bytes set = fore_intern_bytes(&p->sets, state + 1);
    return set.n == sizeof p->bad && !memcmp(set.at, &p->bad, sizeof p->bad);
}

uint32_t fore_plugin_step(struct fore_plugin *p, uint32_t state,
                          const struct fore_val *vals)
{
    if (p->failure.status != FORE_OK || fore_plugin_bad(p, state))
        return state;
    struct message *m = &p->message;
    struct fore_bytes set = fore_intern_bytes(&p->sets, state + 1);
    m->count = (uint32_t)(set.n / sizeof *m->states);
    memcpy(m->states, set.at, set.n);
    m->value_count = p->prop->atom_count;
    for (uint32_t i = 0; i < p->prop->atom_count; i++) {
        struct fore_val v = vals[p->prop->atoms[i]];
        m->values[i] = (struct foresee_monitor_value){.is_real = v.real};
        if (v.real)
            m->values[i].as.real = v.r;
        else
            m->values[i].as.integer = v.i;
    }
    if (!transfer_bytes(p->socket, m, sizeof *m, true)) {
        died(p);
        return state;
    }
    return receive_answer(p) == FORE_OK ? intern_set(p) : state;
}

enum fore_status fore_plugin_failure(const struct fore_plugin *p, struct fore_err *e)
{
    if (p->failure.status != FORE_OK && e)
        *e = p->failure;
    return p->failure.status;
}
