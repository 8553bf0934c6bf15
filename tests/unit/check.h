/* cmocka with the headers it forgets, and a main for a table of cases. */
#ifndef FORE_TESTS_UNIT_CHECK_H
#define FORE_TESTS_UNIT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A case is a function that takes nothing, or cmocka's state; its name is the fact that it shows. */
struct fact {
    const char *name;
    void (*show)(void);
    void (*show_with)(void **state);
};

static inline void show_fact(void **fact)
{
    const struct fact *f = *fact;
    void *none = NULL;
    if (f->show)
        f->show();
    else
        f->show_with(&none);
}

static inline int show_facts(struct fact *facts, size_t n)
{
    struct CMUnitTest tests[64];
    assert_true(n <= sizeof tests / sizeof *tests);
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){facts[i].name, show_fact, NULL, NULL, &facts[i]};
    return _cmocka_run_group_tests("cases", tests, n, NULL, NULL);
}

#define CASE(fact_)                                                                      \
    {                                                                                    \
        .name = #fact_,                                                                  \
        .show = _Generic(&(fact_), void (*)(void)                                        \
                         : &(fact_), default                                             \
                         : NULL),                                                        \
        .show_with = _Generic(&(fact_), void (*)(void **)                                \
                              : &(fact_), default                                        \
                              : NULL)                                                    \
    }
#define RUN_CASES(...)                                                                   \
    int main(void)                                                                       \
    {                                                                                    \
        struct fact facts[] = {__VA_ARGS__};                                             \
        return show_facts(facts, sizeof facts / sizeof *facts);                          \
    }

#endif
