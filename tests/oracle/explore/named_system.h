/* A system with its harness, found as `foresee explore` finds them. */
#ifndef FORE_TESTS_ORACLE_EXPLORE_NAMED_SYSTEM_H
#define FORE_TESTS_ORACLE_EXPLORE_NAMED_SYSTEM_H

#include "actor/find.h"
#include "base/arena.h"
#include "explore/walk.h"

#include <stdio.h>

struct named {
    struct fore_arena arena;
    struct fore_system system;
    struct fore_harness harness;
    struct fore_explorer s;
};

static inline bool open_named(struct named *n, const char *system, const char *harness,
                              const struct fore_explore_options *o)
{
    struct fore_found found;
    struct fore_err e = {0};
    struct fore_strbuf text = FORE_STRBUF_INIT;
    *n = (struct named){.arena = FORE_ARENA_INIT};
    bool good = !fore_system_find(&n->arena, system, harness, &found, &e) &&
                !fore_system_load(&n->system, &n->arena, found.system, &e) &&
                !fore_strbuf_read_file(&text, found.harness, &e) &&
                !fore_harness_parse(&n->harness, &n->arena, &n->system, found.harness,
                                    text.at, text.n, &e) &&
                !fore_explorer_init(&n->s, &n->system, &n->harness, o, &e);
    fore_strbuf_release(&text);
    if (!good)
        fprintf(stderr, "%s\n", e.msg);
    return good;
}

static inline void close_named(struct named *n)
{
    fore_explorer_release(&n->s);
    fore_harness_release(&n->harness);
    fore_system_release(&n->system);
    fore_arena_release(&n->arena);
}

#endif
