/* A node of the tests that keeps one value on disk: in a file that it has open all the time, and in another
 * whose whole path it remembers. It must find both as it left them after a crash, and so must its copies.
 *
 *   keeper            writes before it answers
 *   keeper late       answers first, and writes when the next message comes
 *   keeper thread     has a thread that waits */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char line[65536], path[PATH_MAX + 16];
static int log_file;

static const char *find(const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(line, quoted);
    return at ? at + strlen(quoted) : "";
}

static long last_in(int fd)
{
    char text[64] = "";
    off_t end = lseek(fd, 0, SEEK_END);
    if (end < 8)
        return 0;
    return pread(fd, text, 8, end - 8) == 8 ? atol(text) : 0;
}

static void keep(long value)
{
    char text[16];
    snprintf(text, sizeof text, "%7ld\n", value);
    if (write(log_file, text, 8) != 8)
        exit(3);
    FILE *f = fopen(path, "w");
    if (!f || fprintf(f, "%ld\n", value) < 0 || fclose(f))
        exit(3);
}

static void *wait_on(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int main(int argc, char **argv)
{
    int late = argc > 1 && !strcmp(argv[1], "late");
    long value, unwritten = 0;
    char me[16] = "n1";
    pthread_t t;
    log_file = open("log", O_RDWR | O_CREAT | O_APPEND, 0600);
    if (log_file < 0 || !getcwd(path, PATH_MAX))
        return 3;
    strcat(path, "/value");
    if (argc > 1 && !strcmp(argv[1], "thread") && pthread_create(&t, NULL, wait_on, NULL))
        return 3;
    value = last_in(log_file);
    while (fgets(line, sizeof line, stdin)) {
        char from[16], other[64] = "";
        long id = strtol(find("msg_id"), NULL, 10);
        FILE *f = fopen(path, "r");
        if (f && (!fgets(other, sizeof other, f) || fclose(f)))
            return 3;
        if (atol(other) != last_in(log_file) || (!unwritten && atol(other) != value))
            return 4; /* the two files do not agree, or are not this node's */
        if (unwritten)
            keep(unwritten);
        unwritten = 0;
        snprintf(from, sizeof from, "%.*s", (int)strcspn(find("src") + 1, "\""), find("src") + 1);
        if (strstr(line, "\"init\"")) {
            snprintf(me, sizeof me, "n%ld", strtol(find("node_id") + 2, NULL, 10));
            printf("{\"src\":\"%s\",\"dest\":\"%s\",\"body\":{\"type\":\"init_ok\",\"in_reply_to\":%ld}}\n", me, from, id);
        } else if (strstr(line, "\"write\"")) {
            value = strtol(find("value"), NULL, 10);
            if (late)
                unwritten = value;
            else
                keep(value);
            printf("{\"src\":\"%s\",\"dest\":\"%s\",\"body\":{\"type\":\"write_ok\",\"in_reply_to\":%ld}}\n", me, from, id);
        } else if (value) {
            printf("{\"src\":\"%s\",\"dest\":\"%s\",\"body\":{\"type\":\"read_ok\",\"value\":%ld,\"in_reply_to\":%ld}}\n",
                   me, from, value, id);
        } else {
            printf("{\"src\":\"%s\",\"dest\":\"%s\",\"body\":{\"type\":\"error\",\"code\":20,\"in_reply_to\":%ld}}\n", me,
                   from, id);
        }
        fflush(stdout);
    }
    return 0;
}
