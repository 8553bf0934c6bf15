/* Just enough JSON for a node in C: flat objects, one in a line. */
#ifndef EXAMPLE_NODE_H
#define EXAMPLE_NODE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char me[16], line[65536];
static int nodes;
static const char *promise = ""; /* what else the answer to init says */

/* Where the value of a member begins, or NULL. */
static const char *member(const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(line, key);
    return at ? at + strlen(key) + strspn(at + strlen(key), " ") : NULL;
}

static long number(const char *name)
{
    const char *at = member(name);
    return at && *at != 'n' ? strtol(at, NULL, 10) : 0;
}

static const char *text(const char *name, char *out, size_t size)
{
    const char *at = member(name);
    snprintf(out, size, "%.*s", at && *at == '"' ? (int)strcspn(at + 1, "\"") : 0,
             at ? at + 1 : "");
    return out;
}

static int is_type(const char *type)
{
    char it[64];
    return !strcmp(text("type", it, sizeof it), type);
}

/* Writes a message, and keeps it back until stdout is flushed. */
#define WRITE_MESSAGE(dest, ...)                                                         \
    (printf("{\"src\":\"%s\",\"dest\":\"%s\",\"body\":{", me, (dest)),                     \
     printf(__VA_ARGS__), printf("}}\n"))
#define SEND(dest, ...) (WRITE_MESSAGE(dest, __VA_ARGS__), fflush(stdout))

/* Reads a line. One about starting is answered here. */
enum read { THE_END, A_MESSAGE, A_START };

static enum read read_message(void)
{
    char from[64];
    if (!fgets(line, sizeof line, stdin))
        return THE_END;
    text("src", from, sizeof from);
    if (is_type("init")) {
        text("node_id", me, sizeof me);
        nodes = 0;
        for (const char *at = member("node_ids"); at && *at && *at != ']'; at++)
            nodes += *at == 'n';
        SEND(from, "\"type\":\"init_ok\"%s,\"in_reply_to\":%ld", promise,
             number("msg_id"));
    } else if (is_type("topology")) {
        SEND(from, "\"type\":\"topology_ok\",\"in_reply_to\":%ld", number("msg_id"));
    } else {
        return A_MESSAGE;
    }
    return A_START;
}

/* The next message that is not about starting; 0 at the end. */
static inline int next_message(void)
{
    enum read r;
    while ((r = read_message()) == A_START)
        ;
    return r == A_MESSAGE;
}

#endif
