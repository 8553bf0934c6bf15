#include "../check.h"

#include "capture/go/gotool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_file(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static bool is_link(const char *folder, const char *name)
{
    char path[1024];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static void a_downloaded_toolchain_is_linked_whole(void)
{
    char top[] = "/tmp/foresee-gotool-XXXXXX", root[96], modules[64], cache[64], name[16];
    struct fore_gotool g = {0};
    struct fore_err e = {0};
    assert_non_null(mkdtemp(top));
    snprintf(modules, sizeof modules, "%s/mod", top);
    snprintf(root, sizeof root, "%s/go", modules);
    snprintf(cache, sizeof cache, "%s/cache", top);
    assert_int_equal(mkdir(modules, 0700), 0);
    assert_int_equal(mkdir(root, 0700), 0);
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "part%d", i);
        make_file(root, name);
    }
    make_file(root, ".hidden");
    g.install.root = root;
    g.modules = modules;
    assert_int_equal(fore_gotool_mirror(&g, cache, &e), FORE_OK);
    assert_true(g.mirrored);
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "part%d", i);
        assert_true(is_link(g.install.root, name));
    }
    assert_false(is_link(g.install.root, ".hidden"));
    fore_gotool_release(&g);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", top);
    assert_int_equal(system(command), 0);
}

static void another_toolchain_is_used_where_it_is(void)
{
    struct fore_gotool g = {.modules = "/nowhere/mod"};
    struct fore_err e = {0};
    g.install.root = "/usr/lib/go";
    assert_int_equal(fore_gotool_mirror(&g, "/nowhere/cache", &e), FORE_OK);
    assert_false(g.mirrored);
    assert_string_equal(g.install.root, "/usr/lib/go");
}

RUN_CASES(CASE(a_downloaded_toolchain_is_linked_whole),
          CASE(another_toolchain_is_used_where_it_is))
