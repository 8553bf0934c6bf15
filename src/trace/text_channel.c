/* Channel events of the text notation: the cases of a pre, what a post did, close. */
#include "trace/text_read.h"

static enum fore_status read_chan(struct fore_text_reader *r, uint32_t *id)
{
    uint32_t name;
    bool quoted = fore_tok_next(&r->tok) == '"';
    FORE_TRY(fore_tok_name(&r->tok, "a channel, default or timeout", &name));
    *id = 0;
    if (quoted || strcmp(fore_tables_text(r->tables, name), "nil") != 0)
        *id = fore_tables_object_of(r->tables, FORE_OBJ_CHAN, name, NULL);
    return FORE_OK;
}

enum fore_status fore_text_read_close(struct fore_text_reader *r, struct fore_event *ev)
{
    char word[16];
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    FORE_TRY(read_chan(r, &ev->object));
    FORE_TRY(fore_tok_expect(&r->tok, ')'));
    if (!fore_tok_accept(&r->tok, '='))
        return FORE_OK;
    FORE_TRY(fore_tok_word(&r->tok, word));
    if (strcmp(word, "closed") != 0)
        return fore_tok_wants(&r->tok, "\"closed\" after \"=\"");
    ev->flags |= FORE_F_CLOSED;
    return FORE_OK;
}

/* The rest of a case that began with `word` (or with a string, if word is NULL). */
static enum fore_status case_rest(struct fore_text_reader *r, const char *word,
                                  struct fore_case *c)
{
    struct fore_tok *l = &r->tok;
    int next = fore_tok_next(l);
    if (next == '!' || next == '?') {
        l->p++;
        c->kind = next == '!' ? FORE_CASE_SEND : FORE_CASE_RECV;
        return FORE_OK;
    }
    if (word && strcmp(word, "default") == 0)
        c->kind = FORE_CASE_DEFAULT;
    else if (word && strcmp(word, "timeout") == 0)
        c->kind = FORE_CASE_TIMEOUT;
    else
        return fore_tok_expected(l, "'!' (a send) or '?' (a receive) after a channel");
    c->chan = 0;
    return FORE_OK;
}

static enum fore_status one_case(struct fore_text_reader *r, struct fore_case *c)
{
    uint32_t name;
    bool quoted = fore_tok_next(&r->tok) == '"';
    FORE_TRY(fore_tok_name(&r->tok, "a case: x!, x?, default or timeout", &name));
    const char *word = quoted ? NULL : fore_tables_text(r->tables, name);
    FORE_TRY(case_rest(r, word, c));
    if (c->kind >= FORE_CASE_DEFAULT)
        return FORE_OK;
    c->chan = !quoted && strcmp(fore_tables_text(r->tables, name), "nil") == 0
                  ? 0
                  : fore_tables_object_of(r->tables, FORE_OBJ_CHAN, name, NULL);
    return FORE_OK;
}

enum fore_status fore_text_read_cases(struct fore_text_reader *r, struct fore_event *ev)
{
    struct fore_case c;
    bool otherwise = false, timeout = false;
    size_t first = r->cases.n;
    if (fore_tok_next(&r->tok) == ')') { /* Go's select {} */
        ev->flags |= FORE_F_CASES;
        ev->a = first;
        return FORE_OK;
    }
    do {
        FORE_TRY(one_case(r, &c));
        if (c.kind >= FORE_CASE_DEFAULT && otherwise)
            return fore_tok_fail(&r->tok, FORE_SYNTAX,
                                 "a select has one default or one timeout");
        otherwise |= c.kind >= FORE_CASE_DEFAULT;
        timeout |= c.kind == FORE_CASE_TIMEOUT;
        fore_vec_push(&r->cases, c);
        if (r->cases.n - first > FORE_TEXT_CASES)
            return fore_tok_fail(&r->tok, FORE_LIMIT, "a select has at most %d cases",
                                 FORE_TEXT_CASES);
    } while (fore_tok_accept(&r->tok, ','));
    fore_vec_ensure(&r->timeout, (size_t)ev->thread + 1);
    r->timeout.at[ev->thread] = timeout;
    if (r->cases.n == first + 1 && !otherwise) {
        r->cases.n = first;
        ev->object = c.chan;
        ev->flags |= c.kind == FORE_CASE_SEND ? FORE_F_SEND : 0;
    } else {
        ev->flags |= FORE_F_CASES;
        ev->a = first;
        ev->b = r->cases.n - first;
    }
    return FORE_OK;
}

enum fore_status fore_text_read_message(struct fore_text_reader *r, uint64_t *n)
{
    FORE_TRY(fore_tok_count(&r->tok, "a message's number", 1, n));
    if (*n >> FORE_CHECK_NUMBER_BITS)
        return fore_tok_fail(&r->tok, FORE_LIMIT, "message numbers are below 2^%d",
                             FORE_CHECK_NUMBER_BITS);
    return FORE_OK;
}

static enum fore_status post_send(struct fore_text_reader *r, struct fore_event *ev)
{
    struct fore_tok *l = &r->tok;
    uint64_t capacity = r->tables->objects.at[ev->object].capacity;
    ev->kind = FORE_EV_SEND;
    if (!ev->object)
        return fore_tok_fail(l, FORE_MEANING, "a send on a nil channel never ends");
    char word[16];
    FORE_TRY(fore_tok_word(l, word));
    if (strcmp(word, "closed") == 0) {
        ev->flags |= FORE_F_CLOSED;
        return FORE_OK;
    }
    if (word[0])
        return fore_tok_wants(l, "\"closed\", \"#\" or \")\" after \"!\"");
    if (fore_tok_accept(l, '#')) {
        FORE_TRY(fore_text_read_message(r, &ev->a));
        if (!capacity)
            return fore_tok_fail(
                l, FORE_MEANING,
                "messages are numbered on buffered channels only: declare "
                "it with \"chan NAME cap=N\" first");
    } else if (capacity) {
        ev->a = fore_check_next_message(&r->check, ev->object);
    } else {
        ev->a = fore_pairs_of(&r->check.pairs, ev->thread, ev->object)->sends + 1;
    }
    return FORE_OK;
}

/* What stands before "#": a number (0: closed; a message or a thread) or a thread's name. */
struct from {
    bool is_number, has_k;
    uint64_t number, k;
    uint32_t label;
};

static enum fore_status from_thread(struct fore_text_reader *r, struct fore_event *ev,
                                    const struct from *f)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)f->number);
    uint32_t sender = f->is_number ? fore_tables_thread(r->tables, digits, strlen(digits))
                                   : fore_tables_thread_of(r->tables, f->label, NULL);
    struct fore_pair *p = fore_pairs_of(&r->check.pairs, sender, ev->object);
    ev->a = sender;
    ev->b = f->has_k ? f->k : p->next;
    if (ev->b > FORE_PAIRS_MOST)
        return fore_tok_fail(&r->tok, FORE_LIMIT, "sends are counted below 2^32");
    return FORE_OK;
}

static enum fore_status post_receive(struct fore_text_reader *r, struct fore_event *ev,
                                     const struct from *f)
{
    struct fore_tok *l = &r->tok;
    uint64_t at = l->token;
    FORE_TRY(read_chan(r, &ev->object));
    FORE_TRY(fore_tok_expect(l, '?'));
    l->token = at;
    ev->kind = FORE_EV_RECV;
    if (!ev->object)
        return fore_tok_fail(l, FORE_MEANING, "a receive on a nil channel never ends");
    if (f->is_number && !f->number && !f->has_k) {
        ev->flags |= FORE_F_CLOSED;
        return FORE_OK;
    }
    if (!r->tables->objects.at[ev->object].capacity)
        return f->is_number && !f->number
                   ? fore_tok_fail(l, FORE_SYNTAX, "threads are numbered from 1")
                   : from_thread(r, ev, f);
    if (!f->is_number || f->has_k)
        return fore_tok_fail(l, FORE_MEANING,
                             "the channel is buffered: what was received is a message's "
                             "number, as in post(7#y?)");
    ev->a = f->number;
    return FORE_OK;
}

static enum fore_status from_k(struct fore_text_reader *r, struct from *f)
{
    f->has_k = fore_tok_accept(&r->tok, '/');
    if (f->has_k)
        FORE_TRY(fore_tok_count(&r->tok, "which send of the thread", 1, &f->k));
    return fore_tok_expect(&r->tok, '#');
}

static enum fore_status post_number(struct fore_text_reader *r, struct fore_event *ev)
{
    struct from f = {.is_number = true};
    FORE_TRY(fore_tok_count(&r->tok, "a sender", 0, &f.number));
    if (f.number >> FORE_CHECK_NUMBER_BITS)
        return fore_tok_fail(&r->tok, FORE_LIMIT,
                             "message and thread numbers are below 2^%d",
                             FORE_CHECK_NUMBER_BITS);
    FORE_TRY(from_k(r, &f));
    return post_receive(r, ev, &f);
}

static enum fore_status post_named(struct fore_text_reader *r, struct fore_event *ev)
{
    struct fore_tok *l = &r->tok;
    struct from f = {0};
    bool quoted = fore_tok_next(l) == '"';
    FORE_TRY(fore_tok_name(l, "what was done: x!, FROM#x? or select", &f.label));
    int next = fore_tok_next(l);
    const char *word = quoted ? "" : fore_tables_text(r->tables, f.label);
    if (next == '!') {
        l->p++;
        if (strcmp(word, "nil") != 0)
            ev->object = fore_tables_object_of(r->tables, FORE_OBJ_CHAN, f.label, NULL);
        return post_send(r, ev);
    }
    if (next == ')' && strcmp(word, "select") == 0) {
        fore_vec_ensure(&r->timeout, (size_t)ev->thread + 1);
        ev->kind = FORE_EV_SELECT;
        ev->flags |= r->timeout.at[ev->thread] ? FORE_F_TIMEOUT : 0;
        return FORE_OK;
    }
    if (next == '?')
        return fore_tok_fail(
            l, FORE_SYNTAX,
            "from whom? write post(SENDER#%.40s?), or post(0#%.40s?) if it "
            "was closed",
            word, word);
    FORE_TRY(from_k(r, &f));
    return post_receive(r, ev, &f);
}

enum fore_status fore_text_read_post(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    int c = fore_tok_next(&r->tok);
    FORE_TRY(c >= '0' && c <= '9' ? post_number(r, ev) : post_named(r, ev));
    return fore_tok_expect(&r->tok, ')');
}
