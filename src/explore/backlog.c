/* Records lie in chunks, each after its length. A full chunk goes to disk if memory is used up;
 * chunks are freed as soon as they are read. */
#include "explore/backlog.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define CHUNK ((size_t)1 << 18)

void fore_backlog_init(struct fore_backlog *q, size_t bytes, const char *folder,
                       struct fore_err *err)
{
    *q = (struct fore_backlog){.most = bytes, .fd = -1, .folder = folder, .err = err};
}

void fore_backlog_clear(struct fore_backlog *q)
{
    for (size_t i = 0; i < q->chunks.n; i++)
        fore_free(q->chunks.at[i].at);
    fore_free(q->loaded);
    q->loaded = NULL;
    q->chunks.n = q->count = q->in_memory = q->chunk = q->pos = 0;
    if (q->fd >= 0 && ftruncate(q->fd, 0) == 0)
        q->end = 0;
}

void fore_backlog_release(struct fore_backlog *q)
{
    fore_backlog_clear(q);
    fore_vec_release(&q->chunks);
    if (q->fd >= 0)
        close(q->fd);
    q->fd = -1;
}

static void fail_backlog(struct fore_backlog *q, const char *what)
{
    if (!q->failed)
        (void)!fore_fail(q->err, FORE_IO, "%s: cannot %s states on disk: %s", q->folder,
                         what, strerror(errno));
    q->failed = true;
}

static void spill_chunk(struct fore_backlog *q, struct fore_chunk *c)
{
    if (q->fd < 0)
        q->fd = fore_file_nameless(q->folder);
    if (q->fd < 0) {
        fail_backlog(q, "keep");
        return;
    }
    for (size_t done = 0; done < c->n;) {
        ssize_t k = pwrite(q->fd, c->at + done, c->n - done, q->end + (off_t)done);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0) {
            fail_backlog(q, "write");
            return;
        }
        done += (size_t)k;
    }
    c->offset = q->end;
    q->end += (off_t)c->n;
    q->spilled += c->n;
    q->in_memory -= c->n;
    fore_free(c->at);
    c->at = NULL;
}

static size_t size_of_chunk(const struct fore_backlog *q)
{
    return q->most && q->most / 4 < CHUNK ? q->most / 4 + 4096 : CHUNK;
}

char *fore_backlog_room(struct fore_backlog *q, size_t most)
{
    size_t size = size_of_chunk(q);
    struct fore_chunk *last = q->chunks.n ? &fore_vec_last(&q->chunks) : NULL;
    if (!last || last->n + sizeof(uint32_t) + most > size) {
        if (last && q->most && q->in_memory + size > q->most && !q->failed)
            spill_chunk(q, last);
        size_t n = sizeof(uint32_t) + most;
        fore_vec_push(&q->chunks,
                      (struct fore_chunk){fore_alloc(n > size ? n : size), 0, 0});
        last = &fore_vec_last(&q->chunks);
    }
    return last->at + last->n + sizeof(uint32_t);
}

void fore_backlog_commit(struct fore_backlog *q, size_t n)
{
    struct fore_chunk *last = &fore_vec_last(&q->chunks);
    uint32_t length = (uint32_t)n;
    memcpy(last->at + last->n, &length, sizeof length);
    last->n += sizeof length + n;
    q->in_memory += sizeof length + n;
    q->count++;
}

static const char *load_chunk(struct fore_backlog *q, const struct fore_chunk *c)
{
    if (c->at)
        return c->at;
    if (!q->loaded) {
        q->loaded = fore_alloc(c->n);
        if (pread(q->fd, q->loaded, c->n, c->offset) != (ssize_t)c->n) {
            fail_backlog(q, "read");
            return NULL;
        }
    }
    return q->loaded;
}

static void drop_chunk(struct fore_backlog *q)
{
    struct fore_chunk *c = &q->chunks.at[q->chunk++];
    if (c->at)
        q->in_memory -= c->n;
    fore_free(c->at);
    fore_free(q->loaded);
    c->at = q->loaded = NULL;
    c->n = q->pos = 0;
}

const char *fore_backlog_next(struct fore_backlog *q, size_t *n)
{
    while (q->chunk < q->chunks.n && q->pos == q->chunks.at[q->chunk].n)
        drop_chunk(q);
    if (q->chunk == q->chunks.n)
        return NULL;
    const char *from = load_chunk(q, &q->chunks.at[q->chunk]);
    if (!from)
        return NULL;
    uint32_t length;
    memcpy(&length, from + q->pos, sizeof length);
    const char *at = from + q->pos + sizeof length;
    q->pos += sizeof length + length;
    *n = length;
    return at;
}

void fore_backlog_each(struct fore_backlog *q,
                       void (*f)(void *user, const char *at, size_t n), void *user)
{
    for (size_t i = q->chunk; i < q->chunks.n; i++) {
        const struct fore_chunk *c = &q->chunks.at[i];
        char *copy = c->at ? NULL : fore_alloc(c->n);
        if (copy && pread(q->fd, copy, c->n, c->offset) != (ssize_t)c->n)
            fail_backlog(q, "read");
        const char *from = copy ? copy : c->at;
        for (size_t pos = i == q->chunk ? q->pos : 0; pos < c->n && !q->failed;) {
            uint32_t length;
            memcpy(&length, from + pos, sizeof length);
            f(user, from + pos + sizeof length, length);
            pos += sizeof length + length;
        }
        fore_free(copy);
    }
}
