
// Appended by foresee: what package sync/atomic does, recorded if the program was built with
// --atomics (its calls are then calls, not instructions). The operation and its record are one
// step: both happen while the place's stripe is held, so that tickets give the order in which
// the operations took effect.

// foreAtom is a place that atomics were used on. It lies outside of the heap; the sweeper
// forgets it when the memory that it stands for is freed.
type foreAtom struct {
	next    uintptr // of the same stripe
	near    uintptr // of the same span
	addr    uintptr
	last    uint64
	id, seq uint32
	part    uint32 // the part of the run in which it was last defined
	plain   uint32 // not 0: it was written by other means, which was recorded
}

const (
	foreStripes = 4096

	foreReadKind  = 31
	foreWriteKind = 32
	foreRMWKind   = 33
	foreIsPlace   = 9
	foreFlagInit  = 1 << 13

	// what to do
	foreLoad  = 0
	foreStore = 1
	foreSwap  = 2
	foreAdd   = 3
	foreAnd   = 4
	foreOr    = 5
	foreCas   = 6

	// with what
	fore32Bits  = 1 << 4
	foreSigned  = 1 << 5
	forePointer = 1 << 6
	foreOpaque  = 1 << 7 // an atomic.Value
)

// foreAtomics is 0 when atomics are not recorded.
//
//go:linkname foreAtomics
var foreAtomics uint32

var foreAtoms [foreStripes]struct {
	lock        uint32
	first, free uintptr
}

// foreAtomic does `how` at addr, whose caller has the frame fp.
//
//go:nosplit
func foreAtomic(addr unsafe.Pointer, how uint32, a, b uint64, fp uintptr) (old, now uint64) {
	pc := *(*uintptr)(unsafe.Pointer(fp + 8)) // before the stack can move
	gp := getg()
	if foreAtomics == 0 || gp != gp.m.curg || gp.fore.atom != 0 ||
		uintptr(addr)-gp.stack.lo < gp.stack.hi-gp.stack.lo { // no other goroutine sees a stack
		mp := acquirem()
		old, now = foreAct(addr, how, a, b)
		releasem(mp)
		return
	}
	atomic.Load((*uint32)(addr)) // a fault must come before the locks
	up := *(*uintptr)(unsafe.Pointer(fp))
	return foreRecorded(addr, how, a, b, pc, fp, foreReturn(gp, up), up)
}

// foreRecorded does the operation and records it, unless Go's own code called it. The caller is pc; if that is a
// method of package sync/atomic, which may be a function of its own, it is pc2.
func foreRecorded(addr unsafe.Pointer, how uint32, a, b uint64, pc, fp, pc2, fp2 uintptr) (old, now uint64) {
	who := foreWhose(pc)
	if who == foreOfAtomic {
		pc, fp, who = pc2, fp2, foreWhose(pc2)
	}
	if foreTurns != 0 && who == foreOfUser {
		up := getg().stack.hi - fp // the stack may move
		foreTurnAtomic(uintptr(addr), how, pc)
		fp = getg().stack.hi - up
	}
	mp := acquirem()
	if foreIsRecorded(who) {
		e := foreEnter(uintptr(addr))
		old, now = foreAct(addr, how, a, b)
		foreNote(e, how, old, now, b, pc, fp)
		foreLeave(e)
	} else {
		old, now = foreAct(addr, how, a, b)
	}
	releasem(mp)
	return
}

// foreIsRecorded tells whether an atomic operation of Go's own code is recorded. With memory it is, because it
// orders accesses of the program; but not within the methods of package sync, which are recorded themselves.
func foreIsRecorded(who uint64) bool {
	return foreOn != 0 && (who == foreOfUser || who == foreOfGo && foreMemory != 0)
}

const (
	foreOfSync   = 0
	foreOfUser   = 1
	foreOfAtomic = 2
	foreOfGo     = 3
)

const foreOwnersMost = 1024

// foreOwners remembers, for pc, what foreWhose found: pc<<2 | it.
var foreOwners [foreOwnersMost]uint64

// foreWhose tells whether a call from pc is Go's own: its source lies where the runtime's does.
// If paths were trimmed, no call counts as Go's own.
func foreWhose(pc uintptr) uint64 {
	slot := &foreOwners[pc%uintptr(len(foreOwners))]
	if v := atomic.Load64(slot); v>>2 == uint64(pc) && v != 0 {
		return v & 3
	}
	who := uint64(foreOfUser)
	if f := findfunc(pc); f.valid() {
		file, _ := funcline1(f, f.entry(), false)
		if root := foreRoot(); foreIn(funcname(f), "sync/atomic.") {
			who = foreOfAtomic
		} else if root != "" && foreIn(file, root) {
			who = foreOfGo
			if in := file[len(root):]; (foreIn(in, "sync/") && in != "sync/map.go") || in == "internal/sync/mutex.go" {
				who = foreOfSync
			}
		}
	}
	atomic.Store64(slot, uint64(pc)<<2|who)
	return who
}

// foreRoot is the folder of Go's sources, or "".
func foreRoot() string {
	const own = "runtime/proc.go"
	of := goexit1
	f := findfunc(**(**uintptr)(unsafe.Pointer(&of)))
	file, _ := funcline1(f, f.entry(), false)
	if n := len(file) - len(own); n > 0 && file[n:] == own {
		return file[:n]
	}
	return ""
}

// foreAct does the operation; it returns what was there before and what is there now.
//
//go:nosplit
func foreAct(addr unsafe.Pointer, how uint32, a, b uint64) (old, now uint64) {
	if how&forePointer != 0 && how&15 != foreLoad && writeBarrier.enabled {
		atomicwb((*unsafe.Pointer)(addr), unsafe.Pointer(uintptr(a)))
	}
	for {
		if how&fore32Bits != 0 {
			old = uint64(atomic.Load((*uint32)(addr)))
		} else {
			old = atomic.Load64((*uint64)(addr))
		}
		now = old
		switch how & 15 {
		case foreLoad:
			return
		case foreStore, foreSwap:
			now = a
		case foreAdd:
			now = old + a
		case foreAnd:
			now = old & a
		case foreOr:
			now = old | a
		case foreCas:
			if how&fore32Bits != 0 && uint32(old) != uint32(b) || how&fore32Bits == 0 && old != b {
				return
			}
			now = a
		}
		if how&fore32Bits == 0 {
			if atomic.Cas64((*uint64)(addr), old, now) {
				return
			}
		} else if atomic.Cas((*uint32)(addr), uint32(old), uint32(now)) {
			now = uint64(uint32(now))
			return
		}
	}
}

// foreEnter takes the stripe of the place. While the caller holds it, no other operation on the place is under way.
func foreEnter(addr uintptr) *foreAtom {
	getg().fore.atom = 1
	s := &foreAtoms[foreStripe(addr)]
	foreStripeLock(&s.lock)
	for at := s.first; at != 0; at = (*foreAtom)(unsafe.Pointer(at)).next {
		if e := (*foreAtom)(unsafe.Pointer(at)); e.addr == addr {
			return e
		}
	}
	e := (*foreAtom)(unsafe.Pointer(s.free))
	if e != nil {
		s.free = e.next
	} else {
		e = (*foreAtom)(persistentalloc(unsafe.Sizeof(foreAtom{}), 8, &memstats.other_sys))
	}
	*e = foreAtom{next: s.first, addr: addr}
	s.first = uintptr(unsafe.Pointer(e))
	if span := spanOfHeap(addr); span != nil {
		foreNear(span, e)
	}
	return e
}

func foreLeave(e *foreAtom) {
	foreStripeUnlock(&foreAtoms[foreStripe(e.addr)].lock)
	getg().fore.atom = 0
}

func foreStripe(addr uintptr) uintptr {
	return (addr>>2 ^ addr>>14) % foreStripes
}

func foreStripeLock(l *uint32) {
	for n := 0; !atomic.Cas(l, 0, 1); n++ {
		if n < 50 {
			procyield(20)
		} else {
			osyield()
		}
	}
}

// foreStripeUnlock ends what foreStripeLock began. On amd64 stores are seen in order, and waiting for them, as an atomic store does,
// costs more than all the rest where memory is cold; it is not inlined so that the compiler keeps that order, too.
//
//go:noinline
//go:nosplit
func foreStripeUnlock(l *uint32) {
	if GOARCH == "amd64" {
		*l = 0
	} else {
		atomic.Store(l, 0)
	}
}

// foreNote writes the record. A place that does not hold what was last put there atomically was
// written by other means in between, and is a new one: nothing orders the two.
func foreNote(e *foreAtom, how uint32, old, now, expected uint64, pc, fp uintptr) {
	w := &getg().fore
	first, firstType := foreValue(how, old)
	forePresent(w)
	if e.id == 0 || e.last != old && e.plain == 0 {
		e.seq = 0
		e.id = foreDefinePlace(atomic.Xadd(&foreFile.objects, 1), first, firstType, pc, fp)
		e.part = w.part
		if foreMemory != 0 && how&foreOpaque == 0 {
			foreAtomShared(w, e, 8>>(how>>4&1))
		}
	}
	if e.part != w.part { // where it is known from is told as of now
		e.part = w.part
		foreDefinePlace(e.id, first, firstType, pc, fp)
	}
	e.last, e.plain = now, 0
	second, secondType := foreValue(how, now)
	kind := uint64(foreRMWKind)
	switch {
	case how&15 == foreLoad || how&15 == foreCas && how&foreOpaque == 0 && foreFailed(how, old, expected):
		kind = foreReadKind
		second, secondType = 0, 0
	case how&15 == foreStore:
		kind = foreWriteKind
		first, firstType = second, secondType
		second, secondType = 0, 0
	}
	e.seq++
	types := firstType<<6 | secondType<<9 | 5<<12 // sequentially consistent
	units := uintptr(1)
	if kind == foreRMWKind {
		units = 2
	}
	p := foreRoom(w, 1+units)
	if p == 0 {
		return
	}
	*fore64(p + 16) = first
	if units == 2 {
		*fore64(p + 24) = second
		*fore64(p + 32) = types
	} else {
		*fore64(p + 24) = types
	}
	*fore64(p) = foreWhere(pc, e.id)
	*fore64(p + 8) = kind | foreFlagDone | foreFlagStack | uint64(units)<<foreExtra | uint64(e.seq)<<foreTicket
}

func foreFailed(how uint32, old, expected uint64) bool {
	return how&fore32Bits != 0 && uint32(old) != uint32(expected) || how&fore32Bits == 0 && old != expected
}

// foreValue is a value and its type: an integer; nil, or nothing, since where a pointer points
// to is not the same in another run.
func foreValue(how uint32, v uint64) (uint64, uint64) {
	switch {
	case how&foreOpaque != 0 || how&forePointer != 0 && v != 0:
		return 0, 0
	case how&forePointer != 0:
		return 0, 4
	case how&(fore32Bits|foreSigned) == fore32Bits|foreSigned:
		return uint64(int64(int32(v))), 1
	case how&fore32Bits != 0:
		return uint64(uint32(v)), 1
	}
	return v, 1
}

func foreDefinePlace(id uint32, value, kind uint64, pc, fp uintptr) uint32 {
	gp := getg()
	p := foreRoom(&gp.fore, 4)
	if p == 0 {
		return id
	}
	up := uintptr(0)
	if fp >= gp.stack.lo && fp+16 <= gp.stack.hi {
		up = *(*uintptr)(unsafe.Pointer(fp))
	}
	*fore64(p + 16) = foreIsPlace
	*fore64(p + 24) = 0
	foreCallers(gp, up, p+32, 4)
	*fore64(p + 48) = value
	*fore64(p + 56) = kind
	*fore64(p) = foreWhere(pc, id)
	*fore64(p + 8) = foreDefObject | foreFlagStack | foreFlagInit | 3<<foreExtra
	return id
}

// foreNear puts the place among those of its span.
func foreNear(s *mspan, e *foreAtom) {
	for {
		first := atomic.Loaduintptr(&s.fore)
		e.near = first
		if atomic.Casuintptr(&s.fore, first, uintptr(unsafe.Pointer(e))) {
			return
		}
	}
}

// foreSwept forgets the places of a span whose memory the collector found unused.
func foreSwept(s *mspan) {
	next := atomic.Xchguintptr(&s.fore, 0)
	for next != 0 {
		e := (*foreAtom)(unsafe.Pointer(next))
		next = e.near
		if s.markBitsForIndex((e.addr - s.base()) / s.elemsize).isMarked() {
			foreNear(s, e)
		} else {
			foreForget(e)
		}
	}
}

func foreForget(e *foreAtom) {
	s := &foreAtoms[foreStripe(e.addr)]
	foreStripeLock(&s.lock)
	for at := &s.first; *at != 0; at = &(*foreAtom)(unsafe.Pointer(*at)).next {
		if *at == uintptr(unsafe.Pointer(e)) {
			*at = e.next
			break
		}
	}
	e.next = s.free
	s.free = uintptr(unsafe.Pointer(e))
	foreStripeUnlock(&s.lock)
}

// The methods of atomic.Value take several steps, which are recorded as one operation.

//go:linkname foreValueEnter sync/atomic.foreEnter
//go:noinline
func foreValueEnter(v unsafe.Pointer) unsafe.Pointer {
	gp := getg()
	if gp != gp.m.curg || gp.fore.atom != 0 || uintptr(v)-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return nil
	}
	if foreTurns != 0 {
		if pc := foreReturn(gp, *(*uintptr)(unsafe.Pointer(foreBP()))); foreWhose(pc) == foreOfUser {
			foreTurnAtomic(uintptr(v), foreSwap, pc)
		}
	}
	atomic.Load((*uint32)(v))
	acquirem()
	return unsafe.Pointer(foreEnter(uintptr(v)))
}

//go:linkname foreValueLeave sync/atomic.foreLeave
//go:noinline
func foreValueLeave(entry unsafe.Pointer, how uint32) {
	gp := getg()
	fp := *(*uintptr)(unsafe.Pointer(foreBP())) // of the method that was called
	pc := foreReturn(gp, fp)
	e := (*foreAtom)(entry)
	if how != foreOpaque|15 && foreIsRecorded(foreWhose(pc)) {
		foreNote(e, how, 0, 0, 0, pc, fp)
	}
	foreLeave(e)
	releasem(gp.m)
}

// foreQuiet keeps the steps of one operation out of the trace.
//
//go:linkname foreQuiet sync/atomic.foreQuiet
func foreQuiet(on uint32) {
	getg().fore.atom = on
}
