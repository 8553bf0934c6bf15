#include "textflag.h"

// func foreBP() uintptr
TEXT runtime·foreBP<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	MOVD	R29, R0
	RET
