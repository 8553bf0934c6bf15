#include "trace/fst.h"

#include "base/hash.h"
#include "trace/formats.h"

#include <errno.h>
#include <zstd.h>

enum { LEVEL = 3 };

struct template
{
    struct fore_event last; /* a and b: of its last event */
    size_t cases, case_n;   /* in the writer's `cases` */
};

struct fst_writer {
    struct fore_sink sink;
    FILE *to;
    off_t start; /* the file's descriptor, if it can be patched; else -1 */
    ZSTD_CCtx *zstd;
    struct fore_err failed;
    const struct fore_tables *tables;
    uint32_t strings, wheres, objects, threads; /* written up to these ids */
    uint32_t unseen;                            /* as many were written */
    unsigned sees;                              /* what was written of it */
    enum fore_ended ended;
    uint64_t total, in_chunk;
    struct fore_strbuf payload, rows, row, frame;
    FORE_VEC(struct template) templates;
    FORE_VEC(struct fore_case) cases;
    struct fore_map by_hash;  /* of a template -> its number */
    size_t templates_written; /* into the payload */
    FORE_VEC(uint32_t) ids;   /* the columns of the segment */
    FORE_VEC(int64_t) a, b;
    bool merged, begun;
};

static void fail_io(struct fst_writer *w)
{
    if (!w->failed.status)
        fore_fail(&w->failed, FORE_IO, "cannot write: %s", strerror(errno));
}

static void put_bytes(struct fst_writer *w, const void *p, size_t n)
{
    if (fwrite(p, 1, n, w->to) != n)
        fail_io(w);
}

static void put_frame(struct fst_writer *w, uint32_t tag, const uint64_t *fields,
                      unsigned n)
{
    char frame[FORE_FST_FRAME];
    uint32_t magic = FORE_FST_MAGIC, size = 4 + 8 * n + 8;
    memcpy(frame, &magic, 4);
    memcpy(frame + 4, &size, 4);
    memcpy(frame + 8, &tag, 4);
    memcpy(frame + 12, fields, 8 * (size_t)n);
    uint64_t sum = fore_hash(frame + 8, 4 + 8 * (size_t)n);
    memcpy(frame + 12 + 8 * (size_t)n, &sum, 8);
    put_bytes(w, frame, 8 + (size_t)size);
}

static void put_file_header(struct fst_writer *w, uint64_t events)
{
    uint64_t fields[] = {FORE_FST_MAJOR, FORE_FST_MINOR, events, w->merged};
    put_frame(w, FORE_FST_FILE, fields, 4);
}

static void begin_file(struct fst_writer *w, const struct fore_tables *t)
{
    if (w->begun)
        return;
    w->begun = true;
    w->merged = t && t->merged;
    w->start = ftello(w->to);
    put_file_header(w, FORE_FST_UNKNOWN);
}

/* Writes a row: its length, and the bytes that are in w->row. */
static void end_row(struct fst_writer *w)
{
    fore_fst_put(&w->rows, w->row.n);
    fore_strbuf_add(&w->rows, w->row.at, w->row.n);
    fore_strbuf_clear(&w->row);
}

/* Writes a section with what is in w->rows. */
static void end_section(struct fst_writer *w, enum fore_fst_section type)
{
    if (w->rows.n) {
        fore_strbuf_putc(&w->payload, (char)type);
        fore_fst_put(&w->payload, w->rows.n);
        fore_strbuf_add(&w->payload, w->rows.at, w->rows.n);
    }
    fore_strbuf_clear(&w->rows);
}

/* The narrowest width that holds every value of the column, and the values. */
static void put_column(struct fore_strbuf *out, const int64_t *v, size_t n)
{
    uint64_t used = 0;
    for (size_t i = 0; i < n; i++)
        used |= (uint64_t)(v[i] ^ (v[i] >> 63)) << 1 | (uint64_t)(v[i] != 0);
    unsigned width = !used             ? 0
                     : used >> 8 == 0  ? 1
                     : used >> 16 == 0 ? 2
                     : used >> 32 == 0 ? 4
                                       : 8;
    fore_strbuf_putc(out, (char)width);
    char *to = fore_strbuf_extend(out, n * width);
    for (size_t i = 0; i < n && width; i++)
        memcpy(to + i * width, &v[i], width); /* little-endian: its low bytes */
}

static void put_ids(struct fore_strbuf *out, const uint32_t *v, size_t n,
                    size_t templates)
{
    unsigned width = templates <= 1 << 8 ? 1 : templates <= 1 << 16 ? 2 : 4;
    fore_strbuf_putc(out, (char)width);
    char *to = fore_strbuf_extend(out, n * width);
    for (size_t i = 0; i < n; i++)
        memcpy(to + i * width, &v[i], width);
}

static void put_template(struct fst_writer *w, const struct template *t)
{
    const struct fore_event *e = &t->last;
    const uint64_t fields[] = {e->kind, e->flags, e->thread, e->object, e->where};
    for (size_t i = 0; i < 5; i++)
        fore_fst_put(&w->row, fields[i]);
    for (size_t i = 0; i < t->case_n; i++) {
        const struct fore_case *c = &w->cases.at[t->cases + i];
        fore_fst_put(&w->row, (uint64_t)c->chan << 2 | c->kind);
    }
    end_row(w);
}

/* Writes the events since the last table rows, with the templates that are new in them. */
static void end_segment(struct fst_writer *w)
{
    if (!w->ids.n)
        return;
    while (w->templates_written < w->templates.n)
        put_template(w, &w->templates.at[w->templates_written++]);
    end_section(w, FORE_FST_TEMPLATES);
    fore_fst_put(&w->rows, w->ids.n);
    put_ids(&w->rows, w->ids.at, w->ids.n, w->templates.n);
    put_column(&w->rows, w->a.at, w->a.n);
    put_column(&w->rows, w->b.at, w->b.n);
    end_section(w, FORE_FST_EVENTS_);
    fore_vec_clear(&w->ids);
    fore_vec_clear(&w->a);
    fore_vec_clear(&w->b);
}

static void end_chunk(struct fst_writer *w)
{
    end_segment(w);
    if (!w->payload.n)
        return;
    FORE_BUG_IF(w->payload.n > FORE_FST_PAYLOAD);
    size_t bound = ZSTD_compressBound(w->payload.n);
    fore_strbuf_clear(&w->frame);
    size_t size = ZSTD_compressCCtx(w->zstd, fore_strbuf_extend(&w->frame, bound), bound,
                                    w->payload.at, w->payload.n, LEVEL);
    FORE_BUG_IF(ZSTD_isError(size));
    struct fore_fst_chunk c = {w->total, w->in_chunk, size, w->payload.n,
                               fore_hash(w->frame.at, size)};
    put_frame(w, FORE_FST_CHUNK, (const uint64_t *)&c, FORE_FST_FIELDS);
    put_bytes(w, w->frame.at, size);
    w->total += w->in_chunk;
    w->in_chunk = 0;
    w->templates_written = 0;
    fore_vec_clear(&w->templates);
    fore_vec_clear(&w->cases);
    fore_map_clear(&w->by_hash);
    fore_strbuf_clear(&w->payload);
}

static void put_strings(struct fst_writer *w, const struct fore_tables *t)
{
    for (size_t n = fore_intern_count(&t->strings); w->strings < n;) {
        struct fore_bytes b = fore_intern_bytes(&t->strings, ++w->strings);
        if (b.n > FORE_FST_STRING && !w->failed.status)
            fore_fail(&w->failed, FORE_LIMIT, "a string of %zu bytes: at most 2 MiB fit",
                      b.n);
        b.n = b.n > FORE_FST_STRING ? FORE_FST_STRING : b.n;
        fore_fst_put(&w->rows, b.n);
        fore_strbuf_add(&w->rows, b.at, b.n);
        if (w->rows.n < FORE_FST_FLUSH)
            continue;
        end_section(w, FORE_FST_STRINGS);
        end_chunk(w);
    }
    end_section(w, FORE_FST_STRINGS);
}

static void put_row(struct fst_writer *w, const uint64_t *fields, size_t n,
                    enum fore_fst_section type)
{
    for (size_t i = 0; i < n; i++)
        fore_fst_put(&w->row, fields[i]);
    end_row(w);
    if (w->rows.n < FORE_FST_FLUSH)
        return;
    end_section(w, type);
    end_chunk(w);
}

static void put_wheres(struct fst_writer *w, const struct fore_tables *t)
{
    while (w->wheres + 1 < t->wheres.n) {
        const struct fore_where *x = &t->wheres.at[++w->wheres];
        const uint64_t f[] = {x->function, x->file, x->line, x->column, x->parent};
        put_row(w, f, 5, FORE_FST_WHERES);
    }
    end_section(w, FORE_FST_WHERES);
}

static void put_objects(struct fst_writer *w, const struct fore_tables *t)
{
    while (w->objects + 1 < t->objects.n) {
        const struct fore_object *x = &t->objects.at[++w->objects];
        const uint64_t f[] = {x->kind,     x->flags,     x->name,     x->where,
                              x->capacity, x->init.type, x->init.bits};
        put_row(w, f, 7, FORE_FST_OBJECTS);
    }
    end_section(w, FORE_FST_OBJECTS);
}

static void put_threads(struct fst_writer *w, const struct fore_tables *t)
{
    while (w->threads + 1 < t->threads.n) {
        const struct fore_thread_info *x = &t->threads.at[++w->threads];
        const uint64_t f[] = {x->label, x->name,      x->where,
                              x->group, x->goroutine, x->begins};
        put_row(w, f, x->goroutine ? 6 : x->group ? 4 : 3, FORE_FST_THREADS);
    }
    end_section(w, FORE_FST_THREADS);
}

static void put_sees(struct fst_writer *w, const struct fore_tables *t)
{
    if (w->sees != t->sees)
        put_row(w, &(uint64_t){t->sees}, 1, FORE_FST_SEES);
    end_section(w, FORE_FST_SEES);
    w->sees = t->sees;
    for (; w->unseen < t->unseen.n; w->unseen++) {
        const struct fore_unseen *x = &t->unseen.at[w->unseen];
        const uint64_t f[] = {x->text, x->where, x->member};
        put_row(w, f, x->member ? 3 : 2, FORE_FST_UNSEEN);
    }
    end_section(w, FORE_FST_UNSEEN);
    if (w->ended != t->ended)
        put_row(w, (const uint64_t[]){t->ended, t->ended_text}, 2, FORE_FST_ENDED);
    end_section(w, FORE_FST_ENDED);
    w->ended = t->ended;
}

/* Writes what became known since the last batch before the events of this one. */
static void put_tables(struct fst_writer *w, const struct fore_tables *t)
{
    w->tables = t;
    if (w->strings == fore_intern_count(&t->strings) && w->wheres + 1 >= t->wheres.n &&
        w->objects + 1 >= t->objects.n && w->threads + 1 >= t->threads.n &&
        w->sees == t->sees && w->unseen == t->unseen.n && w->ended == t->ended)
        return;
    end_segment(w);
    if (w->payload.n > FORE_FST_FLUSH)
        end_chunk(w);
    put_strings(w, t);
    put_wheres(w, t);
    put_objects(w, t);
    put_threads(w, t);
    put_sees(w, t);
}

static bool same_template(const struct fst_writer *w, const struct template *t,
                          const struct fore_event *e, const struct fore_case *cases,
                          size_t n)
{
    const struct fore_event *l = &t->last;
    return l->thread == e->thread && l->kind == e->kind && l->flags == e->flags &&
           l->object == e->object && l->where == e->where && t->case_n == n &&
           (!n || memcmp(w->cases.at + t->cases, cases, n * sizeof *cases) == 0);
}

/* The template of e, added if it is new in this chunk. */
static uint32_t template_of(struct fst_writer *w, const struct fore_event *e,
                            const struct fore_case *side)
{
    const struct fore_case *cases = NULL;
    size_t n = 0;
    if (e->flags & FORE_F_CASES) {
        cases = side + e->a;
        n = (size_t)e->b;
    }
    uint64_t key =
        fore_hash_mix((uint64_t)e->thread << 32 | (uint64_t)e->kind << 16 | e->flags,
                      (uint64_t)e->object << 32 | e->where);
    if (n)
        key = fore_hash_more(key, cases, n * sizeof *cases);
    for (;; key++) { /* two templates with one hash: try the next key */
        bool fresh;
        uint64_t *at = fore_map_put(&w->by_hash, key, &fresh);
        if (!fresh && same_template(w, &w->templates.at[*at], e, cases, n))
            return (uint32_t)*at;
        if (!fresh)
            continue;
        *at = w->templates.n;
        struct template t = {*e, w->cases.n, n};
        t.last.a = t.last.b = 0;
        if (n)
            memcpy(fore_vec_extend(&w->cases, n), cases, n * sizeof *cases);
        fore_vec_push(&w->templates, t);
        return (uint32_t)*at;
    }
}

static void put_event(struct fst_writer *w, const struct fore_event *e,
                      const struct fore_case *side)
{
    uint32_t id = template_of(w, e, side);
    struct template *t = &w->templates.at[id];
    bool cases = e->flags & FORE_F_CASES;
    fore_vec_push(&w->ids, id);
    fore_vec_push(&w->a, cases ? 0 : (int64_t)(e->a - t->last.a));
    fore_vec_push(&w->b, cases ? 0 : (int64_t)(e->b - t->last.b));
    t->last.a = e->a;
    t->last.b = e->b;
    w->in_chunk++;
    /* A template takes at most about 30 bytes, and 6 for each of its cases. */
    if (w->in_chunk == FORE_FST_EVENTS || w->payload.n > FORE_FST_FLUSH ||
        w->cases.n > FORE_FST_FLUSH / 8)
        end_chunk(w);
}

static enum fore_flow write_events(struct fore_sink *s, const struct fore_batch *b)
{
    struct fst_writer *w = (struct fst_writer *)s;
    begin_file(w, b->tables);
    put_tables(w, b->tables);
    for (size_t i = 0; i < b->n; i++)
        put_event(w, &b->events[i], b->cases);
    return w->failed.status ? FORE_STOP : FORE_CONTINUE;
}

/* A pipe cannot be patched: only its end says how many events it holds. */
static void patch_file_header(struct fst_writer *w)
{
    off_t end = ftello(w->to);
    if (w->start < 0 || end < 0)
        return;
    /* An error of a full disk must not be lost in a seek that fails. */
    if (fflush(w->to)) {
        fail_io(w);
        return;
    }
    if (fseeko(w->to, w->start, SEEK_SET) < 0)
        return;
    put_file_header(w, w->total);
    if (fseeko(w->to, end, SEEK_SET) < 0)
        fail_io(w);
}

static void put_end(struct fst_writer *w, const struct fore_trace_end *end)
{
    end_segment(w);
    for (size_t i = 0; i < end->expect_count; i++) {
        const uint64_t f[] = {end->expects[i].kind, end->expects[i].subject};
        put_row(w, f, 2, FORE_FST_EXPECTS);
    }
    end_section(w, FORE_FST_EXPECTS);
    end_chunk(w);
    const uint64_t f[] = {w->total, end->torn, end->lost, end->unknown};
    put_frame(w, FORE_FST_END, f, 4);
    patch_file_header(w);
}

static enum fore_status write_end(struct fore_sink *s, const struct fore_trace_end *end,
                                  struct fore_err *e)
{
    struct fst_writer *w = (struct fst_writer *)s;
    begin_file(w, end->tables);
    if (end->tables)
        put_tables(w, end->tables);
    put_end(w, end);
    if (fflush(w->to) || ferror(w->to))
        fail_io(w);
    ZSTD_freeCCtx(w->zstd);
    fore_strbuf_release(&w->payload);
    fore_strbuf_release(&w->rows);
    fore_strbuf_release(&w->row);
    fore_strbuf_release(&w->frame);
    fore_vec_release(&w->templates);
    fore_vec_release(&w->cases);
    fore_map_release(&w->by_hash);
    fore_vec_release(&w->ids);
    fore_vec_release(&w->a);
    fore_vec_release(&w->b);
    if (w->failed.status && e)
        *e = w->failed;
    return w->failed.status;
}

struct fore_sink *fore_fst_write(struct fore_arena *a, FILE *to)
{
    struct fst_writer *w = FORE_NEW(a, struct fst_writer);
    w->sink = (struct fore_sink){write_events, write_end};
    w->to = to;
    w->zstd = ZSTD_createCCtx();
    FORE_BUG_IF(!w->zstd);
    w->payload = w->rows = w->row = w->frame = (struct fore_strbuf)FORE_STRBUF_INIT;
    return &w->sink;
}
