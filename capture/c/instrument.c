/* foresee-instrument IN OUT [NAME...]: inserts calls into the runtime around each access that
 * may touch a global variable (those called NAME, if names are given), and before each call
 * that synchronises, which goes to the runtime from then on. IN and OUT are LLVM bitcode.
 *
 * It works on code before optimisation, but for sroa, which takes the locals out of memory:
 * so every write of the source is seen, once and in its order. */
#include "c/layout.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "trace/ring.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMTypeRef void_type, i32, i64, text, site, variable;
    LLVMTypeRef begin_type, end_type, at_type, copy_type, fill_type;
    LLVMValueRef begin, end, at, copy, fill;
    LLVMValueRef *rows; /* of the table of variables */
    unsigned row_count;
    char *const *names;
    int name_count;
};

/* The calls that synchronise; the runtime has a foresee_rt_ of each. */
static const char *const renamed[] = {
    "pthread_create",
    "pthread_join",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_mutex_timedlock",
    "pthread_mutex_destroy",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_unlock",
    "pthread_rwlock_destroy",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_cond_destroy",
    "sem_wait",
    "sem_trywait",
    "sem_timedwait",
    "sem_post",
    "sem_destroy",
    "pthread_barrier_init",
    "pthread_barrier_wait",
    "pthread_barrier_destroy",
    "pthread_once",
};

_Noreturn static void fail(const char *what, const char *why)
{
    fprintf(stderr, "foresee-instrument: %s: %s\n", what, why);
    exit(1);
}

/* ---- constants ---- */

/* A private string, as i8*. */
static LLVMValueRef string(struct work *w, const char *s)
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

static LLVMValueRef number(struct work *w, uint64_t n)
{
    return LLVMConstInt(w->i32, n, false);
}

static LLVMValueRef site_of(struct work *w, LLVMValueRef instruction)
{
    LLVMValueRef function =
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
    unsigned n = 0;
    size_t m = 0;
    const char *file = LLVMGetDebugLocFilename(instruction, &n);
    const char *in = LLVMGetValueName2(function, &m);
    char *file_text = strndup(file ? file : "", file ? n : 0), *in_text = strndup(in, m);
    if (!file_text || !in_text)
        fail("memory", "none left");
    LLVMValueRef fields[] = {string(w, file_text),
                             string(w, in_text),
                             number(w, LLVMGetDebugLocLine(instruction)),
                             number(w, LLVMGetDebugLocColumn(instruction)),
                             number(w, 0),
                             number(w, 0)};
    LLVMValueRef g = LLVMAddGlobal(w->module, w->site, "foresee.site");
    LLVMSetInitializer(g, LLVMConstNamedStruct(w->site, fields, 6));
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    free(file_text);
    free(in_text);
    return g;
}

/* ---- the table of variables ---- */

/* tank.level and tank[3] are parts of tank. */
static int is_named(const struct work *w, const char *name)
{
    size_t n = strlen(name);
    for (int i = 0; i < w->name_count; i++)
        if (strcspn(w->names[i], ".[") == n && strncmp(w->names[i], name, n) == 0)
            return 1;
    return w->name_count == 0;
}

static char *source_name(struct work *w, LLVMValueRef g, char **layout)
{
    char *name;
    size_t n;
    fore_layout_of(w->context, g, &name, layout);
    if (!name) {
        const char *own = LLVMGetValueName2(g, &n);
        name = strndup(own, n);
    }
    if (!name)
        fail("memory", "none left");
    return name;
}

static int is_shared_variable(LLVMValueRef g)
{
    size_t n;
    const char *name = LLVMGetValueName2(g, &n);
    return !LLVMIsGlobalConstant(g) && !LLVMIsThreadLocal(g) &&
           strncmp(name, "llvm.", 5) != 0 && strncmp(name, "foresee.", 8) != 0;
}

static void add_row(struct work *w, LLVMValueRef g)
{
    char *layout, *name = source_name(w, g, &layout);
    if (is_named(w, name)) {
        uint64_t size = LLVMABISizeOfType(w->layout, LLVMGlobalGetValueType(g));
        LLVMValueRef fields[] = {LLVMConstBitCast(g, w->text),
                                 LLVMConstInt(w->i64, size, false), string(w, name),
                                 string(w, layout ? layout : "")};
        LLVMValueRef *more = realloc(w->rows, (w->row_count + 1) * sizeof *w->rows);
        if (!more)
            fail("memory", "none left");
        w->rows = more;
        w->rows[w->row_count++] = LLVMConstNamedStruct(w->variable, fields, 4);
    }
    free(name);
    free(layout);
}

/* Two modules of a program have tables of different names: a hash of the module tells. */
static void table_name(struct work *w, char *out, size_t size)
{
    char *text = LLVMPrintModuleToString(w->module);
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    LLVMDisposeMessage(text);
    snprintf(out, size, "foresee.table.%016llx", (unsigned long long)hash);
}

static void add_table(struct work *w)
{
    char name[64];
    for (LLVMValueRef g = LLVMGetFirstGlobal(w->module); g; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g) && is_shared_variable(g))
            add_row(w, g);
    if (!w->row_count)
        return;
    table_name(w, name, sizeof name);
    LLVMValueRef init = LLVMConstArray(w->variable, w->rows, w->row_count);
    LLVMValueRef table = LLVMAddGlobal(w->module, LLVMTypeOf(init), name);
    LLVMSetInitializer(table, init);
    LLVMSetLinkage(table, LLVMWeakAnyLinkage); /* so that nobody drops it */
    LLVMSetVisibility(table, LLVMHiddenVisibility);
    LLVMSetSection(table, FORE_C_SECTION);
    LLVMSetAlignment(table, 8);
}

/* ---- accesses ---- */

static LLVMValueRef base_of(LLVMValueRef p)
{
    for (;;) {
        LLVMOpcode op = LLVMIsAInstruction(p)    ? LLVMGetInstructionOpcode(p)
                        : LLVMIsAConstantExpr(p) ? LLVMGetConstOpcode(p)
                                                 : LLVMRet;
        if (op != LLVMGetElementPtr && op != LLVMBitCast)
            return p;
        p = LLVMGetOperand(p, 0);
    }
}

/* Locals are nobody else's variable; a global of another module is decided by its name. */
static int may_be_relevant(struct work *w, LLVMValueRef p)
{
    LLVMValueRef base = base_of(p);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(p)) != 0 || LLVMIsAAllocaInst(base) ||
        LLVMIsAFunction(base))
        return 0;
    if (!LLVMIsAGlobalVariable(base))
        return 1;
    if (!is_shared_variable(base))
        return 0;
    char *layout, *name = source_name(w, base, &layout);
    int relevant = is_named(w, name);
    free(name);
    free(layout);
    return relevant;
}

static unsigned order_of(LLVMValueRef i)
{
    static const unsigned char orders[] = {0, 1, 1, 0, 2, 3, 4, 5};
    LLVMAtomicOrdering o = LLVMIsAAtomicCmpXchgInst(i) ? LLVMGetCmpXchgSuccessOrdering(i)
                                                       : LLVMGetOrdering(i);
    return orders[o & 7];
}

static unsigned type_bits(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
    case LLVMPointerTypeKind:
        return FORE_C_INT;
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return FORE_C_FLOAT;
    default:
        return FORE_C_NO_VALUE;
    }
}

struct access {
    LLVMValueRef pointer;
    LLVMTypeRef type;
    unsigned kind, bits;
};

static int is_access(LLVMValueRef i, struct access *a)
{
    *a = (struct access){0};
    if (LLVMIsALoadInst(i)) {
        *a = (struct access){LLVMGetOperand(i, 0), LLVMTypeOf(i), FORE_RING_READ, 0};
    } else if (LLVMIsAStoreInst(i)) {
        *a = (struct access){LLVMGetOperand(i, 1), LLVMTypeOf(LLVMGetOperand(i, 0)),
                             FORE_RING_WRITE, 0};
    } else if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) {
        *a = (struct access){LLVMGetOperand(i, 0), LLVMTypeOf(LLVMGetOperand(i, 1)),
                             FORE_RING_RMW,
                             LLVMIsAAtomicCmpXchgInst(i) ? FORE_C_COMPARED : 0};
    }
    return a->pointer != NULL;
}

static void surround(struct work *w, LLVMValueRef i, const struct access *a)
{
    uint64_t size = LLVMStoreSizeOfType(w->layout, a->type);
    unsigned bits = a->bits | type_bits(a->type);
    if (size > 8) {
        bits |= FORE_C_NO_VALUE;
        size = size > 0xffff ? 0xffff : size;
    }
    uint64_t what = a->kind | bits << 8 | order_of(i) << 12 | size << 16;
    LLVMPositionBuilderBefore(w->builder, i);
    LLVMValueRef p = LLVMBuildBitCast(w->builder, a->pointer, w->text, "");
    LLVMValueRef token =
        LLVMBuildCall2(w->builder, w->begin_type, w->begin, &p, 1, "foresee");
    LLVMPositionBuilderBefore(w->builder, LLVMGetNextInstruction(i));
    LLVMSetCurrentDebugLocation2(w->builder, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef args[] = {token, p, site_of(w, i), number(w, what)};
    LLVMBuildCall2(w->builder, w->end_type, w->end, args, 4, "");
}

/* ---- ranges ---- */

static int is_call_of(LLVMValueRef i, const char *prefix)
{
    size_t n;
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return f && LLVMIsAFunction(f) &&
           strncmp(LLVMGetValueName2(f, &n), prefix, strlen(prefix)) == 0;
}

static void replace_range(struct work *w, LLVMValueRef i, bool fills)
{
    LLVMValueRef to = LLVMGetOperand(i, 0), from = LLVMGetOperand(i, 1);
    LLVMValueRef n = LLVMGetOperand(i, 2);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(to)) != 0 ||
        (!fills && LLVMGetPointerAddressSpace(LLVMTypeOf(from)) != 0) ||
        (!may_be_relevant(w, to) && (fills || !may_be_relevant(w, from))))
        return;
    LLVMPositionBuilderBefore(w->builder, i);
    from = fills ? LLVMBuildZExt(w->builder, from, w->i32, "")
                 : LLVMBuildBitCast(w->builder, from, w->text, "");
    LLVMValueRef args[] = {LLVMBuildBitCast(w->builder, to, w->text, ""), from,
                           LLVMBuildZExtOrBitCast(w->builder, n, w->i64, ""),
                           site_of(w, i)};
    if (fills)
        LLVMBuildCall2(w->builder, w->fill_type, w->fill, args, 4, "");
    else
        LLVMBuildCall2(w->builder, w->copy_type, w->copy, args, 4, "");
    LLVMInstructionEraseFromParent(i);
}

/* ---- calls ---- */

static int is_renamed(LLVMValueRef function)
{
    size_t n;
    const char *name = function ? LLVMGetValueName2(function, &n) : "";
    return strncmp(name, "foresee_rt_", 11) == 0;
}

static void rename_calls(struct work *w)
{
    char name[128];
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        LLVMValueRef f = LLVMGetNamedFunction(w->module, renamed[i]);
        if (!f || !LLVMIsDeclaration(f))
            continue;
        int n = snprintf(name, sizeof name, "foresee_rt_%s", renamed[i]);
        LLVMSetValueName2(f, name, (size_t)n);
    }
}

static void announce(struct work *w, LLVMValueRef call)
{
    LLVMPositionBuilderBefore(w->builder, call);
    LLVMValueRef site = site_of(w, call);
    LLVMBuildCall2(w->builder, w->at_type, w->at, &site, 1, "");
}

/* ---- the module ---- */

static void visit(struct work *w, LLVMValueRef i)
{
    struct access a;
    if (is_access(i, &a)) {
        if (may_be_relevant(w, a.pointer))
            surround(w, i, &a);
    } else if (is_call_of(i, "llvm.memset.")) {
        replace_range(w, i, true);
    } else if (is_call_of(i, "llvm.memcpy.") || is_call_of(i, "llvm.memmove.")) {
        replace_range(w, i, false);
    } else if ((LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) &&
               LLVMIsAFunction(LLVMGetCalledValue(i)) &&
               is_renamed(LLVMGetCalledValue(i))) {
        announce(w, i);
    }
}

static void visit_all(struct work *w)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                visit(w, i);
            }
}

static LLVMValueRef declare(struct work *w, const char *name, LLVMTypeRef *type,
                            LLVMTypeRef result, LLVMTypeRef *args, unsigned n)
{
    *type = LLVMFunctionType(result, args, n, false);
    return LLVMAddFunction(w->module, name, *type);
}

static void prepare(struct work *w)
{
    LLVMContextRef c = w->context;
    w->builder = LLVMCreateBuilderInContext(c);
    w->layout = LLVMGetModuleDataLayout(w->module);
    w->void_type = LLVMVoidTypeInContext(c);
    w->i32 = LLVMInt32TypeInContext(c);
    w->i64 = LLVMInt64TypeInContext(c);
    w->text = LLVMPointerType(LLVMInt8TypeInContext(c), 0);
    w->site = LLVMStructCreateNamed(c, "foresee.site");
    LLVMTypeRef site[] = {w->text, w->text, w->i32, w->i32, w->i32, w->i32};
    LLVMStructSetBody(w->site, site, 6, false);
    w->variable = LLVMStructCreateNamed(c, "foresee.variable");
    LLVMTypeRef variable[] = {w->text, w->i64, w->text, w->text};
    LLVMStructSetBody(w->variable, variable, 4, false);
    LLVMTypeRef to_site = LLVMPointerType(w->site, 0);
    w->begin = declare(w, "foresee_rt_begin", &w->begin_type, w->i32, &w->text, 1);
    LLVMTypeRef end[] = {w->i32, w->text, to_site, w->i32};
    w->end = declare(w, "foresee_rt_end", &w->end_type, w->void_type, end, 4);
    LLVMTypeRef copy[] = {w->text, w->text, w->i64, to_site};
    w->copy = declare(w, "foresee_rt_copy", &w->copy_type, w->void_type, copy, 4);
    LLVMTypeRef fill[] = {w->text, w->i32, w->i64, to_site};
    w->fill = declare(w, "foresee_rt_fill", &w->fill_type, w->void_type, fill, 4);
    w->at = declare(w, "foresee_rt_at", &w->at_type, w->void_type, &to_site, 1);
}

static void run_sroa(struct work *w)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef bad = LLVMRunPasses(w->module, "function(sroa)", NULL, options);
    if (bad)
        fail("sroa", LLVMGetErrorMessage(bad));
    LLVMDisposePassBuilderOptions(options);
}

int main(int argc, char **argv)
{
    struct work w = {.names = argv + 3, .name_count = argc - 3};
    LLVMMemoryBufferRef bytes;
    char *why = NULL;
    if (argc < 3)
        fail("usage", "foresee-instrument IN OUT [NAME...]");
    w.context = LLVMContextCreate();
    if (LLVMCreateMemoryBufferWithContentsOfFile(argv[1], &bytes, &why))
        fail(argv[1], why);
    if (LLVMParseBitcodeInContext2(w.context, bytes, &w.module))
        fail(argv[1], "not bitcode that this version of LLVM reads");
    run_sroa(&w);
    rename_calls(&w);
    prepare(&w);
    visit_all(&w);
    add_table(&w);
    if (LLVMWriteBitcodeToFile(w.module, argv[2]))
        fail(argv[2], "cannot be written");
    free(w.rows);
    LLVMDisposeMemoryBuffer(bytes);
    LLVMDisposeBuilder(w.builder);
    LLVMDisposeModule(w.module);
    LLVMContextDispose(w.context);
    return 0;
}
