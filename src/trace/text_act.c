/* Events of the text notation: a row of a table says by which function its rest is read. */
#include "base/option.h"
#include "trace/text.h"
#include "trace/text_read.h"

typedef enum fore_status act_fn(struct fore_text_reader *r, struct fore_event *ev);

struct act {
    const char *word;
    enum fore_kind kind;
    act_fn *rest;
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

static enum fore_status bare(struct fore_text_reader *r, struct fore_event *ev)
{
    (void)r;
    (void)ev;
    return FORE_OK;
}

static enum fore_status thread(struct fore_text_reader *r, struct fore_event *ev)
{
    uint32_t id;
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    FORE_TRY(fore_text_read_thread(r, &id));
    ev->a = id;
    return fore_tok_expect(&r->tok, ')');
}

static enum fore_status create(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(thread(r, ev));
    (void)fore_tables_adopt(r->tables, ev->thread, (uint32_t)ev->a);
    return FORE_OK;
}

/* "(" name, of the kind of object that the event has. */
static enum fore_status open_object(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    return fore_text_read_object(r, fore_kind_object(ev->kind), &ev->object);
}

static enum fore_status object(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(open_object(r, ev));
    return fore_tok_expect(&r->tok, ')');
}

/* "=" and one of two words; `busy` sets the flag. */
static enum fore_status outcome(struct fore_text_reader *r, struct fore_event *ev,
                                const char *ok, const char *busy)
{
    char word[16], what[40];
    FORE_TRY(fore_tok_expect(&r->tok, '='));
    FORE_TRY(fore_tok_word(&r->tok, word));
    if (strcmp(word, busy) == 0)
        ev->flags |= FORE_F_BUSY;
    else if (strcmp(word, ok) != 0) {
        snprintf(what, sizeof what, "\"%s\" or \"%s\"", ok, busy);
        return fore_tok_fail(&r->tok, FORE_SYNTAX, "expected %s after \"=\"", what);
    }
    return FORE_OK;
}

static enum fore_status try_(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(object(r, ev));
    return outcome(r, ev, "ok", "busy");
}

/* Inside pre(...) the outcome may be left out. */
static enum fore_status once(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(object(r, ev));
    if ((ev->flags & FORE_F_PRE) && fore_tok_next(&r->tok) != '=')
        return FORE_OK;
    return outcome(r, ev, "ran", "waited");
}

static enum fore_status condition(struct fore_text_reader *r, struct fore_event *ev)
{
    uint32_t lock;
    FORE_TRY(open_object(r, ev));
    FORE_TRY(fore_tok_expect(&r->tok, ','));
    FORE_TRY(fore_text_read_object(r, FORE_OBJ_LOCK, &lock));
    ev->a = lock;
    return fore_tok_expect(&r->tok, ')');
}

static enum fore_status wake(struct fore_text_reader *r, struct fore_event *ev)
{
    uint32_t id = 0;
    FORE_TRY(open_object(r, ev));
    if (fore_tok_accept(&r->tok, ','))
        FORE_TRY(fore_text_read_thread(r, &id));
    ev->a = id;
    return fore_tok_expect(&r->tok, ')');
}

static enum fore_status units(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(open_object(r, ev));
    ev->a = 1;
    if (fore_tok_accept(&r->tok, ','))
        FORE_TRY(fore_tok_count(&r->tok, "how many", 0, &ev->a));
    return fore_tok_expect(&r->tok, ')');
}

/* "=tried": it would not have waited. */
static enum fore_status acquire(struct fore_text_reader *r, struct fore_event *ev)
{
    char word[16];
    FORE_TRY(units(r, ev));
    if (fore_tok_next(&r->tok) != '=')
        return FORE_OK;
    FORE_TRY(fore_tok_expect(&r->tok, '='));
    FORE_TRY(fore_tok_word(&r->tok, word));
    if (strcmp(word, "tried") != 0)
        return fore_tok_fail(&r->tok, FORE_SYNTAX, "expected \"tried\" after \"=\"");
    ev->flags |= FORE_F_BUSY;
    return FORE_OK;
}

static enum fore_status sized(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(open_object(r, ev));
    FORE_TRY(fore_tok_expect(&r->tok, ','));
    FORE_TRY(fore_tok_count(&r->tok, "a barrier's size", 1, &ev->a));
    return fore_tok_expect(&r->tok, ')');
}

static enum fore_status delta(struct fore_text_reader *r, struct fore_event *ev)
{
    int64_t x;
    FORE_TRY(open_object(r, ev));
    FORE_TRY(fore_tok_expect(&r->tok, ','));
    FORE_TRY(fore_tok_int(&r->tok, &x));
    ev->a = (uint64_t)x;
    return fore_tok_expect(&r->tok, ')');
}

/* Is the word before "(" a blocking operation, or a channel called so? */
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

static enum fore_status pre(struct fore_text_reader *r, struct fore_event *ev)
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

static enum fore_status order(struct fore_text_reader *r, struct fore_event *ev)
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

static enum fore_status fence(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(order(r, ev));
    return fore_event_order(ev) ? FORE_OK
                                : fore_tok_expected(&r->tok, "'.' and an order");
}

static enum fore_status place(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    return fore_text_read_place(r, &ev->object, NULL);
}

static enum fore_status free_(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(place(r, ev));
    return fore_tok_expect(&r->tok, ')');
}

static enum fore_status alloc(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(place(r, ev));
    FORE_TRY(fore_tok_expect(&r->tok, ','));
    FORE_TRY(fore_tok_count(&r->tok, "a size in bytes", 0, &ev->a));
    return fore_tok_expect(&r->tok, ')');
}

/* A value that was not recorded is left out. */
static enum fore_status access_(struct fore_text_reader *r, struct fore_event *ev)
{
    struct fore_value v;
    FORE_TRY(order(r, ev));
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

static enum fore_status asend(struct fore_text_reader *r, struct fore_event *ev)
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

static enum fore_status arecv(struct fore_text_reader *r, struct fore_event *ev)
{
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    FORE_TRY(fore_text_read_message(r, &ev->a));
    return fore_tok_expect(&r->tok, ')');
}

/* "#" and a number, if there: directly behind, because " #" begins a comment. */
static enum fore_status number(struct fore_text_reader *r, struct fore_event *ev)
{
    if (fore_tok_peek(&r->tok) != '#')
        return FORE_OK;
    r->tok.p++;
    return fore_tok_count(&r->tok, "an operation's number", 0, &ev->b);
}

static enum fore_status invoke(struct fore_text_reader *r, struct fore_event *ev)
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
    return number(r, ev);
}

static enum fore_status return_(struct fore_text_reader *r, struct fore_event *ev)
{
    struct fore_value v;
    FORE_TRY(fore_tok_expect(&r->tok, '('));
    if (fore_tok_next(&r->tok) != ')') {
        FORE_TRY(fore_tok_value(&r->tok, &v));
        set_type(ev, v, FORE_F_VALUE_SHIFT, &ev->a);
    }
    FORE_TRY(fore_tok_expect(&r->tok, ')'));
    return number(r, ev);
}

/* The most frequent first: the table is searched from its top. */
static const struct act acts[] = {
    {"pre", FORE_EV_PRE, pre},
    {"post", FORE_EV_SEND, fore_text_read_post},
    {"read", FORE_EV_READ, access_},
    {"write", FORE_EV_WRITE, access_},
    {"lock", FORE_EV_LOCK, object},
    {"unlock", FORE_EV_UNLOCK, object},
    {"rmw", FORE_EV_RMW, access_},
    {"signal", FORE_EV_SIGNAL, create},
    {"wait", FORE_EV_WAIT, thread},
    {"end", FORE_EV_END, bare},
    {"close", FORE_EV_CLOSE, fore_text_read_close},
    {"send", FORE_EV_ASEND, asend},
    {"receive", FORE_EV_ARECV, arecv},
    {"invoke", FORE_EV_INVOKE, invoke},
    {"return", FORE_EV_RETURN, return_},
    {"join", FORE_EV_JOIN, thread},
    {"rlock", FORE_EV_RLOCK, object},
    {"runlock", FORE_EV_RUNLOCK, object},
    {"trylock", FORE_EV_TRYLOCK, try_},
    {"tryrlock", FORE_EV_TRYRLOCK, try_},
    {"cwait", FORE_EV_CWAIT, condition},
    {"cwoken", FORE_EV_CWOKEN, condition},
    {"csignal", FORE_EV_CSIGNAL, wake},
    {"cbroadcast", FORE_EV_CBROADCAST, object},
    {"acquire", FORE_EV_ACQUIRE, acquire},
    {"release", FORE_EV_RELEASE, units},
    {"barrier", FORE_EV_BARRIER, sized},
    {"once", FORE_EV_ONCE, once},
    {"wgadd", FORE_EV_WGADD, delta},
    {"wgdone", FORE_EV_WGDONE, object},
    {"wgwait", FORE_EV_WGWAIT, object},
    {"arm", FORE_EV_ARM, object},
    {"fire", FORE_EV_FIRE, object},
    {"fence", FORE_EV_FENCE, fence},
    {"alloc", FORE_EV_ALLOC, alloc},
    {"free", FORE_EV_FREE, free_},
    {"spawn", FORE_EV_SPAWN, create},
    {"fail", FORE_EV_FAIL, number},
    {"info", FORE_EV_INFO, number},
    {"exit", FORE_EV_EXIT, bare},
    {"panic", FORE_EV_PANIC, bare},
};

static const struct act *find_act(const char *word)
{
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (acts[i].word[0] == word[0] && strcmp(acts[i].word, word) == 0)
            return &acts[i];
    return NULL;
}

static enum fore_status unknown_act(struct fore_text_reader *r, const char *word)
{
    const char *words[sizeof acts / sizeof *acts];
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
    if (!word[0])
        return fore_tok_expected(&r->tok, "an event");
    const struct act *a = find_act(word);
    if (!a)
        return unknown_act(r, word);
    ev->kind = (uint16_t)a->kind;
    return a->rest(r, ev);
}
