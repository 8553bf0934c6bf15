/* With a specification: which accesses through pointers may reach one of its variables.
 *
 * A pointer can lead to a variable only if a module lets its address out, and then, by C's rule
 * about effective types, only an access of a type that the variable has in it. What other
 * modules do is not known here, nor whether a static variable of theirs has a name of the
 * specification: so each module says what it lets out (FORE_C_TAKEN), the runtime collects that
 * before the program begins and whenever a library is loaded, and an access asks for its kind
 * first. The answer is loaded in a way that tells the optimiser who changes it: calls of the
 * program (one may be dlopen), but neither its stores nor the calls that are inserted. So it
 * leaves a loop without calls, and the loop gets a copy that asks nothing. */
#include "capture/c/instrument/instrument.h"
#include "capture/c/instrument/layout.h"

#include <stdlib.h>
#include <string.h>

enum { ALL = (1 << FORE_C_KINDS) - 1, DEEPEST = 16 };

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* ---- kinds ---- */

static enum fore_c_kind kind_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        switch (LLVMGetIntTypeWidth(type)) {
        case 8:
            return FORE_C_KIND_BOOL;
        case 16:
            return FORE_C_KIND_2;
        case 32:
            return FORE_C_KIND_4;
        case 64:
            return FORE_C_KIND_8;
        default:
            return FORE_C_KIND_ANY;
        }
    case LLVMFloatTypeKind:
        return FORE_C_KIND_FLOAT;
    case LLVMDoubleTypeKind:
        return FORE_C_KIND_DOUBLE;
    case LLVMPointerTypeKind:
        return FORE_C_KIND_POINTER;
    default:
        return FORE_C_KIND_ANY;
    }
}

/* The type that C gives to an access, as clang notes it; NULL if it may be of anything: of
 * characters, unions, bit-fields, or with -fno-strict-aliasing. */
static LLVMMetadataRef noted_type(struct fore_work *w, LLVMValueRef access)
{
    unsigned n;
    LLVMValueRef tag = LLVMGetMetadata(access, w->tbaa);
    LLVMMetadataRef type =
        tag ? fore_layout_operand(w->context, LLVMValueAsMetadata(tag), 1) : NULL;
    LLVMMetadataRef name = type ? fore_layout_operand(w->context, type, 0) : NULL;
    if (!name || LLVMGetMetadataKind(name) != LLVMMDStringMetadataKind)
        return NULL;
    const char *text = LLVMGetMDString(LLVMMetadataAsValue(w->context, name), &n);
    return n == 15 && strncmp(text, "omnipotent char", n) == 0 ? NULL : type;
}

enum fore_c_kind fore_kind(struct fore_work *w, LLVMValueRef access, LLVMTypeRef type)
{
    return noted_type(w, access) ? kind_of(type) : FORE_C_KIND_ANY;
}

/* What is in memory of this type. Characters may stand for anything, and so may a union. */
static unsigned kinds_in(LLVMTypeRef type, unsigned depth)
{
    const char *name;
    unsigned kinds = 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMArrayTypeKind:
        return kinds_in(LLVMGetElementType(type), depth);
    case LLVMStructTypeKind:
        name = LLVMGetStructName(type);
        if (!name || begins(name, "union.") || LLVMIsOpaqueStruct(type) ||
            depth == DEEPEST)
            return ALL;
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            kinds |= kinds_in(LLVMStructGetTypeAtIndex(type, i), depth + 1);
        return kinds;
    default:
        kinds = kind_of(type);
        return kinds == FORE_C_KIND_ANY || kinds == FORE_C_KIND_BOOL ? ALL : 1u << kinds;
    }
}

/* ---- addresses ---- */

/* Of intrinsics those that are recorded themselves, or access nothing. */
static bool is_harmless(LLVMValueRef call)
{
    static const char *const names[] = {"llvm.memcpy.", "llvm.memmove.", "llvm.memset.",
                                        "llvm.lifetime.", "llvm.dbg."};
    const char *name = fore_function_name(LLVMGetCalledValue(call));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (begins(name, names[i]))
            return true;
    return false;
}

static bool is_taken(LLVMValueRef address);

/* Whether more is done with the address than an access whose variable is seen. */
static bool takes(LLVMValueRef user, LLVMValueRef address)
{
    switch (fore_opcode(user)) {
    case LLVMLoad:
    case LLVMICmp:
        return false;
    case LLVMStore:
        return LLVMGetOperand(user, 0) == address;
    case LLVMAtomicRMW:
        return LLVMGetOperand(user, 1) == address;
    case LLVMAtomicCmpXchg:
        return LLVMGetOperand(user, 1) == address || LLVMGetOperand(user, 2) == address;
    case LLVMGetElementPtr:
    case LLVMBitCast:
        return is_taken(user);
    case LLVMCall:
        return !is_harmless(user);
    default:
        return true;
    }
}

static bool is_taken(LLVMValueRef address)
{
    for (LLVMUseRef u = LLVMGetFirstUse(address); u; u = LLVMGetNextUse(u))
        if (takes(LLVMGetUser(u), address))
            return true;
    return false;
}

/* Assembler that stands in a function names a variable of the specification. */
static bool is_assembler(const struct fore_work *w, LLVMValueRef i)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    char *text =
        callee && LLVMIsAInlineAsm(callee) ? LLVMPrintValueToString(callee) : NULL;
    bool found = false;
    for (int k = 0; text && k < w->name_count; k++) {
        char *name = fore_variable_name(w->names[k]);
        found |= strstr(text, name) != NULL;
        free(name);
    }
    LLVMDisposeMessage(text);
    return found;
}

/* Names are asked for at run time, or in assembler: then it may be any. */
static bool asks_by_name(struct fore_work *w)
{
    size_t n = 0;
    LLVMGetModuleInlineAsm(w->module, &n);
    bool asks = n || LLVMGetNamedFunction(w->module, "dlsym") ||
                LLVMGetNamedFunction(w->module, "dlvsym");
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f && !asks;
         f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && !asks;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !asks;
                 i = LLVMGetNextInstruction(i))
                asks = is_assembler(w, i);
    return asks;
}

unsigned fore_taken(struct fore_work *w)
{
    unsigned kinds = 0;
    if (!w->name_count || asks_by_name(w))
        return ALL;
    for (LLVMValueRef g = LLVMGetFirstGlobal(w->module); g; g = LLVMGetNextGlobal(g))
        if (fore_is_shared_variable(g) && fore_is_named(w, g, FORE_NOT_CONSTANT, 0) &&
            is_taken(g))
            kinds |= fore_is_bool(w, g) ? 1u << FORE_C_KIND_BOOL
                                        : kinds_in(LLVMGlobalGetValueType(g), 0);
    return kinds;
}

/* ---- what the optimiser is told ---- */

static LLVMMetadataRef first_noted(struct fore_work *w, LLVMValueRef f)
{
    LLVMMetadataRef type = NULL;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && !type;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !type;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
                type = noted_type(w, i);
    return type;
}

/* The node that those of all types of C descend from; NULL if nothing is noted. */
static LLVMMetadataRef root_of_types(struct fore_work *w)
{
    LLVMMetadataRef type = NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f && !type;
         f = LLVMGetNextFunction(f))
        if (!begins(fore_function_name(f), "foresee_"))
            type = first_noted(w, f);
    for (LLVMMetadataRef up = type; up; up = fore_layout_operand(w->context, up, 1))
        type = up;
    return type;
}

/* The tag of an access to a type of that name below `parent`, which becomes that type. */
static LLVMValueRef tag(struct fore_work *w, const char *name, LLVMMetadataRef parent)
{
    LLVMMetadataRef zero = LLVMValueAsMetadata(LLVMConstInt(w->i64, 0, false));
    LLVMMetadataRef type[] = {LLVMMDStringInContext2(w->context, name, strlen(name)),
                              parent, zero};
    LLVMMetadataRef node = LLVMMDNodeInContext2(w->context, type, 3);
    LLVMMetadataRef access[] = {node, node, zero};
    return LLVMMetadataAsValue(w->context, LLVMMDNodeInContext2(w->context, access, 3));
}

/* A call of the runtime, or a load of one of its variables. */
static bool is_runtime(LLVMValueRef i)
{
    return LLVMIsACallInst(i)
               ? begins(fore_function_name(LLVMGetCalledValue(i)), "foresee_rt_")
               : LLVMIsALoadInst(i) &&
                     LLVMIsAGlobalVariable(fore_base_of(LLVMGetOperand(i, 0)));
}

void fore_tag_checks(struct fore_work *w)
{
    LLVMMetadataRef root = w->name_count ? root_of_types(w) : NULL;
    w->tag_own = root ? tag(w, "foresee", root) : NULL;
    w->tag_theirs = root ? tag(w, "omnipotent char", root) : NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f && root;
         f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = begins(fore_function_name(f), "foresee_in_")
                                       ? LLVMGetFirstBasicBlock(f)
                                       : NULL;
             b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i))
                if (is_runtime(i))
                    LLVMSetMetadata(i, w->tbaa,
                                    LLVMIsACallInst(i) ? w->tag_theirs : w->tag_own);
}

void fore_tag_call(struct fore_work *w, LLVMValueRef call)
{
    if (w->tag_theirs)
        LLVMSetMetadata(call, w->tbaa, w->tag_theirs);
}

LLVMValueRef fore_is_taken(struct fore_work *w, enum fore_c_kind kind)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(w->context);
    LLVMTypeRef bytes = LLVMArrayType(byte, 0);
    LLVMValueRef all = LLVMGetNamedGlobal(w->module, "foresee_rt_taken");
    LLVMValueRef index[] = {fore_number(w, 0), fore_number(w, kind)};
    LLVMValueRef at = LLVMConstInBoundsGEP2(bytes, all, index, 2);
    LLVMValueRef taken = LLVMBuildLoad2(w->builder, byte, at, "");
    if (w->tag_own)
        LLVMSetMetadata(taken, w->tbaa, w->tag_own);
    return taken;
}
