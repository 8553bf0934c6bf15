
// Appended by foresee: who called whom where memory was accessed. A stack, the access and up to seven
// callers, gets a number when it is first met. The number stands where the address of the access would;
// numbers lie above all addresses of the text. When there is no room for another stack, the address does.

const (
	foreStackBit  = 1 << (forePcBits - 1)
	foreStackMost = 1 << 14
	foreStackDeep = 8
	foreStackKind = 208
)

var foreStacks struct {
	count uint32
	on    bool
	table [2 * foreStackMost]uint64 // the hash of a stack, and in the lowest bits its number
}

// foreStackFirst is where the access of a stack is, for the assembly.
var foreStackFirst [foreStackMost]uint32

func foreStacksOpen() {
	foreStacks.on = firstmoduledata.etext-foreFile.text < foreStackBit
}

// foreIsAt tells whether the access of this note was done at pc.
func foreIsAt(note uint64, pc uintptr) bool {
	at := uintptr(note) >> forePosBits & (1<<forePcBits - 1)
	if foreStacks.on && at&foreStackBit != 0 {
		at = uintptr(foreStackFirst[at&(foreStackMost-1)])
	}
	return at == pc-foreFile.text
}

// foreStack is the number of the stack from the frame fp outwards, beginning with the call that returns
// to pc, or pc relative to the text.
func foreStack(gp *g, w *foreG, fp, pc uintptr) uintptr {
	var at [foreStackDeep]uint32
	bare := pc - foreFile.text
	if !foreStacks.on {
		return bare
	}
	n, skip, hash := 0, 0, uint64(0)
	for n < foreStackDeep && skip < 16 && fp >= gp.stack.lo && fp+16 <= gp.stack.hi {
		up := *(*uintptr)(unsafe.Pointer(fp + 8))
		fp = *(*uintptr)(unsafe.Pointer(fp))
		if n == 0 && up != pc {
			skip++
			continue
		}
		up -= foreFile.text
		at[n] = uint32(up)
		hash = hash<<9 ^ hash>>55 ^ uint64(up)
		n++
	}
	if n < 2 {
		return bare
	}
	hash = hash * 0x9e3779b97f4a7c15 &^ (foreStackMost - 1)
	for i := uintptr(hash>>32) % (2 * foreStackMost); ; i = (i + 1) % (2 * foreStackMost) {
		have := atomic.Load64(&foreStacks.table[i])
		if have == 0 {
			return foreNewStack(w, i, hash, &at)
		}
		if have&^(foreStackMost-1) == hash {
			return foreStackBit | uintptr(have&(foreStackMost-1))
		}
	}
}

// foreNewStack writes the stack down. If another goroutine meets it at the same time, it has two numbers, of which one is
// not used again.
func foreNewStack(w *foreG, i uintptr, hash uint64, at *[foreStackDeep]uint32) uintptr {
	if atomic.Load(&foreStacks.count) >= foreStackMost-1 {
		return uintptr(at[0])
	}
	k := atomic.Xadd(&foreStacks.count, 1)
	if k >= foreStackMost {
		atomic.Store(&foreStacks.count, foreStackMost-1)
		return uintptr(at[0])
	}
	foreStackFirst[k] = at[0]
	p := foreRoom(w, 3)
	if p == 0 {
		return uintptr(at[0])
	}
	w.own += 3
	for j := range at {
		*fore32(p + 16 + uintptr(j)*4) = at[j]
	}
	*fore64(p) = foreStackBit | uint64(k)
	*fore64(p + 8) = foreStackKind | foreFlagDone | 2<<foreExtra
	atomic.Cas64(&foreStacks.table[i], 0, hash|uint64(k))
	return foreStackBit | uintptr(k)
}
