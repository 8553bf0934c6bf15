/* Loads, stores and atomic operations, and who must hear of them. */
#include "capture/c/instrument/instrument.h"
#include "capture/ring/ring.h"

#include <string.h>

enum { LARGEST = 0xffff };

/* How an access is recorded. */
enum way {
    WAY_NONE,
    WAY_EXACT,   /* in the order of its tickets, with its value */
    WAY_PERHAPS, /* exact, if this variable of another module is relevant */
    WAY_CHECKED, /* exact, if the pointer happens to lead to a relevant variable */
    WAY_REST,    /* through the owner filter */
};

struct access {
    LLVMValueRef pointer;
    LLVMTypeRef type;
    unsigned kind, bits;
};

/* ---- where a pointer leads ---- */

static bool is_thread_local_address(LLVMValueRef v)
{
    return LLVMIsACallInst(v) && strncmp(fore_function_name(LLVMGetCalledValue(v)),
                                         "llvm.threadlocal.address", 24) == 0;
}

LLVMOpcode fore_opcode(LLVMValueRef v)
{
    return LLVMIsAInstruction(v)    ? LLVMGetInstructionOpcode(v)
           : LLVMIsAConstantExpr(v) ? LLVMGetConstOpcode(v)
                                    : LLVMRet;
}

LLVMValueRef fore_base_of(LLVMValueRef p)
{
    for (;;) {
        LLVMOpcode op = fore_opcode(p);
        if (op != LLVMGetElementPtr && op != LLVMBitCast && !is_thread_local_address(p))
            return p;
        p = LLVMGetOperand(p, 0);
    }
}

/* How far behind the pointer that it begins with this element is, or FORE_NOT_CONSTANT. */
static uint64_t offset_of_element(struct fore_work *w, LLVMValueRef element)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(element);
    uint64_t offset = 0;
    for (unsigned i = 1, n = (unsigned)LLVMGetNumOperands(element); i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(element, i);
        if (!LLVMIsAConstantInt(index))
            return FORE_NOT_CONSTANT;
        uint64_t at = (uint64_t)LLVMConstIntGetSExtValue(index);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            offset += LLVMOffsetOfElement(w->layout, type, (unsigned)at);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)at);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        offset += at * LLVMABISizeOfType(w->layout, type);
    }
    return offset;
}

/* How far the pointer leads into the variable that it is based on, or FORE_NOT_CONSTANT. */
static uint64_t offset_in_variable(struct fore_work *w, LLVMValueRef p)
{
    uint64_t offset = 0;
    for (; !LLVMIsAGlobalVariable(p); p = LLVMGetOperand(p, 0)) {
        uint64_t more = 0;
        if (fore_opcode(p) == LLVMGetElementPtr)
            more = offset_of_element(w, p);
        if (more == FORE_NOT_CONSTANT)
            return more;
        offset += more;
    }
    return offset;
}

static enum way way_of_global(struct fore_work *w, LLVMValueRef g, LLVMValueRef pointer,
                              uint64_t size, bool atomic)
{
    if (LLVMIsThreadLocal(g))
        return w->name_count || fore_is_private(w, g) ? WAY_NONE : WAY_REST;
    if (!fore_is_shared_variable(g))
        return WAY_NONE;
    if (atomic)
        return WAY_EXACT;
    if (!w->name_count)
        return WAY_REST;
    uint64_t offset = size ? offset_in_variable(w, pointer) : FORE_NOT_CONSTANT;
    enum fore_name name = fore_is_named(w, g, offset, size);
    return name == FORE_NAME_SURE      ? WAY_EXACT
           : name == FORE_NAME_PERHAPS ? WAY_PERHAPS
                                       : WAY_NONE;
}

/* With a specification only its variables count, and what is atomic, because that orders. A size of 0 is not known. */
static enum way way_of(struct fore_work *w, LLVMValueRef pointer, uint64_t size,
                       bool atomic)
{
    LLVMValueRef base = fore_base_of(pointer);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != 0 || LLVMIsAFunction(base) ||
        LLVMIsAConstantPointerNull(base) || LLVMIsUndef(base))
        return WAY_NONE;
    if (LLVMIsAGlobalVariable(base))
        return way_of_global(w, base, pointer, size, atomic);
    if (LLVMIsAAllocaInst(base) && fore_is_private(w, base))
        return WAY_NONE;
    if (atomic)
        return WAY_EXACT;
    if (LLVMIsAAllocaInst(base))
        return w->name_count ? WAY_NONE : WAY_REST;
    if (!w->name_count)
        return WAY_REST;
    return WAY_CHECKED;
}

/* ---- what is done there ---- */

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

static bool is_access(LLVMValueRef i, struct access *a)
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

static enum way way_of_access(struct fore_work *w, LLVMValueRef i, const struct access *a)
{
    return way_of(w, a->pointer, LLVMStoreSizeOfType(w->layout, a->type),
                  order_of(i) != 0);
}

static uint64_t what_of(struct fore_work *w, LLVMValueRef i, const struct access *a)
{
    uint64_t size = LLVMStoreSizeOfType(w->layout, a->type);
    unsigned bits = a->bits | type_bits(a->type);
    /* Addresses differ from run to run; a variable may be asked whether it is NULL. */
    if (LLVMGetTypeKind(a->type) == LLVMPointerTypeKind && !w->name_count &&
        !LLVMIsAGlobalVariable(fore_base_of(a->pointer)))
        bits |= FORE_C_NO_VALUE;
    if (size > 8) {
        bits |= FORE_C_NO_VALUE;
        size = size > LARGEST ? LARGEST : size;
    }
    return a->kind | bits << 8 | order_of(i) << 12 | size << 16;
}

/* A pointer's type is believed: for a program that breaks that promise another place is noted. */
static uint64_t aligned(LLVMValueRef i, uint64_t what)
{
    bool plain = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
    return plain && LLVMGetAlignment(i) >= what >> 16 ? FORE_C_ALIGNED : 0;
}

static uint64_t what_of_field(struct fore_work *w, const struct access *a,
                              struct fore_bits b)
{
    uint64_t size = LLVMStoreSizeOfType(w->layout, a->type);
    return a->kind | FORE_C_BITS << 8 |
           (size | b.first << 4 | (uint64_t)(b.width - 1) << 10) << 16;
}

static LLVMValueRef before(struct fore_work *w, LLVMValueRef i, const struct access *a,
                           enum way way, LLVMValueRef p, LLVMValueRef site,
                           LLVMValueRef what)
{
    LLVMValueRef args[] = {p, site, what, NULL, NULL};
    if (way == WAY_EXACT || way == WAY_PERHAPS)
        return fore_emit(w, way == WAY_EXACT ? w->begin : w->begin_if, args, 3);
    if (way == WAY_CHECKED) {
        LLVMValueRef check[] = {p, fore_number(w, fore_kind(w, i, a->type)), site, what};
        return fore_emit(w, w->in_begin, check, 4);
    }
    args[3] = fore_site_number(w, site);
    args[4] = w->watched;
    return fore_emit(w, a->kind == FORE_RING_READ ? w->in_read : w->in_write, args, 5);
}

/* Puts a call before the instruction and a call of `end` behind it, which gets the token of the first. */
static void surround(struct fore_work *w, LLVMValueRef i, const struct access *a,
                     enum way way, uint64_t what, struct fore_hook end)
{
    fore_watched(w, LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
    LLVMPositionBuilderBefore(w->builder, i);
    LLVMValueRef p = fore_as_text(w, a->pointer), site = fore_site(w, i);
    LLVMValueRef word = fore_number(w, what);
    LLVMValueRef token =
        before(w, i, a, way, p, site, fore_number(w, what | aligned(i, what)));
    LLVMPositionBuilderBefore(w->builder, LLVMGetNextInstruction(i));
    LLVMSetCurrentDebugLocation2(w->builder, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef args[] = {token, p, site, word};
    fore_emit(w, end, args, 4);
}

bool fore_is_exact(struct fore_work *w, LLVMValueRef i)
{
    struct access a;
    return is_access(i, &a) && way_of_access(w, i, &a) == WAY_EXACT;
}

void fore_access(struct fore_work *w, LLVMValueRef i)
{
    struct access a;
    struct fore_bits bits;
    enum way way = is_access(i, &a) ? way_of_access(w, i, &a) : WAY_NONE;
    enum fore_field field = way ? fore_field_of(i, &bits) : FORE_FIELD_NONE;
    /* Neighbouring bit-fields share their memory: a write of one writes them all. A specification names one of
     * them. */
    bool alone = way != WAY_REST;
    if (way == WAY_NONE || (field == FORE_FIELD_REPLACED && alone))
        return;
    if (field == FORE_FIELD_BITS && alone)
        surround(w, i, &a, way, what_of_field(w, &a, bits),
                 way == WAY_CHECKED ? w->in_end_bits : w->end_bits);
    else if ((way != WAY_REST || (!fore_outline(w, i, what_of(w, i, &a)) &&
                                  !fore_quick(w, i, what_of(w, i, &a)))) &&
             (way != WAY_CHECKED ||
              !fore_aside(w, i, fore_kind(w, i, a.type), what_of(w, i, &a))))
        surround(w, i, &a, way, what_of(w, i, &a),
                 way == WAY_EXACT || way == WAY_PERHAPS ? w->end : w->in_end);
}

/* LLVM 14 has no getter for it. */
static unsigned fence_order(LLVMValueRef fence)
{
    static const char *const words[] = {" acquire", " release", " acq_rel", " seq_cst"};
    char *text = LLVMPrintValueToString(fence);
    unsigned order = 0;
    for (unsigned i = 0; i < 4; i++)
        if (strstr(text, words[i]))
            order = 2 + i;
    LLVMDisposeMessage(text);
    return order;
}

/* A fence between a thread and its own signal handler orders nobody else. */
void fore_fence(struct fore_work *w, LLVMValueRef i)
{
    if (LLVMIsAtomicSingleThread(i))
        return;
    LLVMPositionBuilderBefore(w->builder, i);
    LLVMValueRef args[] = {fore_site(w, i), fore_number(w, fence_order(i))};
    fore_emit(w, w->fence, args, 2);
}

/* ---- ranges ---- */

static struct fore_hook range_hook(struct fore_work *w, LLVMValueRef call, bool fills,
                                   bool checked)
{
    const char *name = fore_function_name(LLVMGetCalledValue(call));
    if (!checked)
        return fills ? w->fill : w->copy;
    return fills                                    ? w->in_fill
           : strncmp(name, "llvm.memmove", 12) == 0 ? w->in_move
                                                    : w->in_copy;
}

bool fore_range(struct fore_work *w, LLVMValueRef i, bool fills)
{
    LLVMValueRef to = LLVMGetOperand(i, 0), from = LLVMGetOperand(i, 1);
    LLVMValueRef n = LLVMGetOperand(i, 2);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(to)) != 0 ||
        (!fills && LLVMGetPointerAddressSpace(LLVMTypeOf(from)) != 0))
        return false;
    enum way there = way_of(w, to, 0, false);
    enum way here = fills ? WAY_NONE : way_of(w, from, 0, false);
    if (!there && !here)
        return false;
    bool checked = w->name_count && (there == WAY_CHECKED || there == WAY_NONE) &&
                   (here == WAY_CHECKED || here == WAY_NONE);
    LLVMPositionBuilderBefore(w->builder, i);
    from = fills ? LLVMBuildZExt(w->builder, from, w->i32, "") : fore_as_text(w, from);
    LLVMValueRef args[] = {fore_as_text(w, to), from,
                           LLVMBuildZExtOrBitCast(w->builder, n, w->i64, ""),
                           fore_site(w, i)};
    fore_emit(w, range_hook(w, i, fills, checked), args, 4);
    LLVMInstructionEraseFromParent(i);
    return true;
}

/* ---- locals ---- */

void fore_fresh_local(struct fore_work *w, LLVMValueRef local)
{
    if (w->name_count || fore_is_private(w, local))
        return;
    LLVMValueRef next = LLVMGetNextInstruction(local);
    while (LLVMIsAAllocaInst(next))
        next = LLVMGetNextInstruction(next);
    LLVMPositionBuilderBefore(w->builder, next);
    LLVMTypeRef type = LLVMGetAllocatedType(local);
    LLVMValueRef count =
        LLVMBuildZExtOrBitCast(w->builder, LLVMGetOperand(local, 0), w->i64, "");
    LLVMValueRef one = LLVMConstInt(w->i64, LLVMABISizeOfType(w->layout, type), false);
    LLVMValueRef args[] = {fore_as_text(w, local),
                           LLVMBuildMul(w->builder, count, one, ""),
                           fore_made_local(w, local)};
    fore_emit(w, w->fresh, args, 3);
}
