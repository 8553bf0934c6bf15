#include "cli/go_scope.h"

#include "base/path.h"
#include "cli/go_programs.h"

#include <string.h>

/* The goroutine of a test says its name when it begins; whom it creates belongs to it. */
static bool begins_test(const struct fore_tables *t, uint32_t thread)
{
    const struct fore_thread_info *x = &t->threads.at[thread];
    return x->group && x->child && t->threads.at[x->parent].group != x->group;
}

static uint32_t thread_of_test(const struct fore_tables *t, const char *test)
{
    for (uint32_t i = 1; i < t->threads.n; i++)
        if (begins_test(t, i) &&
            !strcmp(fore_tables_text(t, t->threads.at[i].group), test))
            return i;
    return 0;
}

/* When it runs alone, a test is the first that its parent begins. */
static uint32_t first_test_of(const struct fore_tables *t, uint32_t parent)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 1; i < t->threads.n; i++)
        if (t->threads.at[i].parent == parent && begins_test(t, i) &&
            t->threads.at[i].child < first)
            first = t->threads.at[i].child;
    return first;
}

static void put_place_alone(const struct fore_tables *t, uint32_t thread,
                            struct fore_strbuf *out)
{
    const struct fore_thread_info *x = &t->threads.at[thread];
    if (!x->child) {
        fore_tables_path(t, thread, out);
        return;
    }
    put_place_alone(t, x->parent, out);
    fore_strbuf_printf(out, ".%u",
                       begins_test(t, thread) ? first_test_of(t, x->parent) : x->child);
}

static bool is_runnable(const char *test)
{
    return fore_begins_with(test, "Test") || fore_begins_with(test, "Example") ||
           fore_begins_with(test, "Fuzz");
}

bool fore_go_scope(struct fore_arena *a, const struct fore_tables *t, const char *test,
                   const struct fore_started *whole, struct fore_started *out)
{
    *out = *whole;
    out->from = out->to = NULL;
    if (!test[0] || !strcmp(test, "init")) {
        out->argv = fore_go_test_argv(a, whole->argv, NULL);
        return true;
    }
    uint32_t thread = thread_of_test(t, test);
    if (!thread || !is_runnable(test))
        return false;
    struct fore_strbuf from = FORE_STRBUF_INIT, to = FORE_STRBUF_INIT;
    fore_tables_path(t, thread, &from);
    put_place_alone(t, thread, &to);
    out->from = fore_arena_strdup(a, from.at);
    out->to = fore_arena_strdup(a, to.at);
    out->argv = fore_go_test_argv(a, whole->argv, test);
    fore_strbuf_release(&from);
    fore_strbuf_release(&to);
    return true;
}
