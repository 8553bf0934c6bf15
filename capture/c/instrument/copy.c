/* A second function with the body of a first one. Of debug information its lines are copied, for which it
 * gets an entry of its own; variables are not. */
#include "capture/c/instrument/instrument.h"
#include "capture/c/instrument/layout.h"

#include <llvm-c/DebugInfo.h>

#include <stdlib.h>
#include <string.h>

/* What the second function has for what the first has: instructions, blocks, parameters; of lines, too. */
struct pair {
    void *from, *to;
};

struct copy {
    struct fore_work *w;
    LLVMMetadataRef lines; /* the entry of the second function, or NULL */
    struct pair *pairs;    /* hashed; from is NULL: free */
    size_t room, n;
};

static struct pair *pair_of(const struct copy *c, const void *from)
{
    size_t i = ((uintptr_t)from >> 4) * 0x9e3779b97f4a7c15u % c->room;
    while (c->pairs[i].from && c->pairs[i].from != from)
        i = (i + 1) % c->room;
    return &c->pairs[i];
}

static void note(struct copy *c, void *from, void *to)
{
    if (2 * (c->n + 1) > c->room) {
        struct copy more = *c;
        more.room = c->room ? c->room * 2 : 256;
        more.pairs = fore_must(calloc(more.room, sizeof *more.pairs));
        for (size_t i = 0; i < c->room; i++)
            if (c->pairs[i].from)
                *pair_of(&more, c->pairs[i].from) = c->pairs[i];
        free(c->pairs);
        *c = more;
    }
    *pair_of(c, from) = (struct pair){from, to};
    c->n++;
}

static LLVMValueRef of(const struct copy *c, LLVMValueRef from)
{
    struct pair *p = pair_of(c, from);
    return p->from ? p->to : from;
}

/* ---- lines ---- */

static LLVMMetadataRef file_of(LLVMMetadataRef function)
{
    return LLVMDIScopeGetFile(function);
}

/* Debug information of the second functions is a unit of its own. If it goes to a file of its own (-gsplit-dwarf), what stays behind
 * does not tell what was put in line: that may come from the other unit. */
static void begin_unit(struct fore_work *w, LLVMMetadataRef function)
{
    static const char by[] = "foresee";
    w->lines = LLVMCreateDIBuilder(w->module);
    LLVMDIBuilderCreateCompileUnit(
        w->lines, LLVMDWARFSourceLanguageC99, file_of(function), by, strlen(by), true, "",
        0, 0, "", 0, LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
}

/* The entry of a function that has the name of another. */
static LLVMMetadataRef second_entry(struct fore_work *w, LLVMMetadataRef first)
{
    if (!w->lines)
        begin_unit(w, first);
    char *name = fore_layout_qualified(w->context, first);
    const char *known = name ? name : "";
    LLVMMetadataRef type =
        LLVMDIBuilderCreateSubroutineType(w->lines, file_of(first), NULL, 0, 0);
    unsigned line = LLVMDISubprogramGetLine(first);
    LLVMMetadataRef entry = LLVMDIBuilderCreateFunction(
        w->lines, file_of(first), known, strlen(known), "", 0, file_of(first), line, type,
        true, true, line, LLVMDIFlagZero, true);
    free(name);
    return entry;
}

/* A line of the first function; of one that was put in line there, at such a line. */
static LLVMMetadataRef line_of(struct copy *c, LLVMMetadataRef at)
{
    if (!at || !c->lines)
        return NULL;
    struct pair *known = pair_of(c, at);
    if (known->from)
        return known->to;
    LLVMMetadataRef around = LLVMDILocationGetInlinedAt(at);
    LLVMMetadataRef line = LLVMDIBuilderCreateDebugLocation(
        c->w->context, LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at),
        around ? LLVMDILocationGetScope(at) : c->lines, line_of(c, around));
    note(c, at, line);
    return line;
}

/* What is said of a loop names lines of the first function: the second one's is said without. */
static void drop_lines_of_loop(struct copy *c, LLVMValueRef i)
{
    enum { MOST = 32 };
    LLVMContextRef in = c->w->context;
    unsigned kind = LLVMGetMDKindIDInContext(in, "llvm.loop", 9), count = 1;
    LLVMValueRef said = c->lines ? LLVMGetMetadata(i, kind) : NULL;
    LLVMMetadataRef kept[MOST] = {said ? LLVMTemporaryMDNode(in, NULL, 0) : NULL};
    for (unsigned k = 1; said && k < LLVMGetMDNodeNumOperands(said) && count < MOST;
         k++) {
        LLVMMetadataRef part = fore_layout_operand(in, LLVMValueAsMetadata(said), k);
        if (part && LLVMGetMetadataKind(part) != LLVMDILocationMetadataKind)
            kept[count++] = part;
    }
    if (!said)
        return;
    LLVMMetadataRef own = LLVMMDNodeInContext2(in, kept, count);
    LLVMMetadataReplaceAllUsesWith(kept[0], own); /* a loop names itself */
    LLVMSetMetadata(i, kind, LLVMMetadataAsValue(in, own));
}

/* ---- the body ---- */

static bool is_dropped(LLVMValueRef i)
{
    return LLVMIsACallInst(i) &&
           strncmp(fore_function_name(LLVMGetCalledValue(i)), "llvm.dbg.", 9) == 0;
}

static void copy_block(struct copy *c, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMBuilderRef b = c->w->builder;
    LLVMPositionBuilderAtEnd(b, to);
    LLVMSetCurrentDebugLocation2(b, NULL);
    for (LLVMValueRef i = LLVMGetFirstInstruction(from), own; i;
         i = LLVMGetNextInstruction(i)) {
        if (is_dropped(i))
            continue;
        if (LLVMIsAPHINode(i)) {
            own = LLVMBuildPhi(b, LLVMTypeOf(i), "");
        } else {
            own = LLVMInstructionClone(i);
            LLVMInsertIntoBuilder(b, own);
            drop_lines_of_loop(c, own);
        }
        LLVMInstructionSetDebugLoc(own, line_of(c, LLVMInstructionGetDebugLoc(i)));
        note(c, i, own);
    }
}

static void copy_phi(struct copy *c, LLVMValueRef from, LLVMValueRef to)
{
    for (unsigned i = 0; i < LLVMCountIncoming(from); i++) {
        LLVMValueRef value = of(c, LLVMGetIncomingValue(from, i));
        LLVMBasicBlockRef block = LLVMValueAsBasicBlock(
            of(c, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(from, i))));
        LLVMAddIncoming(to, &value, &block, 1);
    }
}

static void set_operands(struct copy *c, LLVMValueRef first)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(first); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i)) {
            LLVMValueRef own = of(c, i);
            if (own == i)
                continue;
            if (LLVMIsAPHINode(i)) {
                copy_phi(c, i, own);
                continue;
            }
            for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(own); k++) {
                LLVMValueRef old = LLVMGetOperand(own, k);
                if (old && of(c, old) != old)
                    LLVMSetOperand(own, k, of(c, old));
            }
        }
}

void fore_copy_attributes(LLVMValueRef from, LLVMValueRef to, bool to_call)
{
    for (unsigned i = 0; i <= LLVMCountParams(from) + !to_call; i++) {
        LLVMAttributeIndex at = i > LLVMCountParams(from)
                                    ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex
                                    : i;
        unsigned n = LLVMGetAttributeCountAtIndex(from, at);
        LLVMAttributeRef *all = fore_must(calloc(n + 1, sizeof *all));
        LLVMGetAttributesAtIndex(from, at, all);
        for (unsigned k = 0; k < n; k++)
            if (to_call)
                LLVMAddCallSiteAttribute(to, at, all[k]);
            else
                LLVMAddAttributeAtIndex(to, at, all[k]);
        free(all);
    }
}

LLVMValueRef fore_copy_function(struct fore_work *w, LLVMValueRef first, const char *name)
{
    LLVMValueRef second = LLVMAddFunction(w->module, name, LLVMGlobalGetValueType(first));
    struct copy c = {.w = w};
    fore_copy_attributes(first, second, false);
    LLVMSetFunctionCallConv(second, LLVMGetFunctionCallConv(first));
    LLVMSetLinkage(second, LLVMInternalLinkage);
    LLVMSetAlignment(second, LLVMGetAlignment(first));
    if (LLVMHasPersonalityFn(first))
        LLVMSetPersonalityFn(second, LLVMGetPersonalityFn(first));
    if (w->debug && LLVMGetSubprogram(first)) {
        c.lines = second_entry(w, LLVMGetSubprogram(first));
        LLVMSetSubprogram(second, c.lines);
    }
    for (unsigned i = 0; i < LLVMCountParams(first); i++)
        note(&c, LLVMGetParam(first, i), LLVMGetParam(second, i));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(first); b;
         b = LLVMGetNextBasicBlock(b))
        note(
            &c, LLVMBasicBlockAsValue(b),
            LLVMBasicBlockAsValue(LLVMAppendBasicBlockInContext(w->context, second, "")));
    LLVMBasicBlockRef to = LLVMGetFirstBasicBlock(second);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(first); b;
         b = LLVMGetNextBasicBlock(b), to = LLVMGetNextBasicBlock(to))
        copy_block(&c, b, to);
    set_operands(&c, first);
    free(c.pairs);
    return second;
}
