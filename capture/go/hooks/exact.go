
// Appended by foresee: variables that a specification names. Only those are recorded, every access with
// its value. The launcher has looked up where they are by the file (FORESEE_VARS: "text;address,size,type,
// whole address,whole size,pointed to,name;...", numbers in hexadecimal). A name that begins with * is that of a member of
// what is allocated: the whole is then the type, from the first of all types on, and the address is as far behind it as the
// member is behind the beginning. It is watched in the first one that is allocated; that there are more is told.
//
// A hook runs before its access. What a read finds is there already; what a write has put there is read
// at the goroutine's next hook or record, before which nothing of another's comes unless the two race.

type foreVariable struct {
	addr, size uintptr
	kind       byte
	id         uint32
	lock, seq  uint32

	whole, span uintptr // of the variable that this is a part of
	typ, offset uintptr // for a member of what is allocated: its type, and its offset in it
	name        string
	more        uint32 // not 0: others of that type were allocated, which was recorded
	kept        unsafe.Pointer
}

const foreUnseenMember = 1 // object of a foreDefUnseen

var foreVariables [64]foreVariable
var foreVariableCount int

// foreExactFrom and foreExactSpan bound the variables, for the assembly.
var foreExactFrom, foreExactSpan uintptr

func foreHex(s string, i int) (uintptr, int) {
	v := uintptr(0)
	for ; i < len(s) && s[i] != ',' && s[i] != ';'; i++ {
		d := s[i] - '0'
		if d > 9 {
			d = s[i] - 'a' + 10
		}
		v = v<<4 | uintptr(d&15)
	}
	return v, i + 1
}

func foreExactOpen(vars string) {
	low, high, pointed := ^uintptr(0), uintptr(0), false
	text, i := foreHex(vars, 0)
	for i < len(vars) && foreVariableCount < len(foreVariables) {
		x := &foreVariables[foreVariableCount]
		x.addr, i = foreHex(vars, i)
		x.addr += foreFile.text - text
		x.size, i = foreHex(vars, i)
		if i+2 > len(vars) {
			break
		}
		x.kind = vars[i]
		x.whole, i = foreHex(vars, i+2)
		x.whole += foreFile.text - text
		x.span, i = foreHex(vars, i)
		points, at := foreHex(vars, i)
		pointed = pointed || points != 0
		i = at
		from := i
		for i < len(vars) && vars[i] != ';' {
			i++
		}
		x.name = vars[from:i]
		i++
		foreVariableCount++
		foreExactBuilt(x.name)
		if x.name[0] == '*' {
			x.typ = firstmoduledata.types + x.whole - (foreFile.text - text)
			x.offset, x.name = x.addr-x.whole, x.name[1:]
			x.addr, x.whole = 0, 0
			foreBorn = 1
			continue
		}
		x.id = foreExactDefine(x)
		if x.whole < low { // a write of the whole begins there
			low = x.whole
		}
		if x.addr+x.size > high {
			high = x.addr + x.size
		}
	}
	if high != 0 {
		foreExactFrom, foreExactSpan = low, high-low
	}
	if foreVariableCount > 0 {
		foreKnowOpen()
		if !foreIsNamedBuild() {
			foreSilence(pointed)
		}
	}
}

// foreNamedBuild begins foreBuilt of a program that was built for a specification, and in which only accesses by the names
// of its variables are known (capture/go/watch): the names follow, each with a ; behind it.
const foreNamedBuild = "named;"

func foreIsNamedBuild() bool {
	return foreIn(foreBuilt, foreNamedBuild)
}

// foreExactBuilt reports if accesses to the variable are not known, because the program was built for another
// specification.
func foreExactBuilt(name string) {
	if !foreIsNamedBuild() {
		return
	}
	if name[0] == '*' {
		name = name[1:]
	}
	for i := len(foreNamedBuild) - 1; i+1+len(name) < len(foreBuilt); i++ {
		if foreBuilt[i] == ';' && foreIn(foreBuilt[i+1:], name) && foreBuilt[i+1+len(name)] == ';' {
			return
		}
	}
	print("foresee: this program was built for a specification that does not name ", name, ", and records no access to it: build it for this one\n")
	foreUnseen("variables that the specification names, but not the one that the program was built for")
}

// ---- accesses by name: calls that capture/go/watch has put into the source ----

// foreNamedPC is where that call's own caller is.
//
//go:nosplit
func foreNamedPC(fp uintptr) uintptr {
	fp = *(*uintptr)(unsafe.Pointer(fp))
	return *(*uintptr)(unsafe.Pointer(fp + 8))
}

//go:linkname foreNamedRead
func foreNamedRead(at unsafe.Pointer, n uintptr) {
	if foreVariableCount != 0 {
		foreExactAccess(uintptr(at), n, false, foreNamedPC(foreBP()))
	}
}

//go:linkname foreNamedWrite
func foreNamedWrite(at unsafe.Pointer, n uintptr) {
	if foreVariableCount != 0 {
		foreExactAccess(uintptr(at), n, true, foreNamedPC(foreBP()))
	}
}

// foreNamedWritten is called when the write is done.
//
//go:linkname foreNamedWritten
func foreNamedWritten() {
	if w := &getg().fore; w.wrote != 0 {
		foreExactWritten(w)
	}
}

// foreExactDefine writes the variable's name and its initial value.
func foreExactDefine(x *foreVariable) uint32 {
	w := &getg().fore
	name := x.name
	id := atomic.Xadd(&foreFile.objects, 1)
	bytes := uintptr(len(name)+15) / 16
	p := foreRoom(w, 3+bytes)
	if p == 0 {
		return id
	}
	value, kind := foreExactValue(x)
	*fore64(p + 16) = foreIsPlace
	*fore64(p + 24) = 0
	*fore64(p + 32) = value
	*fore64(p + 40) = kind
	for i := 0; i < len(name); i++ {
		*(*byte)(unsafe.Pointer(p + 48 + uintptr(i))) = name[i]
	}
	*fore64(p) = uint64(id) << 32
	*fore64(p + 8) = foreDefObject | foreFlagInit | uint64(2+bytes)<<foreExtra | uint64(len(name))<<foreTicket
	return id
}

// foreExactValue is the variable's present value, and its type as in ring.h.
func foreExactValue(x *foreVariable) (value, kind uint64) {
	switch x.size {
	case 1:
		value = uint64(*(*uint8)(unsafe.Pointer(x.addr)))
	case 2:
		value = uint64(*(*uint16)(unsafe.Pointer(x.addr)))
	case 4:
		value = uint64(*(*uint32)(unsafe.Pointer(x.addr)))
	case 8:
		value = *fore64(x.addr)
	default:
		return 0, 0
	}
	switch x.kind {
	case 'i':
		shift := 64 - 8*uint(x.size)
		return uint64(int64(value<<shift) >> shift), 1
	case 'u':
		return value, 1
	case 'b':
		return value & 1, 3
	case 'f':
		if x.size == 4 {
			return *(*uint64)(unsafe.Pointer(&[1]float64{float64(*(*float32)(unsafe.Pointer(x.addr)))})), 2
		}
		return value, 2
	case 'p':
		if value == 0 {
			return 0, 4
		}
	}
	return 0, 0
}

// foreExactAccess is called for what may be an access to one of them, and by a goroutine that has a
// write to complete.
func foreExactAccess(addr, n uintptr, write bool, pc uintptr) {
	gp := getg()
	w := &gp.fore
	if gp != gp.m.curg {
		return
	}
	if w.wrote != 0 {
		foreExactWritten(w)
	}
	if addr-foreExactFrom >= foreExactSpan && (addr >= foreExactFrom || addr+n <= foreExactFrom) {
		return
	}
	if foreTurns != 0 {
		foreTurnAccess(foreAccessKind(write), addr, n, pc, false)
	}
	for i := 0; i < foreVariableCount; i++ {
		if x := &foreVariables[i]; addr < x.addr+x.size && x.addr < addr+n {
			foreExactRecord(w, x, write, pc)
		}
	}
}

// foreExactRecord writes an access. The value of a write is not there yet. In its place is the address of
// another record that the goroutine must complete, too, if one write covers both variables.
func foreExactRecord(w *foreG, x *foreVariable, write bool, pc uintptr) {
	before := w.wrote // which the next record would complete too early
	w.wrote = 0
	mp := acquirem()
	foreStripeLock(&x.lock)
	if x.id == 0 {
		x.id = foreExactDefine(x)
	}
	x.seq++
	kind, value, types := uint64(foreWriteKind), uint64(before), uint64(0)
	if !write {
		kind = foreReadKind
		value, types = foreExactValue(x)
	}
	p := foreUnit(w, pc, x.id, kind|foreFlagDone|foreFlagStack|uint64(x.seq)<<foreTicket, value, types<<6)
	atomic.Store(&x.lock, 0)
	releasem(mp)
	if write && p != 0 {
		w.wrote = p
	} else {
		w.wrote = before
	}
}

// foreExactWritten completes a write.
func foreExactWritten(w *foreG) {
	p := w.wrote
	w.wrote = 0
	for p != 0 {
		next := uintptr(*fore64(p + 16))
		for i := 0; i < foreVariableCount; i++ {
			if x := &foreVariables[i]; x.id == uint32(*fore64(p)>>32) {
				value, types := foreExactValue(x)
				*fore64(p + 16) = value
				*fore64(p + 24) = types << 6
				break
			}
		}
		p = next
	}
}

var foreExactBirths uint32 // a lock

// foreExactBorn is called when a block was allocated.
func foreExactBorn(addr, size uintptr, typ *_type) {
	for i := 0; i < foreVariableCount; i++ {
		x := &foreVariables[i]
		if x.typ == 0 || x.typ != uintptr(unsafe.Pointer(typ)) {
			continue
		}
		mp := acquirem()
		foreStripeLock(&foreExactBirths)
		first := x.addr == 0
		if first {
			x.kept = unsafe.Pointer(addr) // otherwise another block might come to lie there
			x.addr = addr + x.offset
			foreExactWiden(addr, x.span)
		}
		told := first && size < 2*x.span || x.more != 0
		if !told {
			x.more = 1
		}
		atomic.Store(&foreExactBirths, 0)
		if !told {
			foreKeep(0, foreUnseenMember, foreDefUnseen|uint64(len(x.name))<<foreTicket, x.name)
		}
		releasem(mp)
	}
}

// foreExactWiden has the assembly ask for these addresses, too; meanwhile the assembly asks for too many, never for too few.
func foreExactWiden(addr, size uintptr) {
	from, end := foreExactFrom, foreExactFrom+foreExactSpan
	if foreExactSpan == 0 {
		atomic.Storeuintptr(&foreExactFrom, addr)
		from, end = addr, addr
	}
	if addr+size > end {
		end = addr + size
	}
	if addr > from {
		addr = from
	}
	atomic.Storeuintptr(&foreExactSpan, end-addr)
	atomic.Storeuintptr(&foreExactFrom, addr)
}
