/* The first byte gives the size of a chunk and says whether more were taken than there are, the rest is the chunks; a right header is put
 * before them. Every id of what comes out must lead somewhere. A repetition may be told to be
 * long, so the reading stops after a while. */
#include "fuzz.h"
#include "ring/merge.h"

enum { ENOUGH = 20000, RECORDS = 64, CUT = 0x80 };

struct looker {
    struct fore_sink sink;
    uint64_t events;
};

static enum fore_flow look(struct fore_sink *s, const struct fore_batch *b)
{
    struct looker *l = (struct looker *)s;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    for (size_t i = 0; i < b->n; i++) {
        fore_strbuf_clear(&text);
        fore_strbuf_puts(&text, fore_tables_label(b->tables, b->events[i].thread));
        fore_event_text(b->tables, &b->events[i], b->cases, &text);
        fore_tables_place(b->tables, b->events[i].where, &text);
        fore_tables_path(b->tables, b->events[i].thread, &text);
    }
    fore_strbuf_release(&text);
    l->events += b->n;
    return l->events < ENOUGH ? FORE_CONTINUE : FORE_STOP;
}

static enum fore_status end(struct fore_sink *s, const struct fore_trace_end *e,
                            struct fore_err *err)
{
    (void)s;
    (void)e;
    (void)err;
    return FORE_OK;
}

/* At once, or polled before. */
static void merge(const char *base, size_t size, bool polled)
{
    struct fore_tables tables;
    struct fore_merge m;
    struct looker l = {{look, end}, 0};
    struct fore_err e = {0};
    fore_tables_init(&tables);
    if (fore_merge_open(&m, "fuzz", base, size, &tables, &l.sink, &e) == FORE_OK) {
        for (int i = 0; polled && i < 3; i++)
            fore_merge_poll(&m, size);
        FORE_BUG_IF(fore_merge_finish(&m, size, &e) != FORE_OK);
    }
    fore_merge_release(&m);
    fore_tables_release(&tables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    size_t all = FORE_RING_HEADER + size - 1;
    char *base = fore_calloc(1, all);
    struct fore_ring_header *h = (struct fore_ring_header *)base;
    memcpy(h->magic, FORE_RING_MAGIC, sizeof h->magic);
    h->version = FORE_RING_VERSION;
    h->header_size = FORE_RING_HEADER;
    h->chunk_size = FORE_RING_RECORD * (2 + data[0] % RECORDS);
    h->source = FORE_RING_CSP;
    h->chunks = 4096;
    h->next_chunk = data[0] & CUT ? h->chunks : (size - 1) / h->chunk_size;
    memcpy(base + FORE_RING_HEADER, data + 1, size - 1);
    merge(base, all, false);
    merge(base, all, true);
    fore_free(base);
    return 0;
}
