
// Appended by foresee: what goroutines have read of shared places. A goroutine has a table of it: a read that
// repeats one of the same goroutine is not recorded if the place was not written and the goroutine has not
// synchronised in between.
//
// A place that was read some times and not written since is *read* (docs/theory/filter.md): a goroutine that
// has recorded a read of it since then notes its further reads in its table, with when and where. A goroutine
// that writes the place records the last read of each goroutine before (PAST), as it would record those of an
// owner; a goroutine that ends, or needs the room, records its own. Such a place has no guard. When it gets
// there one read has a ticket of its own, by a goroutine that holds the guard of before: so what is read from
// then on comes after the guard's sections. A place that was written three times in spite of that is not read
// any more.

const (
	foreReaders    = 256 // goroutines with notes; others record each read
	foreStreakMask = 31
	foreReadOnce   = 32  // counted above the streak
	foreReadMode   = 224 // after this many reads without a write the place is read
	foreReadEnd    = 64  // counted above the guards in a unit's hops
)

// foreRead is an entry of a goroutine's table.
type foreRead struct {
	what uint64  // unit and generation
	seg  uintptr // how often the goroutine had synchronised
	note uint64  // of its last read, if that is not recorded
}

func foreReadOf(w *foreG, unit uint32) *foreRead {
	return (*foreRead)(unsafe.Pointer(w.reads + uintptr(unit&(w.room-1))*unsafe.Sizeof(foreRead{})))
}

func foreReadWhat(u *foreSpot, unit uint32) uint64 {
	return uint64(unit)<<32 | uint64(u.generation())
}

func foreIsRead(u *foreSpot) bool {
	return u.streak >= foreReadMode && u.hops != foreAtomic8
}

// foreCountRead is called for each access to a shared place that takes its lock.
func foreCountRead(u *foreSpot, write bool) {
	if write {
		u.streak &= foreStreakMask
	} else if u.streak < foreReadMode-foreReadOnce || u.streak < foreReadMode && u.hops < 3*foreReadEnd {
		u.streak += foreReadOnce
	}
}

// foreChangeMode is called for an access of w to a shared place, whose lock it has. True: the access needs a ticket of its own.
func foreChangeMode(w *foreG, u *foreSpot, i uint32, write bool, cell uintptr) bool {
	if foreIsRead(u) {
		if !write {
			return false
		}
		foreEndReads(w, u, foreReadWhat(u, i))
	}
	counts := foreChangeGuard(w, u, cell)
	if !write && u.guard != 0 && u.streak >= foreReadMode-foreReadOnce && u.hops < 3*foreReadEnd {
		u.guard = 0 // the place is read from now on
		foreHideGuard(u, cell)
		u.age++
		return true
	}
	return counts
}

// foreEndReads records what goroutines have read of a place that is no longer only read; its lock is held. A
// read that is noted at this very moment happens at the same time as the access that ends this mode. `what`
// is as in the tables.
func foreEndReads(w *foreG, u *foreSpot, what uint64) {
	u.streak &= foreStreakMask
	u.hops += foreReadEnd
	foreStripeLock(&foreMem.readersLock)
	for _, r := range &foreMem.readers {
		if r == nil || r.reads == 0 {
			continue
		}
		if e := foreReadOf(r, uint32(what>>32)); e.what == what && e.note != 0 {
			foreTell1(w, u.id, e.note, foreReadKind, foreFlagEarly, uint64(u.ticket)+1)
		}
	}
	foreStripeUnlock(&foreMem.readersLock)
	u.age++
}

// foreNoteRead notes a read of a place that is read; false: there is no room among the readers.
func foreNoteRead(w *foreG, e *foreRead, seg, pc uintptr) bool {
	if w.reader == 0 && !foreIsReader(w) {
		return false
	}
	if e.note == 0 {
		w.noted++
	}
	e.seg = seg
	e.note = foreNoted(w, pc-foreFile.text)
	return true
}

func foreIsReader(w *foreG) bool {
	mp := acquirem()
	foreStripeLock(&foreMem.readersLock)
	for k := range &foreMem.readers {
		if foreMem.readers[k] == nil {
			*(*uintptr)(unsafe.Pointer(&foreMem.readers[k])) = uintptr(unsafe.Pointer(w)) // a goroutine's structure is never freed
			w.reader = uint32(k) + 1
			break
		}
	}
	foreStripeUnlock(&foreMem.readersLock)
	releasem(mp)
	return w.reader != 0
}

// foreTellRead records a read that the goroutine itself has noted.
func foreTellRead(w *foreG, e *foreRead) {
	if e.note == 0 {
		return
	}
	u := foreUnitAt(uint32(e.what >> 32))
	foreStripeLock(&u.lock)
	if u.id != 0 && u.size != 0 && foreIsRead(u) && uint32(e.what) == u.generation() {
		foreTell1(w, u.id, e.note, foreReadKind, foreFlagEarly, uint64(u.ticket)+1)
	}
	foreStripeUnlock(&u.lock)
	e.note = 0
	w.noted--
}

// foreReadBefore tells whether the goroutine has read the place since it was last written, and has not
// synchronised since. An access that can come between the two reads races with both.
func foreReadBefore(w *foreG, u *foreSpot, unit uint32) bool {
	seg := foreSlots(w) - w.own
	if w.reads == 0 || w.misses > w.room*2 {
		foreTable(w)
	}
	e := foreReadOf(w, unit)
	what := foreReadWhat(u, unit)
	if e.what == what && e.seg == seg {
		return true
	}
	if e.what>>32 != uint64(unit) && e.what != 0 && (e.seg == seg || e.note != 0) {
		w.misses++
	}
	foreTellRead(w, e)
	e.what, e.seg = what, seg
	return false
}

// foreTable gives the goroutine a table of reads, or one of four times the size.
func foreTable(w *foreG) {
	size := w.room * 4
	if w.reads == 0 {
		size = 64
	}
	w.misses = 0
	if size > 64<<16 {
		return
	}
	class := 0
	for s := uint32(64); s < size; s *= 4 {
		class++
	}
	foreTableEnd(w)
	foreStripeLock(&foreMem.lock)
	p := foreMem.tables[class]
	if p != 0 {
		foreMem.tables[class] = uintptr(*fore64(p))
	}
	foreStripeUnlock(&foreMem.lock)
	const sections = foreSections * unsafe.Sizeof(foreSection{})
	bytes := sections + uintptr(size)*unsafe.Sizeof(foreRead{})
	if p == 0 {
		p = uintptr(persistentalloc(bytes, 16, &memstats.other_sys))
	} else {
		memclrNoHeapPointers(unsafe.Pointer(p), bytes)
	}
	w.section, w.reads, w.room = p, p+sections, size
}

// foreTableEnd gives the table back.
func foreTableEnd(w *foreG) {
	if w.reads == 0 {
		return
	}
	mp := acquirem()
	for i := uint32(0); i < w.room && w.noted != 0; i++ {
		foreTellRead(w, foreReadOf(w, i))
	}
	class := 0
	for s := uint32(64); s < w.room; s *= 4 {
		class++
	}
	table := w.section
	foreStripeLock(&foreMem.readersLock)
	if w.reader != 0 {
		*(*uintptr)(unsafe.Pointer(&foreMem.readers[w.reader-1])) = 0
	}
	w.section, w.reads, w.room, w.noted, w.reader = 0, 0, 0, 0, 0
	foreStripeUnlock(&foreMem.readersLock)
	foreStripeLock(&foreMem.lock)
	*fore64(table) = uint64(foreMem.tables[class])
	foreMem.tables[class] = table
	foreStripeUnlock(&foreMem.lock)
	releasem(mp)
}
