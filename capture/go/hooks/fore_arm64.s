#include "textflag.h"

// func foreBP() uintptr
TEXT runtime·foreBP<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	MOVD	R29, R0
	RET

// func msanread(addr unsafe.Pointer, n uintptr)
TEXT runtime·msanread<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-16
	B	runtime·foreReadSlow<ABIInternal>(SB)

// func msanwrite(addr unsafe.Pointer, n uintptr)
TEXT runtime·msanwrite<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-16
	B	runtime·foreWriteSlow<ABIInternal>(SB)

// func foreLock(m *Mutex)
TEXT sync·foreLock<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	B	sync·foreLockAny<ABIInternal>(SB)

// func foreUnlock(m *Mutex)
TEXT sync·foreUnlock<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	B	sync·foreUnlockAny<ABIInternal>(SB)

// func foreFill(cell, end uintptr, W, R uint64)
TEXT runtime·foreFill<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-32
next:
	CMP	R1, R0
	BHS	filled
	MOVD	R3, 8(R0)
	STLR	R2, (R0)
	ADD	$16, R0
	B	next
filled:
	RET
