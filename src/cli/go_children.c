#include "cli/go_children.h"

#include "ring/fsr.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The ring file of the parent, which may still be written to. */
static void *map_parent(const struct fore_go_ring *child, size_t *size)
{
    char path[sizeof child->path + 32];
    const char *slash = strrchr(child->path, '/');
    struct stat st;
    snprintf(path, sizeof path, "%.*s%u.fsr", (int)(slash ? slash + 1 - child->path : 0),
             child->path, child->header.parent_pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *base = fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0
                     ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0)
                     : MAP_FAILED;
    *size = base != MAP_FAILED ? (size_t)st.st_size : 0;
    if (fd >= 0)
        close(fd);
    return base != MAP_FAILED ? base : NULL;
}

/* The test that started the process; "" if that is not known. */
static const char *test_of_parent(struct fore_findings *f,
                                  const struct fore_go_ring *child)
{
    struct fore_fsr parent;
    struct fore_err e = {0};
    size_t size;
    const char *test = "";
    void *base = map_parent(child, &size);
    if (!base)
        return test;
    if (fore_fsr_open(&parent, child->path, base, size, &e) == FORE_OK) {
        parent.live = true;
        fore_fsr_refresh(&parent, size);
        const struct fore_strbuf *group =
            fore_fsr_child_group(&parent, child->header.pid);
        test = fore_arena_strndup(&f->arena, group->at, group->n);
    }
    fore_fsr_release(&parent);
    munmap(base, size);
    return test;
}

static void move_to_test(struct fore_findings *f, struct fore_finding *x,
                         const char *test)
{
    if (*x->test && strcmp(x->test, test) != 0)
        fore_finding_fact(f, x, "process", "a child that %s started, in which %s ran",
                          test, x->test);
    else
        fore_finding_fact(f, x, "process", "a child that %s started", test);
    x->test = test;
}

/* It was killed: by its parent, or with it. */
static bool was_killed(const struct fore_go_ring *child)
{
    return child->header.state == FORE_RING_RECORDING &&
           kill((pid_t)child->header.pid, 0) && errno == ESRCH;
}

/* If the parent went on, it has seen how the child ended. */
static void excuse_end(struct fore_findings *f, struct fore_finding *x,
                       const struct fore_go_ring *child)
{
    bool ended = !strcmp(x->rule->name, "panic") || !strcmp(x->rule->name, "crash") ||
                 child->header.state == FORE_RING_DEADLOCK ||
                 child->header.ended == FORE_RING_BY_PANIC || was_killed(child);
    if (!ended || x->verdict != FORE_VERDICT_OBSERVED)
        return;
    x->level = FORE_LEVEL_NOTE;
    fore_finding_fact(f, x, "then",
                      "it was a child of another process of this run, which saw it end");
}

void fore_go_excuse_child(struct fore_findings *f, size_t from,
                          const struct fore_go_ring *child)
{
    const char *test = from < f->list.n ? test_of_parent(f, child) : "";
    for (size_t i = from; i < f->list.n; i++) {
        excuse_end(f, f->list.at[i], child);
        if (*test)
            move_to_test(f, f->list.at[i], test);
    }
}
