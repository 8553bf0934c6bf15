/* cmocka with the headers it forgets, and a main for a table of cases. */
#ifndef FORE_TESTS_UNIT_CHECK_H
#define FORE_TESTS_UNIT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CASE(name) cmocka_unit_test(name)
#define RUN_CASES(...)                                                                   \
    int main(void)                                                                       \
    {                                                                                    \
        const struct CMUnitTest cases[] = {__VA_ARGS__};                                 \
        return cmocka_run_group_tests(cases, NULL, NULL);                                \
    }

#endif
