/* Takes the tokens of the text notation from a stream: the window holds a few tokens, not a line
 * and not the file. */
#ifndef FORE_TRACE_TEXT_TOK_H
#define FORE_TRACE_TEXT_TOK_H

#include "trace/format.h"

#include <string.h>

enum {
    FORE_TEXT_LIMIT = 1 << 20, /* bytes of a name or a string */
    FORE_TEXT_DEPTH = 64,      /* lists within lists */
};

struct fore_tok {
    struct fore_input *in;
    struct fore_tables *tables;
    struct fore_err *e;
    char *buf, *p, *end; /* *end is 0 */
    size_t cap;
    bool eof;
    enum fore_status failed; /* a read failed, which looks like the end of the input */
    uint64_t base;           /* offset of buf[0] */
    uint64_t line, line_start;
    uint64_t token;       /* offset of the last token */
    bool takes_hint;      /* the error says what was expected: see fore_tok_hint */
    uint64_t after_blank; /* offset after the last blanks: a "#" there begins a comment */
    struct fore_strbuf text;  /* the last string, decoded */
    struct fore_strbuf value; /* a list or arguments, in canonical form */
};

void fore_tok_init(struct fore_tok *l, struct fore_input *in, struct fore_tables *t,
                   struct fore_err *e);
void fore_tok_release(struct fore_tok *l);

/* Reads more, keeping what begins at *keep (which moves). False at the end of the input. */
bool fore_tok_more(struct fore_tok *l, char **keep);

static inline uint64_t fore_tok_offset(const struct fore_tok *l)
{
    return l->base + (uint64_t)(l->p - l->buf);
}

/* The next byte, or -1. */
static inline int fore_tok_peek(struct fore_tok *l)
{
    if (l->p == l->end && !fore_tok_more(l, &l->p))
        return -1;
    return (unsigned char)*l->p;
}

/* Gets at least n bytes into the window from l->p, unless the line or the input ends before: a
 * live source may send the next line much later. */
static inline void fore_tok_ahead(struct fore_tok *l, ptrdiff_t n)
{
    while (l->end - l->p < n && !memchr(l->p, '\n', (size_t)(l->end - l->p)) &&
           fore_tok_more(l, &l->p))
        ;
}

/* Blanks are optional before every token, except inside one. */
static inline int fore_tok_next(struct fore_tok *l)
{
    int c = fore_tok_peek(l);
    if (c != ' ' && c != '\t')
        return c;
    while ((c = fore_tok_peek(l)) == ' ' || c == '\t')
        l->p++;
    l->after_blank = fore_tok_offset(l);
    return c;
}

/* Skips blanks and takes `c` if it is next. */
static inline bool fore_tok_accept(struct fore_tok *l, char c)
{
    if (fore_tok_next(l) != c)
        return false;
    l->p++;
    return true;
}

/* Takes the end of a line. */
static inline void fore_tok_newline(struct fore_tok *l)
{
    l->p++;
    l->line++;
    l->line_start = fore_tok_offset(l);
}

/* Fails at the last token: says what is wrong and what would be right. */
enum fore_status fore_tok_fail(struct fore_tok *l, enum fore_status s, const char *fmt,
                               ...) FORE_PRINTF(3, 4);
/* The same: "expected …", to which fore_tok_hint may add. */
enum fore_status fore_tok_wants(struct fore_tok *l, const char *fmt, ...)
    FORE_PRINTF(2, 3);
/* Fails at the next byte: "expected WHAT, found …". */
enum fore_status fore_tok_expected(struct fore_tok *l, const char *what);
enum fore_status fore_tok_expect(struct fore_tok *l, char c) FORE_MUST_USE;
/* Adds to an "expected …" what would be right. Does nothing after other errors. */
void fore_tok_hint(struct fore_tok *l, const char *fmt, ...) FORE_PRINTF(2, 3);

bool fore_tok_is_ident_start(int c);
bool fore_tok_is_ident(int c);

/* Takes bytes while `in` holds, up to 1 MiB, all in the window: *from .. t->p. */
enum fore_status fore_tok_run(struct fore_tok *l, bool (*in)(int),
                              char **from) FORE_MUST_USE;

/* Reads a keyword of at most 15 bytes; "" if there is none, and then nothing was taken. A longer
 * identifier is cut, which makes it unknown. */
enum fore_status fore_tok_word(struct fore_tok *l, char word[16]) FORE_MUST_USE;
/* Each gives a string id. A name is an identifier or a string; a label may be a number. */
enum fore_status fore_tok_name(struct fore_tok *l, const char *what,
                               uint32_t *id) FORE_MUST_USE;
enum fore_status fore_tok_label(struct fore_tok *l, const char *what,
                                uint32_t *id) FORE_MUST_USE;
/* The file of a location: up to a blank, ';', ':' or '"'; or a string. */
enum fore_status fore_tok_file(struct fore_tok *l, uint32_t *id) FORE_MUST_USE;
enum fore_status fore_tok_string(struct fore_tok *l) FORE_MUST_USE; /* into l->text */
enum fore_status fore_tok_int(struct fore_tok *l, int64_t *x) FORE_MUST_USE;
/* At least `least`. */
enum fore_status fore_tok_count(struct fore_tok *l, const char *what, uint64_t least,
                                uint64_t *x) FORE_MUST_USE;
enum fore_status fore_tok_value(struct fore_tok *l, struct fore_value *v) FORE_MUST_USE;
/* Appends the canonical text of a value to l->value. */
enum fore_status fore_tok_value_text(struct fore_tok *l, unsigned depth) FORE_MUST_USE;
/* A place's canonical text (a string id), and the bytes of its range or 0. */
enum fore_status fore_tok_place(struct fore_tok *l, uint32_t *id,
                                uint64_t *bytes) FORE_MUST_USE;

#endif
