#include "../check.h"

#include "capture/ring/leaf.h"

#include <string.h>

static void leaf_is(const char *layout, uint64_t offset, const char *name, char type,
                    uint64_t size)
{
    struct fore_leaf leaf;
    assert_true(fore_leaf_at("v", layout, offset, &leaf));
    assert_string_equal(leaf.name, name);
    assert_int_equal(leaf.type, type);
    assert_int_equal(leaf.size, size);
}

static void a_scalar_is_the_variable(void)
{
    leaf_is("i4", 0, "v", 'i', 4);
    leaf_is("f8", 0, "v", 'f', 8);
}

static void members_and_elements_are_named(void)
{
    const char *tank = "{0 level i4;8 out {0 valve [3,1 u1];8 flow f8;};}";
    leaf_is(tank, 0, "v.level", 'i', 4);
    leaf_is(tank, 10, "v.out.valve[2]", 'u', 1);
    leaf_is(tank, 16, "v.out.flow", 'f', 8);
    leaf_is("[2,12 [3,4 i4]]", 20, "v[1][2]", 'i', 4);
}

static void members_without_name_are_passed_through(void)
{
    leaf_is("{0 p p8;8  {0 low i2;2 high i2;};}", 10, "v.high", 'i', 2);
}

/* Array in array, so many deep, of one element each. */
static bool has_leaf_below(int depth)
{
    char layout[1024] = "";
    struct fore_leaf leaf;
    for (int i = 0; i < depth; i++)
        strcat(layout, "[1,4 ");
    strcat(layout, "i4");
    for (int i = 0; i < depth; i++)
        strcat(layout, "]");
    return fore_leaf_at("v", layout, 0, &leaf);
}

static void what_lies_too_deep_is_not_looked_for(void)
{
    assert_true(has_leaf_below(64));
    assert_false(has_leaf_below(65));
}

static void padding_is_nothing(void)
{
    struct fore_leaf leaf;
    assert_false(fore_leaf_at("v", "{0 first i1;8 second f8;}", 4, &leaf));
    assert_int_equal(leaf.rest, 4);
}

static void part_is(const char *path, uint64_t first, uint64_t bits)
{
    const char *missing;
    struct fore_leaf_part part;
    const char *tank = "{0 level i4;8 out [2,16 {0 valve [3,1 u1];8 flow f8;}];"
                       "40  {0 low i2;2 high i2;};44 on :1,3b;}";
    assert_true(fore_leaf_find(tank, path, &part, &missing));
    assert_int_equal(part.first, first);
    assert_int_equal(part.bits, bits);
}

static void a_part_is_so_many_bits(void)
{
    part_is("", 0, 44 * 8 + 4);
    part_is(".level", 0, 32);
    part_is(".out", 64, 256);
    part_is(".out[1]", 192, 128);
    part_is(".out[1].valve[2]", 208, 8);
    part_is(".out[1].flow", 256, 64);
    part_is(".high", 42 * 8, 16);
    part_is(".on", 44 * 8 + 1, 3);
}

static void missing_is(const char *path, const char *expected)
{
    const char *missing = "";
    const char *tank =
        "{0 level i4;8 out {0 valve [3,1 u1];8 flow f8;};24  {0 low i2;};28 on :1,1b;}";
    struct fore_leaf_part part;
    bool has = fore_leaf_find(tank, path, &part, &missing);
    assert_int_equal(has, !expected);
    if (expected)
        assert_string_equal(missing, expected);
    else
        assert_null(missing);
}

static void names_of_parts_are_known(void)
{
    missing_is("", NULL);
    missing_is(".level", NULL);
    missing_is(".out.valve[2]", NULL);
    missing_is(".low", NULL);
    missing_is(".on", NULL);
    missing_is(".out.valve[3]", "[3]");
    missing_is(".out.valves[1]", ".valves[1]");
    missing_is(".level.x", ".x");
    missing_is("[1]", "[1]");
    missing_is(".leve", ".leve");
}

static void bits_are(const char *layout, uint64_t bit, const char *name, char type,
                     uint64_t width)
{
    struct fore_leaf leaf;
    assert_true(fore_leaf_bits_at("v", layout, bit, &leaf));
    assert_string_equal(leaf.name, name);
    assert_int_equal(leaf.type, type);
    assert_int_equal(leaf.size, width);
}

static void a_bit_field_is_found_by_its_first_bit(void)
{
    const char *flags =
        "{0 ready :0,1u;0 level :1,5i;0 mode :6,3u;1 on :1,1b;4 tail i4;8 wide :0,40u;}";
    struct fore_leaf leaf;
    bits_are(flags, 1, "v.level", 'i', 5);
    bits_are(flags, 9, "v.on", 'b', 1);
    bits_are(flags, 64, "v.wide", 'u', 40);
    bits_are("[2,16 {0 n i4;4 f :3,2u;}]", 16 * 8 + 35, "v[1].f", 'u', 2);
    assert_false(fore_leaf_bits_at("v", flags, 2, &leaf));
    leaf_is(flags, 4, "v.tail", 'i', 4);
}

static void torn_layouts_name_nothing(void)
{
    static const char *const torn[] = {"", "{", "[", "{0 a", "{0 a {0 b [4,", "[3,0 i4]"};
    struct fore_leaf leaf;
    struct fore_leaf_part part;
    const char *missing;
    for (size_t i = 0; i < sizeof torn / sizeof *torn; i++) {
        assert_false(fore_leaf_at("v", torn[i], 0, &leaf));
        assert_false(fore_leaf_bits_at("v", torn[i], 0, &leaf));
        assert_false(fore_leaf_find(torn[i], ".b", &part, &missing));
    }
}

static void block_part_is(struct fore_leaf_block b, uint64_t offset, const char *name)
{
    char got[64];
    fore_leaf_in_block(&b, offset, got, sizeof got);
    assert_string_equal(got, name);
}

static void a_block_of_several_objects_is_an_array(void)
{
    const char *tank = "{0 level i4;8 flow f8;}";
    block_part_is((struct fore_leaf_block){tank, 16, 16, false}, 8, ".flow");
    block_part_is((struct fore_leaf_block){tank, 16, 48, false}, 24, "[1].flow");
    block_part_is((struct fore_leaf_block){tank, 16, 48, false}, 16 + 5, "[1].level+5");
    block_part_is((struct fore_leaf_block){tank, 16, 50, false}, 24, "[24]");
    block_part_is((struct fore_leaf_block){tank, 16, 1000, true}, 40, "[2].flow");
    block_part_is((struct fore_leaf_block){"i4", 4, 40, false}, 9, "[2]+1");
    block_part_is((struct fore_leaf_block){"i4", 4, 4, false}, 1, "[1]");
    block_part_is((struct fore_leaf_block){"", 0, 40, false}, 9, "[9]");
    block_part_is((struct fore_leaf_block){"", 0, 40, false}, 0, "[0]");
    block_part_is((struct fore_leaf_block){"", 8, 40, false}, 17, "[2]+1");
}

static void a_flexible_end_is_no_array_of_wholes(void)
{
    const char *text = "{0 n u8;8 at [0,1 i1];}";
    block_part_is((struct fore_leaf_block){text, 8, 32, false}, 0, ".n");
    block_part_is((struct fore_leaf_block){text, 8, 32, false}, 12, "[12]");
}

RUN_CASES(CASE(a_scalar_is_the_variable), CASE(members_and_elements_are_named),
          CASE(members_without_name_are_passed_through), CASE(padding_is_nothing),
          CASE(what_lies_too_deep_is_not_looked_for), CASE(names_of_parts_are_known),
          CASE(a_part_is_so_many_bits), CASE(a_bit_field_is_found_by_its_first_bit),
          CASE(torn_layouts_name_nothing), CASE(a_block_of_several_objects_is_an_array),
          CASE(a_flexible_end_is_no_array_of_wholes))
