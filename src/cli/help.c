/* Help, man pages and completions, all from the tables of verbs and options. */
#include "cli/cli.h"

#include "base/version.h"

#include <string.h>

enum { OPTION = 30, WIDTH = 90 };

/* From column `at` on; further lines begin where the help of options does. */
static void write_wrapped(const char *text, size_t at, struct fore_strbuf *out)
{
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, " ");
        if (!first && at + 1 + n > WIDTH) {
            fore_strbuf_printf(out, "\n%*s", OPTION, "");
            at = OPTION;
        } else if (!first) {
            fore_strbuf_putc(out, ' ');
            at++;
        }
        fore_strbuf_add(out, text, n);
        at += n;
        text += n + (text[n] == ' ');
    }
    fore_strbuf_putc(out, '\n');
}

static void option_line(const struct fore_option *o, struct fore_strbuf *out)
{
    size_t from = out->n;
    if (o->letter)
        fore_strbuf_printf(out, "  -%c, --%s", o->letter, o->name);
    else
        fore_strbuf_printf(out, "      --%s", o->name);
    if (o->arg)
        fore_strbuf_printf(out, "%s%s", o->arg[0] == '[' ? "" : " ", o->arg);
    fore_strbuf_puts(out, "  ");
    fore_strbuf_pad(out, ' ', from + OPTION);
    write_wrapped(o->help, out->n - from, out);
}

/* The options that a verb takes; all that follows cc and c++ is the compiler's. */
static void tables_of(const struct fore_verb *v,
                      const struct fore_option *tables[FORE_MAX_TABLES])
{
    fore_verb_tables(v, tables);
    if (v->rest == FORE_REST_ALL)
        tables[0] = NULL;
}

static void write_indented(const char *text, struct fore_strbuf *out)
{
    while (text && *text) {
        size_t n = strcspn(text, "\n");
        fore_strbuf_puts(out, "  ");
        fore_strbuf_add(out, text, n);
        fore_strbuf_putc(out, '\n');
        text += n + (text[n] == '\n');
    }
}

/* What stands above a table of options; nothing above a further one of the analyses. */
static const char *heading_of(const struct fore_verb *v,
                              const struct fore_option *const *tables, size_t i)
{
    if (tables[i] == fore_common_options)
        return "\ncommon options:\n";
    if (tables[i] == fore_finding_options)
        return "\noptions about findings:\n";
    if (tables[i] == v->options)
        return "\noptions:\n";
    return i == (v->options ? 1 : 0) ? "\noptions of the analyses:\n" : "";
}

void fore_help_verb(const struct fore_verb *v, struct fore_strbuf *out)
{
    const struct fore_option *tables[FORE_MAX_TABLES];
    fore_strbuf_printf(out, "foresee %s %s\n\n  %s\n", v->name, v->usage, v->summary);
    if (v->details) {
        fore_strbuf_putc(out, '\n');
        write_indented(v->details, out);
    }
    if (v->examples) {
        fore_strbuf_puts(out, "\nexamples:\n");
        write_indented(v->examples, out);
    }
    tables_of(v, tables);
    for (size_t i = 0; tables[i]; i++) {
        fore_strbuf_puts(out, heading_of(v, tables, i));
        for (const struct fore_option *o = tables[i]; o->name; o++)
            option_line(o, out);
    }
}

void fore_help_all(struct fore_strbuf *out)
{
    fore_strbuf_puts(out,
                     "foresee finds the concurrency bug that a green run did not hit.\n\n"
                     "usage: foresee VERB [OPTION...] [ARGUMENT...]\n\n");
    for (size_t i = 0; fore_verbs[i]; i++) {
        const struct fore_verb *v = fore_verbs[i];
        fore_strbuf_printf(out, "  %-12s %s\n", v->name, v->summary);
    }
    fore_strbuf_puts(
        out, "\n"
             "  foresee demo                  a first look\n"
             "  foresee check run.trace       what else could have happened?\n"
             "  foresee help VERB             options and examples of a verb\n"
             "\n"
             "exit status: 0 nothing found, 1 findings, 2 error, 3 nothing found "
             "but a limit was reached;\n"
             "run and go exit with the program's own status if that is not 0; go exits "
             "with 66 for\nfindings, and with 0 if only a limit was reached\n");
}

/* troff takes a leading dot or quote, and every backslash and hyphen, as its own. */
static void write_troff(const char *s, struct fore_strbuf *out)
{
    for (bool start = true; *s; s++) {
        if (start && (*s == '.' || *s == '\''))
            fore_strbuf_puts(out, "\\&");
        if (*s == '\\')
            fore_strbuf_puts(out, "\\e");
        else if (*s == '-')
            fore_strbuf_puts(out, "\\-");
        else
            fore_strbuf_putc(out, *s);
        start = *s == '\n';
    }
}

static void man_options(const struct fore_option *o, struct fore_strbuf *out)
{
    for (; o->name; o++) {
        fore_strbuf_puts(out, ".TP\n.B ");
        if (o->letter)
            fore_strbuf_printf(out, "\\-%c, ", o->letter);
        fore_strbuf_puts(out, "\\-\\-");
        write_troff(o->name, out);
        fore_strbuf_printf(out, " %s\n", o->arg ? o->arg : "");
        write_troff(o->help, out);
        fore_strbuf_putc(out, '\n');
    }
}

static void man_title(const char *name, const char *summary, struct fore_strbuf *out)
{
    fore_strbuf_printf(out, ".TH %s 1 \"\" \"foresee %s\"\n.SH NAME\n", name,
                       FORE_VERSION);
    write_troff(name, out);
    fore_strbuf_puts(out, " \\- ");
    write_troff(summary, out);
}

static void man_verb(const struct fore_verb *v, struct fore_strbuf *out)
{
    const struct fore_option *tables[FORE_MAX_TABLES];
    char name[64];
    size_t n = strlen(v->name);
    memcpy(name, "foresee-", 8);
    memcpy(name + 8, v->name, n + 1);
    man_title(name, v->summary, out);
    fore_strbuf_printf(out, "\n.SH SYNOPSIS\n.B foresee %s\n", v->name);
    write_troff(v->usage, out);
    if (v->details) {
        fore_strbuf_puts(out, "\n.SH DESCRIPTION\n");
        write_troff(v->details, out);
    }
    fore_strbuf_putc(out, '\n');
    tables_of(v, tables);
    if (tables[0])
        fore_strbuf_puts(out, ".SH OPTIONS\n");
    for (size_t i = 0; tables[i]; i++)
        man_options(tables[i], out);
    if (v->examples) {
        fore_strbuf_puts(out, ".SH EXAMPLES\n.nf\n");
        write_troff(v->examples, out);
        fore_strbuf_puts(out, "\n.fi\n");
    }
    fore_strbuf_puts(out, ".SH SEE ALSO\n.BR foresee (1)\n");
}

static const char *const environment[][2] = {
    {"FORESEE", "settings of foresee go, like exitcode=1 linger_ms=20 log_path=F"},
    {"FORESEE_CACHE",
     "the folder for what foresee go builds once, instead of ~/.cache/foresee"},
    {"FORESEE_CLANG", "the clang that foresee cc and foresee c++ run"},
    {"FORESEE_CONFIRM",
     "what \\-\\-confirm is without the option: auto, always or never"},
    {"FORESEE_DIR", "the folder for findings, instead of .foresee"},
    {"FORESEE_GDB, FORESEE_DLV", "the debuggers that foresee replay runs"},
    {"FORESEE_GO", "the go command that foresee go runs"},
    {"FORESEE_PATH", "folders in which foresee explore looks for systems"},
    {"FORESEE_ROOT", "the folder below which source lines are read"},
    {"FORESEE_SPEC", "the specification whose variables foresee cc records"},
    {"NO_COLOR", "no colours"},
    {NULL, NULL},
};

void fore_help_man(const struct fore_verb *v, struct fore_strbuf *out)
{
    if (v) {
        man_verb(v, out);
        return;
    }
    man_title("foresee", "find the concurrency bug that a green run did not hit", out);
    fore_strbuf_puts(out, "\n.SH SYNOPSIS\n.B foresee\nVERB [OPTION...] [ARGUMENT...]\n"
                          ".SH VERBS\n");
    for (size_t i = 0; fore_verbs[i]; i++) {
        fore_strbuf_puts(out, ".TP\n.B ");
        write_troff(fore_verbs[i]->name, out);
        fore_strbuf_putc(out, '\n');
        write_troff(fore_verbs[i]->summary, out);
        fore_strbuf_putc(out, '\n');
    }
    fore_strbuf_puts(
        out,
        ".SH EXIT STATUS\n0 nothing at or above \\-\\-fail\\-on; 1 findings; "
        "2 error; 3 nothing found but a limit was reached; 128 + n ended by signal n "
        "(130: interrupted).\n.SH ENVIRONMENT\n");
    for (size_t i = 0; environment[i][0]; i++)
        fore_strbuf_printf(out, ".TP\n.B %s\n%s\n", environment[i][0], environment[i][1]);
    fore_strbuf_puts(
        out, ".SH SEE ALSO\nA page for each verb, as in\n.BR foresee\\-check (1);\n"
             "of the files:\n.BR foresee\\-findings (5),\n.BR foresee\\-fsr (5),\n"
             ".BR foresee\\-fst (5),\n.BR foresee\\-harness (5),\n"
             ".BR foresee\\-history (5),\n.BR foresee\\-schedule (5),\n"
             ".BR foresee\\-spec (5),\n.BR foresee\\-std (5),\n.BR foresee\\-trace (5),\n"
             ".BR foresee\\-txn (5);\nand\n.BR foresee\\-csp (3)\n");
}

static void verb_names(struct fore_strbuf *out)
{
    for (size_t i = 0; fore_verbs[i]; i++)
        fore_strbuf_printf(out, "%s%s", i ? " " : "", fore_verbs[i]->name);
}

static void format_names(struct fore_strbuf *out)
{
    for (const struct fore_reporter *r = fore_reporters; r->name; r++)
        fore_strbuf_printf(out, "%s%s", r == fore_reporters ? "" : " ", r->name);
}

/* What the first word behind a verb may be. */
static void first_words(const struct fore_verb *v, struct fore_strbuf *out)
{
    if (strcmp(v->name, "help") == 0)
        verb_names(out);
    else if (v->words)
        fore_strbuf_puts(out, v->words);
}

static void bash_verb(const struct fore_verb *v, struct fore_strbuf *out)
{
    const struct fore_option *tables[FORE_MAX_TABLES];
    tables_of(v, tables);
    fore_strbuf_printf(out, "  %s) options=\"", v->name);
    for (size_t t = 0; tables[t]; t++)
        for (const struct fore_option *o = tables[t]; o->name; o++)
            fore_strbuf_printf(out, "--%s ", o->name);
    fore_strbuf_puts(out, "\" words=\"");
    first_words(v, out);
    fore_strbuf_puts(out, "\" ;;\n");
}

static void bash_completion(struct fore_strbuf *out)
{
    fore_strbuf_puts(out, "_foresee() {\n  local cur=${COMP_WORDS[COMP_CWORD]}\n"
                          "  local options='' words=''\n"
                          "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
                          "    COMPREPLY=($(compgen -W \"");
    verb_names(out);
    fore_strbuf_puts(out, "\" -- \"$cur\")); return\n  fi\n"
                          "  case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; fore_verbs[i]; i++)
        bash_verb(fore_verbs[i], out);
    fore_strbuf_puts(out,
                     "  esac\n  case ${COMP_WORDS[1]}:$COMP_CWORD:${COMP_WORDS[2]} in\n"
                     "  show:2:*|replay:2:*|baseline:3:add)\n"
                     "    words=$(foresee completion words findings 2>/dev/null) ;;\n"
                     "  explore:2:*) words=$(foresee completion words systems "
                     "2>/dev/null) ;;\n  esac\n"
                     "  if [ \"${COMP_WORDS[COMP_CWORD-1]}\" = --format ]; then\n"
                     "    COMPREPLY=($(compgen -W \"");
    format_names(out);
    fore_strbuf_puts(out, "\" -- \"$cur\")); return\n  fi\n");
    fore_strbuf_puts(out, "  case $cur in\n"
                          "  -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
                          "  *) if [ \"$COMP_CWORD\" -le 3 ] && [ -n \"$words\" ]; then\n"
                          "       COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                          "     else\n"
                          "       COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                          "     fi ;;\n  esac\n"
                          "}\ncomplete -o filenames -F _foresee foresee\n");
}

static void zsh_completion(struct fore_strbuf *out)
{
    fore_strbuf_puts(out,
                     "#compdef foresee\nautoload -U +X bashcompinit && bashcompinit\n");
    bash_completion(out);
}

/* Inside single quotes fish knows only \' and \\. */
static void fish_quote(const char *s, struct fore_strbuf *out)
{
    fore_strbuf_putc(out, '\'');
    for (; *s; s++) {
        if (*s == '\'' || *s == '\\')
            fore_strbuf_putc(out, '\\');
        fore_strbuf_putc(out, *s);
    }
    fore_strbuf_putc(out, '\'');
}

/* Words that only the program knows when it is asked. */
static const char *asked_words(const char *verb)
{
    if (strcmp(verb, "explore") == 0)
        return "systems";
    return strcmp(verb, "show") == 0 || strcmp(verb, "replay") == 0 ||
                   strcmp(verb, "baseline") == 0
               ? "findings"
               : NULL;
}

static void fish_words(const struct fore_verb *v, struct fore_strbuf *out)
{
    if (asked_words(v->name))
        fore_strbuf_printf(out,
                           "complete -c foresee -n '__fish_seen_subcommand_from %s' "
                           "-a '(foresee completion words %s)'\n",
                           v->name, asked_words(v->name));
    struct fore_strbuf words = FORE_STRBUF_INIT;
    first_words(v, &words);
    if (words.n)
        fore_strbuf_printf(
            out, "complete -c foresee -n '__fish_seen_subcommand_from %s' -a '%s'\n",
            v->name, words.at);
    fore_strbuf_release(&words);
}

static void fish_completion(struct fore_strbuf *out)
{
    for (size_t i = 0; fore_verbs[i]; i++) {
        const struct fore_verb *v = fore_verbs[i];
        const struct fore_option *tables[FORE_MAX_TABLES];
        fore_strbuf_printf(out, "complete -c foresee -n __fish_use_subcommand -a %s -d ",
                           v->name);
        fish_quote(v->summary, out);
        fore_strbuf_putc(out, '\n');
        tables_of(v, tables);
        fish_words(v, out);
        for (size_t t = 0; tables[t]; t++)
            for (const struct fore_option *o = tables[t]; o->name; o++) {
                fore_strbuf_printf(
                    out,
                    "complete -c foresee -n '__fish_seen_subcommand_from %s' "
                    "-l %s -d ",
                    v->name, o->name);
                fish_quote(o->help, out);
                if (strcmp(o->name, "format") == 0) {
                    fore_strbuf_puts(out, " -x -a '");
                    format_names(out);
                    fore_strbuf_putc(out, '\'');
                }
                fore_strbuf_putc(out, '\n');
            }
    }
}

enum fore_status fore_help_completion(const char *shell, struct fore_strbuf *out,
                                      struct fore_err *e)
{
    static const struct {
        const char *name;
        void (*write)(struct fore_strbuf *out);
    } shells[] = {
        {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].write(out);
            return FORE_OK;
        }
    return fore_fail(e, FORE_USAGE, "completion takes bash, zsh or fish, not '%s'",
                     shell);
}
