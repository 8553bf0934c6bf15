
// Appended by foresee: places that a lock guards. If all goroutines that access a shared place hold the same
// lock, a Mutex or an RWMutex to write, the tickets of that lock order the accesses: they are recorded
// without one of their own, and without the place's lock. An access without the guard ends this mode, under
// the place's lock; its goroutine first records which ticket the lock had come to (AFTER, see ring.h of
// foresee). So the order stays as it was, except for accesses within a section that was open at that moment,
// which race with it.
//
// A lock is a guard once a second goroutine has taken it. Its holder is kept outside of the heap, and not
// with the goroutine, because any goroutine may unlock a Mutex.

const (
	foreGuardMost = 1 << 16
	foreGuardLine = 64
	foreBreaks    = 3  // after this many other locks the place has no guard
	foreBreak     = 16 // counted in the middle of a unit's hops
	foreGuardEach = 8  // one in this many guarded accesses takes the place's lock
	foreGuardBy   = 4  // so many accesses in a row it stands for
	foreAfterKind = 126
)

// What a cell shows of a guard is enough to record an access: the unit need not be touched, which is seldom in the caches. It
// stands in R of cells that have one unit of 8 bytes, or units of single bytes; no half of it is an epoch:
//
//	R   | 1 | guard 16 | bytes 8 | written 1 | 6 | 1 | number of the first byte's place 31 |
//
// It is shown under the lock of the unit that it is about, and taken back before that has no guard, or another.
const (
	foreShown        = 1<<63 | 1<<31
	foreShownGuardAt = 47
	foreShownBytesAt = 39
	foreShownWritten = 1 << 38
	foreShownPlace   = 1<<31 - 1
	foreShownSame    = foreShown | 0xffff<<foreShownGuardAt | foreShownPlace

	foreSections = 64
)

// foreSection is an entry of a goroutine's table of guarded places that it has accessed in the present section.
type foreSection struct {
	place, seg uintptr // how often the goroutine had synchronised
}

type foreGuard struct {
	holder uint32 // thread that has taken the lock, or 0
	id     uint32
	ticket uint64 // of the lock's last operation
}

func foreGuardAt(k uint16) *foreGuard {
	return (*foreGuard)(unsafe.Pointer(foreMem.guards + uintptr(k)*foreGuardLine))
}

func foreNewGuard(id uint32) uint16 {
	if atomic.Load(&foreMem.nguards) >= foreGuardMost-1 {
		return 0
	}
	k := atomic.Xadd(&foreMem.nguards, 1)
	if k >= foreGuardMost {
		return 0
	}
	foreGuardAt(uint16(k)).id = id
	return uint16(k)
}

// foreGuardTaken notes that w has taken the lock s.
func foreGuardTaken(w *foreG, s *foreSync, ticket uint64) {
	if s.guard == 0 {
		if s.first == 0 {
			s.first = w.id
		}
		if s.first != w.id {
			s.guard = uint32(foreNewGuard(s.id))
		}
		if s.guard == 0 {
			return
		}
	}
	k := uint16(s.guard)
	e := foreGuardAt(k)
	e.ticket = ticket
	e.holder = w.id
	w.locks = [4]uint16{k, w.locks[0], w.locks[1], w.locks[2]}
}

// foreGuardGiven notes that w gives the lock back, which another goroutine may have taken.
func foreGuardGiven(w *foreG, s *foreSync, ticket uint64) {
	if s.guard == 0 {
		return
	}
	k := uint16(s.guard)
	e := foreGuardAt(k)
	e.ticket = ticket
	e.holder = 0
	for i := range w.locks {
		if w.locks[i] == k {
			copy(w.locks[i:], w.locks[i+1:])
			w.locks[len(w.locks)-1] = 0
			return
		}
	}
}

// foreHasGuard tells whether w holds the lock that guards u.
func foreHasGuard(w *foreG, u *foreSpot) bool {
	k := u.guard
	return k != 0 && foreGuardAt(k).holder == w.id
}

// foreLockFor is the lock that may guard u: the innermost that w holds, or one further out if the inner ones were
// found not to guard it.
func foreLockFor(w *foreG, u *foreSpot) uint16 {
	found, skip := uint16(0), u.hops/foreBreak%4
	for _, k := range w.locks {
		if k == 0 || foreGuardAt(k).holder != w.id {
			continue
		}
		found = k
		if skip == 0 {
			break
		}
		skip--
	}
	return found
}

// foreChangeGuard is called for an access of w to a shared place, whose lock it has. True: the place has a
// new guard, and the access needs a ticket of its own, so that reads from before the guard's sections come
// before them.
func foreChangeGuard(w *foreG, u *foreSpot, cell uintptr) bool {
	if foreHasGuard(w, u) {
		return false
	}
	if u.guard != 0 {
		foreEndGuard(w, u, cell)
		u.hops += foreBreak
	}
	if u.hops/foreBreak%4 < foreBreaks {
		u.guard = foreLockFor(w, u)
	}
	if u.guard == 0 {
		return false
	}
	u.age++ // goroutines read again what they have read, because guarded writes are not counted
	return true
}

// foreEndGuard is called with the place's lock: w's next operation comes after the sections of the guard so
// far.
func foreEndGuard(w *foreG, u *foreSpot, cell uintptr) {
	e := foreGuardAt(u.guard)
	u.guard = 0
	foreHideGuard(u, cell)
	u.age++
	atomic.Store(&u.lock, 1) // those who look at the guard from now on know it, before the ticket is read
	if p := foreRoom(w, 1); p != 0 {
		*fore64(p) = uint64(e.id) << 32
		*fore64(p + 8) = foreAfterKind | foreFlagDone | (atomic.Load64(&e.ticket)+1)<<foreTicket
		w.own++
	}
}

// foreGuardedAccess records an access by a goroutine that holds the guard; false: it must be done with the
// place's lock. One in a few accesses is done so, to see whether the goroutine is alone, or the place only
// read; the others change no memory that other goroutines look at, which would take it out of their caches.
func foreGuardedAccess(a *foreDoing, u *foreSpot, i uint32, cell uintptr) bool {
	w := a.w
	if w.guarded++; w.guarded%foreGuardEach == 0 {
		return false
	}
	site := a.site()
	if a.write {
		foreReadBefore(w, u, i) // its next read finds what it has written
	}
	if !foreHasGuard(w, u) || u.owner != 0 || u.id == 0 {
		return false
	}
	p := foreRoom(w, 1)
	if p == 0 {
		return false
	}
	*fore64(p) = uint64(site) | uint64(u.id)<<32
	*fore64(p + 8) = uint64(foreAccessKind(a.write)) | foreFlagDone
	w.own++
	if a.write {
		foreForgetReaders(cell)
	}
	if a.write && u.streak > foreStreakMask {
		u.streak &= foreStreakMask
	}
	return true
}

func foreShowsGuard(R uint64) bool {
	return R&foreShown == foreShown
}

// foreForgetReaders is called when a shared place is written: no goroutine has read it since.
func foreForgetReaders(cell uintptr) {
	if R := *fore64(cell + 8); R != 0 && !foreShowsGuard(R) {
		*fore64(cell + 8) = 0
	}
}

// foreShownBytes is which bytes of the cell the unit has, if the cell may show the unit's guard.
func foreShownBytes(u *foreSpot, cell uintptr) uint64 {
	lanes := atomic.Load64(fore64(cell))&foreLanes != 0
	switch {
	case lanes && u.size == 1:
		return 1 << u.off
	case !lanes && u.size == 8 && u.next == 0:
		return 0xff
	}
	return 0
}

// foreShowGuard is called with the lock of u, whose guard w holds, behind an access of w.
func foreShowGuard(w *foreG, u *foreSpot, cell uintptr) {
	bytes, first := foreShownBytes(u, cell), u.id-uint32(u.off)
	if bytes == 0 || first > foreShownPlace {
		return
	}
	R := atomic.Load64(fore64(cell + 8))
	now := foreShown | uint64(u.guard)<<foreShownGuardAt | uint64(first)
	if R&foreShownSame == now {
		now = R
	}
	if now |= bytes << foreShownBytesAt; now != R {
		atomic.Cas64(fore64(cell+8), R, now)
	}
	if w.section != 0 {
		*foreSectionOf(w, u.id) = foreSection{uintptr(u.id), foreSlots(w) - w.own}
	}
}

// foreHideGuard is called with the lock of u.
func foreHideGuard(u *foreSpot, cell uintptr) {
	if R := atomic.Load64(fore64(cell + 8)); foreShowsGuard(R) && R>>foreShownBytesAt&foreMask(uintptr(u.off), uintptr(u.size)) != 0 {
		*fore64(cell + 8) = 0
	}
}

// foreWrittenSoon tells whether the place was written by an access that left its unit alone, and forgets that; the lock of u is held.
func foreWrittenSoon(u *foreSpot, cell uintptr) bool {
	R := atomic.Load64(fore64(cell + 8))
	return foreShowsGuard(R) && R&foreShownWritten != 0 && atomic.Cas64(fore64(cell+8), R, R&^foreShownWritten)
}

func foreSectionOf(w *foreG, place uint32) *foreSection {
	return (*foreSection)(unsafe.Pointer(w.section + uintptr(place%foreSections)*unsafe.Sizeof(foreSection{})))
}

// foreGuardedPlace is the number of the place whose bytes these are, if the cell shows its guard, or 0.
func foreGuardedPlace(W, R uint64, off, n uintptr) uint32 {
	if !foreShowsGuard(R) || W == foreBusyW || R>>(foreShownBytesAt+off)&1 == 0 {
		return 0
	}
	if W&foreLanes != 0 && n != 1 || W&foreLanes == 0 && (n != 8 || off != 0) {
		return 0
	}
	return uint32(R&foreShownPlace) + uint32(off)
}

// foreGuardedSoon is foreGuardedAccess for a place whose guard the cell shows.
func foreGuardedSoon(a *foreDoing, at, n uintptr) bool {
	w, cell := a.w, foreShadow+2*(at&^7)
	W, R := *fore64(cell), *fore64(cell+8)
	if W>>foreTagAt != 1 || n > 8 {
		return false
	}
	place := foreGuardedPlace(W, R, at&7, n)
	if place == 0 || foreGuardAt(uint16(R>>foreShownGuardAt)).holder != w.id || (w.guarded+1)%foreGuardEach == 0 {
		return false
	}
	site := a.site()
	if w.section == 0 {
		foreTable(w)
	}
	if atomic.Load64(fore64(cell+8)) != R {
		return false
	}
	p := foreRoom(w, 1)
	if p == 0 {
		return false
	}
	*fore64(p) = uint64(site) | uint64(place)<<32
	*fore64(p + 8) = uint64(foreAccessKind(a.write)) | foreFlagDone
	w.own++
	w.guarded++
	if w.section != 0 {
		*foreSectionOf(w, place) = foreSection{uintptr(place), foreSlots(w) - w.own}
	}
	if a.write && R&foreShownWritten == 0 {
		atomic.Cas64(fore64(cell+8), R, R|foreShownWritten)
	}
	return true
}
