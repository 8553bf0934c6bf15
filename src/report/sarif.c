/* SARIF 2.1.0, as code-scanning services take it: rules with help, one threadFlow per thread
 * with executionOrder for the witness, other partners as relatedLocations, and a fingerprint
 * that survives edits elsewhere. GitHub keeps 5,000 results and 1,000 flow steps. */
#include "report/report.h"

#include "base/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RESULTS = 5000, MAX_STEPS = 1000, MAX_RELATED = 100 };

/* "dir/a.go:4:2" -> its parts; without a line, file alone. */
struct location {
    char file[1024];
    unsigned long line, column;
};

static struct location split_location(const char *text)
{
    struct location l = {.file = ""};
    unsigned long number[2] = {0, 0};
    size_t n = strlen(text), count = 0, end = n;
    while (count < 2) {
        size_t i = end;
        while (i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9')
            i--;
        if (i == end || i == 0 || text[i - 1] != ':')
            break;
        number[count++] = strtoul(text + i, NULL, 10);
        end = i - 1;
    }
    end = end < sizeof l.file ? end : sizeof l.file - 1;
    memcpy(l.file, text, end);
    l.line = count ? number[count - 1] : 0;
    l.column = count == 2 ? number[0] : 0;
    return l;
}

/* A path becomes a URI reference: everything but unreserved characters is escaped. */
static void write_uri(const char *path, struct fore_strbuf *out)
{
    static const char keep[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789-._~/";
    if (path[0] == '/')
        fore_strbuf_puts(out, "file://");
    for (; *path; path++) {
        if (strchr(keep, *path))
            fore_strbuf_putc(out, *path);
        else
            fore_strbuf_printf(out, "%%%02X", (unsigned char)*path);
    }
}

static void write_message(struct fore_jsonw *w, const char *text)
{
    fore_jsonw_open(w, "message", '{');
    fore_jsonw_text(w, "text", text);
    fore_jsonw_close(w, '}');
}

static void write_physical(struct fore_jsonw *w, const char *where)
{
    struct location l = split_location(where);
    struct fore_strbuf name = FORE_STRBUF_INIT;
    if (!l.file[0])
        return;
    write_uri(l.file, &name);
    fore_jsonw_open(w, "physicalLocation", '{');
    fore_jsonw_open(w, "artifactLocation", '{');
    fore_jsonw_text(w, "uri", name.at);
    fore_jsonw_close(w, '}');
    if (l.line) {
        fore_jsonw_open(w, "region", '{');
        fore_jsonw_u64(w, "startLine", l.line);
        if (l.column)
            fore_jsonw_u64(w, "startColumn", l.column);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, '}');
    fore_strbuf_release(&name);
}

static void write_logical(struct fore_jsonw *w, const char *thread, const char *function)
{
    fore_jsonw_open(w, "logicalLocations", '[');
    fore_jsonw_open(w, NULL, '{');
    fore_jsonw_text(w, "name", function[0] ? function : thread);
    fore_jsonw_text(w, "kind", function[0] ? "function" : "object");
    fore_jsonw_close(w, '}');
    fore_jsonw_close(w, ']');
}

static void write_place(struct fore_jsonw *w, const struct fore_place *p, const char *id)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_strbuf_printf(&text, "%s: %s in thread %s", p->role, p->event, p->thread);
    fore_jsonw_open(w, NULL, '{');
    if (id)
        fore_jsonw_raw(w, "id", id);
    write_physical(w, p->location);
    write_logical(w, p->thread, p->function);
    write_message(w, text.at);
    fore_jsonw_close(w, '}');
    fore_strbuf_release(&text);
}

static void write_step(struct fore_jsonw *w, const struct fore_step *s, size_t order)
{
    fore_jsonw_open(w, NULL, '{');
    fore_jsonw_u64(w, "executionOrder", order);
    fore_jsonw_open(w, "location", '{');
    write_physical(w, s->location);
    write_logical(w, s->thread, "");
    write_message(w, s->event);
    fore_jsonw_close(w, '}');
    fore_jsonw_text(w, "importance",
                    s->note[0]      ? "essential"
                    : s->irrelevant ? "unimportant"
                                    : "important");
    fore_jsonw_close(w, '}');
}

static bool is_kept_step(const struct fore_finding *x, size_t i, size_t relevant)
{
    return relevant <= MAX_STEPS
               ? !x->witness.at[i].irrelevant || x->witness.n <= MAX_STEPS
               : !x->witness.at[i].irrelevant && i >= x->witness.n - MAX_STEPS;
}

/* One threadFlow per thread, in the order in which they first act. */
static void write_flows(struct fore_jsonw *w, const struct fore_finding *x)
{
    size_t relevant = 0;
    for (size_t i = 0; i < x->witness.n; i++)
        relevant += !x->witness.at[i].irrelevant;
    if (!relevant)
        return;
    fore_jsonw_open(w, "codeFlows", '[');
    fore_jsonw_open(w, NULL, '{');
    write_message(w, "the witness run");
    fore_jsonw_open(w, "threadFlows", '[');
    for (size_t i = 0; i < x->witness.n; i++) {
        const char *thread = x->witness.at[i].thread;
        bool first = is_kept_step(x, i, relevant);
        for (size_t k = 0; k < i && first; k++)
            first = !is_kept_step(x, k, relevant) ||
                    strcmp(x->witness.at[k].thread, thread) != 0;
        if (!first)
            continue;
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "id", thread);
        fore_jsonw_open(w, "locations", '[');
        for (size_t k = i; k < x->witness.n; k++)
            if (is_kept_step(x, k, relevant) &&
                strcmp(x->witness.at[k].thread, thread) == 0)
                write_step(w, &x->witness.at[k], k + 1);
        fore_jsonw_close(w, ']');
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
    fore_jsonw_close(w, '}');
    fore_jsonw_close(w, ']');
}

static void write_related(struct fore_jsonw *w, const struct fore_finding *x)
{
    if (x->places.n < 2)
        return;
    fore_jsonw_open(w, "relatedLocations", '[');
    for (size_t i = 1; i < x->places.n && i <= MAX_RELATED; i++) {
        char id[24];
        snprintf(id, sizeof id, "%zu", i);
        write_place(w, &x->places.at[i], id);
    }
    fore_jsonw_close(w, ']');
}

static void write_properties(struct fore_jsonw *w, const struct fore_finding *x)
{
    fore_jsonw_open(w, "properties", '{');
    fore_jsonw_text(w, "verdict", fore_verdict_name(x->verdict));
    fore_jsonw_bool(w, "exhausted", x->completeness.exhausted);
    fore_jsonw_u64(w, "count", x->count);
    fore_jsonw_close(w, '}');
}

static void write_result(struct fore_jsonw *w, const struct fore_finding *x)
{
    char id[17];
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_finding_id_text(x->id, id);
    fore_report_unnumbered(x->message, &text);
    fore_strbuf_printf(&text, " (%s)", fore_verdict_name(x->verdict));
    if (x->test[0])
        fore_strbuf_printf(&text, ", in %s", x->test);
    if (x->explanation[0])
        fore_strbuf_printf(&text, ". %s", x->explanation);
    fore_jsonw_open(w, NULL, '{');
    fore_jsonw_text(w, "ruleId", x->rule->name);
    fore_jsonw_u64(w, "ruleIndex", (uint64_t)(x->rule - fore_rules));
    fore_jsonw_text(w, "level", fore_level_name(x->level));
    write_message(w, text.at);
    fore_jsonw_open(w, "locations", '[');
    if (x->places.n)
        write_place(w, &x->places.at[0], NULL);
    fore_jsonw_close(w, ']');
    write_related(w, x);
    write_flows(w, x);
    fore_jsonw_open(w, "partialFingerprints", '{');
    fore_jsonw_text(w, "primaryLocationLineHash", id);
    fore_jsonw_text(w, "foresee/v1", id);
    fore_jsonw_close(w, '}');
    if (x->suppressed) {
        fore_jsonw_open(w, "suppressions", '[');
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "kind", "external");
        fore_jsonw_close(w, '}');
        fore_jsonw_close(w, ']');
    }
    write_properties(w, x);
    fore_jsonw_close(w, '}');
    fore_strbuf_release(&text);
}

static void text_member(struct fore_jsonw *w, const char *key, const char *text,
                        const char *markdown)
{
    fore_jsonw_open(w, key, '{');
    fore_jsonw_text(w, "text", text);
    if (markdown)
        fore_jsonw_text(w, "markdown", markdown);
    fore_jsonw_close(w, '}');
}

static void driver(struct fore_jsonw *w)
{
    fore_jsonw_open(w, "tool", '{');
    fore_jsonw_open(w, "driver", '{');
    fore_jsonw_text(w, "name", "foresee");
    fore_jsonw_text(w, "semanticVersion", FORE_VERSION);
    fore_jsonw_open(w, "rules", '[');
    for (const struct fore_rule *r = fore_rules; r->name; r++) {
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "id", r->name);
        text_member(w, "shortDescription", r->summary, NULL);
        text_member(w, "fullDescription", r->summary, NULL);
        text_member(w, "help", r->help, r->help);
        fore_jsonw_open(w, "defaultConfiguration", '{');
        fore_jsonw_text(w, "level", fore_level_name(r->level));
        fore_jsonw_close(w, '}');
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
    fore_jsonw_close(w, '}');
    fore_jsonw_close(w, '}');
}

void fore_report_sarif(const struct fore_findings *f, const struct fore_report_options *o,
                       struct fore_strbuf *out)
{
    struct fore_jsonw w;
    (void)o;
    fore_jsonw_init(&w, out);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_text(&w, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    fore_jsonw_text(&w, "version", "2.1.0");
    fore_jsonw_open(&w, "runs", '[');
    fore_jsonw_open(&w, NULL, '{');
    driver(&w);
    fore_jsonw_open(&w, "automationDetails", '{');
    fore_jsonw_text(&w, "id", "foresee/");
    fore_jsonw_close(&w, '}');
    fore_jsonw_open(&w, "results", '[');
    for (size_t i = 0; i < f->list.n && i < MAX_RESULTS; i++)
        write_result(&w, f->list.at[i]);
    fore_jsonw_close(&w, ']');
    fore_jsonw_close(&w, '}');
    fore_jsonw_close(&w, ']');
    fore_jsonw_close(&w, '}');
    fore_strbuf_putc(out, '\n');
}
