#include "../check.h"

#include "capture/go/padding.h"

#include <stdio.h>
#include <string.h>

static bool becomes(const char *text, const char *want)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    bool any = fore_go_pad(text, strlen(text), &out);
    bool good = any ? want && !strcmp(out.at, want) : !want;
    if (!good)
        fprintf(stderr, "%s became %s\n", text, any ? out.at : "(nothing else)");
    fore_strbuf_release(&out);
    return good;
}

static void lengths_are_up_to_the_next_multiple(void)
{
    assert_true(
        becomes("a\n\tpad [64 - unsafe.Sizeof(bucket{})]byte\nb\n",
                "a\n\tpad [((64 )<<20 - unsafe.Sizeof(bucket{})) % (64 )]byte\nb\n"));
    assert_true(becomes("_ [cpu.Size-unsafe.Sizeof([2]int{})-unsafe.Sizeof(x)]byte",
                        "_ [((cpu.Size)<<20 -unsafe.Sizeof([2]int{})-unsafe.Sizeof(x)) % "
                        "(cpu.Size)]byte"));
    assert_true(
        becomes("a [n - int(unsafe.Sizeof(m))]byte; b [8 - unsafe.Sizeof(y)]byte",
                "a [((n )<<20 - int(unsafe.Sizeof(m))) % (n )]byte; b [((8 )<<20 - "
                "unsafe.Sizeof(y)) % (8 )]byte"));
}

static void others_stay(void)
{
    static const char *const all[] = {
        "",
        "package x",
        "x := m[64 - y]",
        "_ [64 - unsafe.Sizeof(x{})%64]byte",
        "_ [(64 - unsafe.Sizeof(x{})%64) % 64]byte",
        "_ [unsafe.Sizeof(x{})]byte",
        "n := 64 - unsafe.Sizeof(x{})",
        "f(a[0], 64 - unsafe.Sizeof(x{}))",
        "_ [64 - unsafe.Sizeof(x{}",
        "_ [-unsafe.Sizeof(x{})]byte",
        "unsafe.Sizeof(x)] [",
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_true(becomes(all[i], NULL));
}

RUN_CASES(CASE(lengths_are_up_to_the_next_multiple), CASE(others_stay))
