#include "../check.h"

#include "ring/gomodule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    char root[64];
    struct fore_gomodule m;
} t = {.root = "/tmp/gomodule-XXXXXX"};

static void put(const char *path, const char *text)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", t.root, path);
    for (char *slash = whole + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(whole, 0777);
    }
    FILE *f = fopen(whole, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* The file behind a name, below the root; "-": none. */
static const char *file_of(const char *name)
{
    static char out[256];
    struct fore_strbuf b = FORE_STRBUF_INIT;
    bool found = fore_gomodule_file(&t.m, name, &b);
    snprintf(out, sizeof out, "%s", found ? b.at + strlen(t.root) + 1 : "-");
    fore_strbuf_release(&b);
    return out;
}

static void make_tree(void)
{
    char folder[128];
    assert_non_null(mkdtemp(t.root));
    put("go.mod",
        "// a module\nmodule example.com/pool // its name\n\ngo 1.19\n\n"
        "replace example.com/near => ./near\nreplace (\n\texample.com/far v1.0.0 => "
        "../none\n\texample.com/fork => example.com/other v1.2.0\n)\n");
    put("queue/queue.go", "");
    put("near/sub/near.go", "");
    put("vendor/example.com/dep/dep.go", "");
    snprintf(folder, sizeof folder, "%s/queue", t.root);
    fore_gomodule_find(&t.m, folder);
}

static void remove_tree(void)
{
    char command[128];
    fore_gomodule_release(&t.m);
    snprintf(command, sizeof command, "rm -r '%s'", t.root);
    assert_int_equal(system(command), 0);
}

static void the_programs_own_module_is_above_the_folder(void)
{
    assert_string_equal(file_of("example.com/pool/queue/queue.go"), "queue/queue.go");
    assert_string_equal(file_of("example.com/pool/queue/none.go"), "-");
    assert_string_equal(file_of("example.com/pools/queue/queue.go"), "-");
}

static void a_replacement_by_a_folder_is_there(void)
{
    assert_string_equal(file_of("example.com/near@v0.0.0/sub/near.go"),
                        "near/sub/near.go");
    assert_string_equal(file_of("example.com/far@v1.0.0/far.go"), "-");
    assert_string_equal(file_of("example.com/fork@v1.2.0/fork.go"), "-");
}

static void other_modules_may_be_vendored(void)
{
    assert_string_equal(file_of("example.com/dep@v1.0.0/dep.go"),
                        "vendor/example.com/dep/dep.go");
}

static void whole_names_and_gos_own_files_are_left_alone(void)
{
    assert_string_equal(file_of("/etc/passwd"), "-");
    assert_string_equal(file_of("runtime/proc.go"), "-");
    assert_string_equal(file_of(""), "-");
    assert_string_equal(file_of("@"), "-");
}

static void without_a_module_nothing_is_found(void)
{
    struct fore_gomodule none = {0};
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_gomodule_find(&none, "");
    assert_false(fore_gomodule_file(&none, "example.com/dep@v1.0.0/dep.go", &b));
    fore_gomodule_release(&none);
    fore_strbuf_release(&b);
}

RUN_CASES(CASE(make_tree), CASE(the_programs_own_module_is_above_the_folder),
          CASE(a_replacement_by_a_folder_is_there), CASE(other_modules_may_be_vendored),
          CASE(whole_names_and_gos_own_files_are_left_alone),
          CASE(without_a_module_nothing_is_found), CASE(remove_tree))
