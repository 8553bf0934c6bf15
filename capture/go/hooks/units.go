
// Appended by foresee: units, one for each place that a second goroutine came to, and for bytes that are
// accessed apart from the rest of their 8: who owns it, or who has read it since it was last written.

// foreNewLanes is the first of 8 units side by side, of which none is in use (its size is 0).
func foreNewLanes() uint32 {
	foreStripeLock(&foreMem.lock)
	i := foreMem.lanes
	if i != 0 {
		foreMem.lanes = foreUnitAt(i).next
	} else if foreMem.nunits < foreUnitMost-16 {
		i = (foreMem.nunits + 8) &^ 7
		foreMem.nunits = i + 7
	}
	foreStripeUnlock(&foreMem.lock)
	return i
}

// foreUnitOf is the unit of a cell that has the bytes from off on, if one has just those, or another of its units.
func foreUnitOf(W uint64, off uintptr) uint32 {
	if W&foreLanes != 0 {
		return uint32(W)&^7 | uint32(off)
	}
	return uint32(W)
}

// foreUnitFor makes a unit for the bytes of a cell from off on, which has none; W is what the cell has had.
func foreUnitFor(W uint64, off, size uint8) uint32 {
	i := uint32(0)
	if W&foreLanes != 0 {
		i = foreUnitOf(W, uintptr(off))
		*foreUnitAt(i) = foreSpot{age: foreUnitAt(i).age + 1}
	} else if i = foreNewUnit(); i == 0 {
		return 0
	}
	u := foreUnitAt(i)
	u.off, u.size = off, size
	return i
}

// forePart1 is where the bytes begin that end at `end` and are alike.
func forePart1(wrote, read, m uint64, end int) int {
	b := uint(end - 1)
	for b > 0 && wrote>>(b-1)&1 == wrote>>b&1 && read>>(b-1)&1 == read>>b&1 && m>>(b-1)&1 == m>>b&1 {
		b--
	}
	return int(b)
}

// foreParted gives units to the bytes of a cell that were written, were read, or are accessed now. Single bytes have
// theirs side by side, where they are found at once.
func foreParted(cell uintptr, W, m uint64, at uintptr) {
	if !atomic.Cas64(fore64(cell), W, foreBusyW) {
		return
	}
	R := *fore64(cell + 8)
	wrote, read := R>>foreWroteAt, R>>foreReadAt&0xff
	made := uint64(foreSpecial)
	if m&(m-1) == 0 {
		if lanes := foreNewLanes(); lanes != 0 {
			made |= foreLanes | uint64(lanes)
		}
	}
	chain := uint32(0)
	for end := 8; end > 0; {
		from := forePart1(wrote, read, m, end)
		if b := uint(from); (wrote|read|m)>>b&1 != 0 {
			i := foreUnitFor(made, uint8(from), uint8(end-from))
			if i == 0 {
				break
			}
			u := foreUnitAt(i)
			u.next = chain
			u.owner = uint32(W >> foreTagAt)
			if wrote>>b&1 != 0 {
				u.w = W
			}
			if read>>b&1 != 0 {
				u.r = W>>foreTagAt<<foreTagAt | R&foreLow
			}
			chain = i
		}
		end = from
	}
	*fore64(cell + 8) = 0
	if chain == 0 {
		atomic.Store64(fore64(cell), 0)
		return
	}
	atomic.Store64(fore64(cell), made&(foreSpecial|foreLanes)|uint64(chain))
}

// foreUnits does the access to each place that it touches; false: units for them had to be made first.
func foreUnits(a *foreDoing, cell uintptr, W uint64, at, off, n uintptr) bool {
	if i := foreUnitOf(W, off); W&foreLanes != 0 {
		if u := foreUnitAt(i); uintptr(u.size) == n && uintptr(u.off) == off {
			foreUnitAccess(a, u, i, cell, at)
			return true
		}
	}
	m, seen, first := foreMask(off, n), uint64(0), uint32(W)
	for i := first; i != 0; {
		u := foreUnitAt(i)
		own := foreMask(uintptr(u.off), uintptr(u.size))
		if own&m != 0 && own&^m != 0 && u.hops != foreAtomic8 {
			foreCut(cell, W, u, m)
			return false
		}
		seen |= own & m
		i = u.next
	}
	if seen != m {
		foreAdd1(cell, W, m&^seen)
		return false
	}
	for i := first; i != 0; {
		u := foreUnitAt(i)
		if foreMask(uintptr(u.off), uintptr(u.size))&m != 0 {
			foreUnitAccess(a, u, i, cell, at)
		}
		i = u.next
	}
	return true
}

// foreAdd1 adds a unit for bytes that nobody has touched.
func foreAdd1(cell uintptr, W, m uint64) {
	if !atomic.Cas64(fore64(cell), W, foreBusyW) {
		return
	}
	*fore64(cell + 8) = 0
	from := uint8(0)
	for m>>from&1 == 0 {
		from++
	}
	n := uint8(0)
	for m>>(from+n)&1 != 0 {
		n++
	}
	if i := foreUnitFor(W, from, n); i != 0 {
		u := foreUnitAt(i)
		u.next = uint32(W)
		u.owner = 1 // nobody's: the first to come has it
		W = W&(foreSpecial|foreLanes) | uint64(i)
	}
	atomic.Store64(fore64(cell), W)
}

// foreCut makes two units of one, where the bytes of m end or begin. What was known of the one is known of
// both; its records belong to a place that no longer exists.
func foreCut(cell uintptr, W uint64, u *foreSpot, m uint64) {
	if !atomic.Cas64(fore64(cell), W, foreBusyW) {
		return
	}
	*fore64(cell + 8) = 0
	k := uint8(1)
	for k < u.size && m>>(u.off+k)&1 == m>>u.off&1 {
		k++
	}
	if k < u.size {
		foreCutAt(W, u, k)
	}
	*fore64(cell + 8) = 0 // u may have shown its guard meanwhile
	atomic.Store64(fore64(cell), W)
}

func foreCutAt(W uint64, u *foreSpot, k uint8) {
	i := foreUnitFor(W, u.off+k, u.size-k)
	if i == 0 {
		return
	}
	foreStripeLock(&u.lock)
	if u.owner == 0 { // shared: the goroutine that wrote it last has it
		u.owner = uint32(u.w >> foreTagAt)
		if u.owner == 0 {
			u.owner = uint32(u.r >> foreTagAt)
		}
	}
	u.rw, u.rr, u.id, u.ticket, u.guard, u.hops, u.streak = 0, 0, 0, 0, 0, 0, 0
	u.age++
	v := foreUnitAt(i)
	age := v.age
	*v = *u
	v.lock, v.age = 0, age
	v.off, v.size = u.off+k, u.size-k
	u.size = k
	u.next = i
	foreStripeUnlock(&u.lock)
}

func foreUnitAccess(a *foreDoing, u *foreSpot, i uint32, cell, at uintptr) {
	w, write := a.w, a.write
	if w.tag == 0 && !foreTagged(w) {
		return
	}
	if u.hops == foreAtomic8 {
		foreAtomPlain(a, u, at)
		return
	}
	if u.owner == uint32(w.tag>>foreTagAt) && foreOwnersNote(a, u, cell) {
		return
	}
	if u.owner == 0 && !write && foreReadBefore(w, u, i) {
		return
	}
	if u.owner == 0 && foreHasGuard(w, u) && foreGuardedAccess(a, u, i, cell) {
		return
	}
	site := a.site() // which may write a record, before the lock
	foreStripeLock(&u.lock)
	if u.hops == foreAtomic8 {
		foreStripeUnlock(&u.lock)
		foreAtomPlain(a, u, at)
		return
	}
	if write || u.owner != 0 {
		foreForgetReaders(cell)
	}
	if foreWrittenSoon(u, cell) {
		u.streak &= foreStreakMask
	}
	was := u.owner
	if was == 1 { // untouched
		foreOwnerNotes(u, foreNoted(w, site), write)
		u.owner = uint32(w.tag >> foreTagAt)
		foreStripeUnlock(&u.lock)
		return
	}
	mine := was != 0 && foreThreadOf(was) == w.id
	if mine && foreOwnerGoesOn(w, u, foreNoted(w, site), write) {
		foreStripeUnlock(&u.lock)
		return
	}
	counts, by := write, uint8(1)
	if was == 0 {
		if foreHasGuard(w, u) {
			by = foreGuardBy
		}
		counts = foreChangeMode(w, u, i, write, cell) || write
	} else if was != uint32(w.tag>>foreTagAt) {
		foreTell(w, u, at)
	}
	foreRecordAccess(w, u, at, write, counts, site)
	note := foreNoted(w, site)
	switch {
	case was == 0:
		foreShared(u, note, write, by)
	case was == uint32(note>>foreTagAt): // its first write
		foreOwnerNotes(u, note, write)
		u.rw = u.w
	default:
		reads := u.hops > 0 && !write && u.w == 0 // one reader after another
		u.w, u.r = 0, 0
		u.owner = uint32(note >> foreTagAt)
		if !mine && (u.hops >= foreHops || reads) {
			u.owner = 0
			u.last, u.streak = uint32(note>>foreTagAt), 0
		} else if !mine {
			u.hops++
		}
		foreOwnerNotes(u, note, write)
		u.rw, u.rr = u.w, u.r
	}
	if u.owner == 0 && foreHasGuard(w, u) {
		foreShowGuard(w, u, cell)
	} else if foreHideGuard(u, cell); !write {
		foreStamp(w, cell, u)
	}
	foreStripeUnlock(&u.lock)
}

// foreOwnersNote notes an access of a place's owner; false: its first write is recorded, or another goroutine owns the place.
func foreOwnersNote(a *foreDoing, u *foreSpot, cell uintptr) bool {
	note := a.note() // which may write a record, and takes long: it is asked afterwards who owns the place
	me := uint32(note >> foreTagAt)
	foreStripeLock(&u.lock)
	mine := u.owner == me && u.hops != foreAtomic8 && (!a.write || foreIsBy(u.w, a.w))
	if mine && a.write {
		u.w = note | foreMany
	} else if mine {
		u.r = note
		foreStamp(a.w, cell, u)
	}
	foreStripeUnlock(&u.lock)
	return mine
}

// foreIsBy tells whether the note is one of w's, whichever stretch of its records it is from.
func foreIsBy(note uint64, w *foreG) bool {
	return note != 0 && (note>>foreTagAt == w.tag>>foreTagAt || foreThreadOf(uint32(note>>foreTagAt)) == w.id)
}

// foreOwnerGoesOn notes an access of the owner, whose notes may be of an earlier stretch of its records; false: its first write
// is recorded. What it noted then is told only if another goroutine comes: else a goroutine that records much would, with every stretch,
// record all again that it owns.
func foreOwnerGoesOn(w *foreG, u *foreSpot, note uint64, write bool) bool {
	if note == 0 || write && !foreIsBy(u.w, w) {
		return false
	}
	if write {
		u.w = note | foreMany
	} else {
		u.r = note
	}
	u.owner = uint32(note >> foreTagAt)
	return true
}

func foreOwnerNotes(u *foreSpot, note uint64, write bool) {
	if write {
		u.w = note
	} else {
		u.r = note
	}
}

func foreThreadOf(tag uint32) uint32 {
	return uint32(*fore64(foreMem.tags + uintptr(tag)*8))
}

// foreShared counts accesses in a row: a goroutine that is alone for long is the owner again. `by` is how many this one stands for.
func foreShared(u *foreSpot, note uint64, write bool, by uint8) {
	me := note >> foreTagAt
	foreOwnerNotes(u, note, write)
	foreCountRead(u, write)
	if u.last != uint32(me) || foreIsRead(u) {
		u.last = uint32(me)
		u.streak &^= foreStreakMask
		return
	}
	if u.streak += by; u.streak&foreStreakMask < foreStreak {
		return
	}
	u.owner, u.guard, u.streak = uint32(me), 0, 0
	if u.w>>foreTagAt != me {
		u.w = 0
	}
	if u.r>>foreTagAt != me {
		u.r = 0
	}
	u.rw, u.rr = u.w, u.r
}

// ---- records ----

// foreRecordAccess writes an access of now. Writes are counted; a read that is not comes before the next write,
// whose ticket it has.
func foreRecordAccess(w *foreG, u *foreSpot, at uintptr, write, counts bool, site uintptr) {
	id := foreIdentity(w, u, at)
	u.ticket++
	word := uint64(foreAccessKind(write)) | foreFlagDone
	if !counts {
		word |= foreFlagEarly
	}
	p := foreRoom(w, 1)
	if p != 0 {
		*fore64(p) = uint64(site) | uint64(id)<<32
		*fore64(p + 8) = word | uint64(u.ticket)<<foreTicket
		w.own++
	}
	if !counts {
		u.ticket--
	}
}

// foreTell writes what the owner noted and did not record.
func foreTell(w *foreG, u *foreSpot, at uintptr) {
	id := foreIdentity(w, u, at)
	if u.w != u.rw && u.w != 0 && foreThreadOf(uint32(u.w>>foreTagAt)) == foreThreadOf(u.owner) {
		kind := uint64(foreWriteKind)
		if u.w&foreMany != 0 {
			kind = foreRMWKind
		}
		u.ticket++
		foreTell1(w, id, u.w, kind, 0, uint64(u.ticket))
	}
	if u.r != u.rr && u.r != 0 {
		foreTell1(w, id, u.r, foreReadKind, foreFlagEarly, uint64(u.ticket)+1)
	}
}

func foreTell1(w *foreG, id uint32, note, kind, flags, ticket uint64) {
	p := foreRoom(w, 2)
	if p == 0 {
		return
	}
	w.own += 2
	who := *fore64(foreMem.tags + uintptr(note>>foreTagAt)*8)
	*fore64(p + 16) = uint64(uint32(who)) | kind<<32
	*fore64(p + 24) = uint64(uint32(who>>32 + note&(1<<forePosBits-1)))
	*fore64(p) = note>>forePosBits&(1<<forePcBits-1) | uint64(id)<<32
	*fore64(p + 8) = forePastKind | foreFlagDone | flags | 1<<foreExtra | ticket<<foreTicket
}

// foreUnseen says what this recording lacks.
func foreUnseen(text string) {
	w := &getg().fore
	units := uintptr(len(text)+15) / 16
	p := foreRoom(w, 1+units)
	if p == 0 {
		return
	}
	w.own += 1 + units
	for i := 0; i < len(text); i++ {
		*(*byte)(unsafe.Pointer(p + 16 + uintptr(i))) = text[i]
	}
	*fore64(p) = 0
	*fore64(p + 8) = foreDefUnseen | foreFlagDone | uint64(units)<<foreExtra | uint64(len(text))<<foreTicket
}

// ---- places of sync/atomic ----

// foreAtomShared makes a place that is used atomically a unit of its own kind: reads and writes by other
// means are all recorded from now on, as operations on the same object. What an owner did before is told.
// The stripe of the place is held.
func foreAtomShared(w *foreG, e *foreAtom, size uintptr) {
	at := foreShadowed(e.addr, size)
	if at == 0 || foreShadow == 0 {
		return
	}
	cell, m := foreShadow+2*(at&^7), foreMask(at&7, size)
	for {
		W := atomic.Load64(fore64(cell))
		switch {
		case W == foreBusyW:
			procyield(10)
		case W == 0 && !foreIsApart(at):
			foreApart(at)
		case W == 0:
			if atomic.Cas64(fore64(cell), 0, foreBusyW) {
				i := foreAtomUnit(at, size)
				*fore64(cell + 8) = 0
				if i == 0 {
					atomic.Store64(fore64(cell), 0)
					return
				}
				atomic.Store64(fore64(cell), foreSpecial|uint64(i))
			}
		case W>>foreTagAt != 1:
			foreParted(cell, W, m, at&^7)
		default:
			if foreAtomUnits(w, e, cell, W, m) {
				return
			}
		}
	}
}

func foreAtomUnit(at, size uintptr) uint32 {
	i := foreNewUnit()
	if i != 0 {
		u := foreUnitAt(i)
		u.off, u.size, u.hops = uint8(at&7), uint8(size), foreAtomic8
	}
	return i
}

// foreAtomUnits does so for the units of a cell; false: units had to be cut, or made, first.
func foreAtomUnits(w *foreG, e *foreAtom, cell uintptr, W, m uint64) bool {
	seen, first := uint64(0), uint32(W)
	for i := first; i != 0; {
		u := foreUnitAt(i)
		own := foreMask(uintptr(u.off), uintptr(u.size))
		if own&m != 0 && own&^m != 0 && u.hops != foreAtomic8 {
			foreCut(cell, W, u, m)
			return false
		}
		seen |= own & m
		i = u.next
	}
	if seen != m {
		foreAdd1(cell, W, m&^seen)
		return false
	}
	for i := first; i != 0; {
		u := foreUnitAt(i)
		if foreMask(uintptr(u.off), uintptr(u.size))&m != 0 {
			foreStripeLock(&u.lock)
			if u.hops != foreAtomic8 {
				*fore64(cell + 8) = 0
				what := foreReadWhat(u, i)
				u.id, u.ticket = e.id, e.seq
				if u.owner > 1 {
					foreTell(w, u, 0)
				}
				if foreIsRead(u) {
					foreEndReads(w, u, what)
				}
				if u.guard != 0 {
					foreEndGuard(w, u, cell)
				}
				e.seq = u.ticket
				u.hops, u.owner = foreAtomic8, 0
			}
			foreStripeUnlock(&u.lock)
		}
		i = u.next
	}
	return true
}

// foreAtomPlain records an access by other means to a place of sync/atomic.
func foreAtomPlain(a *foreDoing, u *foreSpot, at uintptr) {
	site := a.site()
	e := foreEnter(foreReal(at + uintptr(u.off)))
	if e.id != 0 {
		kind := uint64(foreReadKind)
		if a.write {
			kind = foreWriteKind
			e.plain = 1
		}
		if p := foreRoom(a.w, 1); p != 0 {
			e.seq++
			*fore64(p) = uint64(site) | uint64(e.id)<<32
			*fore64(p + 8) = kind | foreFlagDone | uint64(e.seq)<<foreTicket
			a.w.own++
		}
	}
	foreLeave(e)
}
