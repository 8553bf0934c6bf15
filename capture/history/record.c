/* The recorder of foresee/history.h. It lives in other people's programs: it needs nothing
 * but libc and never aborts. */
#include "foresee/history.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PER_CHUNK = 512, MAX_ARGS = 3 };
enum outcome { OPEN, RETURNED, FAILED };

/* A value in 16 bytes: recording is mostly the touching of fresh memory. */
struct packed {
    union {
        int64_t i;
        const char *text;
        const struct foresee_value *items;
    } at;
    uint32_t n, kind;
};

struct foresee_call {
    foresee_history *history;
    const char *operation;
    unsigned n_args, thread;
    struct packed args[MAX_ARGS], result;
    uint64_t begun, ended;
    _Atomic int outcome; /* released by the end, so that the writer sees the result */
};

/* Calls of one thread; the chunk of a thread is known to that thread alone until it is
 * pushed onto the history's list, which happens when it is made. */
struct chunk {
    struct chunk *older;
    atomic_uint n;
    struct foresee_call calls[PER_CHUNK];
};

struct foresee_history {
    _Alignas(64) atomic_uint_fast64_t clock; /* on a line of its own */
    _Alignas(64) _Atomic(struct chunk *) chunks;
    atomic_uint threads;
    atomic_bool lost;
    uint64_t serial; /* histories are told apart even if memory is reused */
    char *object, *init;
    struct foresee_call nowhere; /* what is handed out when memory has run out */
};

static atomic_uint_fast64_t serials = 1;

/* What this thread used last. */
static _Thread_local struct {
    uint64_t serial;
    struct chunk *chunk;
    unsigned thread;
} mine;

foresee_history *foresee_history_open(const char *object)
{
    foresee_history *h = aligned_alloc(64, (sizeof *h + 63) / 64 * 64);
    if (!h)
        return NULL;
    memset((void *)h, 0, sizeof *h);
    h->object = strdup(object);
    h->serial = atomic_fetch_add(&serials, 1);
    return h;
}

foresee_history *foresee_mark_open(const char *object)
{
    return foresee_history_open(object);
}

void foresee_history_init(foresee_history *h, const char *value)
{
    if (!h)
        return;
    free(h->init);
    h->init = strdup(value);
}

static struct packed pack_value(const struct foresee_value *v)
{
    struct packed p = {.n = (uint32_t)v->n, .kind = (uint32_t)v->kind};
    if (v->kind == FORESEE_TEXT || v->kind == FORESEE_NUMBER)
        p.at.text = v->text;
    else if (v->kind == FORESEE_LIST)
        p.at.items = v->items;
    else
        p.at.i = v->i;
    return p;
}

static struct foresee_value unpack_value(const struct packed *p)
{
    struct foresee_value v = {.kind = (enum foresee_value_kind)p->kind, .n = p->n};
    if (v.kind == FORESEE_TEXT || v.kind == FORESEE_NUMBER)
        v.text = p->at.text;
    else if (v.kind == FORESEE_LIST)
        v.items = p->at.items;
    else
        v.i = p->at.i;
    return v;
}

static struct chunk *new_chunk(foresee_history *h)
{
    struct chunk *c = malloc(sizeof *c);
    if (!c)
        return NULL;
    atomic_init(&c->n, 0);
    c->older = atomic_load(&h->chunks);
    while (!atomic_compare_exchange_weak(&h->chunks, &c->older, c))
        continue;
    if (mine.serial != h->serial)
        mine.thread = atomic_fetch_add(&h->threads, 1);
    mine.serial = h->serial;
    mine.chunk = c;
    return c;
}

foresee_call *foresee_mark_invoke(foresee_history *h, const char *operation, unsigned n,
                                  const struct foresee_value *args, const char *file,
                                  unsigned line)
{
    struct chunk *c = mine.chunk;
    (void)file;
    (void)line;
    if (mine.serial != h->serial ||
        atomic_load_explicit(&c->n, memory_order_relaxed) == PER_CHUNK)
        c = new_chunk(h);
    if (!c || n > MAX_ARGS) {
        atomic_store(&h->lost, true);
        return &h->nowhere;
    }
    unsigned at = atomic_load_explicit(&c->n, memory_order_relaxed);
    foresee_call *call = &c->calls[at];
    call->history = h;
    call->operation = operation;
    call->n_args = n;
    call->thread = mine.thread;
    for (unsigned i = 0; i < n; i++)
        call->args[i] = pack_value(&args[i]);
    atomic_init(&call->outcome, OPEN);
    call->begun = atomic_fetch_add(&h->clock, 1);
    atomic_store_explicit(&c->n, at + 1, memory_order_release);
    return call;
}

static void end_call(foresee_call *c, enum outcome how)
{
    foresee_history *h = c->history;
    if (!h)
        return;
    c->ended = atomic_fetch_add(&h->clock, 1);
    atomic_store_explicit(&c->outcome, how, memory_order_release);
}

void foresee_mark_return(foresee_call *c, const struct foresee_value *result)
{
    c->result = pack_value(result);
    end_call(c, RETURNED);
}

void foresee_mark_fail(foresee_call *c)
{
    end_call(c, FAILED);
}

/* Writing. */

struct event {
    uint64_t at;
    const foresee_call *call;
    int outcome; /* OPEN: its beginning */
};

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static struct event *collect_events(foresee_history *h, size_t *n)
{
    size_t calls = 0;
    for (struct chunk *c = atomic_load(&h->chunks); c; c = c->older)
        calls += atomic_load_explicit(&c->n, memory_order_acquire);
    struct event *events = malloc((2 * calls + 1) * sizeof *events);
    *n = 0;
    if (!events)
        return NULL;
    for (struct chunk *c = atomic_load(&h->chunks); c && *n < 2 * calls; c = c->older) {
        unsigned used = atomic_load_explicit(&c->n, memory_order_acquire);
        for (unsigned i = 0; i < used && *n + 1 < 2 * calls + 1; i++) {
            const foresee_call *call = &c->calls[i];
            int how = atomic_load_explicit(&call->outcome, memory_order_acquire);
            events[(*n)++] = (struct event){call->begun, call, OPEN};
            if (how != OPEN)
                events[(*n)++] = (struct event){call->ended, call, how};
        }
    }
    qsort(events, *n, sizeof *events, by_time);
    return events;
}

static void write_text(FILE *f, const char *s, size_t n)
{
    fputc('"', f);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < ' ' || c == 0x7f)
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

static void write_value(FILE *f, const struct foresee_value *v)
{
    switch (v->kind) {
    case FORESEE_BOOL:
        fputs(v->i ? "true" : "false", f);
        break;
    case FORESEE_INT:
        fprintf(f, "%lld", (long long)v->i);
        break;
    case FORESEE_TEXT:
        write_text(f, v->text, v->n);
        break;
    case FORESEE_NUMBER:
        fwrite(v->text, 1, v->n, f);
        break;
    case FORESEE_LIST:
        fputc('[', f);
        for (size_t i = 0; i < v->n; i++) {
            fputs(i ? "," : "", f);
            write_value(f, &v->items[i]);
        }
        fputc(']', f);
        break;
    case FORESEE_NIL:
    case FORESEE_ANY:
        fputs("null", f);
        break;
    }
}

/* Calls are numbered, because a thread may begin one while another of its calls is open. */
static void write_event(FILE *f, const struct event *e)
{
    static const char *const types[] = {"invoke", "ok", "fail"};
    const foresee_call *c = e->call;
    fprintf(f, "{\"process\":%u,\"id\":%llu,\"type\":\"%s\",\"f\":", c->thread,
            (unsigned long long)c->begun, types[e->outcome]);
    write_text(f, c->operation, strlen(c->operation));
    if (e->outcome == OPEN) {
        fputs(",\"args\":[", f);
        for (unsigned i = 0; i < c->n_args; i++) {
            fputs(i ? "," : "", f);
            struct foresee_value v = unpack_value(&c->args[i]);
            write_value(f, &v);
        }
        fputc(']', f);
    } else if (e->outcome == RETURNED && c->result.kind != FORESEE_ANY) {
        struct foresee_value v = unpack_value(&c->result);
        fputs(",\"value\":", f);
        write_value(f, &v);
    }
    fputs("}\n", f);
}

static int write_to(foresee_history *h, FILE *f)
{
    size_t n;
    struct event *events = collect_events(h, &n);
    if (!events)
        return ENOMEM;
    for (size_t i = 0; i < n; i++)
        write_event(f, &events[i]);
    free(events);
    return fflush(f) ? errno : 0;
}

int foresee_history_write(foresee_history *h, const char *path)
{
    FILE *f = h ? fopen(path, "we") : NULL;
    if (!f)
        return h ? errno : EINVAL;
    int bad = write_to(h, f);
    if (fclose(f) && !bad)
        bad = errno;
    return bad;
}

/* The child reads the history from a file that has no name any more. */
static int run_checker(foresee_history *h, FILE *history)
{
    const char *program = getenv("FORESEE");
    char *args[] = {(char *)(program ? program : "foresee"),
                    (char *)"lin",
                    (char *)"-",
                    (char *)"--input",
                    (char *)"jsonl",
                    (char *)"--object",
                    h->object,
                    (char *)(h->init ? "--init" : NULL),
                    h->init,
                    NULL};
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        if (dup2(fileno(history), STDIN_FILENO) < 0 ||
            lseek(STDIN_FILENO, 0, SEEK_SET) < 0)
            _exit(2);
        execvp(args[0], args);
        fprintf(stderr, "foresee: cannot run %s: %s\n", args[0], strerror(errno));
        _exit(2);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int foresee_history_check(foresee_history *h)
{
    FILE *f = h ? tmpfile() : NULL;
    if (!f)
        return -1;
    if (atomic_load(&h->lost))
        fputs("foresee: memory ran out; the history is not complete\n", stderr);
    int status = write_to(h, f) || atomic_load(&h->lost) ? -1 : run_checker(h, f);
    fclose(f);
    return status;
}

void foresee_history_close(foresee_history *h)
{
    const char *path = getenv("FORESEE_HISTORY");
    if (!h)
        return;
    int bad = path ? foresee_history_write(h, path) : 0;
    if (bad)
        fprintf(stderr, "foresee: cannot write %s: %s\n", path, strerror(bad));
    struct chunk *c = atomic_load(&h->chunks);
    while (c) {
        struct chunk *older = c->older;
        free(c);
        c = older;
    }
    free(h->object);
    free(h->init);
    free(h);
}

static _Atomic(foresee_history *) at_exit;

static void check_now(void)
{
    foresee_history *h = atomic_exchange(&at_exit, NULL);
    if (!h)
        return;
    int status = foresee_history_check(h);
    foresee_history_close(h);
    if (status == 1) {
        fflush(NULL);
        _exit(1);
    }
}

void foresee_history_check_at_exit(foresee_history *h)
{
    if (!atomic_exchange(&at_exit, h))
        atexit(check_now);
}
