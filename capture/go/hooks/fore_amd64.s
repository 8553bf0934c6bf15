#include "go_asm.h"
#include "textflag.h"

// func foreBP() uintptr
TEXT runtime·foreBP<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ	BP, AX
	RET

// The usual access: to 1, 2, 4 or 8 bytes that the goroutine owns and has accessed so before. The
// words of the shadow are drawn in msan0.go. R9 = W, R10 = R, R11 = the goroutine's tag.
#define FIND_CELL \
	MOVQ	runtime·foreShadow(SB), DX; \
	TESTQ	DX, DX; \
	JZ	none; \
	MOVQ	AX, CX; \
	SHRQ	$43, CX; \
	JNZ	slow; \
	MOVQ	AX, SI; \
	ANDQ	$~7, SI; \
	LEAQ	(DX)(SI*2), DX; \
	MOVQ	(DX), R9; \
	MOVQ	8(DX), R10; \
	MOVQ	(g_fore+foreG_tag)(R14), R11; \
	MOVQ	R9, R12; \
	XORQ	R11, R12; \
	SHRQ	$45, R12

// Without a shadow: is it a variable of a specification, or has the goroutine written one?
#define EXACT \
	MOVQ	AX, CX; \
	SUBQ	runtime·foreExactFrom(SB), CX; \
	CMPQ	CX, runtime·foreExactSpan(SB); \
	JCS	slow; \
	CMPQ	(g_fore+foreG_wrote)(R14), $0; \
	JNE	slow

// R8 = the bytes, as a mask; DI = how many they are
#define BYTES \
	MOVL	AX, CX; \
	ANDL	$7, CX; \
	XORL	R8, R8; \
	BTSQ	DI, R8; \
	DECQ	R8; \
	SHLQ	CX, R8

// SI = the position
#define POSITION \
	MOVQ	(g_fore+foreG_pos)(R14), SI; \
	SUBQ	(g_fore+foreG_from)(R14), SI; \
	SHRQ	$4, SI

// R13 = pc and position
#define NOTE \
	MOVQ	0(SP), R13; \
	SUBQ	runtime·foreTextAt(SB), R13; \
	MOVQ	R13, CX; \
	SHRQ	$26, CX; \
	JNZ	slow; \
	SHLQ	$18, R13; \
	ORQ	SI, R13

// CX = where the access of the note n was done, R13 = where this one is. In place of the former the number of a stack may stand.
#define PLACES(n, bare) \
	MOVQ	0(SP), R13; \
	SUBQ	runtime·foreTextAt(SB), R13; \
	MOVQ	n, CX; \
	SHRQ	$18, CX; \
	ANDL	$0x3ffffff, CX; \
	BTRL	$25, CX; \
	JCC	bare; \
	ANDL	$0x3fff, CX; \
	LEAQ	runtime·foreStackFirst(SB), R12; \
	MOVL	(R12)(CX*4), CX; \
bare: \
	CMPL	CX, R13

// func msanread(addr unsafe.Pointer, n uintptr)
TEXT runtime·msanread<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-16
	FIND_CELL
	JNZ	unit
	MOVL	BX, DI
	CMPQ	BX, $8
	JLS	small
	CMPQ	BX, $16 // the first word of a string, an interface or a slice
	JEQ	header
	CMPQ	BX, $24
	JNE	slow
header:
	MOVL	$8, DI
small:
	BYTES
	MOVQ	R10, R12
	SHRQ	$48, R12
	CMPB	R12, R8
	JNE	other
	POSITION
	MOVL	R10, CX
	XORL	SI, CX
	TESTL	$0x3ffff, CX
	JEQ	done
	NOTE
	SHRQ	$44, R10
	SHLQ	$44, R10
	ORQ	R13, R10
	MOVQ	R10, 8(DX)
done:
	RET
other: // other bytes, by the same statement at the same position, as in a loop
	TESTB	R12, R12
	JZ	slow
	CMPQ	R8, $0xff
	JHI	slow
	POSITION
	MOVL	R10, CX
	XORL	SI, CX
	TESTL	$0x3ffff, CX
	JNE	slow
	PLACES(R10, bare)
	JNE	slow
	SHLQ	$48, R8
	ORQ	R8, R10
	MOVQ	R10, 8(DX)
	RET
unit: // has the goroutine read it since it was last written, and not synchronised in between?
	MOVQ	R9, DI
	SHRQ	$45, R9
	CMPQ	R9, $1
	JNE	slow
	TESTQ	R10, R10
	JLT	guarded
	LEAQ	-1(AX)(BX*1), CX
	XORQ	AX, CX
	CMPQ	CX, $8
	JCC	wide
within:
	MOVQ	(g_fore+foreG_pos)(R14), SI
	INCQ	SI
	CMPQ	SI, (g_fore+foreG_epochAt)(R14)
	JNE	slow
	MOVL	(g_fore+foreG_epoch)(R14), R12
	CMPL	R10, R12
	JEQ	done
	SHRQ	$32, R10
	CMPL	R10, R12
	JEQ	done
	JMP	slow
wide: // as above
	TESTL	$7, AX
	JNZ	slow
	CMPQ	BX, $16
	JEQ	within
	CMPQ	BX, $24
	JEQ	within
	JMP	slow
guarded: // as foreUsual: has it accessed the place in this section?
	MOVL	AX, CX
	ANDL	$7, CX
	BTQ	$44, DI
	JCC	whole
	CMPQ	BX, $1
	JNE	slow
	JMP	place
whole:
	TESTL	CX, CX
	JNE	slow
	CMPQ	BX, $8
	JEQ	place
	CMPQ	BX, $16
	JEQ	place
	CMPQ	BX, $24
	JNE	slow
place:
	LEAL	const_foreShownBytesAt(CX), SI
	BTQ	SI, R10
	JCC	slow
	ANDL	$const_foreShownPlace, R10
	ADDL	CX, R10
	MOVQ	(g_fore+foreG_section)(R14), DI
	TESTQ	DI, DI
	JZ	slow
	MOVL	R10, CX
	ANDL	$(const_foreSections-1), CX
	SHLQ	$4, CX
	CMPQ	R10, (DI)(CX*1)
	JNE	slow
	MOVQ	(g_fore+foreG_pos)(R14), SI
	ADDQ	(g_fore+foreG_before)(R14), SI
	SHRQ	$4, SI
	SUBQ	(g_fore+foreG_own)(R14), SI
	CMPQ	SI, 8(DI)(CX*1)
	JNE	slow
	RET
none:
	EXACT
	RET
slow:
	JMP	runtime·foreReadSlow<ABIInternal>(SB)

// func msanwrite(addr unsafe.Pointer, n uintptr)
TEXT runtime·msanwrite<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-16
	FIND_CELL
	JNZ	slow
	CMPQ	BX, $8
	JHI	slow
	MOVL	BX, DI
	BYTES
	MOVQ	R10, DI
	SHRQ	$56, DI
	CMPQ	DI, R8
	JNE	other
	POSITION
	MOVL	R9, CX
	XORL	SI, CX
	TESTL	$0x3ffff, CX
	JEQ	same
note:
	NOTE
	ORQ	R11, R13
	BTSQ	$44, R13
	MOVQ	R13, (DX)
	RET
same: // the second write at a position stands for those that follow there: the first may initialise
	BTQ	$44, R9
	JCS	done
	PLACES(R9, bare)
	JNE	note
	BTSQ	$44, R9 // at the same place: its stack is known
	MOVQ	R9, (DX)
done:
	RET
other: // as above
	TESTQ	DI, DI
	JZ	slow
	CMPQ	R8, $0xff
	JHI	slow
	POSITION
	MOVL	R9, CX
	XORL	SI, CX
	TESTL	$0x3ffff, CX
	JNE	slow
	PLACES(R9, kept)
	JNE	slow
	SHLQ	$56, R8
	ORQ	R8, R10
	MOVQ	R10, 8(DX)
	BTSQ	$44, R9
	MOVQ	R9, (DX)
	RET
none:
	EXACT
	RET
slow:
	JMP	runtime·foreWriteSlow<ABIInternal>(SB)

// func foreFill(cell, end uintptr, W, R uint64)
TEXT runtime·foreFill<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-32
next:
	CMPQ	AX, BX
	JCC	filled
	MOVQ	DI, 8(AX)
	MOVQ	CX, (AX)
	ADDQ	$16, AX
	JMP	next
filled:
	RET

// A Mutex that begins with a foreSync, behind which its state is: 0, or 1 if it is locked and nobody waits.
#define MUTEX_STATE	foreSync__size

// func foreLock(m *Mutex)
// It is taken without a record (foreQuietly says when) if it is free, and the same was known when it was given back as the
// goroutine knows.
TEXT sync·foreLock<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ	(g_fore+foreG_shown)(R14), CX
	TESTQ	CX, CX
	JZ	any
	CMPQ	g_quiet(R14), $0
	JNE	any
	MOVQ	0(SP), BX
	MOVL	BX, SI
	ANDL	$(const_foreOwnersMost-1), SI
	LEAQ	const_foreOfUser(BX*8), DI // as foreOwners has it
	LEAQ	runtime·foreOwners(SB), R8
	CMPQ	DI, (R8)(SI*8)
	JNE	any
	MOVQ	AX, DX
	SHRQ	$2, DX
	ORL	$1, DX
	CMPL	DX, foreSync_check(AX)
	JNE	any
	CMPL	runtime·writeBarrier(SB), $0
	JNE	any
	SUBQ	runtime·foreTextAt(SB), BX
	SHLQ	$32, BX
	MOVL	(g_fore+foreG_id)(R14), DI
	BTSL	$31, DI // foreQuietBit
	ORQ	DI, BX
	MOVQ	AX, DX
	XORL	AX, AX
	MOVL	$1, SI
	LOCK
	CMPXCHGL	SI, MUTEX_STATE(DX)
	MOVQ	DX, AX
	JNE	any
	CMPQ	CX, foreSync_know(AX)
	JNE	taken
	MOVQ	BX, foreSync_owner(AX) // and at, which lies behind it
	MOVQ	AX, g_quiet(R14)
	RET
taken:
	JMP	sync·foreLocked<ABIInternal>(SB)
any:
	JMP	sync·foreLockAny<ABIInternal>(SB)

// func foreUnlock(m *Mutex)
TEXT sync·foreUnlock<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	CMPQ	AX, g_quiet(R14)
	JNE	any
	TESTQ	AX, AX
	JZ	any
	MOVL	(g_fore+foreG_id)(R14), DI
	BTSL	$31, DI
	CMPL	DI, foreSync_owner(AX)
	JNE	any
	CMPL	runtime·writeBarrier(SB), $0
	JNE	any
	XORL	CX, CX
	MOVQ	CX, g_quiet(R14)
	MOVQ	AX, DX
	MOVL	$1, AX
	LOCK
	CMPXCHGL	CX, MUTEX_STATE(DX)
	JNE	wanted
	RET
wanted:
	MOVQ	DX, AX
	JMP	sync·foreUnlockWanted<ABIInternal>(SB)
any:
	JMP	sync·foreUnlockAny<ABIInternal>(SB)
