
// Appended by foresee: calls of msanread and msanwrite that cannot concern a variable of the specification are
// taken out of the program before it begins. What the compiler emits for a variable of a package is
//
//	LEAQ variable(SB), AX; MOVL $size, BX; CALL runtime.msanread
//
// (or the first two the other way round), and what it does not emit so is an access by a pointer. Nobody has a
// pointer to a variable whose address occurs nowhere else, in the text or in the data (where the launcher has
// looked); then only calls of this form that name it are left. Otherwise all those by pointers are, too.

const (
	foreMprotect = 10
	foreLea      = 7 // bytes of LEAQ x(SB), AX
	foreSize     = 5 // of MOVL $n, BX, and of a call
	foreBack     = 32 // a call's arguments begin at most that many bytes before it
)

func foreByte(at uintptr) byte {
	return *(*byte)(unsafe.Pointer(at))
}

// foreIsLea tells whether the instruction at `at` puts the address of a variable into AX.
func foreIsLea(at uintptr) bool {
	return foreByte(at) == 0x48 && foreByte(at+1) == 0x8d && foreByte(at+2) == 0x05
}

// foreIsSize tells whether the instruction puts a constant of at most 16 bits into BX.
func foreIsSize(at uintptr) bool {
	return foreByte(at) == 0xbb && foreByte(at+3) == 0 && foreByte(at+4) == 0
}

// foreFar32 is where an instruction that ends at `end` with 32 bits leads to.
func foreFar32(end uintptr) uintptr {
	return end + uintptr(int64(*(*int32)(unsafe.Pointer(end - 4))))
}

// forePadded is what comes behind an instruction at `at` that does nothing, or `at`. The compiler puts one of up to
// nine bytes before a call that would lie across 32 bytes.
func forePadded(at uintptr) uintptr {
	start := at
	if foreByte(at) == 0x66 {
		at++
	}
	if foreByte(at) == 0x90 {
		return at + 1
	}
	if foreByte(at) == 0x0f && foreByte(at+1) == 0x1f {
		switch foreByte(at + 2) {
		case 0x00:
			return at + 3
		case 0x40:
			return at + 4
		case 0x44:
			return at + 5
		case 0x80:
			return at + 7
		case 0x84:
			return at + 8
		}
	}
	return start
}

// foreLeaOf is the instruction that names the variable of the call at `call`, or 0.
func foreLeaOf(call uintptr) uintptr {
	for k := uintptr(0); k < 10; k++ {
		at := call - k
		if k != 0 && forePadded(at) != call {
			continue
		}
		if lea := at - foreSize - foreLea; foreIsLea(lea) && foreIsSize(at-foreSize) {
			return lea
		} else if lea := at - foreLea; foreIsLea(lea) && foreIsSize(lea-foreSize) {
			return lea
		}
	}
	return 0
}

// foreIsNamed tells whether the address lies within a variable of the specification.
func foreIsNamed(addr uintptr) bool {
	for i := 0; i < foreVariableCount; i++ {
		if x := &foreVariables[i]; addr-x.whole < x.span {
			return true
		}
	}
	return false
}

type foreSites struct {
	read, write uintptr
	text, end   uintptr
}

func (s *foreSites) isCall(at uintptr) bool {
	if foreByte(at) != 0xe8 || at+foreSize > s.end {
		return false
	}
	to := foreFar32(at + foreSize)
	if to != s.read && to != s.write {
		return false
	}
	for k := uintptr(foreSize); k < foreBack; k++ {
		if foreIsSize(at - k) {
			return true
		}
	}
	return false
}

// isTaken tells whether the instruction at `at` makes the address of a variable of the specification for something else than
// to tell us.
func (s *foreSites) isTaken(at uintptr) bool {
	if foreByte(at) != 0x8d || foreByte(at+1)&0xc7 != 0x05 || !foreIsNamed(foreFar32(at+6)) {
		return false
	}
	lea := at - 1
	for _, end := range [2]uintptr{lea + foreLea + foreSize, lea + foreLea} {
		if call := forePadded(end); s.isCall(call) && foreLeaOf(call) == lea {
			return false
		}
	}
	return true
}

// foreSilence takes these calls out; pointed: there are pointers to a variable in the program's data.
func foreSilence(pointed bool) {
	if goarch.IsAmd64 == 0 || firstmoduledata.next != nil || foreHasPlugins() {
		return
	}
	s := foreSites{read: abi.FuncPCABIInternal(msanread), write: abi.FuncPCABIInternal(msanwrite), text: firstmoduledata.text, end: firstmoduledata.etext}
	from, first := s.text&^4095, s.text+foreBack
	for at := first; at+foreBack < s.end && !pointed; at++ {
		pointed = s.isTaken(at)
	}
	if _, errno := foreCall(foreMprotect, from, s.end-from, _PROT_READ|_PROT_WRITE|_PROT_EXEC, 0, 0); errno != 0 {
		return
	}
	for at := first; at+foreBack < s.end; at++ {
		if !s.isCall(at) {
			continue
		}
		lea := foreLeaOf(at)
		if lea == 0 && pointed || lea != 0 && foreIsNamed(foreFar32(lea+foreLea)) {
			continue
		}
		for i, b := range [foreSize]byte{0x0f, 0x1f, 0x44, 0x00, 0x00} { // an instruction that does nothing
			*(*byte)(unsafe.Pointer(at + uintptr(i))) = b
		}
	}
	foreCall(foreMprotect, from, s.end-from, _PROT_READ|_PROT_EXEC, 0, 0)
}

// foreHasPlugins tells whether plugins may be loaded, which can name the variables later.
func foreHasPlugins() bool {
	md := &firstmoduledata
	for i := 0; i+1 < len(md.ftab); i++ {
		if f := findfunc(md.textAddr(md.ftab[i].entryoff)); f.valid() && foreIn(funcname(f), "plugin.") {
			return true
		}
	}
	return false
}
