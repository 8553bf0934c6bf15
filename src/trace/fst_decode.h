/* Decodes the content of a chunk of .fst, given as checked and decompressed bytes. */
#ifndef FORE_TRACE_FST_DECODE_H
#define FORE_TRACE_FST_DECODE_H

#include "trace/fst.h"
#include "trace/trace.h"

struct fore_fst_template {
    struct fore_event last; /* a and b: of its last event */
    uint64_t bound;         /* a from here on needs a look */
    uint32_t first, cases;  /* of a select */
    uint32_t check;         /* how the operands are checked */
};

struct fore_fst_decoder {
    struct fore_tables *tables;
    struct fore_sink *sink;
    FORE_VEC(struct fore_fst_template) templates; /* of this chunk */
    FORE_VEC(struct fore_case) cases;
    FORE_VEC(struct fore_expect) expects;
    struct fore_event *batch; /* of a block */
    uint64_t unknown; /* events, rows and sections that this version does not know */
    uint64_t decoded; /* events of this chunk */
    size_t held; /* bytes that the tables take, about: few bytes of a file can stand for
                       * many */
    bool stopped;
    bool
        sees_memory; /* an older file sees memory once it has an access that is no atomic */
    bool
        names_goroutines; /* in an older file only their names say that threads are goroutines */
};

void fore_fst_decoder_init(struct fore_fst_decoder *d, struct fore_tables *t,
                           struct fore_sink *s);
void fore_fst_decoder_release(struct fore_fst_decoder *d);
/* Fills the tables and pushes the events. Returns NULL, or what is wrong. */
const char *fore_fst_decode(struct fore_fst_decoder *d, struct fore_fst_bytes payload,
                            uint64_t events);

#endif
