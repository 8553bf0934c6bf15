#include "../check.h"

#include "ring/gocontext.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A small executable: three functions, one of which has a call inlined from package time.
 *   runtime.main  [0, 16)   runtime/proc.go:1
 *   main.main     [16, 48)  main.go:5; [32, 40) is time.After, inlined, called in line 9
 *   main.worker   [48, 64)  main.go:20 */
struct image {
    unsigned char at[4096];
    size_t n;
    size_t table;
};

static void put32(struct image *m, size_t at, uint32_t v)
{
    memcpy(m->at + at, &v, 4);
}

static void put64(struct image *m, size_t at, uint64_t v)
{
    memcpy(m->at + at, &v, 8);
}

static size_t text(struct image *m, size_t at, const char *s)
{
    memcpy(m->at + at, s, strlen(s) + 1);
    return at + strlen(s) + 1;
}

enum {
    TABLE = 1024,
    NAMES = TABLE + 128,
    UNITS = TABLE + 256,
    FILES = TABLE + 320,
    PCS = TABLE + 448,
    FUNCS = TABLE + 576,
    INLINED = TABLE + 1024,
    SECTIONS = 3072,
    STRINGS = 3008,
    ADDRESS = 0x500000,
};

static void function(struct image *m, unsigned i, uint32_t entry, uint32_t name,
                     uint32_t file, uint32_t line)
{
    uint32_t record = 64 + i * 80;
    size_t at = FUNCS + record;
    put32(m, FUNCS + i * 8, entry);
    put32(m, FUNCS + i * 8 + 4, record);
    put32(m, at, entry);
    put32(m, at + 4, name);
    put32(m, at + 20, file);
    put32(m, at + 24, line);
    put32(m, at + 28, i == 1 ? 3 : 0); /* pcdata */
    m->at[at + 43] = i == 1 ? 4 : 0;   /* funcdata */
    if (i == 1) {
        put32(m, at + 44 + 8, 28);      /* the table of inlined calls */
        put32(m, at + 44 + 12 + 12, 0); /* their tree, at INLINED */
    }
}

static void sections(struct image *m)
{
    Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                    .e_shoff = SECTIONS,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = 3,
                    .e_shstrndx = 2};
    Elf64_Shdr table = {.sh_name = 1,
                        .sh_type = SHT_PROGBITS,
                        .sh_addr = ADDRESS,
                        .sh_offset = TABLE,
                        .sh_size = STRINGS - TABLE};
    Elf64_Shdr strings = {.sh_type = SHT_STRTAB, .sh_offset = STRINGS, .sh_size = 16};
    memcpy(m->at, &h, sizeof h);
    memcpy(m->at + SECTIONS + sizeof table, &table, sizeof table);
    memcpy(m->at + SECTIONS + 2 * sizeof table, &strings, sizeof strings);
    text(m, STRINGS + 1, ".gopclntab");
    m->n = SECTIONS + 3 * sizeof table;
}

static void pairs(struct image *m, size_t at, const char *p, size_t n)
{
    memcpy(m->at + PCS + at, p, n);
}

static struct image small(void)
{
    struct image m = {.table = TABLE};
    put32(&m, TABLE, 0xfffffff1);
    m.at[TABLE + 6] = 1;
    m.at[TABLE + 7] = 8;
    put64(&m, TABLE + 8, 3);
    put64(&m, TABLE + 32, NAMES - TABLE);
    put64(&m, TABLE + 40, UNITS - TABLE);
    put64(&m, TABLE + 48, FILES - TABLE);
    put64(&m, TABLE + 56, PCS - TABLE);
    put64(&m, TABLE + 64, FUNCS - TABLE);
    size_t at = text(&m, NAMES, "runtime.main");     /* 0 */
    at = text(&m, at, "main.main");                  /* 13 */
    at = text(&m, at, "main.worker");                /* 23 */
    text(&m, at, "time.After");                      /* 35 */
    at = text(&m, FILES, "/go/src/runtime/proc.go"); /* 0 */
    at = text(&m, at, "/home/me/main.go");           /* 24 */
    text(&m, at, "/go/src/time/sleep.go");           /* 41 */
    put32(&m, UNITS, 0);
    put32(&m, UNITS + 4, 24);
    put32(&m, UNITS + 8, 41);
    pairs(&m, 1, "\x02\x10\x00", 3);                                   /* file 0 */
    pairs(&m, 4, "\x04\x10\x00", 3);                                   /* line 1 */
    pairs(&m, 7, "\x04\x10\x02\x08\x01\x08\x00", 7);                   /* file 1, 2, 1 */
    pairs(&m, 14, "\x0c\x08\x08\x08\x80\x02\x08\x83\x02\x08\x00", 11); /* 5 9 137 7 */
    pairs(&m, 28, "\x00\x10\x02\x08\x01\x08\x00", 7); /* inlined: -1, 0, -1 */
    pairs(&m, 36, "\x04\x10\x00", 3);                 /* file 1 */
    pairs(&m, 40, "\x2a\x10\x00", 3);                 /* line 20 */
    function(&m, 0, 0, 0, 1, 4);
    function(&m, 1, 16, 13, 7, 14);
    function(&m, 2, 48, 23, 36, 40);
    put32(&m, INLINED + 4, 35); /* time.After */
    put32(&m, INLINED + 8, 8);  /* called from an instruction in line 9 */
    sections(&m);
    return m;
}

static struct fore_gosym *open_image(const struct image *m)
{
    char path[] = "/tmp/foresee-gosym-XXXXXX";
    struct fore_gosym *g = NULL;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, m->at, m->n), (ssize_t)m->n);
    close(fd);
    if (fore_gosym_open(&g, path, INLINED - TABLE, NULL) != FORE_OK)
        g = NULL;
    unlink(path);
    return g;
}

static void an_address_has_function_file_and_line(void)
{
    struct image m = small();
    struct fore_gosym *g = open_image(&m);
    struct fore_gosym_frame f[4];
    assert_non_null(g);
    assert_int_equal(fore_gosym_frames(g, 50, f, 4), 1);
    assert_string_equal(f[0].function, "main.worker");
    assert_string_equal(f[0].file, "/home/me/main.go");
    assert_int_equal(f[0].line, 20);
    assert_false(f[0].std);
    assert_string_equal(fore_gosym_entry(g, 48), "main.worker");
    fore_gosym_free(g);
}

static void an_inlined_call_is_a_frame_of_its_own(void)
{
    struct image m = small();
    struct fore_gosym *g = open_image(&m);
    struct fore_gosym_frame f[4];
    assert_non_null(g);
    assert_int_equal(fore_gosym_frames(g, 16 + 18, f, 4), 2);
    assert_string_equal(f[0].function, "time.After");
    assert_string_equal(f[0].file, "/go/src/time/sleep.go");
    assert_true(f[0].std);
    assert_string_equal(f[1].function, "main.main");
    assert_int_equal(f[1].line, 9);
    fore_gosym_free(g);
}

static void the_users_own_frame_is_the_location(void)
{
    struct image m = small();
    struct fore_gosym *g = open_image(&m);
    struct fore_tables t;
    struct fore_strbuf place = FORE_STRBUF_INIT;
    bool hidden = true;
    assert_non_null(g);
    fore_tables_init(&t);
    fore_tables_place(&t, fore_gosym_where(g, &t, 16 + 18, NULL, 0, &hidden), &place);
    assert_string_equal(place.at, "/home/me/main.go:9");
    assert_false(hidden); /* package time does it at the user's request */
    fore_gosym_where(g, &t, 4, NULL, 0, &hidden);
    assert_true(hidden);
    fore_strbuf_release(&place);
    fore_tables_release(&t);
    fore_gosym_free(g);
}

static void types_of_a_generic_function_are_left_out(void)
{
    static const char *const names[][2] = {
        {"main.main", "main.main"},
        {"q.(*Queue[go.shape.int]).Pop", "q.(*Queue[...]).Pop"},
        {"q.New[go.shape.[]int,go.shape.map[string]int].func1", "q.New[...].func1"},
        {"q.New[", "q.New[...]"},
        {"q.New]", "q.New]"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fore_strbuf b = FORE_STRBUF_INIT;
        fore_gosym_put_name(names[i][0], &b);
        assert_string_equal(b.at, names[i][1]);
        fore_strbuf_release(&b);
    }
}

static void damage_makes_addresses_unknown_and_nothing_worse(void)
{
    struct fore_gosym_frame f[8];
    for (size_t at = 0; at < small().n; at++) {
        struct image m = small();
        m.at[at] ^= (unsigned char)(at % 2 ? 0xff : 0x81);
        struct fore_gosym *g = open_image(&m);
        for (uint32_t pc = 0; g && pc < 70; pc += 3)
            fore_gosym_frames(g, pc, f, 8);
        fore_gosym_free(g);
    }
    for (size_t n = 0; n < small().n; n += 7) {
        struct image m = small();
        m.n = n;
        struct fore_gosym *g = open_image(&m);
        for (uint32_t pc = 0; g && pc < 70; pc += 3)
            fore_gosym_frames(g, pc, f, 8);
        fore_gosym_free(g);
    }
}

RUN_CASES(CASE(an_address_has_function_file_and_line),
          CASE(an_inlined_call_is_a_frame_of_its_own),
          CASE(the_users_own_frame_is_the_location),
          CASE(types_of_a_generic_function_are_left_out),
          CASE(damage_makes_addresses_unknown_and_nothing_worse))
