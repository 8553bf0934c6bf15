/* Bit-fields. Clang reads the unit that a field is in, and shifts and masks; to write one it
 * reads the unit, replaces the bits, and writes the unit. It calls those values bf.load and so
 * on: they say which bits are meant. */
#include "capture/c/instrument/instrument.h"

#include <string.h>

static bool is_called(LLVMValueRef v, const char *name)
{
    size_t n;
    return LLVMIsAInstruction(v) &&
           strncmp(LLVMGetValueName2(v, &n), name, strlen(name)) == 0;
}

static LLVMValueRef only_user(LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);
    return use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
}

static bool constant(LLVMValueRef v, LLVMOpcode op, uint64_t *n)
{
    if (!v || !LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != op ||
        !LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
        return false;
    *n = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1));
    return true;
}

static uint64_t all(unsigned width)
{
    return width == 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
}

static bool from_mask(uint64_t mask, unsigned width, struct fore_bits *b)
{
    mask &= all(width);
    if (!mask)
        return false;
    b->first = (unsigned)__builtin_ctzll(mask);
    b->width = (unsigned)__builtin_popcountll(mask);
    return b->first + b->width <= width && mask >> b->first == all(b->width);
}

/* The value that is read for the sake of what is written next. */
static bool is_replaced(LLVMValueRef load, LLVMValueRef clear)
{
    LLVMValueRef set = only_user(clear);
    if (set && is_called(set, "bf.set"))
        set = only_user(set);
    return set && LLVMIsAStoreInst(set) &&
           LLVMGetOperand(set, 1) == LLVMGetOperand(load, 0);
}

static enum fore_field read_field(LLVMValueRef load, unsigned width, struct fore_bits *b)
{
    LLVMValueRef user = only_user(load);
    uint64_t up = 0, down = 0, mask;
    if (!user)
        return FORE_FIELD_NONE;
    if (is_called(user, "bf.clear") && is_replaced(load, user))
        return FORE_FIELD_REPLACED;
    if (constant(user, LLVMShl, &up))
        user = only_user(user);
    if (constant(user, LLVMAShr, &down)) {
        b->width = width - (unsigned)down;
        b->first = width - (unsigned)up - b->width;
        return FORE_FIELD_BITS;
    }
    if (up)
        return FORE_FIELD_NONE;
    *b = (struct fore_bits){0, width};
    if (constant(user, LLVMLShr, &down)) {
        *b = (struct fore_bits){(unsigned)down, width - (unsigned)down};
        user = only_user(user);
    }
    if (!user || !is_called(user, "bf.clear") || !constant(user, LLVMAnd, &mask))
        return FORE_FIELD_BITS;
    return from_mask(mask << b->first, width, b) ? FORE_FIELD_BITS : FORE_FIELD_NONE;
}

static enum fore_field written_field(LLVMValueRef value, unsigned width,
                                     struct fore_bits *b)
{
    uint64_t kept;
    LLVMValueRef clear = is_called(value, "bf.set") ? LLVMGetOperand(value, 0) : value;
    if (!is_called(clear, "bf.clear") && is_called(value, "bf.set"))
        clear = LLVMGetOperand(value, 1);
    return is_called(clear, "bf.clear") && constant(clear, LLVMAnd, &kept) &&
                   from_mask(~kept, width, b)
               ? FORE_FIELD_BITS
               : FORE_FIELD_NONE;
}

enum fore_field fore_field_of(LLVMValueRef i, struct fore_bits *b)
{
    LLVMValueRef value = LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : i;
    LLVMTypeRef type = LLVMTypeOf(value);
    if ((!LLVMIsAStoreInst(i) && !(LLVMIsALoadInst(i) && is_called(i, "bf.load"))) ||
        LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64)
        return FORE_FIELD_NONE;
    unsigned width = LLVMGetIntTypeWidth(type);
    return LLVMIsAStoreInst(i) ? written_field(value, width, b) : read_field(i, width, b);
}
