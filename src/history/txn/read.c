#include "history/txn/read.h"

#include "base/progress.h"
#include "history/op.h"
#include "history/txn/record.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 18, MAX_RECORD = 1 << 28, LOOK_EVERY_MS = 200 };

/* The part of the file that is in memory, and the transactions that are open. */
struct txn_reader {
    struct fore_txns *h;
    struct fore_byte_source *from;
    struct fore_budget *budget;
    const char *file;
    char *buffer;
    size_t size;
    bool ended, in_list;
    struct fore_scan scan;
    struct fore_txn_record rec;
    struct fore_map open; /* process, number -> transaction + 1 */
};

static uint32_t dense_id(struct fore_map *ids, fore_val v, size_t next, bool *fresh)
{
    uint64_t *id = fore_map_put(ids, v.w, fresh);
    if (*fresh)
        *id = next;
    return (uint32_t)*id;
}

static uint32_t process_of(struct fore_txns *h, fore_val v)
{
    bool fresh;
    uint32_t id = dense_id(&h->process_ids, v, h->processes.n, &fresh);
    if (fresh)
        fore_vec_push(&h->processes, v);
    return id;
}

static enum fore_status key_of(struct txn_reader *r, const struct fore_txn_step *s,
                               uint32_t *out, struct fore_err *e)
{
    struct fore_txns *h = r->h;
    bool fresh;
    uint32_t id = dense_id(&h->key_ids, s->key, h->keys.n, &fresh);
    if (fresh)
        fore_vec_push(&h->keys, (struct fore_txn_key){.name = s->key});
    struct fore_txn_key *k = &h->keys.at[id];
    enum fore_txn_key_kind kind =
        s->is_list || s->act == FORE_ACT_APPEND                        ? FORE_KEY_LIST
        : s->act == FORE_ACT_WRITE || !fore_val_is(s->value, FORE_NIL) ? FORE_KEY_REGISTER
                                                                       : FORE_KEY_OPEN;
    if (kind != FORE_KEY_OPEN && k->kind == FORE_KEY_OPEN) {
        k->kind = kind;
        k->line = r->rec.line;
    }
    *out = id;
    if (kind == FORE_KEY_OPEN || kind == k->kind)
        return FORE_OK;
    return fore_fail_at(e, FORE_MEANING, r->file, r->rec.line, 1,
                        "this key is a %s here and was a %s in line %u; a key is written "
                        "(w) or appended to, not both",
                        kind == FORE_KEY_LIST ? "list" : "register",
                        kind == FORE_KEY_LIST ? "register" : "list", k->line);
}

/* A list that was read, against the longest so far of its key. */
static void compare_list(struct txn_reader *r, const struct fore_txn_step *s,
                         uint32_t txn, struct fore_txn_op *op)
{
    struct fore_txn_key *k = &r->h->keys.at[op->key];
    const fore_val *items = r->rec.items.at + s->first;
    size_t common = s->n < k->longest.n ? s->n : k->longest.n;
    op->length = (uint32_t)s->n;
    if (common && memcmp(items, k->longest.at, common * sizeof *items) != 0) {
        op->strays = true;
        op->value = fore_val_list(&r->h->values, items, s->n);
        return;
    }
    if (s->n > k->longest.n || (!k->longest.n && !k->longest_by))
        k->longest_by = txn;
    for (size_t i = common; i < s->n; i++)
        fore_vec_push(&k->longest, items[i]);
}

static enum fore_status keep_steps(struct txn_reader *r, uint32_t txn, bool with_reads,
                                   struct fore_err *e)
{
    struct fore_txns *h = r->h;
    uint32_t first = (uint32_t)h->ops.n;
    for (size_t i = 0; i < r->rec.steps.n; i++) {
        const struct fore_txn_step *s = &r->rec.steps.at[i];
        struct fore_txn_op op = {.value = s->value, .act = (uint8_t)s->act};
        if (s->act == FORE_ACT_READ && !with_reads)
            continue;
        FORE_TRY(key_of(r, s, &op.key, e));
        if (s->is_list)
            compare_list(r, s, txn, &op);
        fore_vec_push(&h->ops, op);
    }
    h->list.at[txn].first = first;
    h->list.at[txn].n = (uint32_t)h->ops.n - first;
    return FORE_OK;
}

static uint32_t new_txn(struct fore_txns *h, uint32_t process, uint32_t begin)
{
    fore_vec_push(&h->list, (struct fore_txn){.process = process,
                                              .begin = begin,
                                              .end = FORE_NEVER,
                                              .fate = FORE_TXN_UNKNOWN});
    return (uint32_t)h->list.n - 1;
}

static enum fore_status begin_txn(struct txn_reader *r, uint64_t slot, uint32_t process,
                                  uint32_t now, struct fore_err *e)
{
    uint64_t *open = fore_map_put(&r->open, slot, NULL);
    /* Told again before it ends: now it is known what it writes. Without a number it is
     * another one, and nobody knows what became of the first. */
    if (!*open || !r->rec.number)
        *open = (uint64_t)new_txn(r->h, process, now) + 1;
    uint32_t txn = (uint32_t)(*open - 1);
    r->h->list.at[txn].line = r->rec.line;
    r->h->list.at[txn].told |= r->rec.told;
    return r->rec.told ? keep_steps(r, txn, false, e) : FORE_OK;
}

static enum fore_status end_txn(struct txn_reader *r, uint64_t slot, uint32_t process,
                                uint32_t now, struct fore_err *e)
{
    uint64_t at = 0;
    bool begun = fore_map_take(&r->open, slot, &at);
    uint32_t txn = begun ? (uint32_t)(at - 1) : new_txn(r->h, process, 0);
    struct fore_txn *t = &r->h->list.at[txn];
    bool ok = r->rec.type == FORE_REC_OK;
    t->line = r->rec.line;
    t->told |= r->rec.told;
    t->fate = ok                             ? FORE_TXN_COMMITTED
              : r->rec.type == FORE_REC_FAIL ? FORE_TXN_ABORTED
                                             : FORE_TXN_UNKNOWN;
    if (t->fate != FORE_TXN_UNKNOWN)
        t->end = now;
    return r->rec.told ? keep_steps(r, txn, ok, e) : FORE_OK;
}

static enum fore_status keep_record(struct txn_reader *r, struct fore_err *e)
{
    struct fore_txns *h = r->h;
    if (r->rec.skip)
        return FORE_OK;
    if (h->list.n >= FORE_MAX_TXNS - 1 || h->ops.n >= UINT32_MAX / 2)
        return fore_fail_at(
            e, FORE_LIMIT, r->file, r->rec.line, 1,
            "more than 268 million transactions, or two billion operations");
    h->bank = h->bank || r->rec.transfer;
    uint32_t process = process_of(h, r->rec.process), now = ++h->events;
    uint64_t slot = (uint64_t)process << 32 | r->rec.number;
    return r->rec.type == FORE_REC_INVOKE ? begin_txn(r, slot, process, now, e)
                                          : end_txn(r, slot, process, now, e);
}

/* Moves what is not read yet to the front and fills the rest. */
static enum fore_status read_more(struct txn_reader *r, struct fore_err *e)
{
    size_t left = (size_t)(r->scan.end - r->scan.at);
    size_t column = (size_t)(r->scan.at - r->scan.line_start);
    if (left == r->size) {
        if (r->size >= MAX_RECORD)
            return fore_scan_fail(&r->scan, e, FORE_LIMIT, "a record of more than %d MiB",
                                  MAX_RECORD >> 20);
        char *more = fore_alloc(r->size * 2);
        memcpy(more, r->scan.at, left);
        fore_free(r->buffer);
        r->buffer = more;
        r->size *= 2;
    } else {
        memmove(r->buffer, r->scan.at, left);
    }
    long n = r->from->read(r->from, r->buffer + left, r->size - left);
    if (n < 0)
        return fore_fail_at(e, FORE_IO, r->file, 0, 0, "cannot read: %s",
                            strerror(errno));
    r->ended = n == 0;
    r->scan.at = r->buffer;
    r->scan.end = r->buffer + left + n;
    /* Only differences count: the line may have begun before what is in memory. */
    r->scan.line_start = (const char *)((uintptr_t)r->buffer - (uintptr_t)column);
    return FORE_OK;
}

/* Runs `part` on what is in memory; with more of the file as long as that ends too early. */
static enum fore_status
with_more(struct txn_reader *r,
          enum fore_status (*part)(struct txn_reader *r, bool *done, struct fore_err *e),
          bool *done, struct fore_err *e)
{
    for (;;) {
        struct fore_scan before = r->scan;
        bool list = r->in_list;
        enum fore_status st = part(r, done, e);
        if (r->ended || (st == FORE_OK && !*done && r->scan.at < r->scan.end))
            return st;
        if (st != FORE_OK && st != FORE_TORN && r->scan.at + 64 < r->scan.end)
            return st;
        r->scan = before;
        r->in_list = list;
        *done = false;
        FORE_TRY(read_more(r, e));
    }
}

static enum fore_status next_record(struct txn_reader *r, bool *done, struct fore_err *e)
{
    struct fore_word w;
    FORE_TRY(fore_scan_word(&r->scan, &w, e));
    switch (w.kind) {
    case FORE_WORD_OPEN_MAP:
        return fore_txn_record_read(&r->rec, &r->scan, &r->h->values, e);
    case FORE_WORD_OPEN_LIST:
    case FORE_WORD_CLOSE_LIST:
        if (r->in_list != (w.kind == FORE_WORD_CLOSE_LIST))
            return fore_scan_fail(&r->scan, e, FORE_SYNTAX, "a record is expected");
        r->in_list = !r->in_list;
        r->rec.skip = true;
        return FORE_OK;
    case FORE_WORD_END:
        *done = true;
        return r->in_list ? fore_scan_fail(&r->scan, e, FORE_TORN,
                                           "the list of records is not closed; the "
                                           "file may be truncated")
                          : FORE_OK;
    default:
        return fore_scan_fail(&r->scan, e, FORE_SYNTAX,
                              "a record is expected: {:type :ok, :process 0, :f :txn, "
                              ":value [[:r x 1]]}, in EDN or JSON");
    }
}

/* The first character inside the first map tells: a quote in JSON, a colon in EDN. */
static bool looks_json(const char *at, const char *end)
{
    const char *open = memchr(at, '{', (size_t)(end - at));
    for (const char *p = open ? open + 1 : end; p < end; p++)
        if (!strchr(" \t\r\n", *p))
            return *p == '"';
    return false;
}

static enum fore_status read_all(struct txn_reader *r, struct fore_err *e)
{
    bool done = false;
    FORE_TRY(read_more(r, e));
    r->scan.json = looks_json(r->scan.at, r->scan.end);
    while (!done) {
        enum fore_status st = with_more(r, next_record, &done, e);
        if (st == FORE_TORN && fore_budget_spent(r->budget))
            return FORE_OK; /* it is not the file that ends here */
        FORE_TRY(st);
        if (!done)
            FORE_TRY(keep_record(r, e));
        if (fore_budget_spent(r->budget))
            return FORE_OK;
    }
    if (!r->h->list.n)
        return fore_fail_at(e, FORE_USAGE, r->file, 0, 0,
                            "there are no transactions in it");
    for (size_t i = 0; i < r->h->list.n; i++)
        if (r->h->list.at[i].told || r->h->bank)
            return FORE_OK;
    return fore_fail_at(
        e, FORE_USAGE, r->file, 0, 0,
        "no transaction says what it reads or writes, as [[:r x 1]] would; "
        "operations of one object are judged by foresee lin");
}

/* Reads that found nothing are of whatever their key turned out to be. */
static void settle_kinds(struct fore_txns *h)
{
    for (size_t i = 0; i < h->keys.n; i++)
        if (h->keys.at[i].kind == FORE_KEY_OPEN)
            h->keys.at[i].kind = FORE_KEY_REGISTER;
    for (size_t i = 0; i < h->list.n; i++) {
        h->aborted += h->list.at[i].fate == FORE_TXN_ABORTED;
        h->unknown += h->list.at[i].fate == FORE_TXN_UNKNOWN;
    }
}

enum fore_status fore_txns_read(struct fore_txns *h, const char *name,
                                struct fore_byte_source *from, const char *init,
                                struct fore_budget *budget, struct fore_err *e)
{
    struct txn_reader r = {.h = h, .from = from, .file = name, .budget = budget};
    fore_txns_init(h, name);
    enum fore_status st = FORE_OK;
    if (init && !fore_val_parse(&h->values, init, strlen(init), &h->init))
        st = fore_fail(e, FORE_USAGE, "--init: '%s' is no value", init);
    r.size = BUFFER;
    r.buffer = fore_alloc(r.size);
    fore_scan_init(&r.scan, name, r.buffer, 0, false);
    if (st == FORE_OK)
        st = read_all(&r, e);
    fore_free(r.buffer);
    fore_txn_record_release(&r.rec);
    fore_map_release(&r.open);
    if (st == FORE_OK)
        settle_kinds(h);
    else
        fore_txns_release(h);
    return st;
}

struct file_bytes {
    struct fore_byte_source source;
    int fd;
    struct fore_budget *budget;
};

static bool must_stop(struct fore_budget *b)
{
    if (b && !b->spent && b->deadline_ns && fore_now_ns() >= b->deadline_ns)
        b->spent = FORE_SPENT_TIME;
    return fore_budget_spent(b);
}

/* A pipe may have nothing to say for long: it is not waited for without looking at the
 * budget. */
static long take_file(struct fore_byte_source *s, char *into, size_t room)
{
    struct file_bytes *f = (struct file_bytes *)s;
    struct pollfd wait = {f->fd, POLLIN, 0};
    while (!must_stop(f->budget)) {
        int ready = poll(&wait, 1, LOOK_EVERY_MS);
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        long n = read(f->fd, into, room);
        if (n >= 0 || errno != EINTR)
            return n;
    }
    return 0; /* nothing more will be asked */
}

enum fore_status fore_txns_load(struct fore_txns *h, const char *path, const char *init,
                                struct fore_budget *budget, struct fore_err *e)
{
    bool standard = !strcmp(path, "-");
    struct file_bytes from = {{take_file}, STDIN_FILENO, budget};
    if (!standard)
        from.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (from.fd < 0)
        return fore_fail_at(e, FORE_IO, path, 0, 0, "cannot open: %s", strerror(errno));
    enum fore_status st =
        fore_txns_read(h, standard ? "<stdin>" : path, &from.source, init, budget, e);
    if (!standard)
        close(from.fd);
    return st;
}
