/* Events of the text notation: a row of a table says which function reads the rest of an event. */
#include "base/option.h"
#include "trace/text.h"
#include "trace/text_read.h"

typedef enum fore_status act_fn(struct fore_text_reader *r, struct fore_event *ev);

struct act {
    const char *word;
    enum fore_kind kind;
    act_fn *rest;
    const char *form; /* how it is written, for the error message */
};

static const struct act *find_act(const char *word);

enum fore_status fore_text_read_object(struct fore_text_reader *r,
                                       enum fore_object_kind kind, uint32_t *id)
{
    uint32_t name;
    int c = fore_tok_next(&r->tok);
    if (c != '"' && !fore_tok_is_ident_start(c)) {
        char what[48];
        snprintf(what, sizeof what, "the name of a %s", fore_object_kind_name(kind));
        return fore_tok_expected(&r->tok, what);
    }
    FORE_TRY(fore_tok_name(&r->tok, "a name", &name));
    *id = fore_tables_object_of(r->tables, kind, name, NULL);
    if (*id >> FORE_CHECK_OBJECT_BITS)
        return fore_tok_fail(&r->tok, FORE_LIMIT, "too many objects (at most 2^28)");
    return FORE_OK;
}

enum fore_status fore_text_read_thread(struct fore_text_reader *r, uint32_t *id)
{
    uint32_t label;
    FORE_TRY(fore_tok_label(&r->tok, "a thread (a number or a name)", &label));
    *id = fore_tables_thread_of(r->tables, label, NULL);
    return FORE_OK;
}

enum fore_status fore_text_read_place(struct fore_text_reader *r, uint32_t *id,
                                      bool *fresh)
{
    uint32_t name;
    uint64_t bytes;
    FORE_TRY(fore_tok_place(&r->tok, &name, &bytes));
    *id = fore_tables_object_of(r->tables, FORE_OBJ_PLACE, name, fresh);
    r->tables->objects.at[*id].capacity = bytes;
    return FORE_OK;
}

static void set_type(struct fore_event *ev, struct fore_value v, unsigned shift,
                     uint64_t *at)
{
    ev->flags |= (uint16_t)(v.type << shift);
    *at = v.bits;
}

static enum fore_status read_bare(struct fore_text_reader *r, struct fore_event *ev)
{
    (void)r;
    (void)ev;
    return FORE_OK;
}

static enum fore_status read_thread(struct fore_text_reader *r, struct fore_event *ev)
{
    uint32_t id;
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    FORE_TRY(fore_text_read_thread(r, &id));
    ev->a = id;
    return fore_tok_expect(&r->tok, ')');
}

static enum fore_status read_create(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(read_thread(r, ev));
    (void)fore_tables_adopt(r->tables, ev->thread, (uint32_t)ev->a);
    return FORE_OK;
}

/* "(" name, of the kind of object that the event has. */
static enum fore_status open_object(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    return fore_text_read_object(r, fore_kind_object(ev->kind), &ev->object);
}

static enum fore_status read_object(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(open_object(r, ev));
    return fore_tok_expect(&r->tok, ')');
}

/* Reads "=" and one of two words; `busy` sets the flag. */
static enum fore_status read_outcome(struct fore_text_reader *r, struct fore_event *ev,
                                     const char *ok, const char *busy)
{
    char word[16];
    FORE_TRY(fore_tok_expect(&r->tok, '='));
    FORE_TRY(fore_tok_word(&r->tok, word));
    if (strcmp(word, busy) == 0)
        ev->flags |= FORE_F_BUSY;
    else if (strcmp(word, ok) != 0)
        return fore_tok_wants(&r->tok, "\"%s\" or \"%s\" after \"=\"", ok, busy);
    return FORE_OK;
}

static enum fore_status read_try(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(read_object(r, ev));
    return read_outcome(r, ev, "ok", "busy");
}

/* Inside pre(...) the outcome may be left out. */
static enum fore_status read_once(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(read_object(r, ev));
    if ((ev->flags & FORE_F_PRE) && fore_tok_next(&r->tok) != '=')
        return FORE_OK;
    return read_outcome(r, ev, "ran", "waited");
}

static enum fore_status read_condition(struct fore_text_reader *r, struct fore_event *ev)
{
    uint32_t lock;
    FORE_TRY(open_object(r, ev));
    FORE_TRY(fore_tok_expect(&r->tok, ','));
    FORE_TRY(fore_text_read_object(r, FORE_OBJ_LOCK, &lock));
    ev->a = lock;
    return fore_tok_expect(&r->tok, ')');
}

static enum fore_status read_wake(struct fore_text_reader *r, struct fore_event *ev)
{
    uint32_t id = 0;
    FORE_TRY(open_object(r, ev));
    if (fore_tok_accept(&r->tok, ','))
        FORE_TRY(fore_text_read_thread(r, &id));
    ev->a = id;
    return fore_tok_expect(&r->tok, ')');
}

static enum fore_status read_units(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(open_object(r, ev));
    ev->a = 1;
    if (fore_tok_accept(&r->tok, ','))
        FORE_TRY(fore_tok_count(&r->tok, "how many", 0, &ev->a));
    return fore_tok_expect(&r->tok, ')');
}

/* "=tried": it would not have waited. */
static enum fore_status read_acquire(struct fore_text_reader *r, struct fore_event *ev)
{
    char word[16];
    FORE_TRY(read_units(r, ev));
    if (fore_tok_next(&r->tok) != '=')
        return FORE_OK;
    FORE_TRY(fore_tok_expect(&r->tok, '='));
    FORE_TRY(fore_tok_word(&r->tok, word));
    if (strcmp(word, "tried") != 0)
        return fore_tok_wants(&r->tok, "\"tried\" after \"=\"");
    ev->flags |= FORE_F_BUSY;
    return FORE_OK;
}

static enum fore_status read_sized(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(open_object(r, ev));
    FORE_TRY(fore_tok_expect(&r->tok, ','));
    FORE_TRY(fore_tok_count(&r->tok, "a barrier's size", 1, &ev->a));
    return fore_tok_expect(&r->tok, ')');
}

static enum fore_status read_delta(struct fore_text_reader *r, struct fore_event *ev)
{
    int64_t x;
    FORE_TRY(open_object(r, ev));
    FORE_TRY(fore_tok_expect(&r->tok, ','));
    FORE_TRY(fore_tok_int(&r->tok, &x));
    ev->a = (uint64_t)x;
    return fore_tok_expect(&r->tok, ')');
}

/* Is the word before "(" a blocking operation, or a channel of that name? */
static const struct act *block_act(struct fore_text_reader *r)
{
    struct fore_tok *l = &r->tok;
    char word[16];
    size_t n = 0;
    fore_tok_next(l);
    fore_tok_ahead(l, sizeof word);
    for (; n < 15 && fore_tok_is_ident((unsigned char)l->p[n]); n++)
        word[n] = l->p[n];
    word[n] = '\0';
    const struct act *a = l->p[n] == '(' ? find_act(word) : NULL;
    if (!a || !fore_kind_blocks(a->kind))
        return NULL;
    l->p += n;
    return a;
}

static enum fore_status read_pre(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    const struct act *block = block_act(r);
    if (block) {
        ev->kind = (uint16_t)block->kind;
        ev->flags |= FORE_F_PRE;
        FORE_TRY(block->rest(r, ev));
    } else {
        FORE_TRY(fore_text_read_cases(r, ev));
    }
    return fore_tok_expect(&r->tok, ')');
}

static enum fore_status read_order(struct fore_text_reader *r, struct fore_event *ev)
{
    char word[16];
    if (!fore_tok_accept(&r->tok, '.'))
        return FORE_OK;
    FORE_TRY(fore_tok_word(&r->tok, word));
    for (unsigned i = FORE_ORDER_RELAXED; i <= FORE_ORDER_SEQ_CST; i++)
        if (strcmp(word, fore_text_orders[i] + 1) == 0) {
            ev->flags |= (uint16_t)(i << FORE_F_ORDER_SHIFT);
            return FORE_OK;
        }
    return fore_tok_fail(&r->tok, FORE_SYNTAX,
                         "a memory order is .rlx, .acq, .rel, .ar or .sc");
}

static enum fore_status read_fence(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(read_order(r, ev));
    return fore_event_order(ev) ? FORE_OK
                                : fore_tok_expected(&r->tok, "'.' and an order");
}

static enum fore_status read_place(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    return fore_text_read_place(r, &ev->object, NULL);
}

static enum fore_status free_(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(read_place(r, ev));
    return fore_tok_expect(&r->tok, ')');
}

static enum fore_status read_alloc(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(read_place(r, ev));
    FORE_TRY(fore_tok_expect(&r->tok, ','));
    FORE_TRY(fore_tok_count(&r->tok, "a size in bytes", 0, &ev->a));
    return fore_tok_expect(&r->tok, ')');
}

/* A value that was not recorded is left out. */
static enum fore_status read_access(struct fore_text_reader *r, struct fore_event *ev)
{
    struct fore_value v;
    FORE_TRY(read_order(r, ev));
    FORE_TRY(free_(r, ev));
    if (!fore_tok_accept(&r->tok, '='))
        return FORE_OK;
    FORE_TRY(fore_tok_value(&r->tok, &v));
    set_type(ev, v, FORE_F_VALUE_SHIFT, &ev->a);
    if (ev->kind != FORE_EV_RMW)
        return FORE_OK;
    FORE_TRY(fore_tok_expect(&r->tok, '-'));
    FORE_TRY(fore_tok_expect(&r->tok, '>'));
    FORE_TRY(fore_tok_value(&r->tok, &v));
    set_type(ev, v, FORE_F_VALUE2_SHIFT, &ev->b);
    return FORE_OK;
}

static enum fore_status read_asend(struct fore_text_reader *r, struct fore_event *ev)
{
    uint32_t to;
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    FORE_TRY(fore_text_read_message(r, &ev->a));
    FORE_TRY(fore_tok_expect(&r->tok, '-'));
    FORE_TRY(fore_tok_expect(&r->tok, '>'));
    FORE_TRY(fore_text_read_thread(r, &to));
    ev->b = to;
    FORE_TRY(fore_tok_expect(&r->tok, ')'));
    if (fore_tok_next(&r->tok) == '"') {
        FORE_TRY(fore_tok_string(&r->tok));
        ev->object = fore_tables_string(r->tables, r->tok.text.at, r->tok.text.n);
    }
    return FORE_OK;
}

static enum fore_status read_arecv(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    FORE_TRY(fore_text_read_message(r, &ev->a));
    return fore_tok_expect(&r->tok, ')');
}

/* "#" and a number, if there: directly behind, because " #" begins a comment. */
static enum fore_status read_number(struct fore_text_reader *r, struct fore_event *ev)
{
    if (fore_tok_peek(&r->tok) != '#')
        return FORE_OK;
    r->tok.p++;
    return fore_tok_count(&r->tok, "an operation's number", 0, &ev->b);
}

static enum fore_status read_invoke(struct fore_text_reader *r, struct fore_event *ev)
{
    uint32_t op, args = 0;
    FORE_TRY(open_object(r, ev));
    FORE_TRY(fore_tok_expect(&r->tok, '.'));
    FORE_TRY(fore_tok_name(&r->tok, "an operation's name", &op));
    fore_strbuf_clear(&r->tok.value);
    while (fore_tok_accept(&r->tok, ',')) {
        if (r->tok.value.n)
            fore_strbuf_puts(&r->tok.value, ", ");
        FORE_TRY(fore_tok_value_text(&r->tok, 0));
    }
    if (r->tok.value.n)
        args = fore_tables_string(r->tables, r->tok.value.at, r->tok.value.n);
    ev->a = op | (uint64_t)args << 32;
    FORE_TRY(fore_tok_expect(&r->tok, ')'));
    return read_number(r, ev);
}

static enum fore_status read_return(struct fore_text_reader *r, struct fore_event *ev)
{
    struct fore_value v;
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    if (fore_tok_next(&r->tok) != ')') {
        FORE_TRY(fore_tok_value(&r->tok, &v));
        set_type(ev, v, FORE_F_VALUE_SHIFT, &ev->a);
    }
    FORE_TRY(fore_tok_expect(&r->tok, ')'));
    return read_number(r, ev);
}

/* The thing may be unknown, as in in(""). */
static enum fore_status read_outside(struct fore_text_reader *r, struct fore_event *ev)
{
    struct fore_value v;
    uint32_t name;
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    FORE_TRY(fore_tok_name(&r->tok, "what it came from or went to, or \"\"", &name));
    if (fore_tables_text(r->tables, name)[0])
        ev->object = fore_tables_object_of(r->tables, FORE_OBJ_OUTSIDE, name, NULL);
    FORE_TRY(fore_tok_expect(&r->tok, ')'));
    if (!fore_tok_accept(&r->tok, '='))
        return FORE_OK;
    FORE_TRY(fore_tok_value(&r->tok, &v));
    set_type(ev, v, FORE_F_VALUE_SHIFT, &ev->a);
    return FORE_OK;
}

/* What was wrong, in words. */
static enum fore_status read_misuse(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(read_object(r, ev));
    FORE_TRY(fore_tok_expect(&r->tok, '='));
    if (fore_tok_next(&r->tok) != '"')
        return fore_tok_expected(&r->tok, "what was wrong, as a string");
    FORE_TRY(fore_tok_string(&r->tok));
    struct fore_value v = {FORE_VALUE_STRING,
                           fore_tables_string(r->tables, r->tok.text.at, r->tok.text.n)};
    set_type(ev, v, FORE_F_VALUE_SHIFT, &ev->a);
    return FORE_OK;
}

/* The most frequent come first, because the table is searched from its top. */
static const struct act acts[] = {
    {"pre", FORE_EV_PRE, read_pre, "pre(x!), pre(x?, y?, default) or pre(lock(m))"},
    {"post", FORE_EV_SEND, fore_text_read_post, "post(x!), post(1#x?) or post(select)"},
    {"read", FORE_EV_READ, read_access, "read(x)=1"},
    {"write", FORE_EV_WRITE, read_access, "write(x)=1"},
    {"lock", FORE_EV_LOCK, read_object, "lock(m)"},
    {"unlock", FORE_EV_UNLOCK, read_object, "unlock(m)"},
    {"rmw", FORE_EV_RMW, read_access, "rmw(x)=1->2"},
    {"signal", FORE_EV_SIGNAL, read_create, "signal(2)"},
    {"wait", FORE_EV_WAIT, read_thread, "wait(2)"},
    {"end", FORE_EV_END, read_bare, "end"},
    {"close", FORE_EV_CLOSE, fore_text_read_close, "close(x)"},
    {"send", FORE_EV_ASEND, read_asend, "send(1->2), or for channels pre(x!); post(x!)"},
    {"receive", FORE_EV_ARECV, read_arecv,
     "receive(1), or for channels pre(x?); post(1#x?)"},
    {"invoke", FORE_EV_INVOKE, read_invoke, "invoke(object.operation, 1)"},
    {"return", FORE_EV_RETURN, read_return, "return(1)"},
    {"join", FORE_EV_JOIN, read_thread, "join(2)"},
    {"rlock", FORE_EV_RLOCK, read_object, "rlock(m)"},
    {"runlock", FORE_EV_RUNLOCK, read_object, "runlock(m)"},
    {"trylock", FORE_EV_TRYLOCK, read_try, "trylock(m)=ok or trylock(m)=busy"},
    {"tryrlock", FORE_EV_TRYRLOCK, read_try, "tryrlock(m)=ok or tryrlock(m)=busy"},
    {"cwait", FORE_EV_CWAIT, read_condition,
     "cwait(c, m), with the lock that it gives back"},
    {"cwoken", FORE_EV_CWOKEN, read_condition,
     "cwoken(c, m), with the lock that it takes again"},
    {"csignal", FORE_EV_CSIGNAL, read_wake, "csignal(c) or csignal(c, 2)"},
    {"cbroadcast", FORE_EV_CBROADCAST, read_object, "cbroadcast(c)"},
    {"acquire", FORE_EV_ACQUIRE, read_acquire, "acquire(s) or acquire(s, 2)"},
    {"release", FORE_EV_RELEASE, read_units, "release(s) or release(s, 2)"},
    {"barrier", FORE_EV_BARRIER, read_sized, "barrier(b, 3), with how many it waits for"},
    {"once", FORE_EV_ONCE, read_once, "once(o)=ran or once(o)=waited"},
    {"wgadd", FORE_EV_WGADD, read_delta, "wgadd(w, 1)"},
    {"wgdone", FORE_EV_WGDONE, read_object, "wgdone(w)"},
    {"wgwait", FORE_EV_WGWAIT, read_object, "wgwait(w)"},
    {"arm", FORE_EV_ARM, read_object, "arm(t)"},
    {"fire", FORE_EV_FIRE, read_object, "fire(t)"},
    {"fence", FORE_EV_FENCE, read_fence, "fence.sc"},
    {"alloc", FORE_EV_ALLOC, read_alloc, "alloc(x, 8)"},
    {"free", FORE_EV_FREE, free_, "free(x)"},
    {"spawn", FORE_EV_SPAWN, read_create, "spawn(2)"},
    {"fail", FORE_EV_FAIL, read_number, "fail or fail#1"},
    {"info", FORE_EV_INFO, read_number, "info or info#1"},
    {"use", FORE_EV_USE, read_bare, "use"},
    {"in", FORE_EV_IN, read_outside,
     "in(stdin)=1, or in(\"\") if nobody knows from where"},
    {"out", FORE_EV_OUT, read_outside,
     "out(pipe)=1, or out(\"\") if nobody knows where to"},
    {"misuse", FORE_EV_MISUSE, read_misuse, "misuse(m)=\"unlocked while free\""},
    {"exit", FORE_EV_EXIT, read_bare, "exit"},
    {"panic", FORE_EV_PANIC, read_bare, "panic"},
};

static const struct act *find_act(const char *word)
{
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (acts[i].word[0] == word[0] && strcmp(acts[i].word, word) == 0)
            return &acts[i];
    return NULL;
}

/* Names that other notations and languages have for it. */
static const struct {
    const char *word, *form;
} others[] = {
    {"fork", "signal(2), and begin thread 2 with wait(2)"},
    {"go", "signal(2), and begin thread 2 with wait(2)"},
    {"create", "signal(2), and begin thread 2 with wait(2)"},
    {"recv", "pre(x?); post(1#x?)"},
    {"rcv", "pre(x?); post(1#x?)"},
    {"select", "pre(x?, y!, default), and what it took as post(1#x?) or post(select)"},
    {"default", "pre(x?, default); post(select)"},
    {"load", "read(x)=1"},
    {"store", "write(x)=1"},
    {"cas", "rmw(x)=1->2, or read(x)=1 if it failed"},
    {"notify", "csignal(c)"},
    {"input", "in(stdin)=1"},
    {"output", "out(stdout)=1"},
    {"begin", "wait(2), in the thread that signal(2) created"},
};

static enum fore_status unknown_act(struct fore_text_reader *r, const char *word)
{
    const char *words[sizeof acts / sizeof *acts];
    int next = fore_tok_peek(&r->tok);
    if (next == '!' || next == '?')
        return fore_tok_fail(&r->tok, FORE_SYNTAX, "\"%s%c\" is not an event: write %s",
                             word, next,
                             next == '!' ? "pre(x!); post(x!)" : "pre(x?); post(1#x?)");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].word, word) == 0)
            return fore_tok_fail(&r->tok, FORE_SYNTAX, "\"%s\" is not an event: write %s",
                                 word, others[i].form);
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        words[i] = acts[i].word;
    const char *near = fore_nearest(word, words, sizeof acts / sizeof *acts);
    return fore_tok_fail(&r->tok, FORE_SYNTAX, "\"%s\" is not an event%s%s%s", word,
                         near ? ": did you mean \"" : "", near ? near : "",
                         near ? "\"?" : "");
}

enum fore_status fore_text_read_act(struct fore_text_reader *r, struct fore_event *ev)
{
    char word[16];
    FORE_TRY(fore_tok_word(&r->tok, word));
    if (strcmp(word, "straight") == 0) {
        ev->flags |= FORE_F_STRAIGHT;
        fore_tok_next(&r->tok);
        FORE_TRY(fore_tok_word(&r->tok, word));
    }
    bool last = strcmp(word, "last") == 0;
    if (last) {
        fore_tok_next(&r->tok);
        FORE_TRY(fore_tok_word(&r->tok, word));
    }
    if (!word[0])
        return fore_tok_expected(&r->tok, "an event");
    const struct act *a = find_act(word);
    if (!a)
        return unknown_act(r, word);
    ev->kind = (uint16_t)a->kind;
    if (last && a->kind != FORE_EV_READ && a->kind != FORE_EV_WRITE)
        return fore_tok_fail(&r->tok, FORE_SYNTAX,
                             "only a read or a write can be the \"last\" of several");
    if (last)
        ev->flags |= FORE_F_LAST;
    enum fore_status s = a->rest(r, ev);
    if (s == FORE_SYNTAX && fore_tok_peek(&r->tok) >= 0)
        fore_tok_hint(&r->tok, "it is written %s", a->form);
    return s;
}
