#include "actor/harness.h"

#include "node/values.h"

#include "actor/promise.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The harness's names become integers just above FORESEE_NIL, up to which no protocol counts. */
#define NAME_BASE FORE_RESULT_VOID
#define NAME_MAX (1 << 20)

struct harness_parser {
    struct fore_harness *h;
    struct fore_arena *a;
    const struct fore_system *s;
    struct fore_err *e;
    const char *line, *at, *end; /* the current line, and the position in it */
    uint64_t number, last; /* number of this line; of the last one that is not empty */
    int section;
    FORE_VEC(struct response {
        const char *op;
        uint32_t kind;
        int8_t field;
        uint64_t line;
    })
    responses;
};

#define FAIL(p, ...)                                                                     \
    fore_fail_at((p)->e, FORE_SYNTAX, (p)->h->file, (p)->number,                         \
                 (uint64_t)((p)->at - (p)->line) + 1, __VA_ARGS__)

static void skip_blanks(struct harness_parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r'))
        p->at++;
}

static bool at_end_of_line(struct harness_parser *p)
{
    skip_blanks(p);
    return p->at == p->end;
}

static bool accept_token(struct harness_parser *p, const char *token)
{
    skip_blanks(p);
    size_t n = strlen(token);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, token, n))
        return false;
    p->at += n;
    return true;
}

/* Takes the word if it is a whole word. */
static bool accept_word(struct harness_parser *p, const char *word)
{
    const char *from = p->at;
    if (!accept_token(p, word))
        return false;
    if (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        return true;
    p->at = from;
    return false;
}

static enum fore_status expect_token(struct harness_parser *p, const char *token,
                                     const char *where)
{
    return accept_token(p, token) ? FORE_OK : FAIL(p, "expected `%s` %s", token, where);
}

static bool is_name(char c, bool first)
{
    return isalpha((unsigned char)c) || c == '_' ||
           (!first && isdigit((unsigned char)c)) || (!first && c == '-');
}

/* A name, or NULL without moving. */
static const char *parse_name(struct harness_parser *p)
{
    skip_blanks(p);
    const char *from = p->at;
    while (p->at < p->end && is_name(*p->at, p->at == from))
        p->at++;
    /* in `a->b` the dash belongs to the arrow */
    if (p->at > from && p->at < p->end && *p->at == '>' && p->at[-1] == '-')
        p->at--;
    return p->at == from ? NULL : fore_arena_strndup(p->a, from, (size_t)(p->at - from));
}

static enum fore_status read_integer(struct harness_parser *p, int64_t *v,
                                     const char *what)
{
    skip_blanks(p);
    char digits[24];
    size_t n = 0;
    const char *q = p->at;
    if (q < p->end && *q == '-')
        digits[n++] = *q++;
    while (q < p->end && isdigit((unsigned char)*q) && n < 20)
        digits[n++] = *q++;
    digits[n] = 0;
    if (!n || !isdigit((unsigned char)digits[n - 1]))
        return FAIL(p, "expected %s, a number", what);
    if (n >= 19)
        return FAIL(p, "%s is out of range", digits);
    *v = strtoll(digits, NULL, 10);
    p->at = q;
    return FORE_OK;
}

/* 5 | nil | true | false | k1 | me (the client's number, where there is one) */
static enum fore_status read_post_value(struct harness_parser *p, int64_t me, int64_t *v)
{
    skip_blanks(p);
    const char *from = p->at;
    const char *word = parse_name(p);
    if (!word)
        return read_integer(p, v, "a value");
    if (!strcmp(word, "nil")) {
        *v = FORESEE_NIL;
    } else if (!strcmp(word, "true") || !strcmp(word, "false")) {
        *v = word[0] == 't';
    } else if (!strcmp(word, "me")) {
        p->at = me ? p->at : from;
        if (!me)
            return FAIL(p, "`me` is the client of an invocation; there is none here");
        *v = me;
    } else {
        uint32_t id = fore_intern_str(&p->h->names, word);
        if (id > NAME_MAX)
            return FAIL(p, "too many different names");
        *v = NAME_BASE + id;
    }
    return FORE_OK;
}

static enum fore_status read_kind(struct harness_parser *p, uint32_t *k)
{
    skip_blanks(p);
    const char *from = p->at;
    const char *n = parse_name(p);
    int i = n ? fore_system_kind(p->s, n) : -1;
    if (i >= 0) {
        *k = (uint32_t)i;
        return FORE_OK;
    }
    p->at = from;
    if (!n)
        return FAIL(p, "expected the name of a message");
    struct fore_strbuf known = FORE_STRBUF_INIT;
    for (uint32_t j = 0; j < p->s->def->message_count; j++)
        fore_strbuf_printf(&known, "%s%s", j ? ", " : "", p->s->kinds[j].name);
    enum fore_status st =
        FAIL(p, "system %s has no message `%s`; it has %s", p->s->name, n, known.at);
    fore_strbuf_release(&known);
    return st;
}

static enum fore_status read_field_name(struct harness_parser *p, uint32_t k, int *f)
{
    skip_blanks(p);
    const char *from = p->at;
    const char *n = parse_name(p);
    *f = n ? fore_kind_field(&p->s->kinds[k], n) : -1;
    if (*f >= 0)
        return FORE_OK;
    p->at = from;
    return n ? FAIL(p, "message %s has no field `%s`", p->s->kinds[k].name, n)
             : FAIL(p, "expected the name of a field of %s, as in `name=1`",
                    p->s->kinds[k].name);
}

static enum fore_status read_agent(struct harness_parser *p, int64_t *id)
{
    skip_blanks(p);
    const char *from = p->at;
    FORE_TRY(read_integer(p, id, "an agent"));
    if (*id >= 1 && *id <= (int64_t)p->h->agents.n)
        return FORE_OK;
    p->at = from;
    return FAIL(p, "there is no agent %" PRId64 "; [agents] has 1 to %zu", *id,
                p->h->agents.n);
}

/* Message(field=value, …); fields that are not named are 0. */
static enum fore_status read_message(struct harness_parser *p, int64_t me,
                                     struct fore_post *m)
{
    FORE_TRY(read_kind(p, &m->kind));
    if (!accept_token(p, "(") || accept_token(p, ")"))
        return FORE_OK;
    do {
        int f;
        FORE_TRY(read_field_name(p, m->kind, &f));
        FORE_TRY(expect_token(p, "=", "after the field's name"));
        FORE_TRY(read_post_value(p, me, &m->field[f]));
    } while (accept_token(p, ","));
    return expect_token(p, ")", "after the fields");
}

/* name(value, …) */
static enum fore_status read_call(struct harness_parser *p, struct fore_call *c)
{
    c->name = parse_name(p);
    if (!c->name)
        return FAIL(p, "expected the name of an operation");
    FORE_TRY(expect_token(p, "(", "after the operation's name"));
    if (accept_token(p, ")"))
        return FORE_OK;
    do {
        if (c->nargs == FORE_OP_ARGS)
            return FAIL(p, "an operation has at most %d arguments", FORE_OP_ARGS);
        FORE_TRY(read_post_value(p, 0, &c->args[c->nargs++]));
    } while (accept_token(p, ","));
    return expect_token(p, ")", "after the arguments");
}

/* ./counter.so: a shared object, beside the harness unless the path is absolute. */
static const char *object_path(struct harness_parser *p)
{
    const char *from = p->at, *file = p->h->file, *slash = strrchr(file, '/');
    size_t folder = *from != '/' && slash ? (size_t)(slash - file) + 1 : 0;
    while (p->at < p->end && !isspace((unsigned char)*p->at))
        p->at++;
    size_t n = (size_t)(p->at - from);
    char *path = fore_arena_alloc(p->a, folder + n + 1);
    memcpy(path, file, folder);
    memcpy(path + folder, from, n);
    path[folder + n] = '\0';
    return path;
}

static enum fore_status line_specification(struct harness_parser *p)
{
    struct fore_call *c = &p->h->object;
    if (c->name)
        return FAIL(p, "the object is already `%s`", c->name);
    skip_blanks(p);
    bool path = p->at < p->end && (*p->at == '.' || *p->at == '/');
    c->name = path ? object_path(p) : parse_name(p);
    c->line = p->number;
    if (!c->name)
        return FAIL(p, "expected the name of an object, like `register`");
    while (!at_end_of_line(p)) {
        if (c->nargs == FORE_OP_ARGS)
            return FAIL(p, "at most %d initial values", FORE_OP_ARGS);
        FORE_TRY(read_post_value(p, 0, &c->args[c->nargs++]));
    }
    return FORE_OK;
}

/* 1 2 3: role(args) [ds2-shared] */
static enum fore_status line_agents(struct harness_parser *p)
{
    size_t first = p->h->agents.n;
    do {
        int64_t id;
        skip_blanks(p);
        if (p->at < p->end && !isdigit((unsigned char)*p->at))
            return FAIL(p, "expected an agent's number or `:`, as in `1 2 3: %s`",
                        p->s->def->roles[0].name);
        FORE_TRY(read_integer(p, &id, "an agent"));
        if (id != (int64_t)p->h->agents.n + 1 || id > FORE_AGENTS_MAX)
            return FAIL(p, "agents are numbered 1, 2, … up to %d; expected %zu",
                        FORE_AGENTS_MAX, p->h->agents.n + 1);
        fore_vec_push(&p->h->agents, (struct fore_agent){0});
    } while (!accept_token(p, ":"));
    skip_blanks(p);
    const char *from = p->at;
    const char *n = parse_name(p);
    int role = n ? fore_system_role(p->s, n) : -1;
    if (role < 0) {
        p->at = from;
        return FAIL(p, "system %s has no role `%s`; its first is `%s`", p->s->name,
                    n ? n : "", p->s->def->roles[0].name);
    }
    struct fore_agent agent_of = {.role = (uint32_t)role};
    if (accept_token(p, "(") && !accept_token(p, ")")) {
        size_t i = 0;
        do {
            if (i == FORESEE_FIELDS)
                return FAIL(p, "at most %d arguments", FORESEE_FIELDS);
            FORE_TRY(read_post_value(p, 0, &agent_of.args[i++]));
        } while (accept_token(p, ","));
        FORE_TRY(expect_token(p, ")", "after the arguments"));
    }
    agent_of.shared = accept_token(p, "ds2-shared");
    for (size_t i = first; i < p->h->agents.n; i++)
        p->h->agents.at[i] = agent_of;
    return FORE_OK;
}

/* all: fifo | 1 -> 2: fifo */
static enum fore_status line_links(struct harness_parser *p)
{
    struct fore_harness *h = p->h;
    int64_t from, to;
    if (accept_token(p, "all")) {
        h->fifo_all = true;
    } else {
        FORE_TRY(read_agent(p, &from));
        FORE_TRY(expect_token(p, "->", "between sender and receiver"));
        FORE_TRY(read_agent(p, &to));
        h->fifo_to[from] |= (uint64_t)1 << to;
    }
    h->fifo = true;
    FORE_TRY(expect_token(p, ":", "after the link"));
    return expect_token(p, "fifo",
                        "after the link; messages of other links come in any order");
}

static enum fore_status line_start(struct harness_parser *p)
{
    struct fore_post m = {0};
    FORE_TRY(read_agent(p, &m.from));
    FORE_TRY(expect_token(p, "->", "between sender and receiver"));
    FORE_TRY(read_agent(p, &m.to));
    FORE_TRY(expect_token(p, ":", "before the message"));
    FORE_TRY(read_message(p, 0, &m));
    fore_vec_push(&p->h->start, m);
    return FORE_OK;
}

static enum fore_status line_invocations(struct harness_parser *p)
{
    if (p->h->ops.n == FORE_OPS_MAX)
        return FAIL(p, "at most %d invocations", FORE_OPS_MAX);
    struct fore_call c = {.line = p->number};
    struct fore_post m = {.from = -(int64_t)p->h->ops.n - 1};
    if (accept_word(p, "then")) {
        if (!p->h->ops.n)
            return FAIL(p, "`then` goes on with the client of the line above; there is "
                           "none");
        fore_vec_last(&p->h->then) = (int32_t)p->h->ops.n;
        p->h->waits |= (uint64_t)1 << p->h->ops.n;
    }
    FORE_TRY(read_call(p, &c));
    FORE_TRY(expect_token(p, "->", "after the operation"));
    FORE_TRY(read_agent(p, &m.to));
    FORE_TRY(expect_token(p, ":", "before the message"));
    FORE_TRY(read_message(p, m.from, &m));
    fore_vec_push(&p->h->ops, c);
    fore_vec_push(&p->h->then, -1);
    fore_vec_push(&p->h->posts, m);
    return FORE_OK;
}

/* read: ReadAck(value) */
static enum fore_status line_responses(struct harness_parser *p)
{
    struct response r = {
        .op = parse_name(p), .field = FORE_ANSWER_VOID, .line = p->number};
    if (!r.op)
        return FAIL(p, "expected the name of an operation");
    FORE_TRY(expect_token(p, ":", "after the operation"));
    FORE_TRY(read_kind(p, &r.kind));
    if (accept_token(p, "(") && !accept_token(p, ")")) {
        int f;
        FORE_TRY(read_field_name(p, r.kind, &f));
        r.field = (int8_t)f;
        FORE_TRY(expect_token(p, ")", "after the field of the result"));
    }
    fore_vec_push(&p->responses, r);
    return FORE_OK;
}

/* Write(key) WriteReplica(*) */
static enum fore_status line_keys(struct harness_parser *p)
{
    while (!at_end_of_line(p)) {
        uint32_t k;
        int f = FORE_KEY_ANY;
        FORE_TRY(read_kind(p, &k));
        FORE_TRY(expect_token(p, "(", "before the key"));
        if (!accept_token(p, "*"))
            FORE_TRY(read_field_name(p, k, &f));
        FORE_TRY(expect_token(p, ")", "after the key"));
        p->h->keys[k] = (int8_t)f;
    }
    return FORE_OK;
}

static enum fore_status line_properties(struct harness_parser *p)
{
    const char *wrong = fore_promise_read(p->h, p->a, p->s, &p->at, p->end, p->number);
    return wrong ? FAIL(p, "%s", wrong) : FORE_OK;
}

static const struct section {
    const char *name;
    enum fore_status (*line)(struct harness_parser *p);
} sections[] = {
    {"specification", line_specification},
    {"agents", line_agents},
    {"links", line_links},
    {"start", line_start},
    {"invocations", line_invocations},
    {"responses", line_responses},
    {"keys", line_keys},
    {"properties", line_properties},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static enum fore_status read_header(struct harness_parser *p)
{
    skip_blanks(p);
    const char *from = p->at;
    const char *n = parse_name(p);
    for (int i = 0; n && i < SECTIONS; i++)
        if (!strcmp(n, sections[i].name)) {
            if (i < p->section) {
                p->at = from;
                return FAIL(p, "[%s] comes before [%s]", n, sections[p->section].name);
            }
            p->section = i;
            return expect_token(p, "]", "after the section's name");
        }
    p->at = from;
    return FAIL(
        p,
        "no section `%s`; they are specification, agents, links, start, invocations, "
        "responses, keys, properties",
        n ? n : "");
}

/* Is the line the name of a section, without its brackets? */
static bool bare_header(struct harness_parser *p)
{
    const char *from = p->at, *n = parse_name(p);
    bool is = false;
    accept_token(p, ":");
    for (int i = 0; n && at_end_of_line(p) && i < SECTIONS; i++)
        is |= !strcmp(n, sections[i].name);
    p->at = from;
    return is;
}

static enum fore_status one_line(struct harness_parser *p)
{
    if (at_end_of_line(p))
        return FORE_OK;
    if (bare_header(p))
        return FAIL(p, "a section is written in brackets, like [agents]");
    if (accept_token(p, "["))
        FORE_TRY(read_header(p));
    else if (p->section < 0)
        return FAIL(p, "a harness begins with a section, [specification]");
    else
        FORE_TRY(sections[p->section].line(p));
    return at_end_of_line(p) ? FORE_OK
                             : FAIL(p, "unexpected text at the end of the line");
}

/* Checks the sections together. */
static enum fore_status check_sections(struct harness_parser *p)
{
    struct fore_harness *h = p->h;
    p->line = p->at = p->end;
    p->number = p->last ? p->last : 1; /* the line after which something is missing */
    if (!h->object.name)
        return FAIL(p, "[specification] names no object");
    if (!h->agents.n)
        return FAIL(p, "[agents] names no agent");
    if (!h->ops.n && !h->start.n)
        return FAIL(p, "neither [start] nor [invocations] has a message");
    size_t cells = (size_t)p->s->def->message_count * h->ops.n;
    h->answers = FORE_NEW_ARRAY(p->a, int8_t, cells + 1);
    memset(h->answers, FORE_ANSWER_NO, cells + 1);
    for (size_t r = 0; r < p->responses.n; r++) {
        const struct response *x = &p->responses.at[r];
        bool used = false;
        for (size_t i = 0; i < h->ops.n; i++)
            if (!strcmp(h->ops.at[i].name, x->op)) {
                h->answers[x->kind * h->ops.n + i] = x->field;
                used = true;
            }
        p->number = x->line;
        if (!used)
            return FAIL(p, "no invocation is a `%s`", x->op);
    }
    return FORE_OK;
}

enum fore_status fore_harness_parse(struct fore_harness *h, struct fore_arena *a,
                                    const struct fore_system *s, const char *file,
                                    const char *text, size_t n, struct fore_err *e)
{
    *h = (struct fore_harness){.file = fore_arena_strdup(a, file), .name = ""};
    h->keys = FORE_NEW_ARRAY(a, int8_t, s->def->message_count);
    memset(h->keys, FORE_KEY_UNLISTED, s->def->message_count);
    struct harness_parser p = {.h = h, .a = a, .s = s, .e = e, .section = -1};
    enum fore_status st = FORE_OK;
    for (const char *at = text, *end = text + n; at < end && st == FORE_OK;) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        const char *stop = nl ? nl : end;
        const char *hash = memchr(at, '#', (size_t)(stop - at));
        p.number++;
        p.line = p.at = at;
        p.end = hash ? hash : stop;
        if (p.end > at)
            p.last = p.number;
        st = one_line(&p);
        at = nl ? nl + 1 : end;
    }
    if (st == FORE_OK)
        st = check_sections(&p);
    fore_vec_release(&p.responses);
    return st;
}

void fore_harness_release(struct fore_harness *h)
{
    fore_vec_release(&h->agents);
    fore_vec_release(&h->ops);
    fore_vec_release(&h->posts);
    fore_vec_release(&h->start);
    fore_vec_release(&h->then);
    fore_vec_release(&h->properties);
    fore_intern_release(&h->names);
}

void fore_harness_value_text(const struct fore_harness *h, int64_t v,
                             struct fore_strbuf *out)
{
    if (v == FORESEE_NIL)
        fore_strbuf_puts(out, "nil");
    else if (v == FORE_RESULT_VOID)
        fore_strbuf_puts(out, "that it worked");
    else if (v > NAME_BASE && v <= NAME_BASE + (int64_t)fore_intern_count(&h->names))
        fore_strbuf_puts(out, fore_intern_text(&h->names, (uint32_t)(v - NAME_BASE)));
    else if (fore_nodes_value(v))
        fore_strbuf_puts(out, fore_nodes_value(v));
    else
        fore_strbuf_printf(out, "%" PRId64, v);
}

void fore_call_text(const struct fore_harness *h, const struct fore_call *c,
                    struct fore_strbuf *out)
{
    fore_strbuf_printf(out, "%s(", c->name);
    for (uint32_t i = 0; i < c->nargs; i++) {
        fore_strbuf_puts(out, i ? ", " : "");
        fore_harness_value_text(h, c->args[i], out);
    }
    fore_strbuf_putc(out, ')');
}
