
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
	foreGuardEach = 4  // one in this many guarded accesses takes the place's lock
	foreAfterKind = 126
)

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
func foreChangeGuard(w *foreG, u *foreSpot) bool {
	if foreHasGuard(w, u) {
		return false
	}
	if u.guard != 0 {
		foreEndGuard(w, u)
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
func foreEndGuard(w *foreG, u *foreSpot) {
	e := foreGuardAt(u.guard)
	u.guard = 0
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
	if a.write && *fore64(cell + 8) != 0 {
		*fore64(cell + 8) = 0
	}
	if a.write && u.streak > foreStreakMask {
		u.streak &= foreStreakMask
	}
	return true
}
