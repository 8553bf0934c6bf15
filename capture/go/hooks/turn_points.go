
// Appended by foresee: where the program comes to points, and what else of the runtime depends on who controls it:
// randomness, the number of processors.

// ---- what package runtime is asked ----

func foreMaxProcs(n int) int {
	old := foreTurn.procs
	if n > 0 {
		foreTurn.procs = int32(n)
	}
	return int(old)
}

// foreProcs is how many Ps there are to be.
func foreProcs(n int32) int32 {
	if foreTurn.procs == 0 {
		foreTurn.procs = n
	}
	return 1
}

// foreRandom is the program's share of randomness; false: it is the runtime that asks.
//
//go:nosplit
func foreRandom() (uint64, bool) {
	if !getg().turn.on {
		return 0, false
	}
	return foreMix(&foreTurn.random), true
}

// foreRandn decides about the order of a select's cases.
//
//go:nosplit
func foreRandn(n uint32) uint32 {
	if foreTurnOn != 0 {
		if x, ok := foreRandom(); ok {
			return uint32(x >> 32 * uint64(n) >> 32)
		}
	}
	return $CHEAPRANDN(n)
}

// ---- channels ----

// foreTurnChan: what does not wait is a select with one case and a default, and is recorded as one.
func foreTurnChan(kind uint16, c *hchan, block bool, pc uintptr) {
	if !block {
		kind = forePre
	}
	forePoint(kind, uintptr(unsafe.Pointer(c)), pc, !block)
	getg().turn.which = 0
}

// foreTurnSelect says which case is to be looked at first, or -1.
func foreTurnSelect(cases []scase, nsends int, block bool, pc uintptr) int {
	object := uintptr(0)
	for i := range cases {
		if cases[i].c != nil {
			object = uintptr(unsafe.Pointer(cases[i].c))
			break
		}
	}
	forePoint(forePre, object, pc, !block)
	i := int(getg().turn.which) - 1
	getg().turn.which = 0
	if i >= len(cases) {
		return -1
	}
	if i >= nsends {
		return len(cases) - 1 - (i - nsends)
	}
	return i
}

// forePreferred puts a case first.
func forePreferred(order []uint16, first int) {
	for i := range order {
		if int(order[i]) == first {
			order[0], order[i] = order[i], order[0]
			return
		}
	}
}

// foreSyncPoint is what package sync calls.
//
//go:linkname foreSyncPoint sync.forePoint
//go:noinline
func foreSyncPoint(object unsafe.Pointer, kind uint16) {
	gp := getg()
	fp := *(*uintptr)(unsafe.Pointer(foreBP()))
	pc := foreReturn(gp, fp)
	if foreWhose(pc) == foreOfSync { // a method of Mutex that was called by an interface: elsewhere they are inlined
		pc = foreReturn(gp, *(*uintptr)(unsafe.Pointer(fp)))
	}
	forePoint(kind, uintptr(object), pc, kind == 13 || kind == 16)
}

// foreSyncCount counts an operation that has no point.
//
//go:linkname foreSyncCount sync.foreCountUp
func foreSyncCount() {
	getg().turn.ops++
}

// foreTurnAccess is the point before an access to memory.
func foreTurnAccess(kind uint16, addr, n, pc uintptr, atomic bool) {
	gp := getg()
	if !foreTurnCan(gp) || foreTurn.syncOnly && !atomic {
		return
	}
	t := &gp.turn
	t.kind = kind
	t.goer.object = uint64(addr)
	t.goer.writes = kind != foreReadKind
	t.try = false
	t.atomic = atomic
	t.pc = pc
	t.size = uint32(n)
	t.which, t.other = 0, 0
	forePass(gp)
}

// foreTurnAtomic is the point before an operation of sync/atomic.
func foreTurnAtomic(addr uintptr, how uint32, pc uintptr) {
	n := uintptr(8)
	if how&fore32Bits != 0 {
		n = 4
	}
	kind := uint16(foreRMWKind)
	switch how & 15 {
	case foreLoad:
		kind = foreReadKind
	case foreStore:
		kind = foreWriteKind
	}
	foreTurnAccess(kind, addr, n, pc, true)
}
