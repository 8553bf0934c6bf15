/* A history of transactions that is read from memory. */
#ifndef TESTS_TXN_TEXT_H
#define TESTS_TXN_TEXT_H

#include "history/txn/read.h"

#include <string.h>

struct text_bytes {
    struct fore_byte_source source;
    const char *at;
    size_t left;
};

static long take_text(struct fore_byte_source *s, char *into, size_t room)
{
    struct text_bytes *t = (struct text_bytes *)s;
    size_t n = t->left < room ? t->left : room;
    memcpy(into, t->at, n);
    t->at += n;
    t->left -= n;
    return (long)n;
}

static enum fore_status read_txns_text(struct fore_txns *h, const char *name,
                                       const char *text, size_t n, struct fore_err *e)
{
    struct text_bytes from = {{take_text}, text, n};
    return fore_txns_read(h, name, &from.source, NULL, NULL, e);
}

#endif
