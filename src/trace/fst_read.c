/* Reads .fst: frame by frame, each chunk checked before it is decoded.
 *
 * Damage (a file that was cut, or a changed byte) ends the reading as a tear: everything before
 * it has been delivered. A chunk with a right checksum and wrong content was not written by
 * foresee, and is an error. */
#include "trace/fst.h"

#include "base/hash.h"
#include "trace/formats.h"
#include "trace/fst_decode.h"

#include <zstd.h>

struct fst_reader {
    struct fore_input *in;
    struct fore_sink *sink;
    struct fore_fst_decoder decoder;
    ZSTD_DCtx *zstd;
    uint64_t offset;          /* of the next byte */
    uint64_t total;           /* how many events the file header promises, or unknown */
    uint64_t events, pending; /* how many events were read; how many the cut chunk had */
    struct fore_strbuf frame, payload;
    struct fore_trace_end end;
    struct fore_err why; /* the tear */
    bool ended;
};

static enum fore_status get_bytes(struct fst_reader *r, void *to, size_t n, size_t *got,
                                  struct fore_err *e)
{
    FORE_TRY(fore_input_read(r->in, to, n, got, e));
    r->offset += *got;
    return FORE_OK;
}

FORE_PRINTF(3, 4)
static void note_tear(struct fst_reader *r, uint64_t offset, const char *fmt, ...)
{
    char msg[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    (void)fore_fail_offset(&r->why, FORE_TORN, r->in->name, offset, "%s", msg);
    r->end.torn = true;
}

/* Reads one skippable frame. Its fields, as many as this version knows, go to `fields`. */
static enum fore_status get_frame(struct fst_reader *r, uint32_t *tag, uint64_t *fields,
                                  struct fore_err *e)
{
    uint64_t at = r->offset, sum;
    uint32_t head[2];
    char body[1024];
    size_t got, n;
    memset(fields, 0, 8 * FORE_FST_FIELDS);
    FORE_TRY(get_bytes(r, head, 8, &got, e));
    if (got < 8) {
        note_tear(r, at,
                  got ? "the file ends inside a header"
                      : "the file ends without its end mark");
        return FORE_OK;
    }
    if (head[0] != FORE_FST_MAGIC || head[1] < 12 || head[1] > sizeof body ||
        head[1] % 4) {
        note_tear(r, at, "this is not the header of a chunk");
        return FORE_OK;
    }
    FORE_TRY(get_bytes(r, body, head[1], &got, e));
    n = head[1] - 8;
    memcpy(&sum, body + n, 8);
    if (got < head[1])
        note_tear(r, at, "the file ends inside a header");
    else if (sum != fore_hash(body, n))
        note_tear(r, at, "the checksum of a header does not match its bytes");
    if (r->end.torn)
        return FORE_OK;
    memcpy(tag, body, 4);
    n -= 4;
    memcpy(fields, body + 4, n < 8 * FORE_FST_FIELDS ? n : 8 * FORE_FST_FIELDS);
    return FORE_OK;
}

static enum fore_status get_file_header(struct fst_reader *r, struct fore_err *e)
{
    uint64_t fields[FORE_FST_FIELDS];
    uint32_t tag = 0;
    FORE_TRY(get_frame(r, &tag, fields, e));
    if (r->end.torn || tag != FORE_FST_FILE)
        return fore_fail_offset(e, FORE_SYNTAX, r->in->name, 0,
                                "a damaged file header: this is not a whole .fst file");
    if (fields[0] != FORE_FST_MAJOR)
        return fore_fail_offset(
            e, FORE_SYNTAX, r->in->name, 12,
            "version %llu.%llu of the format: this program reads %d.x",
            (unsigned long long)fields[0], (unsigned long long)fields[1], FORE_FST_MAJOR);
    r->total = fields[2];
    r->decoder.tables->merged = fields[3] != 0;
    if (fields[1] < FORE_FST_MINOR_SEES) {
        r->decoder.tables->sees = FORE_SEES_LEGACY;
        r->decoder.sees_memory = true;
    }
    r->decoder.names_goroutines = fields[1] < FORE_FST_MINOR_GOROUTINES;
    return FORE_OK;
}

/* Reads the frame behind a chunk header, checks it, and decompresses it into r->payload. */
static enum fore_status get_chunk(struct fst_reader *r, const struct fore_fst_chunk *c,
                                  struct fore_err *e)
{
    uint64_t at = r->offset;
    size_t got;
    r->pending = c->events;
    if (c->first != r->events || c->payload > FORE_FST_PAYLOAD ||
        c->events > FORE_FST_EVENTS || c->size > ZSTD_compressBound(FORE_FST_PAYLOAD)) {
        note_tear(r, at, "this chunk does not follow the one before it");
        return FORE_OK;
    }
    fore_strbuf_clear(&r->frame);
    FORE_TRY(get_bytes(r, fore_strbuf_extend(&r->frame, c->size), c->size, &got, e));
    if (got < c->size) {
        note_tear(r, r->offset, "the file ends inside a chunk");
        return FORE_OK;
    }
    if (fore_hash(r->frame.at, c->size) != c->checksum) {
        note_tear(r, at, "the checksum of a chunk does not match its bytes");
        return FORE_OK;
    }
    fore_strbuf_clear(&r->payload);
    size_t n = ZSTD_decompressDCtx(r->zstd, fore_strbuf_extend(&r->payload, c->payload),
                                   c->payload, r->frame.at, c->size);
    if (ZSTD_isError(n) || n != c->payload)
        return fore_fail_offset(
            e, FORE_SYNTAX, r->in->name, at,
            "a chunk that does not decompress to what its header says");
    return FORE_OK;
}

static enum fore_status read_chunk(struct fst_reader *r, const struct fore_fst_chunk *c,
                                   struct fore_err *e)
{
    uint64_t at = r->offset;
    FORE_TRY(get_chunk(r, c, e));
    if (r->end.torn)
        return FORE_OK;
    const unsigned char *p = (const unsigned char *)r->payload.at;
    struct fore_fst_bytes bytes = {p, p + c->payload};
    const char *wrong = fore_fst_decode(&r->decoder, bytes, c->events);
    if (wrong)
        return fore_fail_offset(e, FORE_SYNTAX, r->in->name, at, "a chunk with %s",
                                wrong);
    r->events += c->events;
    r->pending = 0;
    return FORE_OK;
}

static enum fore_status read_frames(struct fst_reader *r, struct fore_err *e)
{
    FORE_TRY(get_file_header(r, e));
    while (!r->ended && !r->end.torn && !r->decoder.stopped) {
        union {
            uint64_t fields[FORE_FST_FIELDS];
            struct fore_fst_chunk chunk;
        } u;
        uint64_t at = r->offset;
        uint32_t tag = 0;
        FORE_TRY(get_frame(r, &tag, u.fields, e));
        if (r->end.torn)
            break;
        if (tag == FORE_FST_CHUNK) {
            FORE_TRY(read_chunk(r, &u.chunk, e));
        } else if (tag == FORE_FST_END && u.fields[0] == r->events) {
            r->ended = true;
            r->end.torn = u.fields[1] != 0;
            r->end.lost = u.fields[2];
            r->end.unknown = u.fields[3];
        } else if (tag == FORE_FST_END) {
            note_tear(r, at, "the end mark counts other events than the file holds");
        }
    }
    return FORE_OK;
}

/* How many events come after the tear: the file header tells, if the file was whole once;
 * otherwise at least those of the cut chunk do. */
static void count_lost(struct fst_reader *r)
{
    if (!r->why.status)
        return;
    bool known = r->total != FORE_FST_UNKNOWN && r->total >= r->events;
    size_t n = strlen(r->why.msg);
    r->end.lost = known ? r->total - r->events : r->pending;
    snprintf(r->why.msg + n, sizeof r->why.msg - n,
             "; %llu events were read, %s%llu are lost", (unsigned long long)r->events,
             known ? "" : "at least ", (unsigned long long)r->end.lost);
    r->end.why = &r->why;
}

static enum fore_status finish_fst(struct fst_reader *r, struct fore_err *e)
{
    count_lost(r);
    r->end.unknown += r->decoder.unknown;
    r->end.expects = r->decoder.expects.at;
    r->end.expect_count = r->decoder.expects.n;
    r->end.tables = r->decoder.tables;
    return r->sink->end(r->sink, &r->end, e);
}

enum fore_status fore_fst_read(struct fore_input *in, struct fore_tables *tables,
                               struct fore_sink *s, struct fore_err *e)
{
    struct fst_reader r = {.in = in, .sink = s, .zstd = ZSTD_createDCtx()};
    FORE_BUG_IF(!r.zstd);
    r.frame = r.payload = (struct fore_strbuf)FORE_STRBUF_INIT;
    fore_fst_decoder_init(&r.decoder, tables, s);
    enum fore_status status = read_frames(&r, e);
    if (!status)
        status = finish_fst(&r, e);
    fore_fst_decoder_release(&r.decoder);
    fore_strbuf_release(&r.frame);
    fore_strbuf_release(&r.payload);
    ZSTD_freeDCtx(r.zstd);
    return status;
}

bool fore_fst_matches(const char *head, size_t n)
{
    uint32_t magic, tag;
    if (n < 12)
        return false;
    memcpy(&magic, head, 4);
    memcpy(&tag, head + 8, 4);
    return magic == FORE_FST_MAGIC && tag == FORE_FST_FILE;
}
