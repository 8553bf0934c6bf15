/* Calls of the C library that have a row in libc.h: what they do is told around them. */
#include "capture/c/libc.h"
#include "capture/c/instrument/instrument.h"

#include <ctype.h>
#include <string.h>

enum { MOST = 16 }; /* arguments that are passed on */

static const struct {
    const char *name, *effects;
} rows[] = {
#define ROW(name, effects) {#name, effects},
    FORE_C_LIBC(ROW)
#undef ROW
};

/* The effects of the function of that name, also of one that the runtime answers (calls.c). */
static const char *effects_of(const char *name)
{
    static const char ours[] = "foresee_rt_";
    if (strncmp(name, ours, sizeof ours - 1) == 0)
        name += sizeof ours - 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].effects;
    return NULL;
}

static LLVMTypeKind kind_of(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v));
}

static bool is_argument(LLVMValueRef call, char digit, bool pointer)
{
    unsigned i = (unsigned)(digit - '0');
    return i < LLVMGetNumArgOperands(call) &&
           (kind_of(LLVMGetOperand(call, i)) == LLVMPointerTypeKind) == pointer;
}

/* The arguments that a SIZE speaks of. */
static bool size_fits(LLVMValueRef call, const char *size)
{
    for (; *size && *size != ' '; size++)
        if (strchr("anmifcd", *size) && !is_argument(call, size[1], false))
            return false;
    return true;
}

static bool effect_fits(LLVMValueRef call, const char *e)
{
    switch (*e) {
    case '<':
    case '>':
        if (e[1] == 'F')
            return is_argument(call, e[2], true);
        if (e[1] == 'k')
            return is_argument(call, e[2], false);
        if (e[1] == '?' && (e[2] == 'p' || e[2] == 'j'))
            return is_argument(call, e[3], e[2] == 'p');
        return !isdigit((unsigned char)e[1]) || is_argument(call, e[1], false);
    case 'L':
        return is_argument(call, e[1], false) &&
               is_argument(call, (char)(e[1] + 1), false);
    case 'r':
    case 'w':
    case 'W':
    case 'Z':
    case 't':
        return (strchr("RETDH", e[1]) || is_argument(call, e[1], true)) &&
               size_fits(call, e + 2);
    case 'N':
        return !strchr("om", e[1]) || is_argument(call, e[2], e[1] == 'm');
    case 'X':
        return is_argument(call, e[1] == 'F' ? e[2] : e[1], e[1] == 'F');
    case 'O':
        return strchr("RF", e[1]) || is_argument(call, e[1], true);
    case 'm':
        return is_argument(call, '1', false) && is_argument(call, '5', false);
    case '=':
    case '~':
        return is_argument(call, e[1], true) && is_argument(call, e[2], true) &&
               size_fits(call, e + 3);
    case '!':
        return true;
    case 'S':
    case 'Y':
    case 'D':
    case 'B':
        return is_argument(call, e[1], false);
    default:
        return is_argument(call, e[1], true);
    }
}

/* Programs have functions of their own by these names: the arguments that the effects speak of
 * must be there, and be what they are taken for. */
static bool fits(LLVMValueRef call, const char *effects)
{
    for (const char *e = effects; e && *e; e = strchr(e, ' '), e += e != NULL)
        if (!effect_fits(call, e))
            return false;
    return true;
}

/* The argument as 64 bits; the runtime gets 0 for what is private, unless it is a list of arguments. */
static LLVMValueRef as_word(struct fore_work *w, LLVMValueRef v, bool is_list)
{
    switch (kind_of(v)) {
    case LLVMPointerTypeKind: {
        LLVMValueRef base = fore_base_of(v);
        if (LLVMIsAAllocaInst(base) && fore_is_private(w, base) && !is_list)
            return LLVMConstInt(w->i64, 0, false);
        return LLVMBuildPtrToInt(w->builder, v, w->i64, "");
    }
    case LLVMIntegerTypeKind:
        if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
            break;
        return LLVMBuildSExtOrBitCast(w->builder, v, w->i64, "");
    case LLVMDoubleTypeKind:
        return LLVMBuildBitCast(w->builder, v, w->i64, "");
    default:
        break;
    }
    return LLVMConstInt(w->i64, 0, false);
}

/* Room for the arguments, in the function's frame. */
static LLVMValueRef argument_array(struct fore_work *w, LLVMValueRef call, unsigned n)
{
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    LLVMPositionBuilderBefore(w->builder,
                              LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
    return LLVMBuildAlloca(w->builder, LLVMArrayType(w->i64, n ? n : 1), "");
}

/* The va_list of a vprintf, behind its format. */
static unsigned list_argument(const char *effects)
{
    for (const char *e = effects; *e; e++)
        if (*e == 'v' && (e == effects || e[-1] == ' '))
            return (unsigned)(e[1] - '0') + 1;
    return MOST;
}

static void store_arguments(struct fore_work *w, LLVMValueRef call, LLVMValueRef array,
                            unsigned n, const char *effects)
{
    LLVMTypeRef type = LLVMArrayType(w->i64, n ? n : 1);
    LLVMPositionBuilderBefore(w->builder, call);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef at[] = {LLVMConstInt(w->i64, 0, false),
                             LLVMConstInt(w->i64, i, false)};
        LLVMBuildStore(w->builder,
                       as_word(w, LLVMGetOperand(call, i), i == list_argument(effects)),
                       LLVMBuildInBoundsGEP2(w->builder, type, array, at, 2, ""));
    }
}

static bool is_after(char effect)
{
    return strchr("<wWZtcLObBDm", effect) != NULL;
}

/* Has it an effect that comes after the call (or before it)? */
static bool has_effects(const char *effects, bool after)
{
    for (const char *e = effects; *e; e++)
        if ((e == effects || e[-1] == ' ') &&
            (strchr("LNqY", *e) || is_after(*e) == after))
            return true;
    return false;
}

/* The place where the call has returned; NULL if other paths come there, too. */
static LLVMValueRef after_call(LLVMValueRef call)
{
    if (LLVMIsACallInst(call))
        return LLVMGetNextInstruction(call);
    LLVMBasicBlockRef b = LLVMGetNormalDest(call);
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(b));
    if (!use || LLVMGetNextUse(use))
        return NULL;
    LLVMValueRef i = LLVMGetFirstInstruction(b);
    while (i && LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

static void tell_end(struct fore_work *w, LLVMValueRef call, LLVMValueRef text,
                     LLVMValueRef array, LLVMValueRef site)
{
    LLVMPositionBuilderBefore(w->builder, after_call(call));
    LLVMSetCurrentDebugLocation2(w->builder, LLVMInstructionGetDebugLoc(call));
    bool returns = LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind;
    LLVMValueRef args[] = {
        text, array, returns ? as_word(w, call, false) : LLVMConstInt(w->i64, 0, false),
        site};
    fore_emit(w, w->libc_end, args, 4);
}

bool fore_libc(struct fore_work *w, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *effects = LLVMIsAFunction(callee) && LLVMIsDeclaration(callee)
                              ? effects_of(fore_function_name(callee))
                              : NULL;
    if (!effects || !fits(call, effects) || !after_call(call))
        return false;
    if (!*effects)
        return true;
    unsigned n = LLVMGetNumArgOperands(call);
    n = n < MOST ? n : MOST;
    LLVMValueRef text = fore_string(w, effects), array = argument_array(w, call, n);
    store_arguments(w, call, array, n, effects);
    LLVMValueRef site = fore_site(w, call);
    LLVMValueRef args[] = {text, array, fore_number(w, n), site};
    fore_emit(w, w->libc_begin, args, 4);
    if (has_effects(effects, true))
        tell_end(w, call, text, array, site);
    return true;
}
