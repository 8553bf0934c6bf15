#include "capture/c/instrument/layout.h"

#include <llvm-c/DebugInfo.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 12, OPERANDS = 4096 };

enum operand { TYPE_OF_VARIABLE = 3, BASE_TYPE = 3, ELEMENTS = 4 };

struct layout_text {
    char *at;
    size_t n, room;
};

static void add_text(struct layout_text *t, const char *s)
{
    size_t n = strlen(s);
    if (t->n + n + 1 > t->room) {
        t->room = (t->room + n + 1) * 2;
        t->at = realloc(t->at, t->room);
        if (!t->at)
            abort();
    }
    memcpy(t->at + t->n, s, n + 1);
    t->n += n;
}

static void add_number(struct layout_text *t, const char *before, uint64_t n,
                       const char *after)
{
    char buffer[64];
    snprintf(buffer, sizeof buffer, "%s%llu%s", before, (unsigned long long)n, after);
    add_text(t, buffer);
}

/* ---- nodes: what has no getter is taken from the operands or from the printed form ---- */

LLVMMetadataRef fore_layout_operand(LLVMContextRef c, LLVMMetadataRef node, unsigned i)
{
    LLVMValueRef value = LLVMMetadataAsValue(c, node);
    unsigned n = (unsigned)LLVMGetMDNodeNumOperands(value);
    if (i >= n || n > OPERANDS)
        return NULL;
    LLVMValueRef *all = calloc(n, sizeof *all);
    if (!all)
        abort();
    LLVMGetMDNodeOperands(value, all);
    LLVMMetadataRef found = all[i] ? LLVMValueAsMetadata(all[i]) : NULL;
    free(all);
    return found;
}

static unsigned operand_count(LLVMContextRef c, LLVMMetadataRef node)
{
    unsigned n = (unsigned)LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(c, node));
    return n > OPERANDS ? 0 : n;
}

static int says(LLVMContextRef c, LLVMMetadataRef node, const char *what)
{
    char *text = LLVMPrintValueToString(LLVMMetadataAsValue(c, node));
    int found = strstr(text, what) != NULL;
    LLVMDisposeMessage(text);
    return found;
}

/* The type behind typedef, const, volatile and the like. */
static LLVMMetadataRef strip(LLVMContextRef c, LLVMMetadataRef type)
{
    while (type && LLVMGetMetadataKind(type) == LLVMDIDerivedTypeMetadataKind &&
           !says(c, type, "DW_TAG_pointer_type") && !says(c, type, "DW_TAG_member"))
        type = fore_layout_operand(c, type, BASE_TYPE);
    return type;
}

/* ---- types ---- */

static void put_type(LLVMContextRef c, LLVMMetadataRef type, int depth,
                     struct layout_text *out);

static void put_basic(LLVMContextRef c, LLVMMetadataRef type, struct layout_text *out)
{
    const char *kind = says(c, type, "DW_ATE_boolean")    ? "b"
                       : says(c, type, "DW_ATE_float")    ? "f"
                       : says(c, type, "DW_ATE_unsigned") ? "u"
                       : says(c, type, "DW_ATE_signed")   ? "i"
                                                          : "o";
    add_number(out, kind, LLVMDITypeGetSizeInBits(type) / 8, "");
}

/* Arrays of arrays have one list of ranges. */
static void put_array(LLVMContextRef c, LLVMMetadataRef type, int depth,
                      struct layout_text *out)
{
    LLVMMetadataRef element = strip(c, fore_layout_operand(c, type, BASE_TYPE));
    LLVMMetadataRef ranges = fore_layout_operand(c, type, ELEMENTS);
    uint64_t bytes = LLVMDITypeGetSizeInBits(type) / 8;
    unsigned n = ranges ? operand_count(c, ranges) : 0;
    for (unsigned i = 0; i < n; i++) {
        LLVMMetadataRef count =
            fore_layout_operand(c, fore_layout_operand(c, ranges, i), 0);
        LLVMValueRef number = count ? LLVMMetadataAsValue(c, count) : NULL;
        uint64_t many = 0;
        char *text = number ? LLVMPrintValueToString(number) : NULL;
        if (text && strrchr(text, ' '))
            many = strtoull(strrchr(text, ' '), NULL, 10);
        LLVMDisposeMessage(text);
        bytes = many ? bytes / many : 0;
        add_number(out, "[", many, ",");
        add_number(out, "", bytes, " ");
    }
    if (element)
        put_type(c, element, depth + 1, out);
    else
        add_text(out, "o0");
    for (unsigned i = 0; i < n; i++)
        add_text(out, "]");
}

/* Is it a member, and not a static one? */
static int is_member(LLVMContextRef c, LLVMMetadataRef m)
{
    return m && LLVMGetMetadataKind(m) == LLVMDIDerivedTypeMetadataKind &&
           says(c, m, "DW_TAG_member") && !says(c, m, "DIFlagStaticMember");
}

static void put_bits(LLVMContextRef c, LLVMMetadataRef m, LLVMMetadataRef base,
                     struct layout_text *out)
{
    const char *kind = says(c, base, "DW_ATE_boolean")    ? "b"
                       : says(c, base, "DW_ATE_unsigned") ? "u"
                                                          : "i";
    add_number(out, ":", LLVMDITypeGetOffsetInBits(m) % 8, ",");
    add_number(out, "", LLVMDITypeGetSizeInBits(m), kind);
}

static void put_member(LLVMContextRef c, LLVMMetadataRef m, int depth,
                       struct layout_text *out)
{
    size_t length = 0;
    const char *name = LLVMDITypeGetName(m, &length);
    LLVMMetadataRef base = strip(c, fore_layout_operand(c, m, BASE_TYPE));
    char buffer[256];
    if (!base)
        return;
    snprintf(buffer, sizeof buffer, "%.*s ", (int)(length > 200 ? 200 : length),
             name ? name : "");
    add_number(out, "", LLVMDITypeGetOffsetInBits(m) / 8, " ");
    add_text(out, buffer);
    if (says(c, m, "DIFlagBitField"))
        put_bits(c, m, base, out);
    else
        put_type(c, base, depth + 1, out);
    add_text(out, ";");
}

/* Scalars of a union share their bytes: which one is meant only the access says. The first
 * member that has parts gives them their names; but a pthread_mutex_t has none to be told. */
static void put_union(LLVMContextRef c, LLVMMetadataRef type, int depth,
                      struct layout_text *out)
{
    LLVMMetadataRef members = fore_layout_operand(c, type, ELEMENTS);
    unsigned n = members && !fore_is_system_file(type) ? operand_count(c, members) : 0;
    for (unsigned i = 0; i < n; i++) {
        LLVMMetadataRef m = fore_layout_operand(c, members, i), base = NULL;
        if (is_member(c, m))
            base = strip(c, fore_layout_operand(c, m, BASE_TYPE));
        if (!base || LLVMGetMetadataKind(base) != LLVMDICompositeTypeMetadataKind ||
            says(c, base, "DW_TAG_enumeration_type"))
            continue;
        add_text(out, "{");
        put_member(c, m, depth, out);
        add_text(out, "}");
        return;
    }
    add_number(out, "o", LLVMDITypeGetSizeInBits(type) / 8, "");
}

/* What a system header wraps, as in a once_flag, is not worth a name. */
static LLVMMetadataRef wrapped(LLVMContextRef c, LLVMMetadataRef type)
{
    LLVMMetadataRef members = fore_layout_operand(c, type, ELEMENTS), only = NULL;
    unsigned n = members && fore_is_system_file(type) ? operand_count(c, members) : 0;
    for (unsigned i = 0; i < n; i++) {
        LLVMMetadataRef m = fore_layout_operand(c, members, i);
        if (!is_member(c, m))
            continue;
        if (only)
            return NULL;
        only = m;
    }
    return only && !says(c, only, "DIFlagBitField")
               ? strip(c, fore_layout_operand(c, only, BASE_TYPE))
               : NULL;
}

static void put_record(LLVMContextRef c, LLVMMetadataRef type, int depth,
                       struct layout_text *out)
{
    LLVMMetadataRef members = fore_layout_operand(c, type, ELEMENTS);
    unsigned n = members ? operand_count(c, members) : 0;
    LLVMMetadataRef inside = wrapped(c, type);
    if (inside) {
        put_type(c, inside, depth + 1, out);
        return;
    }
    add_text(out, "{");
    for (unsigned i = 0; i < n; i++) {
        LLVMMetadataRef m = fore_layout_operand(c, members, i);
        if (is_member(c, m))
            put_member(c, m, depth, out);
    }
    add_text(out, "}");
}

static void put_type(LLVMContextRef c, LLVMMetadataRef type, int depth,
                     struct layout_text *out)
{
    LLVMMetadataKind kind = LLVMGetMetadataKind(type);
    if (kind == LLVMDIBasicTypeMetadataKind)
        put_basic(c, type, out);
    else if (kind == LLVMDIDerivedTypeMetadataKind)
        add_number(out, "p", LLVMDITypeGetSizeInBits(type) / 8, "");
    else if (depth < DEEPEST && says(c, type, "DW_TAG_array_type"))
        put_array(c, type, depth, out);
    else if (depth < DEEPEST && (says(c, type, "DW_TAG_structure_type") ||
                                 says(c, type, "DW_TAG_class_type")))
        put_record(c, type, depth, out);
    else if (depth < DEEPEST && says(c, type, "DW_TAG_union_type"))
        put_union(c, type, depth, out);
    else
        add_number(out, says(c, type, "DW_TAG_enumeration_type") ? "i" : "o",
                   LLVMDITypeGetSizeInBits(type) / 8, "");
}

/* ---- names ---- */

static const char *string_of(LLVMContextRef c, LLVMMetadataRef node, unsigned i,
                             unsigned *length)
{
    LLVMMetadataRef name = fore_layout_operand(c, node, i);
    *length = 0;
    return name && LLVMGetMetadataKind(name) == LLVMMDStringMetadataKind
               ? LLVMGetMDString(LLVMMetadataAsValue(c, name), length)
               : NULL;
}

static void put_scopes(LLVMContextRef c, LLVMMetadataRef node, struct layout_text *out)
{
    LLVMMetadataRef scope = node ? fore_layout_operand(c, node, FORE_LAYOUT_SCOPE) : NULL;
    LLVMMetadataKind kind = node ? LLVMGetMetadataKind(node) : LLVMDIFileMetadataKind;
    unsigned n;
    if (kind != LLVMDINamespaceMetadataKind && kind != LLVMDICompositeTypeMetadataKind &&
        kind != LLVMDISubprogramMetadataKind)
        return;
    put_scopes(c, scope, out);
    const char *name = string_of(c, node, FORE_LAYOUT_NAME, &n);
    char *copy = name && n ? strndup(name, n) : NULL;
    if (out->n)
        add_text(out, "::");
    add_text(out, copy ? copy : "(anonymous)");
    free(copy);
}

char *fore_layout_qualified(LLVMContextRef context, LLVMMetadataRef node)
{
    struct layout_text out = {0};
    put_scopes(context, node, &out);
    return out.at;
}

enum variable { SCOPE_OF = 0, NAME_OF = 1, FILE_OF = 2, DECLARED_AS = 6 };

/* A static member's class is the scope of its declaration. */
static char *variable_name(LLVMContextRef c, LLVMMetadataRef variable)
{
    LLVMMetadataRef member = fore_layout_operand(c, variable, DECLARED_AS);
    LLVMMetadataRef scope = member ? fore_layout_operand(c, member, FORE_LAYOUT_SCOPE)
                                   : fore_layout_operand(c, variable, SCOPE_OF);
    struct layout_text out = {0};
    unsigned n;
    const char *name = string_of(c, variable, NAME_OF, &n);
    if (!name || !n)
        return NULL;
    if (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind)
        put_scopes(c, scope, &out);
    if (out.n)
        add_text(&out, "::");
    char *copy = strndup(name, n);
    add_text(&out, copy ? copy : "");
    free(copy);
    return out.at;
}

static char *variable_file(LLVMContextRef c, LLVMMetadataRef variable)
{
    LLVMMetadataRef file = fore_layout_operand(c, variable, FILE_OF);
    unsigned n = 0;
    const char *name = file ? LLVMDIFileGetFilename(file, &n) : NULL;
    return name ? strndup(name, n) : NULL;
}

LLVMMetadataRef fore_layout_variable(LLVMContextRef context, LLVMValueRef global)
{
    size_t n = 0;
    unsigned dbg = LLVMGetMDKindIDInContext(context, "dbg", 3);
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(global, &n);
    LLVMMetadataRef found = NULL;
    for (unsigned i = 0; i < n && !found; i++)
        if (LLVMValueMetadataEntriesGetKind(all, i) == dbg)
            found = fore_layout_operand(context,
                                        LLVMValueMetadataEntriesGetMetadata(all, i), 0);
    LLVMDisposeValueMetadataEntries(all);
    return found;
}

struct fore_named fore_layout_of(LLVMContextRef context, LLVMValueRef global)
{
    LLVMMetadataRef variable = fore_layout_variable(context, global);
    struct layout_text out = {0};
    if (!variable)
        return (struct fore_named){0};
    LLVMMetadataRef type =
        strip(context, fore_layout_operand(context, variable, TYPE_OF_VARIABLE));
    if (type)
        put_type(context, type, 0, &out);
    return (struct fore_named){variable_name(context, variable),
                               variable_file(context, variable), out.at};
}

static char *layout_of(LLVMContextRef c, LLVMMetadataRef type, uint64_t *size)
{
    struct layout_text out = {0};
    *size = type ? LLVMDITypeGetSizeInBits(type) / 8 : 0;
    if (*size)
        put_type(c, type, 0, &out);
    return out.at;
}

struct fore_named fore_layout_made(LLVMContextRef context, LLVMMetadataRef variable,
                                   bool points, uint64_t *size)
{
    unsigned n;
    const char *name = string_of(context, variable, NAME_OF, &n);
    LLVMMetadataRef type =
        strip(context, fore_layout_operand(context, variable, TYPE_OF_VARIABLE));
    if (points)
        type = type && says(context, type, "DW_TAG_pointer_type")
                   ? strip(context, fore_layout_operand(context, type, BASE_TYPE))
                   : NULL;
    return (struct fore_named){.name = name ? strndup(name, n) : NULL,
                               .layout = layout_of(context, type, size)};
}

struct fore_named fore_layout_type(LLVMContextRef context, LLVMMetadataRef type,
                                   uint64_t *size)
{
    unsigned n;
    const char *name = string_of(context, type, FORE_LAYOUT_NAME, &n);
    return (struct fore_named){.name = name ? strndup(name, n) : NULL,
                               .layout = layout_of(context, strip(context, type), size)};
}
