/* The recorder of foresee/txn.h. It lives in other people's programs: it needs nothing but
 * libc and never aborts. */
#include "foresee/txn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct foresee_txns {
    int fd;
    atomic_int bad; /* the first errno */
    atomic_uint next;
};

/* The operations so far, as JSON. */
struct foresee_txn {
    foresee_txns *log;
    unsigned number;
    char *text;
    size_t n, room;
};

foresee_txns *foresee_txns_open(const char *path)
{
    foresee_txns *log = calloc(1, sizeof *log);
    if (!log)
        return NULL;
    log->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log->fd < 0) {
        int bad = errno;
        free(log);
        errno = bad;
        return NULL;
    }
    return log;
}

int foresee_txns_close(foresee_txns *log)
{
    if (!log)
        return EBADF;
    int bad = atomic_load(&log->bad);
    if (close(log->fd) && !bad)
        bad = errno;
    free(log);
    return bad;
}

static void note_error(foresee_txns *log, int bad)
{
    int none = 0;
    atomic_compare_exchange_strong(&log->bad, &none, bad);
}

static bool make_room(foresee_txn *t, size_t n)
{
    if (t->n + n <= t->room)
        return true;
    size_t room = (t->n + n) * 2;
    char *more = realloc(t->text, room);
    if (!more) {
        note_error(t->log, ENOMEM);
        return false;
    }
    t->text = more;
    t->room = room;
    return true;
}

static void add_text(foresee_txn *t, const char *s, size_t n)
{
    if (!make_room(t, n))
        return;
    memcpy(t->text + t->n, s, n);
    t->n += n;
}

static void add_number(foresee_txn *t, int64_t i)
{
    char digits[32];
    add_text(t, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)i));
}

static void add_key(foresee_txn *t, const char *act, const char *key)
{
    if (t->n)
        add_text(t, ",", 1);
    add_text(t, "[\"", 2);
    add_text(t, act, strlen(act));
    add_text(t, "\",\"", 3);
    for (; *key; key++) {
        unsigned char c = (unsigned char)*key;
        char escaped[8];
        if (c == '"' || c == '\\' || c < ' ' || c == 0x7f)
            add_text(t, escaped, (size_t)snprintf(escaped, sizeof escaped, "\\u%04x", c));
        else
            add_text(t, key, 1);
    }
    add_text(t, "\",", 2);
}

/* One call, so that lines of several threads and processes do not mix. */
static void write_line(foresee_txn *t, const char *type)
{
    size_t n = t->n + 160;
    char *line = malloc(n);
    if (!line) {
        note_error(t->log, ENOMEM);
        return;
    }
    int head = snprintf(line, n,
                        "{\"process\":%ld,\"id\":%u,\"type\":\"%s\",\"f\":\"txn\","
                        "\"value\":",
                        (long)getpid(), t->number, type);
    size_t at = (size_t)head;
    if (t->n || strcmp(type, "invoke") != 0) {
        line[at++] = '[';
        memcpy(line + at, t->text ? t->text : "", t->n);
        at += t->n;
        line[at++] = ']';
    } else {
        memcpy(line + at, "null", 4);
        at += 4;
    }
    memcpy(line + at, "}\n", 2);
    at += 2;
    ssize_t wrote;
    do
        wrote = write(t->log->fd, line, at);
    while (wrote < 0 && errno == EINTR);
    if (wrote != (ssize_t)at)
        note_error(t->log, wrote < 0 ? errno : EIO);
    free(line);
}

foresee_txn *foresee_txn_begin(foresee_txns *log)
{
    foresee_txn *t = log ? calloc(1, sizeof *t) : NULL;
    if (!t) {
        if (log)
            note_error(log, ENOMEM);
        return NULL;
    }
    t->log = log;
    t->number = atomic_fetch_add(&log->next, 1);
    write_line(t, "invoke");
    return t;
}

static void add_step(foresee_txn *t, const char *act, const char *key, const char *value,
                     int64_t number)
{
    if (!t)
        return;
    add_key(t, act, key);
    if (value)
        add_text(t, value, strlen(value));
    else
        add_number(t, number);
    add_text(t, "]", 1);
}

void foresee_txn_read_int(foresee_txn *t, const char *key, int64_t value)
{
    add_step(t, "r", key, NULL, value);
}

void foresee_txn_read_nil(foresee_txn *t, const char *key)
{
    add_step(t, "r", key, "null", 0);
}

void foresee_txn_write(foresee_txn *t, const char *key, int64_t value)
{
    add_step(t, "w", key, NULL, value);
}

void foresee_txn_append(foresee_txn *t, const char *key, int64_t value)
{
    add_step(t, "append", key, NULL, value);
}

void foresee_txn_read_list(foresee_txn *t, const char *key, const int64_t *items,
                           size_t n)
{
    if (!t)
        return;
    add_key(t, "r", key);
    add_text(t, "[", 1);
    for (size_t i = 0; i < n; i++) {
        if (i)
            add_text(t, ",", 1);
        add_number(t, items[i]);
    }
    add_text(t, "]]", 2);
}

void foresee_txn_prepare(foresee_txn *t)
{
    if (t && t->n)
        write_line(t, "invoke");
}

static void end_txn(foresee_txn *t, const char *type)
{
    if (!t)
        return;
    write_line(t, type);
    free(t->text);
    free(t);
}

void foresee_txn_commit(foresee_txn *t)
{
    end_txn(t, "ok");
}

void foresee_txn_abort(foresee_txn *t)
{
    end_txn(t, "fail");
}

void foresee_txn_unknown(foresee_txn *t)
{
    end_txn(t, "info");
}
