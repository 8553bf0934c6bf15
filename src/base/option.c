#include "base/option.h"

#include "base/strbuf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void fore_params_release(struct fore_params *p)
{
    fore_vec_release(&p->set);
}

void fore_params_set(struct fore_params *p, const char *name, const char *value)
{
    fore_vec_push(&p->set, (struct fore_param){name, value});
}

static const struct fore_option *find_option(const struct fore_option *const *tables,
                                             const char *name, size_t n, char letter)
{
    for (; *tables; tables++)
        for (const struct fore_option *o = *tables; o->name; o++)
            if (letter ? o->letter == letter
                       : strlen(o->name) == n && memcmp(o->name, name, n) == 0)
                return o;
    return NULL;
}

static enum fore_status refuse_unknown(const struct fore_option *const *tables,
                                       const char *word, size_t n, struct fore_err *e)
{
    FORE_VEC(const char *) names = {0};
    char name[64];
    for (; *tables; tables++)
        for (const struct fore_option *o = *tables; o->name; o++)
            fore_vec_push(&names, o->name);
    n = n < sizeof name ? n : sizeof name - 1;
    memcpy(name, word, n);
    name[n] = '\0';
    const char *near = fore_nearest(name, names.at, names.n);
    fore_vec_release(&names);
    return fore_fail(e, FORE_USAGE, "unknown option --%s%s%s%s", name,
                     near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
}

struct option_parser {
    struct fore_params *params;
    const struct fore_option *const *tables;
    char **argv;
    int argc, i;
    struct fore_err *err;
};

static enum fore_status take_option(struct option_parser *p, const struct fore_option *o,
                                    const char *attached)
{
    if (!o->arg && attached)
        return fore_fail(p->err, FORE_USAGE, "--%s takes no argument", o->name);
    if (o->arg && o->arg[0] == '[' && !attached)
        attached = "";
    if (o->arg && !attached) {
        if (p->i + 1 >= p->argc)
            return fore_fail(p->err, FORE_USAGE, "--%s needs an argument: --%s %s",
                             o->name, o->name, o->arg);
        attached = p->argv[++p->i];
    }
    fore_params_set(p->params, o->name, o->arg ? attached : "");
    return FORE_OK;
}

static enum fore_status long_option(struct option_parser *p, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t n = equals ? (size_t)(equals - word) : strlen(word);
    const struct fore_option *o = find_option(p->tables, word, n, 0);
    return o ? take_option(p, o, equals ? equals + 1 : NULL)
             : refuse_unknown(p->tables, word, n, p->err);
}

/* -v, -qv, -o F, -oF, -j4 */
static enum fore_status read_letters(struct option_parser *p, const char *word)
{
    for (; *word; word++) {
        const struct fore_option *o = find_option(p->tables, NULL, 0, *word);
        if (!o)
            return fore_fail(p->err, FORE_USAGE, "unknown option -%c", *word);
        if (o->arg)
            return take_option(p, o, word[1] ? word + 1 : NULL);
        FORE_TRY(take_option(p, o, NULL));
    }
    return FORE_OK;
}

/* Does a go command begin here, whose flags belong to go? */
static bool begins_go(const struct option_parser *p)
{
    char **w = p->argv + p->i;
    return p->i + 1 < p->argc && !strcmp(w[0], "go") &&
           (!strcmp(w[1], "test") || !strcmp(w[1], "run"));
}

enum fore_status fore_params_parse(struct fore_params *params, struct fore_words *words,
                                   const struct fore_option *const *tables,
                                   enum fore_option_rest rest, int argc, char **argv,
                                   struct fore_err *e)
{
    struct option_parser p = {params, tables, argv, argc, 0, e};
    bool options = rest != FORE_REST_ALL || (argc == 1 && strcmp(argv[0], "--help") == 0);
    for (; p.i < argc; p.i++) {
        const char *w = argv[p.i];
        bool go = options && rest == FORE_REST_GO && begins_go(&p);
        if (go || (options && strcmp(w, "--") == 0)) {
            options = false;
            words->dashed = true;
            words->behind = words->v.n;
            p.i -= go;
        } else if (options && w[0] == '-' && w[1] == '-') {
            FORE_TRY(long_option(&p, w + 2));
        } else if (options && w[0] == '-' && w[1]) {
            FORE_TRY(read_letters(&p, w + 1));
        } else {
            options = options && rest <= FORE_REST_GO;
            fore_vec_push(&words->v, w);
        }
    }
    return FORE_OK;
}

static const struct fore_param *lookup(const struct fore_params *p, const char *name)
{
    for (size_t i = p->set.n; i-- > 0;)
        if (strcmp(p->set.at[i].name, name) == 0)
            return &p->set.at[i];
    return NULL;
}

bool fore_params_has(const struct fore_params *p, const char *name)
{
    return lookup(p, name) != NULL;
}

const char *fore_params_text(const struct fore_params *p, const char *name,
                             const char *otherwise)
{
    const struct fore_param *o = lookup(p, name);
    return o ? o->value : otherwise;
}

enum fore_status fore_params_u64(const struct fore_params *p, const char *name,
                                 uint64_t otherwise, uint64_t *out, struct fore_err *e)
{
    const char *text = fore_params_text(p, name, NULL);
    char *end;
    *out = otherwise;
    if (!text)
        return FORE_OK;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (errno || end == text || *end || text[0] < '0' || text[0] > '9')
        return fore_fail(e, FORE_USAGE, "--%s takes a whole number, not '%s'", name,
                         text);
    *out = v;
    return FORE_OK;
}

enum fore_status fore_params_double(const struct fore_params *p, const char *name,
                                    double otherwise, double *out, struct fore_err *e)
{
    const char *text = fore_params_text(p, name, NULL);
    char *end;
    *out = otherwise;
    if (!text)
        return FORE_OK;
    double v = strtod(text, &end);
    if (end == text || *end || !(v >= 0))
        return fore_fail(e, FORE_USAGE, "--%s takes a number, not '%s'", name, text);
    *out = v;
    return FORE_OK;
}

/* "a|b|c" in words: a, b or c. */
static enum fore_status refuse_choice(const char *name, const char *choices,
                                      const char *text, struct fore_err *e)
{
    struct fore_strbuf words = FORE_STRBUF_INIT;
    for (const char *c = choices; *c;) {
        size_t n = strcspn(c, "|");
        bool last = !c[n];
        fore_strbuf_puts(&words, c == choices ? "" : last ? " or " : ", ");
        fore_strbuf_add(&words, c, n);
        c += n + !last;
    }
    enum fore_status s =
        fore_fail(e, FORE_USAGE, "--%s takes %s, not '%s'", name, words.at, text);
    fore_strbuf_release(&words);
    return s;
}

enum fore_status fore_params_choice(const struct fore_params *p, const char *name,
                                    const char *choices, unsigned otherwise,
                                    unsigned *out, struct fore_err *e)
{
    const char *text = fore_params_text(p, name, NULL), *c = choices;
    *out = otherwise;
    if (!text)
        return FORE_OK;
    for (unsigned i = 0;; i++) {
        size_t n = strcspn(c, "|");
        if (strlen(text) == n && memcmp(text, c, n) == 0) {
            *out = i;
            return FORE_OK;
        }
        if (!c[n])
            break;
        c += n + 1;
    }
    return refuse_choice(name, choices, text, e);
}

bool fore_list_has(const char *list, const char *word)
{
    size_t want = strlen(word);
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n == want && memcmp(list, word, n) == 0)
            return true;
        list += n + (list[n] == ',');
    }
    return false;
}

/* Levenshtein's distance, cut off by the buffer's width: names are short. */
static size_t distance(const char *a, const char *b)
{
    enum { MAX = 64 };
    size_t n = strlen(a), m = strlen(b), row[MAX + 1];
    if (n >= MAX || m >= MAX)
        return MAX;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            row[j] = change < least ? change : least;
        }
    }
    return row[m];
}

const char *fore_nearest(const char *word, const char *const *candidates, size_t n)
{
    size_t best = strlen(word) / 3 + 2;
    const char *found = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t d = distance(word, candidates[i]);
        if (d < best && 2 * d <= strlen(word)) { /* half of it is right */
            best = d;
            found = candidates[i];
        }
    }
    return found;
}
