#include "cli/cc.h"

#include "base/path.h"
#include "base/strbuf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16 }; /* response files that name others */

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* ---- response files: @FILE stands for the words in it ---- */

/* One word, as a shell reads it but for expansions; NULL at the end. */
static char *next_word(struct fore_cc *j, const char **at)
{
    struct fore_strbuf word = FORE_STRBUF_INIT;
    const char *s = *at;
    char quote = 0;
    while (isspace((unsigned char)*s))
        s++;
    bool any = *s != 0;
    for (; *s && (quote || !isspace((unsigned char)*s)); s++) {
        if (*s == '\\' && quote != '\'' && s[1])
            fore_strbuf_putc(&word, *++s);
        else if (quote ? *s == quote : *s == '"' || *s == '\'')
            quote = quote ? 0 : *s;
        else
            fore_strbuf_putc(&word, *s);
    }
    *at = s;
    char *copy =
        any ? fore_arena_strndup(&j->arena, word.n ? word.at : "", word.n) : NULL;
    fore_strbuf_release(&word);
    return copy;
}

/* A response file that does not exist is a word like any other, as for clang. */
static void add_word(struct fore_cc *j, const char *word, int depth)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_err unread = {0};
    if (word[0] != '@' || depth == DEEPEST ||
        fore_strbuf_read_file(&text, word + 1, &unread) != FORE_OK) {
        fore_vec_push(&j->words, fore_arena_strdup(&j->arena, word));
    } else {
        const char *at = text.n ? text.at : "";
        for (char *w; (w = next_word(j, &at));)
            add_word(j, w, depth + 1);
    }
    fore_strbuf_release(&text);
}

/* ---- what a word is ---- */

static bool takes_value(const char *a)
{
    static const char *const list[] = {"-I",
                                       "-D",
                                       "-U",
                                       "-L",
                                       "-l",
                                       "-T",
                                       "-u",
                                       "-z",
                                       "-e",
                                       "-B",
                                       "-F",
                                       "-G",
                                       "-A",
                                       "-include",
                                       "-imacros",
                                       "-include-pch",
                                       "-isystem",
                                       "-iquote",
                                       "-idirafter",
                                       "-isysroot",
                                       "-iprefix",
                                       "-iwithprefix",
                                       "-ivfsoverlay",
                                       "-iwithprefixbefore",
                                       "--sysroot",
                                       "-target",
                                       "-Xclang",
                                       "-Xlinker",
                                       "-Xassembler",
                                       "-Xpreprocessor",
                                       "-Xanalyzer",
                                       "-mllvm",
                                       "--param",
                                       "-framework",
                                       "-arch",
                                       "-rpath",
                                       "-wrapper",
                                       "-working-directory",
                                       "--serialize-diagnostics",
                                       NULL};
    return is_one_of(a, list);
}

static bool is_plain(const char *a)
{
    static const char *const list[] = {"-E",
                                       "-M",
                                       "-MM",
                                       "-###",
                                       "--version",
                                       "--help",
                                       "-help",
                                       "-emit-llvm",
                                       "-dumpversion",
                                       "-dumpmachine",
                                       "-fsyntax-only",
                                       "--analyze",
                                       "-emit-ast",
                                       "--precompile",
                                       NULL};
    return is_one_of(a, list) || fore_begins_with(a, "-print-") ||
           fore_begins_with(a, "--print-") || fore_begins_with(a, "--help-");
}

static bool ends_in(const char *a, const char *const *endings)
{
    const char *dot = strrchr(a, '.');
    return dot && is_one_of(dot + 1, endings);
}

static enum fore_cc_role input_role(struct fore_cc *j, const char *a)
{
    static const char *const sources[] = {"c",   "i", "cc",  "cp", "cpp", "cxx",
                                          "c++", "C", "CPP", "ii", NULL};
    static const char *const assembler[] = {"s", "S", "sx", NULL};
    static const char *const headers[] = {"h", "hh", "hpp", "hxx", "H", "h++", NULL};
    static const char *const languages[] = {"c", "c++", "cpp-output", "c++-cpp-output",
                                            NULL};
    const char *x = j->language;
    if (x && is_one_of(x, languages))
        return FORE_CC_SOURCE;
    if (x && fore_begins_with(x, "assembler"))
        return FORE_CC_ASSEMBLER;
    if ((x && strstr(x, "header")) || (!x && ends_in(a, headers))) {
        j->mode = FORE_CC_PLAIN;
        j->header = true;
        return FORE_CC_INPUT;
    }
    if (x || strcmp(a, "-") == 0)
        return FORE_CC_INPUT;
    return ends_in(a, sources)     ? FORE_CC_SOURCE
           : ends_in(a, assembler) ? FORE_CC_ASSEMBLER
                                   : FORE_CC_INPUT;
}

static void add_argument(struct fore_cc *j, const char *text, enum fore_cc_role role)
{
    bool source = role == FORE_CC_SOURCE || role == FORE_CC_ASSEMBLER;
    struct fore_cc_arg a = {text, role, source ? j->language : NULL};
    fore_vec_push(&j->args, a);
    j->sources += source;
    j->inputs += role == FORE_CC_INPUT;
}

/* ---- options ---- */

/* An option whose value may follow it at once or as the next word. */
static const char *value_of(const struct fore_cc *j, size_t *i, const char *name)
{
    const char *a = j->words.at[*i];
    size_t n = strlen(name);
    if (a[n])
        return a + n;
    return *i + 1 < j->words.n ? j->words.at[++*i] : "";
}

static void add_depends(struct fore_cc *j, size_t *i)
{
    const char *a = j->words.at[*i];
    j->depends |= strcmp(a, "-MD") == 0 || strcmp(a, "-MMD") == 0;
    add_argument(j, a, FORE_CC_DEPENDS);
    if (!a[2] || !strchr("FTQJ", a[2]))
        return;
    j->depends_file |= a[2] == 'F';
    j->depends_target |= a[2] == 'T' || a[2] == 'Q';
    if (!a[3] && *i + 1 < j->words.n)
        add_argument(j, j->words.at[++*i], FORE_CC_DEPENDS);
}

/* -Wp,-MD,FILE: older makefiles write that for -MD -MF FILE. */
static bool is_old_depends(struct fore_cc *j, const char *a)
{
    bool all = fore_begins_with(a, "-Wp,-MD,"), own = fore_begins_with(a, "-Wp,-MMD,");
    if (!all && !own)
        return false;
    j->depends = j->depends_file = true;
    add_argument(j, all ? "-MD" : "-MMD", FORE_CC_DEPENDS);
    add_argument(j, "-MF", FORE_CC_DEPENDS);
    add_argument(j, strchr(a + 4, ',') + 1, FORE_CC_DEPENDS);
    return true;
}

static void set_mode(struct fore_cc *j, const char *a)
{
    if (j->mode == FORE_CC_PLAIN)
        return;
    j->mode =
        a[1] == 'c' && j->mode != FORE_CC_ASSEMBLY ? FORE_CC_OBJECT : FORE_CC_ASSEMBLY;
}

static bool is_without_plugins(const char *a)
{
    static const char *const list[] = {
        "-flegacy-pass-manager", "-fno-experimental-new-pass-manager",
        "-disable-llvm-passes", "-disable-llvm-optzns", NULL};
    return is_one_of(a, list);
}

static void take_rest(struct fore_cc *j, size_t *i)
{
    const char *a = j->words.at[*i];
    bool links = fore_begins_with(a, "-l") || fore_begins_with(a, "-Wl,");
    j->shared |= strcmp(a, "-shared") == 0;
    j->partial |= strcmp(a, "-r") == 0;
    j->is_static |= strcmp(a, "-static") == 0 || strcmp(a, "-static-pie") == 0;
    if (fore_begins_with(a, "-g"))
        j->debug = strcmp(a, "-g0") != 0;
    if (fore_begins_with(a, "-O"))
        j->optimised = strcmp(a, "-O0") != 0;
    j->sanitized |= fore_begins_with(a, "-fsanitize=") &&
                    !fore_begins_with(a, "-fsanitize=undefined");
    j->has_asan |= fore_begins_with(a, "-fsanitize=") && strstr(a, "address");
    add_argument(j, a, links ? FORE_CC_INPUT : FORE_CC_OPTION);
    if (takes_value(a) && *i + 1 < j->words.n)
        add_argument(j, j->words.at[++*i], links ? FORE_CC_INPUT : FORE_CC_OPTION);
}

static void take_option(struct fore_cc *j, size_t *i)
{
    const char *a = j->words.at[*i];
    if (is_plain(a)) {
        j->mode = FORE_CC_PLAIN;
        add_argument(j, a, FORE_CC_OPTION);
    } else if (strcmp(a, "-c") == 0 || strcmp(a, "-S") == 0) {
        set_mode(j, a);
    } else if (fore_begins_with(a, "-o") && !fore_begins_with(a, "-objc")) {
        j->output = value_of(j, i, "-o");
    } else if (fore_begins_with(a, "-x")) {
        j->language = value_of(j, i, "-x");
        if (strcmp(j->language, "none") == 0)
            j->language = NULL;
    } else if (a[1] == 'M') {
        add_depends(j, i);
    } else if (!is_old_depends(j, a)) {
        take_rest(j, i);
    }
}

/* The words without --foresee-spec F, which is returned; or FORESEE_SPEC. */
static const char *take_words(struct fore_cc *j)
{
    static const char own[] = "--foresee-spec";
    const struct fore_words *given = &j->cli->words;
    const char *spec = getenv("FORESEE_SPEC");
    size_t n = 0;
    for (size_t i = 0; i < given->v.n; i++)
        add_word(j, given->v.at[i], 0);
    for (size_t i = 0; i < j->words.n; i++) {
        const char *a = j->words.at[i];
        if (strcmp(a, own) == 0)
            spec = i + 1 < j->words.n ? j->words.at[++i] : "";
        else if (fore_begins_with(a, own) && a[sizeof own - 1] == '=')
            spec = a + sizeof own;
        else
            j->words.at[n++] = j->words.at[i];
    }
    j->words.n = n;
    return spec;
}

enum fore_status fore_cc_arguments(struct fore_cc *j, struct fore_err *e)
{
    const char *spec = take_words(j);
    for (size_t i = 0; i < j->words.n; i++)
        j->unplugged |= is_without_plugins(j->words.at[i]);
    for (size_t i = 0; i < j->words.n; i++) {
        const char *a = j->words.at[i];
        if (a[0] == '-' && a[1])
            take_option(j, &i);
        else
            add_argument(j, a, input_role(j, a));
    }
    if (!spec || !*spec)
        return FORE_OK;
    j->with_spec = true;
    return fore_spec_load(&j->spec, spec, e);
}

void fore_cc_release(struct fore_cc *j)
{
    if (j->with_spec)
        fore_spec_release(&j->spec);
    fore_vec_release(&j->words);
    fore_vec_release(&j->args);
    fore_arena_release(&j->arena);
}
