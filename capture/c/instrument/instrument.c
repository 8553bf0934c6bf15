/* Inserts calls into the runtime around each access that may touch what threads share (the variables that are
 * named, if any are), and before each call that synchronises, which goes to the runtime from then on.
 *
 * It works on code before optimisation, but for inlining and sroa, which take locals out of memory:
 * so every write of the source is seen, once and in its order. */
#include "capture/c/instrument/instrument.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdlib.h>
#include <string.h>

void *fore_must(void *memory)
{
    if (!memory)
        fore_give_up("memory", "none left");
    return memory;
}

/* ---- what is inserted ---- */

LLVMValueRef fore_as_text(struct fore_work *w, LLVMValueRef pointer)
{
    return LLVMBuildBitCast(w->builder, pointer, w->text, "");
}

LLVMValueRef fore_emit(struct fore_work *w, struct fore_hook hook, LLVMValueRef *args,
                       unsigned n)
{
    LLVMValueRef given[5];
    LLVMTypeRef wanted[5];
    if (n > 5 || LLVMCountParamTypes(hook.type) != n)
        fore_give_up(fore_function_name(hook.function), "takes other arguments");
    LLVMGetParamTypes(hook.type, wanted);
    fore_touch(w, LLVMGetBasicBlockParent(LLVMGetInsertBlock(w->builder)));
    for (unsigned i = 0; i < n; i++)
        given[i] = LLVMBuildBitCast(w->builder, args[i], wanted[i], "");
    return LLVMBuildCall2(w->builder, hook.type, hook.function, given, n, "");
}

/* Whether the program is watched, read where the function begins. */
LLVMValueRef fore_watched(struct fore_work *w, LLVMValueRef function)
{
    if (w->watched_function == function)
        return w->watched;
    w->watched_function = function;
    if (fore_has_twin(w, function))
        return w->watched = fore_number(w, 1);
    LLVMValueRef on = LLVMGetNamedGlobal(w->module, "foresee_rt_on");
    if (!on)
        fore_give_up("foresee_rt_on", "is missing");
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(w->builder, first);
    LLVMSetCurrentDebugLocation2(w->builder, NULL);
    w->watched = LLVMBuildLoad2(w->builder, w->i32, on, "foresee.watched");
    return w->watched;
}

/* The runtime's function, which INLINE may define or declare. */
static struct fore_hook hook(struct fore_work *w, const char *name, LLVMTypeRef result,
                             LLVMTypeRef *args, unsigned n)
{
    struct fore_hook h = {LLVMFunctionType(result, args, n, false),
                          LLVMGetNamedFunction(w->module, name)};
    if (h.function)
        h.type = LLVMGlobalGetValueType(h.function);
    if (!h.function)
        h.function = LLVMAddFunction(w->module, name, h.type);
    return h;
}

/* What INLINE defines is each module's own. */
static void make_own(struct fore_work *w)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f))
        if (strncmp(fore_function_name(f), "foresee_", 8) == 0 && !LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
}

static void make_hooks(struct fore_work *w)
{
    LLVMTypeRef p = w->text, access[] = {p, p, w->i32, w->i32, w->i32},
                end[] = {w->i32, p, p, w->i32};
    LLVMTypeRef copy[] = {p, p, w->i64, p}, fill[] = {p, w->i32, w->i64, p};
    LLVMTypeRef fresh[] = {p, w->i64, p}, made[] = {p, p}, fence[] = {p, w->i32},
                check[] = {p, w->i32, p, w->i32}, begin[] = {p, p, w->i32};
    w->begin = hook(w, "foresee_rt_begin", w->i32, begin, 3);
    w->begin_if = hook(w, "foresee_rt_begin_if", w->i32, begin, 3);
    w->end = hook(w, "foresee_rt_end", w->void_type, end, 4);
    w->end_bits = hook(w, "foresee_rt_end_bits", w->void_type, end, 4);
    w->at = hook(w, "foresee_in_at", w->void_type, &p, 1);
    w->call = hook(w, "foresee_in_call", w->void_type, &p, 1);
    bool all = !w->name_count;
    w->copy =
        hook(w, all ? "foresee_rt_copy_all" : "foresee_rt_copy", w->void_type, copy, 4);
    w->fill =
        hook(w, all ? "foresee_rt_fill_all" : "foresee_rt_fill", w->void_type, fill, 4);
    w->fresh = hook(w, "foresee_in_fresh", w->void_type, fresh, 3);
    w->made = hook(w, "foresee_in_made", w->void_type, made, 2);
    w->freed = hook(w, "foresee_rt_freed", w->void_type, made, 2);
    w->fence = hook(w, "foresee_rt_fence", w->void_type, fence, 2);
    LLVMTypeRef libc_begin[] = {p, p, w->i32, p}, libc_end[] = {p, p, w->i64, p};
    w->libc_begin = hook(w, "foresee_rt_libc_begin", w->void_type, libc_begin, 4);
    w->libc_end = hook(w, "foresee_rt_libc_end", w->void_type, libc_end, 4);
    LLVMTypeRef unseen[] = {p, p, p, p};
    w->in_unseen = hook(w, "foresee_in_unseen", w->void_type, unseen, 4);
    w->starts = hook(w, "foresee_in_starts", w->void_type, &p, 1);
    w->in_use = hook(w, "foresee_in_use", w->void_type, &w->i32, 1);
    w->out_use = hook(w, "foresee_out_use", w->void_type, NULL, 0);
    w->in_main = hook(w, "foresee_rt_main", w->void_type, &w->i32, 1);
    w->in_begin = hook(w, "foresee_in_begin", w->i32, check, 4);
    w->in_read = hook(w, "foresee_in_read", w->i32, access, 5);
    w->in_write = hook(w, "foresee_in_write", w->i32, access, 5);
    w->in_end = hook(w, "foresee_in_end", w->void_type, end, 4);
    w->in_end_bits = hook(w, "foresee_in_end_bits", w->void_type, end, 4);
    w->in_near = hook(w, "foresee_in_near", w->i32, &p, 1);
    LLVMTypeRef old[] = {p, w->i32, w->i32}, more[] = {w->i64, p, w->i32},
                note[] = {w->i64, p, w->i32, w->i32, w->i32};
    w->in_old = hook(w, "foresee_in_old", w->i64, old, 3);
    w->in_more = hook(w, "foresee_in_more", w->i32, more, 3);
    w->in_note = hook(w, "foresee_in_note", w->void_type, note, 5);
    w->in_copy = hook(w, "foresee_in_copy", w->void_type, copy, 4);
    w->in_move = hook(w, "foresee_in_move", w->void_type, copy, 4);
    w->in_fill = hook(w, "foresee_in_fill", w->void_type, fill, 4);
}

static void make_types(struct fore_work *w)
{
    LLVMContextRef c = w->context;
    w->builder = LLVMCreateBuilderInContext(c);
    w->layout = LLVMGetModuleDataLayout(w->module);
    w->tbaa = LLVMGetMDKindIDInContext(c, "tbaa", 4);
    w->void_type = LLVMVoidTypeInContext(c);
    w->i32 = LLVMInt32TypeInContext(c);
    w->i64 = LLVMInt64TypeInContext(c);
    w->text = LLVMPointerType(LLVMInt8TypeInContext(c), 0);
    w->site = LLVMStructCreateNamed(c, "foresee.site");
    LLVMTypeRef site[] = {w->text, w->text, w->i32, w->i32, w->i32, w->i32};
    LLVMStructSetBody(w->site, site, 6, false);
    w->variable = LLVMStructCreateNamed(c, "foresee.variable");
    LLVMTypeRef variable[] = {w->text, w->i64, w->text, w->text, w->text, w->text};
    LLVMStructSetBody(w->variable, variable, 6, false);
}

/* ---- the module ---- */

static void say_main(struct fore_work *w, LLVMValueRef before, bool inside)
{
    LLVMValueRef arg = fore_number(w, inside);
    LLVMPositionBuilderBefore(w->builder, before);
    fore_emit(w, w->in_main, &arg, 1);
}

/* Returning from main, or calling exit in it, is the program's regular end. */
static void mark_main(struct fore_work *w)
{
    LLVMValueRef f = LLVMGetNamedFunction(w->module, "main");
    if (!f || LLVMIsDeclaration(f))
        return;
    say_main(w, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)), true);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsAReturnInst(i) ||
                (LLVMIsACallInst(i) &&
                 !strcmp(fore_function_name(LLVMGetCalledValue(i)), "exit")))
                say_main(w, i, false);
}

static unsigned thread_attribute(void)
{
    return LLVMGetEnumAttributeKindForName("sanitize_thread", 15);
}

static bool is_to_be_seen(LLVMValueRef f)
{
    return LLVMGetEnumAttributeAtIndex(f, (unsigned)LLVMAttributeFunctionIndex,
                                       thread_attribute());
}

/* Functions with no_sanitize("thread") are without the mark that all others of the module have; their
 * plain accesses are not seen. A module without marks was not compiled for this. */
static void find_unmarked(struct fore_work *w)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f))
        w->marked = w->marked || is_to_be_seen(f);
}

/* The marks were for this pass alone: the program is built without them. */
static void remove_marks(struct fore_work *w)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f))
        LLVMRemoveEnumAttributeAtIndex(f, (unsigned)LLVMAttributeFunctionIndex,
                                       thread_attribute());
}

/* OpenMP's library calls it when the parts of other threads are there. */
static bool adds_up(LLVMValueRef f)
{
    return strstr(fore_function_name(f), ".omp.reduction.") != NULL;
}

static void visit_function(struct fore_work *w, LLVMValueRef f)
{
    bool sees = (!w->marked || is_to_be_seen(f)) && !adds_up(f);
    struct fore_heat heat = fore_heat_of(f);
    unsigned n = 0;
    if (!heat.worth)
        fore_set_cold(w, f);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b)) {
        w->in_loop = n < heat.n && heat.hot[n++];
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsAAllocaInst(i))
                fore_fresh_local(w, i);
            else if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i))
                fore_call(w, i);
            else if (LLVMIsAFenceInst(i))
                fore_fence(w, i);
            else if (sees || fore_is_exact(w, i))
                fore_access(w, i);
        }
    }
    free(heat.hot);
}

/* Modules say whether they record all, to those functions of the runtime that cannot tell. */
static void say_everything(struct fore_work *w)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(w->context);
    LLVMValueRef g = LLVMAddGlobal(
        w->module, byte, w->name_count ? "foresee_rt_named" : "foresee_rt_everything");
    LLVMSetInitializer(g, LLVMConstInt(byte, 1, false));
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMWeakAnyLinkage);
}

/* What another module defines again for the optimiser's sake is seen there, if at all. */
static void visit_all(struct fore_work *w)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f))
        if (LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage &&
            strncmp(fore_function_name(f), "foresee_", 8) != 0)
            visit_function(w, f);
}

static void run_passes(struct fore_work *w, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef bad = LLVMRunPasses(w->module, passes, NULL, options);
    if (bad)
        fore_give_up(passes, LLVMGetErrorMessage(bad));
    LLVMDisposePassBuilderOptions(options);
}

/* Which parameters a function does not keep, as LLVM finds out: on a copy, because what else it
 * finds out will not be true of code with calls in it. */
static void infer_captures(struct fore_work *w)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("nocapture", 9);
    LLVMModuleRef own = w->module;
    w->module = LLVMCloneModule(own);
    run_passes(w, "cgscc(function-attrs)");
    for (LLVMValueRef f = LLVMGetFirstFunction(own), copy; f;
         f = LLVMGetNextFunction(f)) {
        copy = LLVMIsDeclaration(f)
                   ? NULL
                   : LLVMGetNamedFunction(w->module, fore_function_name(f));
        for (unsigned i = 1; copy && i <= LLVMCountParams(f); i++)
            if (LLVMGetEnumAttributeAtIndex(copy, i, kind))
                LLVMAddAttributeAtIndex(f, i,
                                        LLVMCreateEnumAttribute(w->context, kind, 0));
    }
    LLVMDisposeModule(w->module);
    w->module = own;
}

LLVMModuleRef fore_read_module(LLVMContextRef context, const char *path)
{
    LLVMMemoryBufferRef bytes;
    LLVMModuleRef module;
    char *why = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &bytes, &why))
        fore_give_up(path, why);
    if (LLVMParseBitcodeInContext2(context, bytes, &module))
        fore_give_up(path, "not bitcode that this version of LLVM reads");
    LLVMDisposeMemoryBuffer(bytes);
    return module;
}

/* ---- all of it ---- */

/* What is looked at before anything is inserted, and what is made of the module for that. */
static void prepare(struct fore_work *w, const char *inlined)
{
    make_types(w);
    fore_note_made(w);
    fore_note_starts(w);
    find_unmarked(w);
    run_passes(w, "inferattrs,function(sroa)");
    fore_inline_headers(w);
    run_passes(w, "always-inline,cgscc(inline),function(sroa)");
    infer_captures(w);
    fore_rename_calls(w);
    if (w->fast && !w->name_count)
        fore_copy_twins(w);
    if (LLVMLinkModules2(w->module, fore_read_module(w->context, inlined)))
        fore_give_up(inlined, "does not fit the program");
    make_own(w);
    make_hooks(w);
    fore_find_private(w);
    w->taken = fore_taken(w);
    w->is_large = fore_is_large(w);
    fore_tag_checks(w);
    fore_mark_straight(w);
    fore_mark_uses(w);
}

void fore_instrument(LLVMModuleRef module, int argc, char *const *argv)
{
    /* The memory goes with the process: to give it back piece by piece takes a tenth of the time. */
    static struct fore_work *w;
    w = fore_must(calloc(1, sizeof *w));
    for (; argc && argv[0][0] == '-'; argc--, argv++) {
        w->debug |= strcmp(argv[0], "-g") == 0;
        w->fast |= strcmp(argv[0], "-O") == 0;
    }
    if (!argc)
        fore_give_up("usage", "[-g] [-O] INLINE [NAME...]");
    w->names = argv + 1;
    w->name_count = argc - 1;
    w->texts = fore_must(calloc(FORE_TEXTS, sizeof *w->texts));
    w->context = LLVMGetModuleContext(module);
    w->module = module;
    prepare(w, argv[0]);
    visit_all(w);
    remove_marks(w);
    mark_main(w);
    fore_add_table(w);
    fore_add_starts(w);
    say_everything(w);
    fore_join_twins(w);
    if (!w->debug)
        LLVMStripModuleDebugInfo(w->module);
}
