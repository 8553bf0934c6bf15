#include "go_asm.h"
#include "textflag.h"

// func foreBP() uintptr
TEXT runtime·foreBP<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ	BP, AX
	RET

// The usual access: to 1, 2, 4 or 8 bytes that the goroutine owns and has accessed so before. The
// words of the shadow are drawn in msan0.go.
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
	MOVQ	(g_fore+foreG_tag)(R14), R11; \
	XORQ	R11, R9; \
	SHRQ	$45, R9; \
	JNZ	slow; \
	MOVQ	8(DX), R10

// R8 = the bytes, as a mask
#define BYTES(size) \
	MOVL	AX, CX; \
	ANDL	$7, CX; \
	XORL	R8, R8; \
	BTSQ	size, R8; \
	DECQ	R8; \
	SHLQ	CX, R8

// R13 = pc and position
#define NOTE \
	MOVQ	0(SP), R13; \
	SUBQ	runtime·foreTextAt(SB), R13; \
	MOVQ	R13, CX; \
	SHRQ	$26, CX; \
	JNZ	slow; \
	SHLQ	$18, R13; \
	MOVQ	(g_fore+foreG_pos)(R14), CX; \
	SUBQ	(g_fore+foreG_from)(R14), CX; \
	SHRQ	$4, CX; \
	ORQ	CX, R13

// func msanread(addr unsafe.Pointer, n uintptr)
TEXT runtime·msanread<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-16
	FIND_CELL
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
	BYTES(DI)
	MOVQ	R10, R12
	SHRQ	$48, R12
	ANDQ	$0xff, R12
	CMPQ	R12, R8
	JNE	slow
	NOTE
	SHRQ	$44, R10
	SHLQ	$44, R10
	ORQ	R13, R10
	MOVQ	R10, 8(DX)
none:
	RET
slow:
	JMP	runtime·foreReadSlow<ABIInternal>(SB)

// func msanwrite(addr unsafe.Pointer, n uintptr)
TEXT runtime·msanwrite<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-16
	FIND_CELL
	CMPQ	BX, $8
	JHI	slow
	BYTES(BX)
	SHRQ	$56, R10
	CMPQ	R10, R8
	JNE	slow
	NOTE
	ORQ	R11, R13
	BTSQ	$44, R13
	MOVQ	R13, (DX)
none:
	RET
slow:
	JMP	runtime·foreWriteSlow<ABIInternal>(SB)
