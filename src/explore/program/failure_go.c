/* Finds out what a Go program shows when it fails: the last words of its runtime, of the race
 * detector, of package testing. */
#include "explore/program/failure.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* The first entry that the output contains counts. */
static const struct {
    const char *words, *rule;
} endings[] = {
    {"WARNING: DATA RACE", "data-race"},
    {"panic: send on closed channel", "send-on-closed"},
    {"panic: close of closed channel", "close-of-closed"},
    {"panic: test timed out after", "blocked-forever"},
    {"fatal error: all goroutines are asleep", "blocked-forever"},
    {"fatal error: concurrent map", "data-race"},
    {"fatal error: ", "crash"},
    {"panic: ", "panic"},
    {"--- FAIL: ", "assertion"},
};

/* ---- whose it was ---- */

static const char *last_line_with(const char *output, const char *words)
{
    const char *last = NULL;
    for (const char *at = output; (at = strstr(at, words)); at++)
        last = at;
    return last ? last + strlen(words) : NULL;
}

void fore_failure_test_of_go(const char *output, struct fore_strbuf *out)
{
    const char *name = last_line_with(output, "--- FAIL: ");
    if (!name)
        name = last_line_with(output, "=== RUN   ");
    if (name)
        fore_strbuf_add(out, name, strcspn(name, " \n"));
}

/* ---- where it was ---- */

static bool is_of_go_itself(const char *file, size_t n)
{
    static const char *const folders[] = {"/src/runtime/", "/src/internal/", "/src/sync/",
                                          "/src/testing/", "/src/context/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (memmem(file, n, folders[i], strlen(folders[i])))
            return true;
    return false;
}

/* In lines such as " /src/pool/pool.go:12 +0x1d": the innermost frame that is not Go's own. */
static void frame_after(const char *at, struct fore_strbuf *out)
{
    while ((at = strstr(at, "\n\t/"))) {
        at += 2;
        size_t n = strcspn(at, " \n");
        if (!is_of_go_itself(at, n)) {
            fore_failure_put_place(at, n, out);
            return;
        }
    }
}

/* Appends the complaint: the rest of the line, or what testify prints below "Error:". */
static void add_words(const char *at, struct fore_strbuf *out)
{
    size_t n = strcspn(at, "\n");
    const char *error = strstr(at, "Error:"), *next = strstr(at, "--- ");
    if (strspn(at, " \t") >= n && error && (!next || error < next)) {
        at = error + strlen("Error:");
        at += strspn(at, " \t");
        n = strcspn(at, "\n");
    }
    if (n)
        fore_strbuf_printf(out, ": %.*s", (int)n, at);
}

/* "    pool_test.go:12: what it says", behind the line of the test that failed, or of its begin. */
static void take_complaint(const struct fore_rerun *p, const char *at,
                           struct fore_failure *out)
{
    if (!at || out->place.n)
        return;
    char file[256];
    unsigned line;
    for (at = strchr(at, '\n'); at && at[1] == ' '; at = strchr(at, '\n')) {
        int words = 0;
        at++;
        if (sscanf(at, " %255[^: \n]:%u:%n", file, &line, &words) != 2 || !words)
            continue;
        struct fore_strbuf whole = FORE_STRBUF_INIT;
        fore_strbuf_printf(&whole, "%s%s%s", p->how.directory ? p->how.directory : "",
                           p->how.directory ? "/" : "", file);
        fore_failure_put_place(whole.at, whole.n, &out->place);
        fore_strbuf_printf(&out->place, ":%u", line);
        fore_strbuf_release(&whole);
        add_words(at + words + (at[words] == ' '), &out->message);
        return;
    }
}

/* ---- what it was ---- */

/* "panic: x [recovered]" is printed twice. */
static void take_last_words(const char *at, struct fore_failure *out)
{
    size_t n = strcspn(at, "\n");
    const char *again = memmem(at, n, " [recovered", 11);
    fore_strbuf_add(&out->message, at, again ? (size_t)(again - at) : n);
    frame_after(at + n, &out->place);
}

static void take_failed_test(const struct fore_rerun *p, const char *output,
                             struct fore_failure *out)
{
    fore_strbuf_printf(&out->message, "%s failed", out->test.at);
    take_complaint(p, last_line_with(output, "--- FAIL: "), out);
    struct fore_strbuf begin = FORE_STRBUF_INIT;
    fore_strbuf_printf(&begin, "=== RUN   %s\n", out->test.at);
    const char *at = last_line_with(output, begin.at);
    take_complaint(p, at ? at - 1 : NULL, out);
    fore_strbuf_release(&begin);
}

void fore_failure_of_go(const struct fore_rerun *p, const char *output,
                        struct fore_failure *out)
{
    const char *at = NULL;
    if (!p->status)
        return;
    fore_failure_test_of_go(output, &out->test);
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !at; i++)
        if ((at = strstr(output, endings[i].words)))
            out->rule = endings[i].rule;
    if (at && !strcmp(out->rule, "assertion"))
        take_failed_test(p, output, out);
    else if (at)
        take_last_words(at, out);
    else if (WIFSIGNALED(p->status))
        fore_strbuf_puts(&out->message, strsignal(WTERMSIG(p->status)));
    else
        fore_strbuf_printf(&out->message, "the program ended with status %d",
                           WEXITSTATUS(p->status));
    if (!at)
        out->rule = WIFSIGNALED(p->status) ? "crash" : "exit-status";
    const struct fore_strbuf *same = out->place.n ? &out->place : &out->message;
    out->hash = fore_hash(same->at, same->n);
}
