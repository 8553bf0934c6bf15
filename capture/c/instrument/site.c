#include "capture/c/detours.h"
#include "capture/c/instrument/instrument.h"
#include "capture/c/instrument/layout.h"

#include <llvm-c/DebugInfo.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- constants ---- */

static struct fore_text *slot(struct fore_work *w, const char *s)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *c = s; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    size_t i = hash % FORE_TEXTS;
    while (w->texts[i].text && strcmp(w->texts[i].text, s) != 0)
        i = (i + 1) % FORE_TEXTS;
    return &w->texts[i];
}

static LLVMValueRef private_string(struct fore_work *w, const char *s)
{
    LLVMValueRef init =
        LLVMConstStringInContext(w->context, s, (unsigned)strlen(s), false);
    LLVMValueRef g = LLVMAddGlobal(w->module, LLVMTypeOf(init), "foresee.text");
    LLVMSetInitializer(g, init);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(g, true);
    LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
    return LLVMConstBitCast(g, w->text);
}

/* Files and functions come again and again: each is there once, as long as there is room. */
LLVMValueRef fore_string(struct fore_work *w, const char *s)
{
    if (w->text_count == FORE_TEXTS - 1)
        return private_string(w, s);
    struct fore_text *t = slot(w, s);
    if (!t->text) {
        *t = (struct fore_text){fore_must(strdup(s)), private_string(w, s)};
        w->text_count++;
    }
    return t->value;
}

LLVMValueRef fore_number(struct fore_work *w, uint64_t n)
{
    return LLVMConstInt(w->i32, n, false);
}

/* ---- files ---- */

/* /usr/include, compilers' own, libstdc++'s and libc++'s. */
bool fore_is_system_file(LLVMMetadataRef scope)
{
    unsigned n = 0;
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    const char *name = file ? LLVMDIFileGetFilename(file, &n) : NULL;
    if (!name || !memmem(name, n, "/include/", 9))
        return false;
    return (n > 5 && strncmp(name, "/usr/", 5) == 0) ||
           memmem(name, n, "/include/c++/", 13) != NULL;
}

bool fore_in_system_header(LLVMValueRef function)
{
    return fore_is_system_file(LLVMGetSubprogram(function));
}

/* A line in a system header says little: the line that led there is meant. */
static LLVMMetadataRef readable(LLVMMetadataRef location)
{
    for (LLVMMetadataRef at = location; at; at = LLVMDILocationGetInlinedAt(at))
        if (!fore_is_system_file(LLVMDILocationGetScope(at)))
            return at;
    return location;
}

bool fore_is_of_system_header(LLVMValueRef instruction)
{
    LLVMMetadataRef at = readable(LLVMInstructionGetDebugLoc(instruction));
    return at ? fore_is_system_file(LLVMDILocationGetScope(at))
              : fore_in_system_header(
                    LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
}

/* ---- functions ---- */

/* The function around a place, without parameters, as debuggers print it. */
static char *function_name(struct fore_work *w, LLVMMetadataRef scope)
{
    while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind)
        scope = fore_layout_operand(w->context, scope, FORE_LAYOUT_SCOPE);
    return scope ? fore_layout_qualified(w->context, scope) : NULL;
}

LLVMValueRef fore_site_made(struct fore_work *w, LLVMValueRef instruction,
                            const char *made)
{
    LLVMMetadataRef at = readable(LLVMInstructionGetDebugLoc(instruction));
    LLVMMetadataRef scope = at ? LLVMDILocationGetScope(at) : NULL;
    LLVMMetadataRef source = scope ? LLVMDIScopeGetFile(scope) : NULL;
    LLVMValueRef inside = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
    unsigned n = 0;
    const char *path = source ? LLVMDIFileGetFilename(source, &n) : "";
    char *file = fore_must(strndup(path, n)), *function = function_name(w, scope);
    fore_leave_out_detours(file);
    if (!function)
        function = fore_must(strdup(fore_function_name(inside)));
    if (made) {
        char *own = function;
        if (asprintf(&function, "%s" FORE_C_MADE "%s", own, made) < 0)
            function = fore_must(NULL);
        free(own);
    }
    LLVMValueRef fields[] = {
        fore_string(w, file),
        fore_string(w, function),
        fore_number(w, at ? LLVMDILocationGetLine(at) : 0),
        fore_number(w, (at ? LLVMDILocationGetColumn(at) : 0) |
                           (fore_is_straight(w, instruction) ? FORE_C_STRAIGHT : 0)),
        fore_number(w, 0),
        fore_number(w, 0)};
    LLVMValueRef g = LLVMAddGlobal(w->module, w->site, "foresee.site");
    LLVMSetInitializer(g, LLVMConstNamedStruct(w->site, fields, 6));
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetSection(g, FORE_C_SITES_SECTION);
    LLVMSetAlignment(g, 8);
    free(file);
    free(function);
    return g;
}

LLVMValueRef fore_site(struct fore_work *w, LLVMValueRef instruction)
{
    return fore_site_made(w, instruction, NULL);
}

LLVMValueRef fore_site_number(struct fore_work *w, LLVMValueRef site)
{
    enum { ID = 4 };
    unsigned invariant = LLVMGetMDKindIDInContext(w->context, "invariant.load", 14);
    LLVMValueRef at = LLVMBuildStructGEP2(w->builder, w->site, site, ID, "");
    LLVMValueRef id = LLVMBuildLoad2(w->builder, w->i32, at, "");
    LLVMSetMetadata(id, invariant, LLVMMDNodeInContext(w->context, NULL, 0));
    return id;
}
