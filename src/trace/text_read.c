#include "trace/text_read.h"

#include "trace/formats.h"
#include "trace/text.h"

#include <string.h>

enum { BATCH = 4096, LOCK_WORDS = 5 };

typedef enum fore_status decl_fn(struct fore_text_reader *r);

static void flush_events(struct fore_text_reader *r)
{
    struct fore_batch b = {r->tables, r->events.at, r->events.n, r->cases.at, false};
    if (r->events.n && r->sink->events(r->sink, &b) == FORE_STOP)
        r->stopped = true;
    fore_vec_clear(&r->events);
    fore_vec_clear(&r->cases);
}

/* "@" file ":" line [":" column], if it is next. */
static enum fore_status read_location(struct fore_text_reader *r, uint32_t *where)
{
    struct fore_where w = {0};
    uint64_t line, column = 0;
    if (!fore_tok_accept(&r->tok, '@'))
        return FORE_OK;
    FORE_TRY(fore_tok_file(&r->tok, &w.file));
    FORE_TRY(fore_tok_expect(&r->tok, ':'));
    FORE_TRY(fore_tok_count(&r->tok, "a line's number", 0, &line));
    if (fore_tok_peek(&r->tok) == ':') {
        r->tok.p++;
        FORE_TRY(fore_tok_count(&r->tok, "a column's number", 0, &column));
    }
    if (line > UINT32_MAX || column > UINT32_MAX)
        return fore_tok_fail(&r->tok, FORE_LIMIT, "lines and columns are below 2^32");
    w.line = (uint32_t)line;
    w.column = (uint32_t)column;
    *where = fore_tables_where(r->tables, w);
    return FORE_OK;
}

/* A declaration must come before the first mention of what it declares: a sink that has got an
 * event may rely on what the tables say about its objects. */
static enum fore_status check_fresh(struct fore_text_reader *r, bool fresh, bool declared)
{
    if (fresh)
        return FORE_OK;
    return fore_tok_fail(&r->tok, FORE_MEANING,
                         declared ? "this was declared before"
                                  : "a declaration must come before the first use");
}

static enum fore_status declared_object(struct fore_text_reader *r,
                                        enum fore_object_kind kind, uint32_t *id)
{
    uint32_t name;
    bool fresh;
    FORE_TRY(fore_tok_name(&r->tok, "a name", &name));
    *id = fore_tables_object_of(r->tables, kind, name, &fresh);
    struct fore_object *o = &r->tables->objects.at[*id];
    FORE_TRY(check_fresh(r, fresh, o->flags & FORE_OBJ_DECLARED));
    o->flags |= FORE_OBJ_DECLARED;
    return FORE_OK;
}

static enum fore_status decl_chan(struct fore_text_reader *r)
{
    uint32_t id, where = 0;
    uint64_t capacity = 0;
    char word[16];
    FORE_TRY(declared_object(r, FORE_OBJ_CHAN, &id));
    FORE_TRY(fore_tok_word(&r->tok, word));
    int next = fore_tok_next(&r->tok);
    if (strcmp(word, "cap") == 0 && next == '=') {
        FORE_TRY(fore_tok_expect(&r->tok, '='));
        FORE_TRY(fore_tok_count(&r->tok, "a capacity", 0, &capacity));
    } else if (strcmp(word, "cap") == 0 || (next >= '0' && next <= '9')) {
        enum fore_status s = fore_tok_expected(
            &r->tok, word[0] ? "'='" : "\"cap=\" or the end of the line");
        fore_tok_hint(&r->tok, "a buffer is written chan x cap=2");
        return s;
    } else if (word[0]) {
        return fore_tok_fail(&r->tok, FORE_SYNTAX, "\"%s\": a channel has only cap=N",
                             word);
    }
    FORE_TRY(read_location(r, &where));
    r->tables->objects.at[id].capacity = capacity;
    r->tables->objects.at[id].where = where;
    return FORE_OK;
}

static enum fore_status decl_lock(struct fore_text_reader *r)
{
    static const struct {
        const char *word;
        unsigned flag;
    } flags[LOCK_WORDS] = {
        {"recursive", FORE_OBJ_RECURSIVE},
        {"robust", FORE_OBJ_ROBUST},
        {"rw", FORE_OBJ_RW},
        {"readers-first", FORE_OBJ_READERS_FIRST},
        {"writers-first", FORE_OBJ_WRITERS_FIRST},
    };
    uint32_t id, where = 0;
    char word[32];
    FORE_TRY(declared_object(r, FORE_OBJ_LOCK, &id));
    while (fore_tok_is_ident_start(fore_tok_next(&r->tok))) {
        FORE_TRY(fore_tok_word(&r->tok, word));
        if (fore_tok_peek(&r->tok) == '-') {
            size_t n = strlen(word);
            word[n] = '-';
            r->tok.p++;
            FORE_TRY(fore_tok_word(&r->tok, word + n + 1));
        }
        size_t i = 0;
        while (i < LOCK_WORDS && strcmp(flags[i].word, word) != 0)
            i++;
        if (i == LOCK_WORDS)
            return fore_tok_fail(&r->tok, FORE_SYNTAX,
                                 "\"%s\": a lock is recursive, robust, rw, "
                                 "readers-first or writers-first",
                                 word);
        r->tables->objects.at[id].flags |= (uint16_t)flags[i].flag;
    }
    FORE_TRY(read_location(r, &where));
    r->tables->objects.at[id].where = where;
    return FORE_OK;
}

static bool at_line_end(struct fore_text_reader *r)
{
    int c = fore_tok_next(&r->tok);
    return c < 0 || c == '\n' || c == '\r' || c == '#';
}

static enum fore_status decl_init(struct fore_text_reader *r)
{
    while (!at_line_end(r)) {
        uint32_t id;
        bool fresh;
        struct fore_value v;
        FORE_TRY(fore_text_read_place(r, &id, &fresh));
        FORE_TRY(check_fresh(r, fresh, r->tables->objects.at[id].init.type));
        enum fore_status s = fore_tok_expect(&r->tok, '=');
        if (s == FORE_OK)
            s = fore_tok_value(&r->tok, &v);
        if (s == FORE_SYNTAX)
            fore_tok_hint(&r->tok, "it is written init x=1 y=2");
        FORE_TRY(s);
        r->tables->objects.at[id].init = v;
        r->tables->objects.at[id].flags |= FORE_OBJ_DECLARED;
    }
    return FORE_OK;
}

/* An object that is declared further: it is new, or its own declaration is above. */
static enum fore_status read_role(struct fore_text_reader *r, enum fore_object_kind kind,
                                  unsigned flag)
{
    size_t before = r->tables->objects.n;
    uint32_t id;
    bool fresh;
    if (kind == FORE_OBJ_PLACE)
        FORE_TRY(fore_text_read_place(r, &id, &fresh));
    else
        FORE_TRY(fore_text_read_object(r, kind, &id));
    struct fore_object *o = &r->tables->objects.at[id];
    unsigned told = FORE_OBJ_DECLARED | FORE_OBJ_TIMED | FORE_OBJ_SPENT | FORE_OBJ_HIDDEN;
    FORE_TRY(check_fresh(r, id >= before || (o->flags & told && !(o->flags & flag)),
                         o->flags & flag));
    o->flags |= (uint16_t)flag;
    return FORE_OK;
}

static enum fore_status decl_timed(struct fore_text_reader *r)
{
    return read_role(r, FORE_OBJ_CHAN, FORE_OBJ_TIMED);
}

static enum fore_status decl_spent(struct fore_text_reader *r)
{
    return read_role(r, FORE_OBJ_CHAN, FORE_OBJ_SPENT);
}

static enum fore_status decl_hidden(struct fore_text_reader *r)
{
    char word[16];
    FORE_TRY(fore_tok_word(&r->tok, word));
    for (unsigned kind = FORE_OBJ_CHAN; kind < FORE_OBJ_KINDS; kind++)
        if (strcmp(fore_text_kinds[kind], word) == 0)
            return read_role(r, kind, FORE_OBJ_HIDDEN);
    return fore_tok_wants(&r->tok,
                          "a kind of objects after \"hidden\": chan, lock, cond, "
                          "sem, barrier, once, wg, timer, var, object or outside");
}

/* A string, if there is one. */
static enum fore_status take_string(struct fore_text_reader *r, uint32_t *id)
{
    if (fore_tok_next(&r->tok) != '"')
        return FORE_OK;
    FORE_TRY(fore_tok_string(&r->tok));
    *id = fore_tables_string(r->tables, r->tok.text.at, r->tok.text.n);
    return FORE_OK;
}

/* Reads what follows `goroutine`: its number, and the function that it begins in. */
static enum fore_status read_goroutine(struct fore_text_reader *r, uint32_t thread)
{
    uint64_t number;
    FORE_TRY(fore_tok_count(&r->tok, "a goroutine's number", 1, &number));
    if (number > UINT32_MAX)
        return fore_tok_fail(&r->tok, FORE_SYNTAX, "a goroutine's number has 32 bits");
    bool begins = fore_tok_next(&r->tok) == '"';
    if (begins)
        FORE_TRY(fore_tok_string(&r->tok));
    fore_tables_goroutine(r->tables, thread, (uint32_t)number, r->tok.text.at,
                          begins ? r->tok.text.n : 0);
    return FORE_OK;
}

static enum fore_status decl_thread(struct fore_text_reader *r)
{
    uint32_t label, id, where = 0, group = 0;
    char word[16];
    bool fresh;
    FORE_TRY(fore_tok_label(&r->tok, "a thread (a number or a name)", &label));
    id = fore_tables_thread_of(r->tables, label, &fresh);
    FORE_TRY(check_fresh(r, fresh, false));
    FORE_TRY(take_string(r, &r->tables->threads.at[id].name));
    FORE_TRY(fore_tok_word(&r->tok, word));
    if (strcmp(word, "goroutine") == 0) {
        FORE_TRY(read_goroutine(r, id));
        FORE_TRY(fore_tok_word(&r->tok, word));
    }
    if (word[0] && (strcmp(word, "in") != 0 || fore_tok_next(&r->tok) != '"'))
        return fore_tok_wants(
            &r->tok, "goroutine NUMBER, in \"TEST\" or @FILE:LINE after a thread");
    if (word[0])
        FORE_TRY(take_string(r, &group));
    FORE_TRY(read_location(r, &where));
    r->tables->threads.at[id].group = group;
    r->tables->threads.at[id].where = where;
    return FORE_OK;
}

static enum fore_status expect_threads(struct fore_text_reader *r,
                                       enum fore_expect_kind kind)
{
    struct fore_expect x = {kind, 0};
    if (at_line_end(r))
        fore_vec_push(&r->expects, x);
    while (!at_line_end(r)) {
        FORE_TRY(fore_text_read_thread(r, &x.subject));
        fore_vec_push(&r->expects, x);
    }
    return FORE_OK;
}

static enum fore_status decl_expect(struct fore_text_reader *r)
{
    struct fore_expect x = {FORE_EXPECT_PANIC, 0};
    char word[16];
    FORE_TRY(fore_tok_word(&r->tok, word));
    if (strcmp(word, "blocked") == 0)
        return expect_threads(r, FORE_EXPECT_BLOCKED);
    if (strcmp(word, "race") == 0)
        return expect_threads(r, FORE_EXPECT_RACE);
    if (strcmp(word, "panic") == 0) {
        FORE_TRY(fore_text_read_thread(r, &x.subject));
    } else if (strcmp(word, "violation") == 0) {
        x.kind = FORE_EXPECT_VIOLATION;
        FORE_TRY(fore_tok_name(&r->tok, "a property's name", &x.subject));
    } else {
        return fore_tok_wants(&r->tok,
                              "\"blocked\", \"panic\", \"race\" or \"violation\"");
    }
    fore_vec_push(&r->expects, x);
    return FORE_OK;
}

/* Several lines add up. */
static enum fore_status decl_sees(struct fore_text_reader *r)
{
    r->tables->sees |= FORE_SEES_DECLARED;
    while (!at_line_end(r)) {
        char word[16];
        unsigned i = 0;
        FORE_TRY(fore_tok_word(&r->tok, word));
        while (i < FORE_SEES_BITS && strcmp(fore_sees_names[i], word) != 0)
            i++;
        if (i == FORE_SEES_BITS)
            return fore_tok_fail(&r->tok, FORE_SYNTAX,
                                 "\"%s\" cannot be seen: it is threads, channels, locks, "
                                 "atomics, memory, values or outside",
                                 word);
        r->tables->sees |= 1u << i;
    }
    return FORE_OK;
}

static enum fore_status decl_unseen(struct fore_text_reader *r)
{
    uint32_t text = 0, where = 0;
    char word[16];
    FORE_TRY(fore_tok_word(&r->tok, word));
    bool member = strcmp(word, "member") == 0;
    if ((word[0] && !member) || fore_tok_next(&r->tok) != '"')
        return fore_tok_expected(&r->tok, "what was not seen, as a string");
    FORE_TRY(take_string(r, &text));
    FORE_TRY(read_location(r, &where));
    if (member)
        fore_tables_unseen_member(r->tables, text, where);
    else
        fore_vec_push(&r->tables->unseen,
                      (struct fore_unseen){.text = text, .where = where});
    return FORE_OK;
}

/* The last one counts. */
static enum fore_status decl_ended(struct fore_text_reader *r)
{
    char word[16];
    unsigned i = FORE_ENDED_RETURNED;
    FORE_TRY(fore_tok_word(&r->tok, word));
    while (i < FORE_ENDINGS && strcmp(fore_ended_names[i], word) != 0)
        i++;
    if (i == FORE_ENDINGS)
        return fore_tok_fail(&r->tok, FORE_SYNTAX,
                             "\"%s\": a process has ended by returned, exit, signal, "
                             "crash, panic or deadlock",
                             word);
    r->tables->ended = (enum fore_ended)i;
    r->tables->ended_text = 0;
    if (fore_tok_next(&r->tok) != '"')
        return FORE_OK;
    FORE_TRY(fore_tok_string(&r->tok));
    r->tables->ended_text = fore_tables_string(r->tables, r->tok.text.at, r->tok.text.n);
    return FORE_OK;
}

static enum fore_status decl_header(struct fore_text_reader *r)
{
    int64_t version;
    if (r->any)
        return fore_tok_fail(&r->tok, FORE_SYNTAX, "the header must be the first line");
    FORE_TRY(fore_tok_int(&r->tok, &version));
    if (version != 1)
        return fore_tok_fail(&r->tok, FORE_SYNTAX,
                             "version %lld of the notation: this program reads version 1",
                             (long long)version);
    r->header = true;
    if (at_line_end(r))
        return FORE_OK;
    char word[16];
    FORE_TRY(fore_tok_word(&r->tok, word));
    if (strcmp(word, "merged") != 0)
        return fore_tok_fail(&r->tok, FORE_SYNTAX,
                             "the header is \"foresee 1\" or \"foresee 1 merged\"");
    r->tables->merged = true;
    return FORE_OK;
}

static const struct {
    const char *word;
    decl_fn *read;
} decls[] = {
    {"chan", decl_chan},     {"lock", decl_lock},     {"init", decl_init},
    {"thread", decl_thread}, {"expect", decl_expect}, {"foresee", decl_header},
    {"timed", decl_timed},   {"hidden", decl_hidden}, {"sees", decl_sees},
    {"unseen", decl_unseen}, {"ended", decl_ended},   {"spent", decl_spent},
};

static enum fore_status read_declaration(struct fore_text_reader *r, const char *word)
{
    for (size_t i = 0; i < sizeof decls / sizeof *decls; i++)
        if (strcmp(decls[i].word, word) == 0) {
            flush_events(r);
            return decls[i].read(r);
        }
    return fore_tok_expected(&r->tok, "':' after a thread");
}

static enum fore_status one_event(struct fore_text_reader *r, uint32_t thread)
{
    struct fore_tok *l = &r->tok;
    struct fore_event ev = {.thread = thread};
    uint64_t ticket = 0;
    fore_tok_next(l);
    fore_mark at = fore_mark_at(l->line, fore_tok_offset(l) - l->line_start + 1);
    FORE_TRY(fore_text_read_act(r, &ev));
    if (fore_tok_accept(l, '^'))
        FORE_TRY(fore_tok_count(l, "a ticket", 1, &ticket));
    FORE_TRY(read_location(r, &ev.where));
    fore_check_event(&r->check, &ev, r->cases.at, ticket, at);
    fore_vec_push(&r->events, ev);
    if (r->events.n == BATCH)
        flush_events(r);
    return FORE_OK;
}

static enum fore_status thread_line(struct fore_text_reader *r, uint32_t label)
{
    uint32_t thread = fore_tables_thread_of(r->tables, label, NULL);
    r->tok.p++;
    do
        FORE_TRY(one_event(r, thread));
    while (fore_tok_accept(&r->tok, ';') && !at_line_end(r));
    return FORE_OK;
}

/* A writer ends a torn source with "# torn: N events lost". */
static void skip_comment(struct fore_text_reader *r, bool whole_line)
{
    struct fore_tok *l = &r->tok;
    static const char torn[] = "# torn: ";
    fore_tok_ahead(l, 64);
    if (whole_line && (size_t)(l->end - l->p) > sizeof torn &&
        memcmp(l->p, torn, sizeof torn - 1) == 0) {
        const char *p = l->p + sizeof torn - 1;
        uint64_t n = 0;
        while (*p >= '0' && *p <= '9' && n < UINT64_MAX / 100)
            n = n * 10 + (uint64_t)(*p++ - '0');
        r->torn = strncmp(p, " events lost", 12) == 0;
        r->lost = n;
    }
    while (fore_tok_peek(l) >= 0) {
        char *nl = memchr(l->p, '\n', (size_t)(l->end - l->p));
        l->p = nl ? nl : l->end;
        if (nl)
            break;
    }
}

/* The comment and the end of a line. */
static enum fore_status line_end(struct fore_text_reader *r)
{
    struct fore_tok *l = &r->tok;
    int c = fore_tok_next(l);
    uint64_t at = fore_tok_offset(l);
    if (c == '#' && (at == l->line_start || at == l->after_blank))
        skip_comment(r, at == l->line_start);
    if (fore_tok_peek(l) == '\r')
        l->p++;
    c = fore_tok_peek(l);
    if (c < 0) {
        l->token = fore_tok_offset(l);
        if (r->header && l->token > l->line_start)
            return fore_tok_fail(l, FORE_TORN,
                                 "the last line has no end: the file was cut");
        return FORE_OK;
    }
    if (c != '\n') {
        enum fore_status s = fore_tok_expected(l, "';' or the end of the line");
        if (c == ',')
            fore_tok_hint(l, "events are separated by ';'");
        else if (c == '/' || c == '-')
            fore_tok_hint(l, "a comment begins with #");
        return s;
    }
    fore_tok_newline(l);
    return FORE_OK;
}

static enum fore_status read_line(struct fore_text_reader *r)
{
    struct fore_tok *l = &r->tok;
    uint32_t label;
    if (at_line_end(r))
        return line_end(r);
    bool quoted = fore_tok_peek(l) == '"';
    bool slash = fore_tok_peek(l) == '/' || fore_tok_peek(l) == '-';
    enum fore_status s = fore_tok_label(l, "a thread and ':', or a declaration", &label);
    if (slash && s == FORE_SYNTAX)
        fore_tok_hint(l, "a comment begins with #");
    FORE_TRY(s);
    if (fore_tok_next(l) == ':')
        FORE_TRY(thread_line(r, label));
    else
        FORE_TRY(read_declaration(r, quoted ? "" : fore_tables_text(r->tables, label)));
    r->any = true;
    return line_end(r);
}

/* Skips blank lines and comments, then looks for `label :` or the word of a declaration. */
bool fore_text_matches(const char *head, size_t n)
{
    size_t i = 0;
    while (i < n && (head[i] == '#' || strchr(" \t\r\n", head[i]))) {
        if (!head[i])
            return false;
        const char *nl = head[i] == '#' ? memchr(head + i, '\n', n - i) : head + i;
        if (!nl)
            return true;
        i = (size_t)(nl - head) + 1;
    }
    if (i == n)
        return true;
    for (size_t k = 0; k < sizeof decls / sizeof *decls; k++) {
        size_t w = strlen(decls[k].word);
        if (n - i > w && memcmp(head + i, decls[k].word, w) == 0 &&
            (head[i + w] == ' ' || head[i + w] == '\n'))
            return true;
    }
    size_t label = i;
    if (i < n && head[i] == '"')
        for (i++; i < n && head[i] != '"' && head[i] != '\n'; i++)
            i += head[i] == '\\';
    while (i < n && (fore_tok_is_ident((unsigned char)head[i]) || head[i] == '"'))
        i++;
    while (i > label && i < n && (head[i] == ' ' || head[i] == '\t'))
        i++;
    return i > label && i < n && head[i] == ':';
}

static enum fore_status read_all(struct fore_text_reader *r)
{
    struct fore_tok *l = &r->tok;
    while (!r->stopped) {
        /* Passes on what is known before it may have to wait for the next line. */
        if (!memchr(l->p, '\n', (size_t)(l->end - l->p)))
            flush_events(r);
        if (r->stopped || fore_tok_peek(l) < 0)
            break;
        FORE_TRY(read_line(r));
    }
    if (l->failed)
        return l->failed;
    if (!r->any) {
        l->token = 0;
        l->line = 1;
        l->line_start = 0;
        return fore_tok_fail(l, FORE_SYNTAX,
                             "there is no trace in it: expected lines such as "
                             "\"1: signal(2); pre(x!)\"");
    }
    flush_events(r);
    return FORE_OK;
}

static enum fore_status finish_text(struct fore_text_reader *r, struct fore_err *e)
{
    if (!r->stopped)
        fore_check_end(&r->check);
    if (r->check.problems && !r->torn) {
        if (e)
            *e = r->check.first;
        return FORE_MEANING;
    }
    struct fore_trace_end end = {
        .torn = r->torn,
        .lost = r->lost,
        .expects = r->expects.at,
        .expect_count = r->expects.n,
        .doubts = r->check.problems,
        .tables = r->tables,
    };
    return r->sink->end(r->sink, &end, e);
}

enum fore_status fore_text_read(struct fore_input *in, struct fore_tables *tables,
                                struct fore_sink *s, struct fore_err *e)
{
    struct fore_text_reader r = {.tables = tables, .sink = s};
    fore_tok_init(&r.tok, in, tables, e);
    fore_check_init(&r.check, tables, in->name);
    enum fore_status status = read_all(&r);
    if (!status)
        status = finish_text(&r, e);
    fore_tok_release(&r.tok);
    fore_check_release(&r.check);
    fore_vec_release(&r.events);
    fore_vec_release(&r.cases);
    fore_vec_release(&r.expects);
    fore_vec_release(&r.timeout);
    return status;
}
