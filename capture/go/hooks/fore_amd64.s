#include "textflag.h"

// func foreBP() uintptr
TEXT runtime·foreBP<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ	BP, AX
	RET
