#include "textflag.h"

// func sum(s []int64) int64
TEXT ·sum(SB), NOSPLIT, $0-32
	MOVQ	s_base+0(FP), SI
	MOVQ	s_len+8(FP), CX
	XORQ	AX, AX
next:
	TESTQ	CX, CX
	JZ	done
	ADDQ	(SI), AX
	ADDQ	$8, SI
	DECQ	CX
	JMP	next
done:
	MOVQ	AX, ret+24(FP)
	RET
