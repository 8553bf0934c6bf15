#include "../check.h"

#include "capture/c/runtime/rt.h"

#include <stdlib.h>
#include <string.h>

static void statics_of_one_name_get_their_files(void)
{
    char a, b, c;
    struct fore_c_variable v[] = {{.address = &a, .name = "n", .file = "src/one.c"},
                                  {.address = &b, .name = "n", .file = "two.c"},
                                  {.address = &c, .name = "m", .file = "two.c"}};
    fore_rt_names_qualify(v, 3);
    assert_string_equal(v[0].name, "one.c:n");
    assert_string_equal(v[1].name, "two.c:n");
    assert_string_equal(v[2].name, "m");
    free((char *)v[0].name);
    free((char *)v[1].name);
}

static void one_variable_of_many_modules_keeps_its_name(void)
{
    char a;
    struct fore_c_variable v[] = {{.address = &a, .name = "n", .file = "one.c"},
                                  {.address = &a, .name = "n", .file = "two.c"}};
    fore_rt_names_qualify(v, 2);
    assert_string_equal(v[0].name, "n");
    assert_string_equal(v[1].name, "n");
}

RUN_CASES(CASE(statics_of_one_name_get_their_files),
          CASE(one_variable_of_many_modules_keeps_its_name))
