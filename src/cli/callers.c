#include "cli/callers.h"

#include "base/child.h"
#include "base/path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Both tools print lines like "/home/me/main.c:7", the innermost inlined function first, with
 * "??" or 0 for unknown parts. */
static const char *const tools[] = {"addr2line", "llvm-addr2line"};
enum { TOOLS = sizeof tools / sizeof *tools };

/* Gives what the tool prints; false if there is no such tool. */
static bool ask_tool(const char *tool, char *file, char *offset, struct fore_strbuf *out)
{
    struct fore_err unheard = {0};
    int status;
    char *argv[] = {(char *)(uintptr_t)tool, "-i", "-e", file, offset, NULL};
    fore_strbuf_clear(out);
    return fore_child_ask(argv, true, out, &status, &unheard) == FORE_OK && out->n;
}

/* The worth of a place: 2 in the user's own source, 1 in other source, 0 without any. */
static int worth_of(const char *place)
{
    const char *colon = strrchr(place, ':');
    char file[4096];
    if (!colon || place[0] == '?' || colon[1] == '?' || colon[1] == '0')
        return 0;
    snprintf(file, sizeof file, "%.*s", (int)(colon - place), place);
    return !fore_begins_with(file, "/usr/") && access(file, R_OK) == 0 ? 2 : 1;
}

/* The best of the lines, if it is better than the best before. */
static void look_through(char *lines, int *best, char *out, size_t size)
{
    char *rest = NULL;
    for (char *line = strtok_r(lines, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *more = strstr(line, " (discriminator");
        if (more)
            *more = 0;
        int worth = worth_of(line);
        if (worth <= *best)
            continue;
        *best = worth;
        snprintf(out, size, "%s", fore_path_here(line));
    }
}

void fore_callers_place(const char *callers, char *out, size_t size)
{
    size_t tool = 0;
    int best = 0;
    struct fore_strbuf lines = FORE_STRBUF_INIT;
    *out = 0;
    for (const char *at = callers; *at && best < 2; at += *at == '\n') {
        char caller[1024];
        size_t n = strcspn(at, "\n");
        snprintf(caller, sizeof caller, "%.*s", (int)n, at);
        at += n;
        char *plus = strrchr(caller, '+');
        if (!plus)
            continue;
        *plus = 0;
        while (tool < TOOLS && !ask_tool(tools[tool], caller, plus + 1, &lines))
            tool++;
        if (tool < TOOLS)
            look_through(lines.at, &best, out, size);
    }
    fore_strbuf_release(&lines);
}
