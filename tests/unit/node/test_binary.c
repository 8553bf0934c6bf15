#include "../check.h"

#include "base/file.h"
#include "capture/node/clock.h"
#include "node/binary.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An executable of this machine's kind with one segment, and a text in it. */
static void write_program(char *path, uint32_t segment, const char *text)
{
    Elf64_Ehdr h = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                    .e_phoff = sizeof h,
                    .e_phnum = 2};
    Elf64_Phdr p[2] = {{.p_type = PT_LOAD}, {.p_type = segment}};
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, &h, sizeof h) == sizeof h &&
                write(fd, p, sizeof p) == sizeof p &&
                write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
                fchmod(fd, 0700) == 0 && close(fd) == 0);
}

static enum fore_node_time time_of(uint32_t segment, const char *text, const char **why)
{
    char path[] = "/tmp/foresee-binary-XXXXXX";
    write_program(path, segment, text);
    enum fore_node_time time = fore_binary_time(path, why);
    unlink(path);
    return time;
}

static void what_loads_libraries_has_our_clock(void)
{
    const char *why;
    assert_int_equal(time_of(PT_INTERP, "", &why), FORE_TIME_LIBRARY);
    assert_null(why);
    assert_int_equal(time_of(PT_NOTE, "", &why), FORE_TIME_REAL);
    assert_non_null(strstr(why, "is linked statically"));
}

static void a_go_program_has_it_if_it_was_built_for_that(void)
{
    const char *why;
    assert_int_equal(time_of(PT_NOTE, "Go buildinf: " FORE_NODE_ENV, &why), FORE_TIME_GO);
    assert_null(why);
    assert_int_equal(time_of(PT_NOTE, "Go buildinf: ", &why), FORE_TIME_REAL);
    assert_non_null(strstr(why, "is a Go program"));
}

static void a_script_and_a_torn_file_are_left_to_the_library(void)
{
    const char *why;
    char path[] = "/tmp/foresee-binary-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, "#!/bin/sh\n", 10) == 10 && fchmod(fd, 0700) == 0);
    close(fd);
    assert_int_equal(fore_binary_time(path, &why), FORE_TIME_LIBRARY);
    assert_int_equal(fore_binary_time("/nowhere/at-all", &why), FORE_TIME_LIBRARY);
    assert_null(why);
    unlink(path);
}

RUN_CASES(CASE(what_loads_libraries_has_our_clock),
          CASE(a_go_program_has_it_if_it_was_built_for_that),
          CASE(a_script_and_a_torn_file_are_left_to_the_library))
