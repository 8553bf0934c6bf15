#include "ring/govars.h"

#include "base/mem.h"
#include "base/vec.h"
#include "capture/ring/leaf.h"
#include "ring/goelf.h"
#include "ring/goname.h"

#include <stdlib.h>
#include <string.h>

/* Constants of DWARF 4 and 5, as far as Go's linker uses them. */
enum {
    TAG_ARRAY = 0x01,
    TAG_POINTER = 0x0f,
    TAG_STRUCT = 0x13,
    TAG_SUBROUTINE = 0x15,
    TAG_TYPEDEF = 0x16,
    TAG_SUBRANGE = 0x21,
    TAG_BASE = 0x24,
    TAG_VARIABLE = 0x34,
    TAG_MEMBER = 0x0d,
    AT_LOCATION = 0x02,
    AT_NAME = 0x03,
    AT_SIZE = 0x0b,
    AT_COUNT = 0x37,
    AT_MEMBER = 0x38,
    AT_ENCODING = 0x3e,
    AT_TYPE = 0x49,
    AT_GO_KIND = 0x2900,
    AT_GO_RUNTIME_TYPE = 0x2904,
    AT_GO_PACKAGE = 0x2905,
    OP_ADDR = 0x03,
    GO_STRUCT = 25,
    DEEPEST = 8,
    LONGEST_LAYOUT = 1 << 16,
};

/* A position in a section; `bad` is set when it runs out. */
struct dwarf_cursor {
    const unsigned char *at, *end;
    bool bad;
};

struct go_variable {
    uint64_t address;
    const char *name;
    uint64_t type; /* its place in the section */
    char *layout;  /* made when first asked for */
    uint64_t size;
};

struct dwarf_unit {
    uint64_t from, end, abbrevs;
    unsigned version, address_size;
};

struct fore_govars {
    uint64_t text; /* where the text begins, by the file */
    struct fore_goelf info, abbrev;
    FORE_VEC(struct go_variable) all; /* by address */
    FORE_VEC(struct dwarf_unit) units;
    struct fore_gopackages packages;
    /* structures, at the addresses of their descriptors */
    FORE_VEC(struct go_variable) types;
    uint32_t *
        known; /* positions of abbreviations, for units whose table begins at 0; 0: not found yet */
};

enum { KNOWN_MOST = 256 }; /* Go uses about a hundred, shared by all its units */

/* The attributes of an entry that are wanted. */
struct dwarf_entry {
    unsigned tag;
    bool has_children;
    const char *name, *package;
    uint64_t size, count, offset, encoding, type, kind, address;
    uint64_t descriptor; /* address of a type's descriptor in the program */
    bool has_address;
};

/* ---- bytes ---- */

static uint64_t take_bytes(struct dwarf_cursor *c, unsigned n)
{
    uint64_t v = 0;
    if ((size_t)(c->end - c->at) < n) {
        c->bad = true;
        return 0;
    }
    for (unsigned i = 0; i < n && i < 8; i++)
        v |= (uint64_t)c->at[i] << 8 * i;
    c->at += n;
    return v;
}

static uint64_t take_leb(struct dwarf_cursor *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t b = take_bytes(c, 1);
        if (shift < 64)
            v |= (b & 0x7f) << shift;
        if (!(b & 0x80) || c->bad)
            return v;
    }
}

static void skip_bytes(struct dwarf_cursor *c, uint64_t n)
{
    if ((uint64_t)(c->end - c->at) < n)
        c->bad = true;
    else
        c->at += n;
}

static const char *take_text(struct dwarf_cursor *c)
{
    const unsigned char *z = memchr(c->at, 0, (size_t)(c->end - c->at));
    const char *text = (const char *)c->at;
    if (!z) {
        c->bad = true;
        return "";
    }
    c->at = z + 1;
    return text;
}

/* ---- entries ---- */

static const struct dwarf_unit *unit_of(const struct fore_govars *v, uint64_t at)
{
    size_t low = 0, high = v->units.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (v->units.at[middle].from <= at)
            low = middle + 1;
        else
            high = middle;
    }
    const struct dwarf_unit *u = low ? &v->units.at[low - 1] : NULL;
    return u && at < u->end ? u : NULL;
}

/* The content of a form, as a number; texts and blocks are for the caller. */
static uint64_t take_form(struct dwarf_cursor *c, unsigned form,
                          const struct dwarf_unit *u, const char **text,
                          struct fore_goelf *block)
{
    static const unsigned char sizes[] = {
        [0x05] = 2, [0x06] = 4, [0x07] = 8, [0x0b] = 1, [0x0c] = 1,
        [0x0e] = 4, [0x10] = 4, [0x11] = 1, [0x12] = 2, [0x13] = 4,
        [0x14] = 8, [0x17] = 4, [0x1c] = 4, [0x1d] = 4, [0x1f] = 4,
        [0x20] = 8, [0x24] = 8, [0x25] = 1, [0x26] = 2, [0x27] = 3,
        [0x28] = 4, [0x29] = 1, [0x2a] = 2, [0x2b] = 3, [0x2c] = 4};
    uint64_t n;
    if (form < sizeof sizes && sizes[form])
        return take_bytes(c, sizes[form]);
    switch (form) {
    case 0x01: /* address */
        return take_bytes(c, u->address_size);
    case 0x08:
        *text = take_text(c);
        return 0;
    case 0x0d: /* signed, which no wanted attribute is */
    case 0x0f:
    case 0x15:
    case 0x1a:
    case 0x1b:
    case 0x22:
    case 0x23:
        return take_leb(c);
    case 0x19: /* present */
    case 0x21: /* the value is in the abbreviation */
        return 1;
    case 0x1e:
        skip_bytes(c, 16);
        return 0;
    case 0x03:
    case 0x04:
    case 0x09:
    case 0x0a:
    case 0x18:
        n = form == 0x03   ? take_bytes(c, 2)
            : form == 0x04 ? take_bytes(c, 4)
            : form == 0x0a ? take_bytes(c, 1)
                           : take_leb(c);
        *block = (struct fore_goelf){c->at, (size_t)n};
        skip_bytes(c, n);
        return 0;
    default:
        c->bad = true;
        return 0;
    }
}

/* Finds the abbreviation of this number: its tag, and `*c` at its attributes. */
static bool find_abbrev(const struct fore_govars *v, const struct dwarf_unit *u,
                        uint64_t number, struct dwarf_cursor *c, struct dwarf_entry *e)
{
    if (u->abbrevs > v->abbrev.n)
        return false;
    bool shared = !u->abbrevs && number < KNOWN_MOST;
    *c =
        (struct dwarf_cursor){v->abbrev.at + u->abbrevs + (shared ? v->known[number] : 0),
                              v->abbrev.at + v->abbrev.n, false};
    while (!c->bad) {
        const uint8_t *began = c->at;
        uint64_t code = take_leb(c);
        if (!code)
            return false;
        e->tag = (unsigned)take_leb(c);
        e->has_children = take_bytes(c, 1);
        if (code == number && shared)
            v->known[number] = (uint32_t)(began - v->abbrev.at);
        if (code == number)
            return !c->bad;
        for (uint64_t name = 1, form = 1; (name || form) && !c->bad;) {
            name = take_leb(c);
            form = take_leb(c);
            if (form == 0x21)
                take_leb(c);
        }
    }
    return false;
}

static void take_attribute(struct dwarf_entry *e, const struct dwarf_unit *u,
                           uint64_t name, unsigned form, uint64_t value, const char *text,
                           struct fore_goelf block)
{
    switch (name) {
    case AT_NAME:
        e->name = text;
        break;
    case AT_SIZE:
        e->size = value;
        break;
    case AT_COUNT:
        e->count = value;
        break;
    case AT_MEMBER:
        e->offset = value;
        break;
    case AT_ENCODING:
        e->encoding = value;
        break;
    case AT_GO_KIND:
        e->kind = value;
        break;
    case AT_GO_PACKAGE:
        e->package = text;
        break;
    case AT_GO_RUNTIME_TYPE:
        e->descriptor = value;
        break;
    case AT_TYPE: /* a reference within the unit, or to anywhere */
        e->type = form == 0x10 ? value : value + u->from;
        break;
    case AT_LOCATION:
        if (block.n == 9 && block.at[0] == OP_ADDR) {
            struct dwarf_cursor at = {block.at + 1, block.at + 9, false};
            e->address = take_bytes(&at, 8);
            e->has_address = true;
        }
        break;
    default:
        break;
    }
}

/* Reads the entry at `*c` and moves `*c` behind it; false at the end of a list of children, or
 * if it cannot be read. */
static bool take_entry(const struct fore_govars *v, const struct dwarf_unit *u,
                       struct dwarf_cursor *c, struct dwarf_entry *e)
{
    struct dwarf_cursor a;
    uint64_t number = take_leb(c);
    *e = (struct dwarf_entry){.name = ""};
    if (!number)
        return false;
    if (!find_abbrev(v, u, number, &a, e)) {
        c->bad = true;
        return false;
    }
    for (;;) {
        uint64_t name = take_leb(&a), form = take_leb(&a);
        if (form == 0x21)
            take_leb(&a);
        if (a.bad || c->bad || (!name && !form))
            break;
        const char *text = "";
        struct fore_goelf block = {NULL, 0};
        uint64_t value = take_form(c, (unsigned)form, u, &text, &block);
        if (!c->bad)
            take_attribute(e, u, name, (unsigned)form, value, text, block);
    }
    c->bad |= a.bad;
    return !c->bad;
}

static struct dwarf_cursor at_entry(const struct fore_govars *v,
                                    const struct dwarf_unit *u, uint64_t at)
{
    return (struct dwarf_cursor){v->info.at + at, v->info.at + u->end, false};
}

/* ---- variables ---- */

static bool take_unit(struct fore_govars *v, struct dwarf_cursor *c, struct dwarf_unit *u)
{
    u->from = (uint64_t)(c->at - v->info.at);
    uint64_t n = take_bytes(c, 4);
    if (c->bad || n > (uint64_t)(c->end - c->at) || n < 7)
        return false;
    u->end = (uint64_t)(c->at - v->info.at) + n;
    u->version = (unsigned)take_bytes(c, 2);
    if (u->version == 5) {
        take_bytes(c, 1);
        u->address_size = (unsigned)take_bytes(c, 1);
        u->abbrevs = take_bytes(c, 4);
    } else {
        u->abbrevs = take_bytes(c, 4);
        u->address_size = (unsigned)take_bytes(c, 1);
    }
    return !c->bad && u->version >= 2 && u->version <= 5 && u->address_size <= 8;
}

static void read_unit(struct fore_govars *v, const struct dwarf_unit *u,
                      struct dwarf_cursor *c)
{
    struct dwarf_entry e;
    int depth = 0;
    while (!c->bad && c->at < c->end) {
        uint64_t at = (uint64_t)(c->at - v->info.at);
        if (!take_entry(v, u, c, &e)) {
            if (--depth < 0)
                return;
            continue;
        }
        if (e.package)
            fore_vec_push(&v->packages.v, (struct fore_gopackage){e.name, e.package});
        if (e.tag == TAG_VARIABLE && e.has_address && depth == 1)
            fore_vec_push(&v->all,
                          (struct go_variable){e.address, e.name, e.type, NULL, 0});
        if (e.tag == TAG_STRUCT && e.kind == GO_STRUCT && e.descriptor)
            fore_vec_push(&v->types,
                          (struct go_variable){e.descriptor, e.name, at, NULL, 0});
        depth += e.has_children;
    }
}

static int by_address(const void *a, const void *b)
{
    const struct go_variable *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

struct fore_govars *fore_govars_open(const void *image, size_t n)
{
    struct fore_goelf file = {image, n};
    struct fore_govars *v = fore_calloc(1, sizeof *v);
    uint64_t none;
    v->known = fore_calloc(KNOWN_MOST, sizeof *v->known);
    v->text = fore_goelf_text(file);
    v->info = fore_goelf_section(file, ".debug_info", &none);
    v->abbrev = fore_goelf_section(file, ".debug_abbrev", &none);
    struct dwarf_cursor c = {v->info.at, v->info.at + v->info.n, false};
    struct dwarf_unit u;
    while (v->info.n && c.at < c.end && take_unit(v, &c, &u)) {
        struct dwarf_cursor inside = {c.at, v->info.at + u.end, false};
        fore_vec_push(&v->units, u);
        read_unit(v, &u, &inside);
        c.at = v->info.at + u.end;
    }
    if (!v->all.n) {
        fore_govars_free(v);
        return NULL;
    }
    qsort(v->all.at, v->all.n, sizeof *v->all.at, by_address);
    return v;
}

void fore_govars_free(struct fore_govars *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->all.n; i++)
        free(v->all.at[i].layout);
    for (size_t i = 0; i < v->types.n; i++)
        free(v->types.at[i].layout);
    fore_vec_release(&v->all);
    fore_vec_release(&v->types);
    fore_vec_release(&v->units);
    fore_vec_release(&v->packages.v);
    fore_free(v->known);
    fore_free(v);
}

/* ---- layouts ---- */

static uint64_t add_layout(const struct fore_govars *v, uint64_t type, int depth,
                           struct fore_strbuf *out);

/* {0 level T;8 v T;} */
static void add_members(const struct fore_govars *v, const struct dwarf_unit *u,
                        struct dwarf_cursor *c, int depth, struct fore_strbuf *out)
{
    struct dwarf_entry m;
    fore_strbuf_puts(out, "{");
    while (take_entry(v, u, c, &m) && !m.has_children && out->n < LONGEST_LAYOUT) {
        if (m.tag != TAG_MEMBER)
            continue;
        fore_strbuf_printf(out, "%llu %s ", (unsigned long long)m.offset, m.name);
        add_layout(v, m.type, depth + 1, out);
        fore_strbuf_puts(out, ";");
    }
    fore_strbuf_puts(out, "}");
}

/* [10,4 T] */
static void add_array(const struct fore_govars *v, const struct dwarf_unit *u,
                      struct dwarf_cursor *c, const struct dwarf_entry *e, int depth,
                      struct fore_strbuf *out)
{
    struct dwarf_entry range;
    uint64_t count = take_entry(v, u, c, &range) ? range.count : 0;
    fore_strbuf_printf(out, "[%llu,%llu ", (unsigned long long)count,
                       (unsigned long long)(count ? e->size / count : 0));
    add_layout(v, e->type, depth + 1, out);
    fore_strbuf_puts(out, "]");
}

/* Adds the layout of a type and returns its size. DWARF describes strings, slices and interfaces
 * as structures, but readers of a name do not see them so. */
static uint64_t add_layout(const struct fore_govars *v, uint64_t type, int depth,
                           struct fore_strbuf *out)
{
    static const char letters[] = {[2] = 'b', [4] = 'f', [5] = 'i', [7] = 'u'};
    const struct dwarf_unit *u = unit_of(v, type);
    struct dwarf_entry e = {.name = ""};
    struct dwarf_cursor c = {0};
    if (u) {
        c = at_entry(v, u, type);
        if (!take_entry(v, u, &c, &e))
            e = (struct dwarf_entry){.name = ""};
    }
    if (e.tag == TAG_TYPEDEF && depth < DEEPEST)
        return add_layout(v, e.type, depth + 1, out);
    if (e.tag == TAG_STRUCT && e.kind == GO_STRUCT && depth < DEEPEST && e.has_children) {
        add_members(v, u, &c, depth, out);
    } else if (e.tag == TAG_ARRAY && depth < DEEPEST && e.has_children) {
        add_array(v, u, &c, &e, depth, out);
    } else if (e.tag == TAG_POINTER || e.tag == TAG_SUBROUTINE) {
        fore_strbuf_puts(out, "p8");
        return 8;
    } else {
        bool base = e.tag == TAG_BASE && e.encoding < sizeof letters;
        char letter = base ? letters[e.encoding] : 0;
        fore_strbuf_printf(out, "%c%llu", letter ? letter : 'o',
                           (unsigned long long)e.size);
    }
    return e.size;
}

static void make_layout(const struct fore_govars *v, struct go_variable *x)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    x->size = add_layout(v, x->type, 0, &text);
    x->layout = fore_strdup(text.n && text.n < LONGEST_LAYOUT ? text.at : "");
    fore_strbuf_release(&text);
}

uint64_t fore_govars_text(const struct fore_govars *v)
{
    return v->text;
}

bool fore_govars_name(struct fore_govars *v, uint64_t address, struct fore_strbuf *name)
{
    size_t low = 0, high = v->all.n;
    struct fore_leaf leaf;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (v->all.at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    struct go_variable *x = &v->all.at[low - 1];
    uint64_t offset = address - x->address;
    if (!x->layout)
        make_layout(v, x);
    if (offset >= (x->size ? x->size : 1))
        return false;
    if (fore_leaf_at(x->name, x->layout, offset, &leaf)) {
        fore_strbuf_puts(name, leaf.name);
        offset = leaf.rest;
    } else {
        fore_strbuf_puts(name, x->name);
    }
    if (offset)
        fore_strbuf_printf(name, "+%llu", (unsigned long long)offset);
    return true;
}

/* Finds the part of `x` that has this name if the whole is named `base`. */
static bool find_part(const struct go_variable *x, const char *base, const char *name,
                      struct fore_govar *out)
{
    struct fore_leaf leaf;
    for (uint64_t at = 0; at < x->size; at++) /* there are gaps between members */
        if (fore_leaf_at(base, x->layout, at, &leaf) && !leaf.rest &&
            strcmp(leaf.name, name) == 0) {
            *out = (struct fore_govar){x->address + at, leaf.size, leaf.type, x->address,
                                       x->size};
            return true;
        }
    return false;
}

/* Finds the part with this name among these; by a path first, then by the name of a package. */
static bool find_among(const struct fore_govars *v, struct go_variable *at, size_t count,
                       const char *name, struct fore_govar *out)
{
    struct fore_strbuf base = FORE_STRBUF_INIT;
    bool found = false;
    for (size_t i = 0; i < 2 * count && !found; i++) {
        struct go_variable *x = &at[i % count];
        if (!fore_goname_asked(&v->packages, x->name, name, i < count, &base))
            continue;
        if (!x->layout)
            make_layout(v, x);
        found = find_part(x, base.at, name, out);
    }
    fore_strbuf_release(&base);
    return found;
}

bool fore_govars_find(struct fore_govars *v, const char *name, struct fore_govar *out)
{
    return find_among(v, v->all.at, v->all.n, name, out);
}

bool fore_govars_has(const struct fore_govars *v, const char *name)
{
    struct fore_strbuf base = FORE_STRBUF_INIT;
    bool found = false;
    for (size_t i = 0; i < 2 * v->all.n && !found; i++)
        found = fore_goname_asked(&v->packages, v->all.at[i % v->all.n].name, name,
                                  i < v->all.n, &base) &&
                strcmp(base.at, name) == 0;
    fore_strbuf_release(&base);
    return found;
}

bool fore_govars_find_field(struct fore_govars *v, const char *name,
                            struct fore_govar *out)
{
    return find_among(v, v->types.at, v->types.n, name, out);
}
