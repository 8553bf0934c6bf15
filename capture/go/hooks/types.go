
// Appended by foresee: what a block of memory is, in the words of ring.h of foresee (DEF_PLACES), which
// name it and its parts. Types are read as they lie in memory, which is the same from Go 1.19 on.

const (
	foreKindBool      = 1
	foreKindInt       = 2
	foreKindUint      = 7
	foreKindUintptr   = 12
	foreKindFloat32   = 13
	foreKindFloat64   = 14
	foreKindArray     = 17
	foreKindChan      = 18
	foreKindFunc      = 19
	foreKindMap       = 21
	foreKindPointer   = 22
	foreKindStruct    = 25
	foreKindUnsafe    = 26
	foreTextMost      = 3000
)

var foreText struct {
	lock uint32
	n    int
	at   [foreTextMost + 64]byte
}

func foreTextAdd(s string) {
	for i := 0; i < len(s) && foreText.n < foreTextMost; i++ {
		foreText.at[foreText.n] = s[i]
		foreText.n++
	}
}

func foreTextNumber(v uintptr) {
	if v >= 10 {
		foreTextNumber(v / 10)
	}
	foreTextAdd("0123456789"[v%10 : v%10+1])
}

// foreTextName adds a name of a type or a field, without blanks.
func foreTextName(p uintptr, skip int) {
	n, shift := 0, uint(0)
	for p++; ; p++ {
		b := *(*byte)(unsafe.Pointer(p))
		n |= int(b&0x7f) << shift
		shift += 7
		if b&0x80 == 0 {
			break
		}
	}
	for i := skip; i < n && foreText.n < foreTextMost; i++ {
		if b := *(*byte)(unsafe.Pointer(p + 1 + uintptr(i))); b != ' ' {
			foreText.at[foreText.n] = b
			foreText.n++
		}
	}
}

// foreTextLayout adds the layout of a type.
func foreTextLayout(t uintptr, depth int) {
	size := uintptr(*fore64(t))
	kind := *(*byte)(unsafe.Pointer(t + 23)) & 31
	letter := "o"
	switch {
	case kind == foreKindStruct && depth < 8:
		foreTextAdd("{")
		f, n := uintptr(*fore64(t + 56)), *fore64(t + 64)
		for i := uint64(0); i < n; i++ {
			foreTextNumber(uintptr(*fore64(f + 16)))
			foreTextAdd(" ")
			foreTextName(uintptr(*fore64(f)), 0)
			foreTextAdd(" ")
			foreTextLayout(uintptr(*fore64(f + 8)), depth+1)
			foreTextAdd(";")
			f += 24
		}
		foreTextAdd("}")
		return
	case kind == foreKindArray && depth < 8:
		e := uintptr(*fore64(t + 48))
		foreTextAdd("[")
		foreTextNumber(uintptr(*fore64(t + 64)))
		foreTextAdd(",")
		foreTextNumber(uintptr(*fore64(e)))
		foreTextAdd(" ")
		foreTextLayout(e, depth+1)
		foreTextAdd("]")
		return
	case kind == foreKindBool:
		letter = "b"
	case kind >= foreKindInt && kind < foreKindUint:
		letter = "i"
	case kind >= foreKindUint && kind <= foreKindUintptr:
		letter = "u"
	case kind == foreKindFloat32 || kind == foreKindFloat64:
		letter = "f"
	case kind == foreKindChan || kind == foreKindFunc || kind == foreKindMap || kind == foreKindPointer || kind == foreKindUnsafe:
		letter = "p"
	}
	foreTextAdd(letter)
	foreTextNumber(size)
}

func foreIs(name []byte, what string) bool {
	for i := range name {
		if len(name) != len(what) || name[i] != what[i] {
			return false
		}
	}
	return true
}

// foreTypeText is the number of the string that describes a type of the program, 0 if there is none.
func foreTypeText(w *foreG, rel uint32) uint32 {
	if rel == 0 {
		return 0
	}
	slot := &foreMem.types[rel/8%uint32(len(foreMem.types))]
	if v := atomic.Load64(slot); uint32(v>>32) == rel {
		return uint32(v)
	}
	t := firstmoduledata.types + uintptr(rel)
	foreStripeLock(&foreText.lock)
	foreText.n = 0
	foreTextAdd("h ")
	skip := int(*(*byte)(unsafe.Pointer(t + 20)) >> 1 & 1) // a star that is not its own
	foreTextName(firstmoduledata.types+uintptr(*(*int32)(unsafe.Pointer(t + 40))), skip)
	name := foreText.at[2:foreText.n]
	if foreIs(name, "maps.Map") || foreIs(name, "runtime.hmap") { // its own fields are none of the program's
		foreText.n = 2
		foreTextAdd("map 48 o48")
	} else {
		foreTextAdd(" ")
		foreTextNumber(uintptr(*fore64(t)))
		foreTextAdd(" ")
		foreTextLayout(t, 0)
	}
	id := atomic.Xadd(&foreMem.strs, 1)
	if foreText.n >= foreTextMost || !foreDefineString(w, id) {
		id = 0
	}
	atomic.Store(&foreText.lock, 0)
	atomic.Store64(slot, uint64(rel)<<32|uint64(id))
	return id
}

func foreDefineString(w *foreG, id uint32) bool {
	units := uintptr(foreText.n+15) / 16
	p := foreRoom(w, 1+units)
	if p == 0 {
		return false
	}
	w.own += 1 + units
	for i := uintptr(0); i < units*16; i++ {
		b := byte(0)
		if int(i) < foreText.n {
			b = foreText.at[i]
		}
		*(*byte)(unsafe.Pointer(p + 16 + i)) = b
	}
	*fore64(p) = uint64(id) << 32
	*fore64(p + 8) = foreStringKind | foreFlagDone | uint64(units)<<foreExtra | uint64(foreText.n)<<foreTicket
	return true
}

//go:linkname foreRaceAccess internal/race.foreAccess
func foreRaceAccess(addr unsafe.Pointer, n uintptr, write bool, pc uintptr) {
	foreAccess(uintptr(addr), n, write, pc)
}

// foreRaceEdge orders what comes after it behind what came before an earlier one for the same address
// that released.
//
//go:linkname foreRaceEdge internal/race.foreEdge
func foreRaceEdge(addr unsafe.Pointer, release bool) {
	gp := getg()
	if gp != gp.m.curg || gp.fore.atom != 0 {
		return
	}
	fp := *(*uintptr)(unsafe.Pointer(foreBP()))
	pc := foreReturn(gp, fp)
	how := uint32(foreOpaque | foreLoad)
	if release {
		how = foreOpaque | foreSwap
	}
	mp := acquirem()
	e := foreEnter(uintptr(addr))
	foreNote(e, how, 0, 0, 0, pc, fp)
	foreLeave(e)
	releasem(mp)
}
