#include "base/cxx_name.h"

#include <string.h>

static const char keyword[] = "operator";

static bool is_word(char c)
{
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* How long the name of the operator is that begins here, "operator<<" or "operator()"; 0: none does. Of "operator bool" it is that
 * of the word alone. */
static size_t operator_length(const char *full, const char *at)
{
    size_t n = sizeof keyword - 1;
    if (strncmp(at, keyword, n) != 0 || is_word(at[n]) || (at > full && is_word(at[-1])))
        return 0;
    if (!strncmp(at + n, "()", 2) || !strncmp(at + n, "[]", 2))
        return n + 2;
    return n + strspn(at + n, "<>=!+-*/%&|^~,");
}

/* Where the brackets that open here are closed again. */
static const char *end_of_brackets(const char *at, char open, char close)
{
    int depth = 0;
    for (; *at; at++) {
        depth += *at == open;
        depth -= *at == close && at[-1] != '-';
        if (!depth)
            return at + 1;
    }
    return at;
}

void fore_cxx_name(const char *full, struct fore_strbuf *out)
{
    static const char anonymous[] = "(anonymous ";
    size_t from = out->n; /* where the name itself begins, after the type of its result */
    bool converts = false;
    for (const char *at = full; *at;) {
        size_t n = operator_length(full, at);
        if (n) {
            fore_strbuf_add(out, at, n);
            at += n;
            converts =
                *at == ' ' &&
                at[1] != '<'; /* "operator bool": what follows is no type of a result */
        } else if (*at == '<') {
            at = end_of_brackets(at, '<', '>');
        } else if (*at == '{') { /* a lambda */
            const char *end = end_of_brackets(at, '{', '}');
            fore_strbuf_add(out, at, (size_t)(end - at));
            at = end;
        } else if (*at == '(') {
            const char *end = end_of_brackets(at, '(', ')');
            if (strncmp(at, anonymous, sizeof anonymous - 1) != 0 && *end != ':')
                break;
            fore_strbuf_add(out, at, (size_t)(end - at));
            at = end;
        } else if (!strncmp(at, " <", 2)) { /* of operators */
            at++;
        } else {
            fore_strbuf_putc(out, *at++);
            if (at[-1] == ' ' && !converts)
                from = out->n;
        }
    }
    if (!out->n)
        return;
    memmove(out->at, out->at + from, out->n - from + 1);
    out->n -= from;
}
