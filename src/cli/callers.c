#include "cli/callers.h"

#include "base/child.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* They print "/home/me/main.c:7", first of what was put in line there, with "??" or 0 for what they do not
 * know. */
static const char *const tools[] = {"addr2line", "llvm-addr2line"};
enum { TOOLS = sizeof tools / sizeof *tools };

/* What the tool prints; false if there is no such tool. */
static bool ask_tool(const char *tool, char *file, char *offset, char *out, size_t size)
{
    int ends[2];
    pid_t child;
    struct fore_err unheard = {0};
    char *argv[] = {(char *)tool, "-i", "-e", file, offset, NULL};
    *out = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    if (fore_child_fork(&child, &unheard) != FORE_OK) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    if (child == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (dup2(ends[1], 1) < 0 || dup2(null, 2) < 0 || dup2(null, 0) < 0)
            _exit(127);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; n + 1 < size && (got = read(ends[0], out + n, size - n - 1)) > 0;)
        n += (size_t)got;
    close(ends[0]);
    fore_child_wait(child);
    out[n] = 0;
    return n > 0;
}

/* How much a place tells: 2 in the user's own source, 1 in somebody else's, 0 nothing. */
static int worth_of(const char *place)
{
    const char *colon = strrchr(place, ':');
    char file[4096];
    if (!colon || place[0] == '?' || colon[1] == '?' || colon[1] == '0')
        return 0;
    snprintf(file, sizeof file, "%.*s", (int)(colon - place), place);
    return strncmp(file, "/usr/", 5) != 0 && access(file, R_OK) == 0 ? 2 : 1;
}

/* Without the folder that foresee works in. */
static void keep_place(const char *place, char *out, size_t size)
{
    char here[4096];
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (n && !strncmp(place, here, n) && place[n] == '/')
        place += n + 1;
    snprintf(out, size, "%s", place);
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
        keep_place(line, out, size);
    }
}

void fore_callers_place(const char *callers, char *out, size_t size)
{
    size_t tool = 0;
    int best = 0;
    *out = 0;
    for (const char *at = callers; *at && best < 2; at += *at == '\n') {
        char caller[1024], lines[8192] = "";
        size_t n = strcspn(at, "\n");
        snprintf(caller, sizeof caller, "%.*s", (int)n, at);
        at += n;
        char *plus = strrchr(caller, '+');
        if (!plus)
            continue;
        *plus = 0;
        while (tool < TOOLS &&
               !ask_tool(tools[tool], caller, plus + 1, lines, sizeof lines))
            tool++;
        look_through(lines, &best, out, size);
    }
}
