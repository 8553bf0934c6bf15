#include "merges.h"

/* A file, a function and a place in them: site 4. */
static void one_site(struct ringfile *f)
{
    uint64_t where[2] = {1, 2};
    ringfile_init(f);
    ringfile_put(f, 1, 1, FORE_RING_DEF_STRING, FORE_RING_DONE, 7,
                 "dir/a.c\0\0\0\0\0\0\0\0", 1);
    ringfile_put(f, 1, 2, FORE_RING_DEF_STRING, FORE_RING_DONE, 4,
                 "main\0\0\0\0\0\0\0\0\0\0\0", 1);
    ringfile_put(f, 1, 12, FORE_RING_DEF_WHERE, FORE_RING_DONE, 0, where, 1)->where = 4;
}

static void write_to(struct ringfile *f, uint32_t place)
{
    ringfile_put(f, 1, place, FORE_RING_WRITE, FORE_RING_DONE, 1, NULL, 0);
}

static void a_place_without_name_is_called_by_its_site(void)
{
    struct ringfile f;
    one_site(&f);
    ringfile_put(&f, 1, 10, FORE_RING_DEF_PLACES, FORE_RING_DONE, 2, NULL, 0)->where = 4;
    write_to(&f, 11);
    write_to(&f, 10);
    assert_merges_to(&f, "1:write(\"memory@a.c:12\") 1:write(\"memory@a.c:12_2\")", 0);
    ringfile_release(&f);
}

/* Places of a block of `size` bytes from `offset` on. */
static void block(struct ringfile *f, uint32_t first, uint32_t count, uint64_t offset,
                  uint64_t size, uint64_t number, uint64_t shape)
{
    uint64_t unit[2] = {offset | size << FORE_RING_SIZE, number | shape << 32};
    ringfile_put(f, 1, first, FORE_RING_DEF_PLACES, FORE_RING_DONE, count, unit, 1)
        ->where = 4;
}

static void shape(struct ringfile *f, uint32_t id, const char *text)
{
    char bytes[64] = {0};
    size_t n = strlen(text);
    memcpy(bytes, text, n);
    ringfile_put(f, 1, id, FORE_RING_DEF_STRING, FORE_RING_DONE, n, bytes,
                 (unsigned)(n + 15) / 16);
}

static void a_place_in_a_block_is_called_by_where_that_was_made(void)
{
    struct ringfile f;
    one_site(&f);
    shape(&f, 3, "h tank 16 {0 level i4;8 flow f8;}");
    shape(&f, 4, "l n 4 i4");
    block(&f, 10, 16, 0, 16, 7, 3);
    block(&f, 30, 48, 256, 1024, 9, 3);
    block(&f, 100, 20, 0, 20, 11, 0);
    block(&f, 130, 4, 0, 4, 12, 4);
    block(&f, 140, 16, 0, 24, 13, 3);
    write_to(&f, 18);  /* a member */
    write_to(&f, 46);  /* of an array, the second block of the site */
    write_to(&f, 55);  /* not at the beginning of a member */
    write_to(&f, 108); /* nothing is known of it */
    write_to(&f, 130); /* a local */
    write_to(&f, 140); /* no whole number of its type */
    write_to(&f, 10);
    assert_merges_to(&f,
                     "1:write(\"tank@a.c:12.flow\") 1:write(\"tank@a.c:12#2[17].level\") "
                     "1:write(\"tank@a.c:12#2[17].flow+1\") 1:write(\"heap@a.c:12[8]\") "
                     "1:write(\"n@main\") 1:write(\"tank@a.c:12#3.level\") "
                     "1:write(\"tank@a.c:12.level\")",
                     0);
    ringfile_release(&f);
}

static void strings_and_places_of_any_length_arrive(void)
{
    struct ringfile f;
    struct fore_trace t;
    char piece[80];
    uint64_t where[2] = {1, 2};
    ringfile_init(&f);
    memset(piece, 'a', sizeof piece);
    ringfile_put(&f, 1, 1, FORE_RING_DEF_STRING, FORE_RING_DONE | FORE_RING_MORE, 80,
                 piece, 5);
    ringfile_put(&f, 1, 1, FORE_RING_DEF_STRING, FORE_RING_DONE, 2,
                 ".c\0\0\0\0\0\0\0\0\0\0\0\0\0", 1);
    ringfile_put(&f, 1, 2, FORE_RING_DEF_STRING, FORE_RING_DONE, 4,
                 "main\0\0\0\0\0\0\0\0\0\0\0", 1);
    struct fore_ring_record *r =
        ringfile_put(&f, 1, 42, FORE_RING_DEF_WHERE, FORE_RING_DONE, 0, where, 1);
    r->where = 7;
    r = ringfile_op(&f, 1, FORE_RING_END, 0, 0);
    r->where = 7;
    merge(&f, &t);
    struct fore_strbuf place = FORE_STRBUF_INIT;
    fore_tables_place(&t.tables, t.events.at[0].where, &place);
    assert_int_equal(place.n, 85);
    assert_string_equal(place.at + 78, "aa.c:42");
    fore_strbuf_release(&place);
    fore_trace_release(&t);
    ringfile_release(&f);
}

RUN_CASES(CASE(a_place_without_name_is_called_by_its_site),
          CASE(a_place_in_a_block_is_called_by_where_that_was_made),
          CASE(strings_and_places_of_any_length_arrive))
