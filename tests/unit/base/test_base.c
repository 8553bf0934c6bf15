#include "../check.h"

#include "base/arena.h"
#include "base/big.h"
#include "base/bitset.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/progress.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void arena_memory_is_cleared_and_apart(void)
{
    struct fore_arena a = FORE_ARENA_INIT;
    char *last = NULL;
    for (size_t n = 0; n < 20000; n += 37) {
        char *p = fore_arena_alloc(&a, n + 1);
        for (size_t i = 0; i <= n; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, n + 1);
        assert_ptr_not_equal(p, last);
        assert_int_equal((uintptr_t)p % 16, 0);
        last = p;
    }
    assert_string_equal(fore_arena_printf(&a, "%d-%s", 7, "x"), "7-x");
    fore_arena_release(&a);
    assert_null(a.blocks);
}

static void vec_keeps_its_elements_when_it_grows(void)
{
    FORE_VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        fore_vec_push(&v, i);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(v.at[i], i);
    fore_vec_ensure(&v, 2000);
    assert_int_equal(v.at[1999], 0);
    assert_int_equal(fore_vec_pop(&v), 0);
    fore_vec_release(&v);
    assert_null(v.at);
}

/* Against a plain array of the same keys, with removals. */
static void map_agrees_with_an_array(void)
{
    enum { KEYS = 512 };
    struct fore_map m = {0};
    uint64_t want[KEYS] = {0};
    struct fore_rng r;
    fore_rng_seed(&r, 1);
    for (int i = 0; i < 200000; i++) {
        uint64_t k = fore_rng_below(&r, KEYS), op = fore_rng_below(&r, 3);
        if (op == 0) {
            uint64_t was = 0;
            bool had = i % 2 ? fore_map_remove(&m, k) : fore_map_take(&m, k, &was);
            assert_int_equal(had, want[k] != 0);
            assert_true(i % 2 || !had || was == want[k]);
            want[k] = 0;
        } else if (op == 1) {
            bool fresh;
            uint64_t *v = fore_map_put(&m, k, &fresh);
            assert_int_equal(fresh, want[k] == 0);
            *v = want[k] = (uint64_t)i + 1;
        } else {
            uint64_t *v = fore_map_get(&m, k);
            assert_int_equal(v ? *v : 0, want[k]);
        }
    }
    size_t i = 0, seen = 0;
    uint64_t k, v;
    while (fore_map_next(&m, &i, &k, &v)) {
        assert_int_equal(want[k], v);
        seen++;
    }
    assert_int_equal(seen, m.n);
    fore_map_release(&m);
}

static void interned_strings_have_dense_ids(void)
{
    struct fore_intern t = {0};
    char text[16];
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(text, sizeof text, "name%u", i);
        assert_int_equal(fore_intern_str(&t, text), i + 1);
    }
    assert_int_equal(fore_intern_str(&t, "name77"), 78);
    assert_int_equal(fore_intern(&t, "a\0b", 3), 5001);
    assert_int_equal(fore_intern(&t, "a", 1), 5002);
    assert_int_equal(fore_intern_find(&t, "absent", 6), 0);
    assert_int_equal(fore_intern_bytes(&t, 5001).n, 3);
    assert_string_equal(fore_intern_text(&t, 78), "name77");
    assert_string_equal(fore_intern_text(&t, 0), "");
    fore_intern_release(&t);
}

static void bitset_finds_its_members(void)
{
    uint64_t a[3] = {0}, b[3] = {0};
    fore_bit_add(a, 0);
    fore_bit_add(a, 63);
    fore_bit_add(a, 130);
    assert_int_equal(fore_bits_next(a, 3, 1), 63);
    assert_int_equal(fore_bits_next(a, 3, 64), 130);
    assert_int_equal(fore_bits_next(a, 3, 131), 192);
    assert_true(fore_bits_or(b, a, 3));
    assert_false(fore_bits_or(b, a, 3));
    fore_bit_del(a, 63);
    assert_true(fore_bits_subset(a, b, 3));
    assert_false(fore_bits_subset(b, a, 3));
    assert_int_equal(fore_bits_count(b, 3), 3);
}

static void strbuf_writes_json_strings(void)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_strbuf_json(&b, "a\"\\\n\x01\x7f\xff\xc3\xa9<", 10);
    assert_string_equal(b.at, "\"a\\\"\\\\\\n\\u0001\\u007f\\ufffd\xc3\xa9<\"");
    fore_strbuf_clear(&b);
    fore_strbuf_u64(&b, UINT64_MAX);
    fore_strbuf_printf(&b, " %s", "end");
    assert_string_equal(b.at, "18446744073709551615 end");
    fore_strbuf_release(&b);
    assert_string_equal(b.at, "");
}

static void utf8_refuses_overlong_and_surrogates(void)
{
    uint32_t cp;
    assert_int_equal(fore_utf8_next("\xc0\x80", 2, &cp), 0);
    assert_int_equal(fore_utf8_next("\xed\xa0\x80", 3, &cp), 0);
    assert_int_equal(fore_utf8_next("\xf0\x9f\x98\x80", 4, &cp), 4);
    assert_int_equal(cp, 0x1f600);
    assert_int_equal(fore_utf8_next("\xf0\x9f\x98", 3, &cp), 0);
    assert_int_equal(fore_utf8_width("\xc3\xa9g", 3), 2);
}

static void factorials_are_exact(void)
{
    struct fore_big f = {0}, twice = {0};
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_big_set(&f, 1);
    for (uint32_t i = 2; i <= 30; i++)
        fore_big_mul_u32(&f, i);
    fore_big_text(&f, &text);
    assert_string_equal(text.at, "265252859812191058636308480000000");
    fore_big_copy(&twice, &f);
    fore_big_add(&twice, &f);
    assert_int_equal(fore_big_cmp(&twice, &f), 1);
    fore_strbuf_clear(&text);
    fore_big_text(&twice, &text);
    assert_string_equal(text.at, "530505719624382117272616960000000");
    uint64_t v;
    assert_false(fore_big_u64(&f, &v));
    fore_big_set(&f, UINT64_MAX);
    assert_true(fore_big_u64(&f, &v) && v == UINT64_MAX);
    fore_strbuf_release(&text);
    fore_big_release(&f);
    fore_big_release(&twice);
}

static void errors_name_their_position(void)
{
    struct fore_err e;
    char text[256];
    assert_int_equal(fore_fail_at(&e, FORE_SYNTAX, "a.trace", 3, 9, "odd %s", "x"),
                     FORE_SYNTAX);
    fore_err_format(&e, text, sizeof text);
    assert_string_equal(text, "a.trace:3:9: odd x");
    assert_int_equal(fore_fail_offset(&e, FORE_TORN, "a.fst", 17, "cut"), FORE_TORN);
    fore_err_format(&e, text, sizeof text);
    assert_string_equal(text, "a.fst: offset 17: cut");
    assert_int_equal(fore_fail(NULL, FORE_IO, "nobody asked"), FORE_IO);
}

static void a_seed_fixes_the_sequence(void)
{
    struct fore_rng a, b;
    int same = 0;
    fore_rng_seed(&a, 7);
    fore_rng_seed(&b, 7);
    for (int i = 0; i < 1000; i++) {
        uint64_t x = fore_rng_below(&a, 6);
        assert_int_equal(x, fore_rng_below(&b, 6));
        same += x == 5;
    }
    assert_in_range(same, 100, 240);
    assert_int_equal(fore_hash("foresee", 7), fore_hash("foresee", 7));
    assert_true(fore_hash_more(1, "x", 1) != fore_hash_more(2, "x", 1));
    /* (4, 5) and (5, 4) once were the same key. */
    assert_true(fore_hash_mix(fore_hash_u64(4), 5) != fore_hash_mix(fore_hash_u64(5), 4));
}

static void progress_is_silent_unless_asked(void)
{
    struct fore_progress p;
    fore_progress_start(&p, FORE_PROGRESS_NONE, "working");
    for (uint64_t i = 0; i < 5000; i++)
        fore_progress_step(&p, i, 5000);
    fore_progress_finish(&p);
    assert_false(p.line_open);
    assert_int_equal(p.shown_ns, 0);
}

static void a_file_is_replaced_whole_or_not_at_all(void)
{
    char folder[] = "/tmp/foresee-base-XXXXXX", path[64], missing[64];
    struct fore_err e = {0};
    struct fore_strbuf text = FORE_STRBUF_INIT;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/f", folder);
    snprintf(missing, sizeof missing, "%s/none/f", folder);
    assert_int_equal(fore_file_write(path, "longer", 6, &e), FORE_OK);
    assert_int_equal(fore_file_replace(path, "text", 4, &e), FORE_OK);
    assert_int_equal(fore_strbuf_read_file(&text, path, &e), FORE_OK);
    assert_string_equal(text.at, "text");
    assert_int_equal(fore_file_replace(missing, "text", 4, &e), FORE_IO);
    assert_non_null(strstr(e.msg, missing));
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
    fore_strbuf_release(&text);
}

static void a_copy_keeps_holes(void)
{
    char folder[] = "/tmp/foresee-base-XXXXXX", from[64], to[64];
    struct fore_err e = {0};
    struct stat st;
    assert_non_null(mkdtemp(folder));
    snprintf(from, sizeof from, "%s/f", folder);
    snprintf(to, sizeof to, "%s/t", folder);
    assert_int_equal(fore_file_write(from, "begin", 5, &e), FORE_OK);
    assert_int_equal(fore_file_write(to, "what was there before", 21, &e), FORE_OK);
    FILE *f = fopen(from, "r+e");
    assert_int_equal(fseek(f, 1 << 26, SEEK_SET), 0);
    assert_int_equal(fwrite("middle", 1, 6, f), 6);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(truncate(from, 1 << 27), 0);
    assert_int_equal(fore_file_copy(from, to, &e), FORE_OK);
    assert_int_equal(stat(to, &st), 0);
    assert_int_equal(st.st_size, 1 << 27);
    assert_true(st.st_blocks < 4096); /* units of 512 bytes */
    struct fore_file copy;
    assert_int_equal(fore_file_open(&copy, to, &e), FORE_OK);
    assert_memory_equal(copy.at, "begin\0", 7);
    assert_memory_equal(copy.at + (1 << 26), "middle", 6);
    fore_file_release(&copy);
    unlink(from);
    assert_int_equal(fore_file_copy(from, to, &e), FORE_IO);
    assert_non_null(strstr(e.msg, from));
    unlink(to);
    assert_int_equal(rmdir(folder), 0);
}

RUN_CASES(CASE(arena_memory_is_cleared_and_apart),
          CASE(a_file_is_replaced_whole_or_not_at_all), CASE(a_copy_keeps_holes),
          CASE(vec_keeps_its_elements_when_it_grows), CASE(map_agrees_with_an_array),
          CASE(interned_strings_have_dense_ids), CASE(bitset_finds_its_members),
          CASE(strbuf_writes_json_strings), CASE(utf8_refuses_overlong_and_surrogates),
          CASE(factorials_are_exact), CASE(errors_name_their_position),
          CASE(a_seed_fixes_the_sequence), CASE(progress_is_silent_unless_asked))
