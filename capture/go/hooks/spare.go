
// Appended by foresee: units that are not in use (units.go). Each goroutine has some of its own, so that it seldom waits
// for others when it needs one; foreMem.free is a list of lists, each of which was one goroutine's.

const (
	foreSpareMost  = 64  // so many new ones are taken at once: a page of memory
	foreSpareKept  = 128 // with more of its own the goroutine gives them to the others
)

// foreNewUnit is called where the goroutine keeps its thread.
func foreNewUnit() uint32 {
	w := &getg().fore
	if w.spare == 0 && !foreMoreUnits(w) {
		return 0
	}
	i := w.spare
	u := foreUnitAt(i)
	w.spare = u.next
	w.spares--
	*u = foreSpot{age: u.age + 1}
	return i
}

// foreMoreUnits takes a list that another goroutine gave, or new units: few at first, since most goroutines need few.
func foreMoreUnits(w *foreG) bool {
	n := w.spareStep*2 + 2
	if n > foreSpareMost {
		n = foreSpareMost
	}
	first, fresh := uint32(0), uint32(0)
	foreStripeLock(&foreMem.lock)
	if first = foreMem.free; first != 0 {
		u := foreUnitAt(first)
		foreMem.free, n = uint32(u.w), uint32(u.r)
	} else if foreMem.nunits < foreUnitMost-1-n {
		fresh = foreMem.nunits + 1
		foreMem.nunits += n
	}
	foreStripeUnlock(&foreMem.lock)
	for i := fresh; fresh != 0 && i < fresh+n; i++ { // written before they are read, so that each page is entered once
		foreUnitAt(i).next = first
		first = i
	}
	if first == 0 {
		return false
	}
	if fresh != 0 {
		w.spareStep = n
	}
	w.spare, w.spares = first, n
	return true
}

// foreFreeUnits is called for a cell whose memory begins a new life.
func foreFreeUnits(W uint64) {
	first, n := uint32(W), uint32(1)
	if first == 0 {
		return
	}
	last := foreUnitAt(first)
	for last.size = 0; last.next != 0; n++ {
		last = foreUnitAt(last.next)
		last.size = 0
	}
	mp := acquirem()
	w := &getg().fore
	if W&foreLanes != 0 {
		foreStripeLock(&foreMem.lock)
		foreUnitAt(first &^ 7).next = foreMem.lanes
		foreMem.lanes = first &^ 7
		foreStripeUnlock(&foreMem.lock)
	} else {
		last.next = w.spare
		w.spare = first
		w.spares += n
		if w.spares > foreSpareKept {
			foreGiveUnits(w)
		}
	}
	releasem(mp)
}

// foreGiveUnits gives the goroutine's spare units to the others, also when it ends.
func foreGiveUnits(w *foreG) {
	if w.spare == 0 {
		return
	}
	mp := acquirem()
	u := foreUnitAt(w.spare)
	u.r = uint64(w.spares)
	foreStripeLock(&foreMem.lock)
	u.w = uint64(foreMem.free)
	foreMem.free = w.spare
	foreStripeUnlock(&foreMem.lock)
	w.spare, w.spares = 0, 0
	releasem(mp)
}
