#include "trace/format.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum fore_status fore_input_open(struct fore_input *in, const char *path,
                                 struct fore_err *e)
{
    *in = (struct fore_input){.name = path, .fd = -1};
    if (strcmp(path, "-") == 0) {
        in->name = "<stdin>";
        in->fd = STDIN_FILENO;
        return FORE_OK;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fore_fail(e, FORE_IO, "%s: cannot open: %s", path, strerror(errno));
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        return fore_fail(e, FORE_IO, "%s: is a directory, not a trace", path);
    }
    in->fd = fd;
    return FORE_OK;
}

void fore_input_memory(struct fore_input *in, const char *name, const void *p, size_t n)
{
    *in = (struct fore_input){.name = name, .fd = -1, .mem = p, .mem_n = n};
}

void fore_input_release(struct fore_input *in)
{
    fore_free(in->head);
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    *in = (struct fore_input){.fd = -1};
}

static size_t take_bytes(const char *from, size_t n, size_t *at, char *buf, size_t want)
{
    size_t got = n - *at < want ? n - *at : want;
    if (got)
        memcpy(buf, from + *at, got);
    *at += got;
    return got;
}

/* Reads straight from the source, past what was peeked. `all`: waits until there are n bytes. */
static enum fore_status read_more(struct fore_input *in, char *buf, size_t n, size_t *got,
                                  bool all, struct fore_err *e)
{
    if (in->fd < 0) {
        *got += take_bytes(in->mem, in->mem_n, &in->mem_at, buf, n);
        return FORE_OK;
    }
    while (n) {
        ssize_t r = read(in->fd, buf, n);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return fore_fail(e, FORE_IO, "%s: cannot read: %s", in->name,
                             strerror(errno));
        if (r == 0)
            break;
        buf += r;
        n -= (size_t)r;
        *got += (size_t)r;
        if (!all)
            break;
    }
    return FORE_OK;
}

enum fore_status fore_input_read(struct fore_input *in, void *buf, size_t n, size_t *got,
                                 struct fore_err *e)
{
    *got = take_bytes(in->head, in->head_n, &in->head_at, buf, n);
    return *got == n ? FORE_OK
                     : read_more(in, (char *)buf + *got, n - *got, got, true, e);
}

enum fore_status fore_input_some(struct fore_input *in, void *buf, size_t n, size_t *got,
                                 struct fore_err *e)
{
    *got = take_bytes(in->head, in->head_n, &in->head_at, buf, n);
    return *got ? FORE_OK : read_more(in, buf, n, got, false, e);
}

enum fore_status fore_input_peek(struct fore_input *in, const char **head, size_t *n,
                                 struct fore_err *e)
{
    if (!in->head) {
        in->head = fore_alloc(FORE_INPUT_HEAD);
        FORE_TRY(read_more(in, in->head, FORE_INPUT_HEAD, &in->head_n, false, e));
    }
    *head = in->head;
    *n = in->head_n;
    return FORE_OK;
}
