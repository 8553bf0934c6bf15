/* The table of the variables that may be shared. */
#include "c/instrument.h"
#include "c/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fore_is_shared_variable(LLVMValueRef g)
{
    size_t n;
    const char *name = LLVMGetValueName2(g, &n);
    return !LLVMIsGlobalConstant(g) && !LLVMIsThreadLocal(g) &&
           strncmp(name, "llvm.", 5) != 0 && strncmp(name, "foresee", 7) != 0;
}

/* tank.level and tank[3] are parts of tank; tank.c:tank is tank of the file tank.c. */
static const char *spelled(const struct fore_work *w, const struct fore_named *v)
{
    for (int i = 0; i < w->name_count; i++) {
        const char *name = w->names[i], *colon = strrchr(name, ':');
        size_t file = 0;
        if (colon && colon > name && colon[-1] != ':')
            file = (size_t)(colon - name);
        const char *own = file ? colon + 1 : name;
        if (strcspn(own, ".[") != strlen(v->name) ||
            strncmp(own, v->name, strlen(v->name)) != 0)
            continue;
        size_t n = strlen(v->file);
        if (!file || (n >= file && strncmp(v->file + n - file, name, file) == 0 &&
                      (n == file || v->file[n - file - 1] == '/')))
            return name;
    }
    return NULL;
}

static void release(struct fore_named *v)
{
    free(v->name);
    free(v->file);
    free(v->layout);
}

/* _ZGVx guards _Zx: whether a static variable of C++ is made yet. */
static char *guard_name(struct fore_work *w, const char *own)
{
    char guarded[1024], *name = NULL;
    if (strncmp(own, "_ZGV", 4) != 0)
        return NULL;
    snprintf(guarded, sizeof guarded, "_Z%s", own + 4);
    LLVMValueRef g = LLVMGetNamedGlobal(w->module, guarded);
    struct fore_named v = g ? fore_layout_of(w->context, g) : (struct fore_named){0};
    if (v.name && asprintf(&name, "guard of %s", v.name) < 0)
        name = NULL;
    release(&v);
    return name;
}

static struct fore_named named(struct fore_work *w, LLVMValueRef g)
{
    struct fore_named v = fore_layout_of(w->context, g);
    size_t n;
    if (!v.name) {
        const char *own = LLVMGetValueName2(g, &n);
        v.name = guard_name(w, own);
        if (!v.name)
            v.name = fore_must(strndup(own, n));
    }
    if (!v.file)
        v.file = fore_must(strdup(""));
    return v;
}

bool fore_is_named(struct fore_work *w, LLVMValueRef global)
{
    if (!w->name_count)
        return true;
    struct fore_named v = named(w, global);
    bool found = spelled(w, &v) != NULL;
    release(&v);
    return found;
}

/* As the specification spells it, if it does. */
static char *row_name(const struct fore_work *w, const struct fore_named *v)
{
    const char *s = spelled(w, v);
    const char *colon = s ? strrchr(s, ':') : NULL;
    size_t n = colon ? (size_t)(colon - s) : 0;
    return fore_must(strndup(s ? s : v->name, n + strcspn((s ? s : v->name) + n, ".[")));
}

static void add_row(struct fore_work *w, LLVMValueRef g)
{
    struct fore_named v = named(w, g);
    if (!w->name_count || spelled(w, &v)) {
        uint64_t size = LLVMABISizeOfType(w->layout, LLVMGlobalGetValueType(g));
        char *name = row_name(w, &v);
        LLVMLinkage linkage = LLVMGetLinkage(g);
        bool local = linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
        LLVMValueRef fields[] = {LLVMConstBitCast(g, w->text),
                                 LLVMConstInt(w->i64, size, false), fore_string(w, name),
                                 fore_string(w, v.layout ? v.layout : ""),
                                 fore_string(w, local ? v.file : "")};
        w->rows = fore_must(realloc(w->rows, (w->row_count + 1) * sizeof *w->rows));
        w->rows[w->row_count++] = LLVMConstNamedStruct(w->variable, fields, 5);
        free(name);
    }
    release(&v);
}

/* Nobody drops what llvm.used lists. */
static void list_as_used(struct fore_work *w, LLVMValueRef global)
{
    LLVMValueRef old = LLVMGetNamedGlobal(w->module, "llvm.used");
    LLVMValueRef init = old ? LLVMGetInitializer(old) : NULL;
    unsigned n = init ? LLVMGetArrayLength(LLVMTypeOf(init)) : 0;
    LLVMValueRef *all = fore_must(calloc(n + 1, sizeof *all));
    for (unsigned i = 0; i < n; i++)
        all[i] = LLVMGetOperand(init, i);
    all[n] = LLVMConstBitCast(global, w->text);
    if (old)
        LLVMDeleteGlobal(old);
    init = LLVMConstArray(w->text, all, n + 1);
    LLVMValueRef used = LLVMAddGlobal(w->module, LLVMTypeOf(init), "llvm.used");
    LLVMSetInitializer(used, init);
    LLVMSetLinkage(used, LLVMAppendingLinkage);
    LLVMSetSection(used, "llvm.metadata");
    free(all);
}

static void keep(struct fore_work *w, LLVMValueRef init, const char *name,
                 const char *section)
{
    LLVMValueRef g = LLVMAddGlobal(w->module, LLVMTypeOf(init), name);
    LLVMSetInitializer(g, init);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetSection(g, section);
    LLVMSetAlignment(g, strcmp(section, FORE_C_SECTION) == 0 ? 8 : 1);
    list_as_used(w, g);
}

static bool is_defined(LLVMValueRef g)
{
    return !LLVMIsDeclaration(g) && fore_is_shared_variable(g) &&
           LLVMGetLinkage(g) != LLVMAvailableExternallyLinkage;
}

/* So that the linking compiler knows which names of the specification nobody has. */
static void add_known(struct fore_work *w)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = fore_must(open_memstream(&text, &n));
    for (LLVMValueRef g = LLVMGetFirstGlobal(w->module); g; g = LLVMGetNextGlobal(g))
        if (is_defined(g)) {
            struct fore_named v = named(w, g);
            fprintf(out, "%s%c", v.name, 0);
            release(&v);
        }
    fclose(out);
    if (n)
        keep(w, LLVMConstStringInContext(w->context, text, (unsigned)n, true),
             "foresee.known", FORE_C_KNOWN);
    free(text);
}

void fore_add_table(struct fore_work *w)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(w->module); g; g = LLVMGetNextGlobal(g))
        if (is_defined(g))
            add_row(w, g);
    if (w->row_count)
        keep(w, LLVMConstArray(w->variable, w->rows, w->row_count), "foresee.table",
             FORE_C_SECTION);
    if (w->name_count)
        add_known(w);
}
