#include "node/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum fore_status fore_log_open(struct fore_log *l, const char *path, struct fore_err *e)
{
    *l = (struct fore_log){.fd =
                               open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
    return l->fd < 0 ? fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno)) : FORE_OK;
}

void fore_log_close(struct fore_log *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}

void fore_log_put_number(struct fore_strbuf *record, uint64_t n)
{
    fore_strbuf_add(record, (const char *)&n, sizeof n);
}

void fore_log_put_text(struct fore_strbuf *record, const char *s, size_t n)
{
    fore_log_put_number(record, n);
    fore_strbuf_add(record, s, n);
}

/* 0 and "" at the end. */
uint64_t fore_log_get_number(struct fore_log_record *r)
{
    uint64_t n = 0;
    if ((size_t)(r->end - r->at) >= sizeof n) {
        memcpy(&n, r->at, sizeof n);
        r->at += sizeof n;
    }
    return n;
}

const char *fore_log_get_text(struct fore_log_record *r, size_t *n)
{
    uint64_t size = fore_log_get_number(r);
    const char *s = r->at;
    *n = size <= (size_t)(r->end - r->at) ? (size_t)size : 0;
    r->at += *n;
    return s;
}

/* Whole records only, one behind the other: the lock keeps two writers apart. */
void fore_log_add(struct fore_log *l, const struct fore_strbuf *record)
{
    struct fore_strbuf all = FORE_STRBUF_INIT;
    if (l->fd < 0)
        return;
    fore_log_put_text(&all, record->at, record->n);
    flock(l->fd, LOCK_EX);
    for (size_t done = 0; done < all.n;) {
        ssize_t n = write(l->fd, all.at + done, all.n - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    flock(l->fd, LOCK_UN);
    fore_strbuf_release(&all);
}

void fore_log_read(struct fore_log *l, void (*take)(struct fore_log_record r, void *user),
                   void *user)
{
    char block[65536];
    struct fore_strbuf all = FORE_STRBUF_INIT;
    ssize_t n;
    if (l->fd < 0)
        return;
    while ((n = pread(l->fd, block, sizeof block, (off_t)(l->seen + all.n))) > 0)
        fore_strbuf_add(&all, block, (size_t)n);
    struct fore_log_record rest = {all.at, all.at + all.n};
    uint64_t size;
    while ((size_t)(rest.end - rest.at) > sizeof size) {
        memcpy(&size, rest.at, sizeof size);
        if (size > (size_t)(rest.end - rest.at) - sizeof size)
            break; /* somebody is writing it */
        rest.at += sizeof size;
        take((struct fore_log_record){rest.at, rest.at + size}, user);
        rest.at += size;
    }
    l->seen += (uint64_t)(rest.at - all.at);
    fore_strbuf_release(&all);
}
