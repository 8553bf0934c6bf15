/* A system with its harness, ready to be explored by a test. */
#ifndef FORE_TESTS_UNIT_EXPLORE_SUBJECT_H
#define FORE_TESTS_UNIT_EXPLORE_SUBJECT_H

#include "../check.h"

#include "actor/find.h"
#include "base/strbuf.h"
#include "explore/walk.h"

#include <stdio.h>

struct subject {
    struct fore_arena arena;
    struct fore_system system;
    struct fore_harness harness;
};

static inline void subject_open(struct subject *x, const char *system,
                                const char *harness)
{
    *x = (struct subject){.arena = FORE_ARENA_INIT};
    struct fore_found found;
    struct fore_err e = {0};
    static char text[65536];
    if (fore_system_find(&x->arena, system, harness, &found, &e) ||
        fore_system_load(&x->system, &x->arena, found.system, &e))
        fail_msg("%s", e.msg);
    FILE *f = fopen(found.harness, "re");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    if (fore_harness_parse(&x->harness, &x->arena, &x->system, found.harness, text, n,
                           &e))
        fail_msg("%s:%d: %s", e.file, (int)e.line, e.msg);
}

static inline void subject_close(struct subject *x)
{
    fore_harness_release(&x->harness);
    fore_system_release(&x->system);
    fore_arena_release(&x->arena);
}

static inline void subject_explore(struct subject *x,
                                   const struct fore_explore_options *o,
                                   struct fore_explorer *s)
{
    struct fore_err e = {0};
    if (fore_explorer_init(s, &x->system, &x->harness, o, &e))
        fail_msg("%s", e.msg);
    fore_explorer_run(s);
}

#endif
