/* The same histories as main.go: reading and searching are timed apart.
 * Usage: lin-bench DATA REPEAT. Prints one JSON object a line for each group that is there:
 * name, files, how many of them are linearizable, seconds to read, seconds to search; the
 * median of REPEAT rounds. One thread. */
#include "base/progress.h"
#include "base/sort.h"
#include "history/format.h"
#include "history/lin.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

struct group {
    const char *name, *pattern, *object, *init;
};

struct timing {
    size_t files, yes;
    uint64_t read_ns, search_ns;
};

static int one(const char *path, const struct group *g, struct timing *t)
{
    struct fore_history h;
    struct fore_lin_result r;
    struct fore_err e = {0};
    struct fore_lin_options o = {.init = g->init, .jobs = 1};
    uint64_t start = fore_now_ns();
    if (fore_history_load(&h, path, fore_model_find(g->object), NULL, &e) != FORE_OK) {
        fprintf(stderr, "%s: %s\n", path, e.msg);
        return 1;
    }
    uint64_t read = fore_now_ns();
    if (fore_lin_check(&h, &o, &r, &e) != FORE_OK) {
        fprintf(stderr, "%s: %s\n", path, e.msg);
        return 1;
    }
    t->search_ns += fore_now_ns() - read;
    t->read_ns += read - start;
    t->yes += r.verdict == FORE_LIN_YES;
    fore_lin_result_release(&r);
    fore_history_release(&h);
    return 0;
}

static int measure(const char *data, const struct group *g, size_t times)
{
    char pattern[4096];
    glob_t found;
    struct timing t = {0};
    int bad = 0;
    snprintf(pattern, sizeof pattern, "%s/%s", data, g->pattern);
    if (glob(pattern, 0, NULL, &found))
        return 0; /* DATA may hold some of them only */
    FORE_VEC(uint64_t) reads = {0};
    FORE_VEC(uint64_t) searches = {0};
    for (size_t k = 0; k < times; k++) {
        t = (struct timing){0};
        for (size_t i = 0; i < found.gl_pathc; i++)
            bad |= one(found.gl_pathv[i], g, &t);
        fore_vec_push(&reads, t.read_ns);
        fore_vec_push(&searches, t.search_ns);
    }
    fore_sort_u64(reads.at, reads.n);
    fore_sort_u64(searches.at, searches.n);
    printf("{\"name\": \"%s\", \"files\": %zu, \"linearizable\": %zu, \"read\": %.9f, "
           "\"search\": %.9f}\n",
           g->name, found.gl_pathc, t.yes, (double)reads.at[times / 2] / 1e9,
           (double)searches.at[times / 2] / 1e9);
    fore_vec_release(&reads);
    fore_vec_release(&searches);
    globfree(&found);
    return bad;
}

int main(int argc, char **argv)
{
    static const struct group groups[] = {
        {"etcd", "etcd/*.log", "cas-register", "nil"},
        {"kv-c01-ok", "kv/c01-ok.txt", "kv", ""},
        {"kv-c01-bad", "kv/c01-bad.txt", "kv", ""},
        {"kv-c10-ok", "kv/c10-ok.txt", "kv", ""},
        {"kv-c10-bad", "kv/c10-bad.txt", "kv", ""},
        {"kv-c50-ok", "kv/c50-ok.txt", "kv", ""},
        {"kv-c50-bad", "kv/c50-bad.txt", "kv", ""},
    };
    if (argc != 3 || !strtoull(argv[2], NULL, 10)) {
        fputs("usage: lin-bench DATA REPEAT\n", stderr);
        return 2;
    }
    int bad = 0;
    for (size_t i = 0; !bad && i < sizeof groups / sizeof *groups; i++)
        bad = measure(argv[1], &groups[i], (size_t)strtoull(argv[2], NULL, 10));
    return bad;
}
