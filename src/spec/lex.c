#include "spec/lex.h"

#include <ctype.h>
#include <string.h>

const char *fore_token_text(enum fore_token_kind k)
{
    static const char *const texts[] = {
#define X(name, text) text,
        FORE_TOKEN_LIST(X)
#undef X
    };
    return texts[k];
}

struct spelling {
    const char *text;
    enum fore_token_kind kind;
};

/* Longer ones before their prefixes. */
static const struct spelling marks[] = {
    {"<->", FORE_T_IFF},    {":=", FORE_T_DEFINE},   {"&&", FORE_T_AND},
    {"||", FORE_T_OR},      {"->", FORE_T_IMPLIES},  {"[]", FORE_T_BOX},
    {"<>", FORE_T_DIAMOND}, {"==", FORE_T_EQ},       {"!=", FORE_T_NE},
    {"<=", FORE_T_LE},      {">=", FORE_T_GE},       {"(", FORE_T_LPAREN},
    {")", FORE_T_RPAREN},   {"{", FORE_T_LBRACE},    {"}", FORE_T_RBRACE},
    {"[", FORE_T_LBRACKET}, {"]", FORE_T_RBRACKET},  {",", FORE_T_COMMA},
    {":", FORE_T_COLON},    {";", FORE_T_SEMICOLON}, {"!", FORE_T_NOT},
    {"&", FORE_T_AMP},      {"|", FORE_T_BAR},       {"?", FORE_T_QUESTION},
    {"=", FORE_T_EQ},       {"<", FORE_T_LT},        {">", FORE_T_GT},
    {"+", FORE_T_PLUS},     {"-", FORE_T_MINUS},     {"*", FORE_T_STAR},
    {"/", FORE_T_SLASH},    {"%", FORE_T_PERCENT},
};

static const struct spelling words[] = {
    {"X", FORE_T_NEXT},      {"G", FORE_T_BOX},
    {"always", FORE_T_BOX},  {"F", FORE_T_DIAMOND},
    {"U", FORE_T_UNTIL},     {"W", FORE_T_WEAK},
    {"R", FORE_T_RELEASE},   {"Y", FORE_T_PREVIOUS},
    {"O", FORE_T_ONCE},      {"H", FORE_T_HISTORICALLY},
    {"S", FORE_T_SINCE},     {"start", FORE_T_START},
    {"end", FORE_T_END},     {"true", FORE_T_TRUE},
    {"false", FORE_T_FALSE}, {"property", FORE_T_PROPERTY},
    {"var", FORE_T_VAR},     {"ere", FORE_T_ERE},
    {"match", FORE_T_MATCH}, {"monitor", FORE_T_MONITOR},
};

static void skip_blanks(struct fore_lexer *l)
{
    const char *s = l->src.text;
    while (l->at < l->src.n) {
        bool comment = s[l->at] == '#' ||
                       (s[l->at] == '/' && l->at + 1 < l->src.n && s[l->at + 1] == '/');
        if (comment) {
            while (l->at < l->src.n && s[l->at] != '\n')
                l->at++;
        } else if (isspace((unsigned char)s[l->at])) {
            l->at++;
        } else {
            break;
        }
    }
}

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* `a.b` and `a[3]` are one name, as in the trace notation. */
static size_t name_length(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && name_char(s[i]))
        i++;
    for (;;) {
        if (i + 1 < n && s[i] == '.' && name_char(s[i + 1])) {
            for (i++; i < n && name_char(s[i]); i++)
                ;
        } else if (i + 2 < n && s[i] == '[' && isdigit((unsigned char)s[i + 1])) {
            size_t j = i + 1;
            while (j < n && isdigit((unsigned char)s[j]))
                j++;
            if (j >= n || s[j] != ']')
                return i;
            i = j + 1;
        } else {
            return i;
        }
    }
}

static void lex_name(struct fore_lexer *l, struct fore_token *t)
{
    const char *s = l->src.text + l->at;
    t->kind = FORE_T_NAME;
    t->span.n = (uint32_t)name_length(s, l->src.n - l->at);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k].text) == t->span.n && !memcmp(words[k].text, s, t->span.n))
            t->kind = words[k].kind;
}

static enum fore_status lex_quoted(struct fore_lexer *l, struct fore_token *t,
                                   struct fore_err *e)
{
    const char *s = l->src.text + l->at;
    size_t n = l->src.n - l->at, i = 1;
    while (i < n && s[i] != '"' && s[i] != '\n')
        i++;
    if (i == n || s[i] == '\n')
        return fore_source_fail(
            &l->src, t->span, FORE_SYNTAX, e,
            "this quote is not closed; expected `\"` on the same line");
    if (i == 1)
        return fore_source_fail(&l->src, t->span, FORE_SYNTAX, e,
                                "a name cannot be empty");
    t->kind = FORE_T_QUOTED;
    t->span.n = (uint32_t)(i + 1);
    return FORE_OK;
}

static bool lex_mark(struct fore_lexer *l, struct fore_token *t)
{
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
        size_t len = strlen(marks[k].text);
        if (l->src.n - l->at >= len && !memcmp(l->src.text + l->at, marks[k].text, len)) {
            t->kind = marks[k].kind;
            t->span.n = (uint32_t)len;
            return true;
        }
    }
    return false;
}

enum fore_status fore_lex_next(struct fore_lexer *l, struct fore_token *t,
                               struct fore_err *e)
{
    /* What is missing at the end is missing behind the last token, not on a line of its own. */
    *t = (struct fore_token){.kind = FORE_T_EOF, .span = {l->at, 0}};
    skip_blanks(l);
    if (l->at >= l->src.n)
        return FORE_OK;
    t->span = (struct fore_span){l->at, 1};
    char c = l->src.text[l->at];
    if (isdigit((unsigned char)c) || c == '\'') {
        size_t used = fore_val_scan(l->src.text + l->at, l->src.n - l->at, &t->num);
        if (!used)
            return fore_source_fail(
                &l->src, t->span, FORE_SYNTAX, e,
                "expected a number, or a character as in 'a' or '\\n'");
        t->kind = FORE_T_NUMBER;
        t->span.n = (uint32_t)used;
    } else if (name_char(c)) {
        lex_name(l, t);
    } else if (c == '"') {
        FORE_TRY(lex_quoted(l, t, e));
    } else if (!lex_mark(l, t)) {
        return fore_source_fail(&l->src, t->span, FORE_SYNTAX, e,
                                isprint((unsigned char)c)
                                    ? "`%c` does not belong to the language"
                                    : "byte 0x%02x does not belong to the language",
                                (unsigned char)c);
    }
    l->at += t->span.n;
    return FORE_OK;
}

bool fore_lex_plain_name(const char *name)
{
    struct fore_lexer l = {.src = {"", name, strlen(name)}};
    struct fore_token t;
    return fore_lex_next(&l, &t, NULL) == FORE_OK && t.kind == FORE_T_NAME &&
           t.span.at == 0 && t.span.n == l.src.n;
}
