#include "node/workload.h"

#include "base/json.h"
#include "base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One row for each workload. In [invocations], N is replaced by the number of a node, round and
 * round; a line is written once for every client. */
static const struct row {
    const char *name, *object;
    const char *asks[8];
    const char *answers;
    const char *properties;
} rows[] = {
    {"echo",
     "echo",
     {"echo(1) -> N: Echo(value=1)", "echo(2) -> N: Echo(value=2)"},
     "echo: EchoOk(value)\n",
     ""},
    {"unique-ids",
     "ids",
     {"generate() -> N: Generate()", "generate() -> N: Generate()",
      "generate() -> N: Generate()"},
     "generate: GenerateOk(id)\n",
     ""},
    {"broadcast",
     "set",
     {"add(1) -> N: Broadcast(value=1)", "add(2) -> N: Broadcast(value=2)"},
     "add: BroadcastOk\n",
     "delivered: answered(add) leads-to every(complete)\n"},
    {"g-set",
     "set",
     {"add(1) -> N: AddElement(value=1)", "add(2) -> N: AddElement(value=2)"},
     "add: AddOk\n",
     "delivered: answered(add) leads-to every(complete)\n"},
    {"g-counter",
     "counter 0",
     {"add(1) -> N: Add(value=1)", "add(2) -> N: Add(value=2)"},
     "add: AddOk\n",
     "delivered: answered(add) leads-to every(complete)\n"},
    {"pn-counter",
     "counter 0",
     {"add(1) -> N: Add(value=1)", "add(2) -> N: Add(value=2)"},
     "add: AddOk\n",
     "delivered: answered(add) leads-to every(complete)\n"},
    {"lin-kv",
     "kv nil",
     {"write(0, 1) -> N: Write(key=0, value=1)", "read(0) -> N: Read(key=0)",
      "read(0) -> N: Read(key=0)"},
     "write: WriteOk\nread: ReadOk(value)\n",
     ""},
    {"lin-register",
     "register nil",
     {"write(1) -> N: Write(key=0, value=1)", "read() -> N: Read(key=0)",
      "then read() -> N: Read(key=0)"},
     "write: WriteOk\nread: ReadOk(value)\n",
     ""},
};

enum { ROWS = sizeof rows / sizeof *rows };

static const struct row *find_row(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

static const char *const times[] = {"real", "library", "go"}; /* as enum fore_node_time */

static void write_command(const struct fore_workload_want *want, struct fore_strbuf *out)
{
    fore_strbuf_puts(out, "#! run [");
    for (size_t i = 0; want->argv[i]; i++) {
        fore_strbuf_puts(out, i ? ", " : "");
        fore_strbuf_json(out, want->argv[i], strlen(want->argv[i]));
    }
    fore_strbuf_puts(out, "]\n");
    fore_strbuf_printf(out, "#! time %s\n", times[want->time]);
    if (want->preload)
        fore_strbuf_printf(out, "#! preload %s\n", want->preload);
    fore_strbuf_printf(out, "#! seed %llu\n", (unsigned long long)want->seed);
}

/* N becomes the number of a node, the next one for each client. */
static void write_asks(const struct row *r, unsigned nodes, struct fore_strbuf *out)
{
    for (unsigned i = 0; i < 8 && r->asks[i]; i++) {
        const char *n = strstr(r->asks[i], "-> N:");
        fore_strbuf_add(out, r->asks[i], (size_t)(n - r->asks[i]));
        fore_strbuf_printf(out, "-> %u:%s\n", i % nodes + 1, n + 5);
    }
}

static void write_agents(unsigned nodes, struct fore_strbuf *out)
{
    fore_strbuf_puts(out, "\n[agents]\n");
    for (unsigned i = 1; i <= nodes; i++)
        fore_strbuf_printf(out, "%s%u", i > 1 ? " " : "", i);
    fore_strbuf_puts(out, ": node\n");
}

/* One's own harness, as it is. */
static enum fore_status copy_harness(const char *file, struct fore_strbuf *out,
                                     struct fore_err *e)
{
    uint64_t line = 1, column = 1;
    FORE_TRY(fore_strbuf_read_file(out, file, e));
    for (size_t i = 0; i < out->n; i++, column++) {
        if (!out->at[i])
            return fore_fail_at(e, FORE_SYNTAX, file, line, column,
                                "a byte 0; a harness is a text");
        if (out->at[i] == '\n')
            line++, column = 0;
    }
    fore_strbuf_puts(out, out->n && out->at[out->n - 1] != '\n' ? "\n" : "");
    return FORE_OK;
}

enum fore_status fore_workload_write(const struct fore_workload_want *want,
                                     struct fore_strbuf *out, struct fore_err *e)
{
    const struct row *r = find_row(want->name);
    if (want->file) /* its lines keep their numbers: what is added comes behind them */
        FORE_TRY(copy_harness(want->file, out, e));
    fore_strbuf_printf(out, "#! workload %s\n", want->file ? "own" : want->name);
    write_command(want, out);
    if (want->file)
        return FORE_OK;
    if (!r) {
        fore_fail(e, FORE_USAGE, "--workload: there is no '%s': it is one of",
                  want->name);
        for (size_t i = 0; i < ROWS; i++)
            snprintf(e->msg + strlen(e->msg), sizeof e->msg - strlen(e->msg), "%s %s",
                     i ? "," : "", rows[i].name);
        return FORE_USAGE;
    }
    fore_strbuf_printf(out, "\n[specification]\n%s\n", r->object);
    write_agents(want->nodes, out);
    fore_strbuf_puts(out, "\n[invocations]\n");
    write_asks(r, want->nodes, out);
    fore_strbuf_printf(out, "\n[responses]\n%s", r->answers);
    if (r->properties[0])
        fore_strbuf_printf(out, "\n[properties]\n%s", r->properties);
    return FORE_OK;
}

/* Reading it back. */

static enum fore_status read_command(struct fore_workload *w, struct fore_arena *a,
                                     const char *file, uint64_t number, const char *text,
                                     struct fore_err *e)
{
    const struct fore_json *v = NULL;
    FORE_TRY(fore_json_read(a, file, text, strlen(text), &v, e));
    size_t n = 0;
    for (const struct fore_json *x = v->first; x; x = x->next)
        n++;
    if (v->kind != FORE_JSON_ARRAY || !n)
        return fore_fail_at(e, FORE_SYNTAX, file, number, 1,
                            "expected #! run [\"./node\", \"arguments\"]");
    char **argv = FORE_NEW_ARRAY(a, char *, n + 1);
    n = 0;
    for (const struct fore_json *x = v->first; x; x = x->next)
        argv[n++] = fore_arena_strdup(a, fore_json_text(x));
    argv[n] = NULL;
    w->argv = argv;
    return FORE_OK;
}

static enum fore_status read_time(struct fore_workload *w, const char *file,
                                  uint64_t number, const char *word, struct fore_err *e)
{
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++)
        if (!strcmp(word, times[i])) {
            w->time = (enum fore_node_time)i;
            return FORE_OK;
        }
    return fore_fail_at(e, FORE_SYNTAX, file, number, 9,
                        "expected #! time real, library or go");
}

static void read_workload(struct fore_workload *w, const char *name)
{
    w->topology = w->topology || !strcmp(name, "broadcast");
}

/* `write(1) -> 2: Write(key=0, value=1)`: who asks what, and what it brings. */
static void read_ask(struct fore_workload *w, struct fore_arena *a, const char *line)
{
    const char *arrow = strstr(line, "->"), *colon = arrow ? strchr(arrow, ':') : NULL;
    if (!colon || w->n_asked == 64)
        return;
    colon += strspn(colon, ": \t");
    const char *name = fore_arena_strndup(a, colon, strcspn(colon, "( \t"));
    const char *value = strstr(colon, "value=");
    bool brings = !strcmp(name, "Broadcast") || !strcmp(name, "AddElement"),
         adds = !strcmp(name, "Add");
    w->topology = w->topology || !strcmp(name, "Broadcast");
    w->asked[w->n_asked++] = name;
    w->sums = w->sums || adds;
    if (value && adds)
        w->sum += strtoll(value + 6, NULL, 10);
    if (value && brings)
        w->values[w->n_values++] = strtoll(value + 6, NULL, 10);
}

/* `1 2 3: node` */
static void read_agents(struct fore_workload *w, const char *line)
{
    for (char *end;; line = end) {
        unsigned long n = strtoul(line, &end, 10);
        if (end == line)
            return;
        w->nodes = n > w->nodes ? (unsigned)n : w->nodes;
    }
}

static enum fore_status read_line(struct fore_workload *w, struct fore_arena *a,
                                  const char *file, uint64_t number, const char *line,
                                  const char *section, struct fore_err *e)
{
    if (fore_begins_with(line, "#! run "))
        return read_command(w, a, file, number, line + 7, e);
    if (fore_begins_with(line, "#! preload "))
        w->preload = fore_arena_strdup(a, line + 11);
    else if (fore_begins_with(line, "#! time "))
        return read_time(w, file, number, line + 8, e);
    else if (fore_begins_with(line, "#! seed "))
        w->seed = strtoull(line + 8, NULL, 10);
    else if (fore_begins_with(line, "#! workload "))
        read_workload(w, line + 12);
    else if (*line != '#' && !strcmp(section, "[agents]"))
        read_agents(w, line);
    else if (*line != '#' && !strcmp(section, "[invocations]"))
        read_ask(w, a, line);
    return FORE_OK;
}

enum fore_status fore_workload_read(struct fore_workload *w, struct fore_arena *a,
                                    const char *file, const char *text,
                                    struct fore_err *e)
{
    char *copy = fore_arena_strdup(a, text), *at = copy;
    const char *section = "";
    *w = (struct fore_workload){0};
    for (uint64_t number = 1; at; number++) {
        char *nl = strchr(at, '\n');
        if (nl)
            *nl = 0;
        if (*at == '[')
            section = at;
        FORE_TRY(read_line(w, a, file, number, at, section, e));
        at = nl ? nl + 1 : NULL;
    }
    if (!w->argv)
        return fore_fail(e, FORE_MEANING,
                         "%s does not say how a node is started: no line #! run [...]",
                         file);
    if (w->nodes > FORE_NODES_MAX)
        return fore_fail(e, FORE_LIMIT, "%s: from 1 to %d nodes", file, FORE_NODES_MAX);
    return FORE_OK;
}
