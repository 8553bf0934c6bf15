
// Appended by foresee: cells, the two words of the shadow for 8 bytes (memory.go), of which one goroutine is the owner.

func foreMask(off, n uintptr) uint64 {
	return (1<<n - 1) << off
}

func foreCell(a *foreDoing, at, off, n uintptr) {
	cell := foreShadow + 2*at
	m := foreMask(off, n)
	for {
		W := atomic.Load64(fore64(cell))
		switch {
		case W == 0 && !foreIsApart(at):
			foreApart(at)
		case W == 0:
			note := a.note()
			first, masks := note, m<<foreWroteAt
			if !a.write {
				first, masks = note&^foreLow, m<<foreReadAt|note&foreLow
			}
			if note == 0 {
				return
			}
			if atomic.Cas64(fore64(cell), 0, foreBusyW) {
				foreNoteCell(cell, first, masks)
				return
			}
		case W == foreBusyW:
			procyield(10)
		case W>>foreTagAt == 1:
			if foreUnits(a, cell, W, at, off, n) {
				return
			}
		case W>>foreTagAt == a.w.tag>>foreTagAt:
			if foreOwned(a, cell, W, m) {
				return
			}
			foreParted(cell, W, m, at)
		case foreThreadOf(uint32(W>>foreTagAt)) == a.w.id && foreRenewed(cell, W, m, a.note(), a.write):
			return
		default:
			foreParted(cell, W, m, at)
		}
	}
}

// foreRenewed notes an access to a cell that the same goroutine owned in an earlier stretch of its records,
// in place of the old note; false: the old note must be kept.
func foreRenewed(cell uintptr, W, m, note uint64, write bool) bool {
	R := *fore64(cell + 8)
	wrote, read := R>>foreWroteAt, R>>foreReadAt&0xff
	if note == 0 || (wrote|read)&^m != 0 || !write && wrote != 0 || !atomic.Cas64(fore64(cell), W, foreBusyW) {
		return false
	}
	if write { // an access that races with its earlier ones races with this
		foreNoteCell(cell, note|foreMany, m<<foreWroteAt)
	} else {
		foreNoteCell(cell, note&^foreLow, m<<foreReadAt|note&foreLow)
	}
	return true
}

// foreRange does what foreCell does to each of many cells, from the first on, as long as they have no owner
// or only the goroutine accessed them, as a whole. It returns the number of bytes.
func foreRange(a *foreDoing, to, n uintptr) uintptr {
	note := a.note()
	if to&7 != 0 || note == 0 {
		return 0
	}
	done := uintptr(0)
	for done+8 <= n {
		at := to + done
		if k := forePages(a, at, n-done, note); k != 0 {
			done += k
			continue
		}
		want := forePage - at%forePage
		if want > n-done {
			want = (n - done) &^ 7
		}
		if foreUntouched(a, at, want, note) {
			done += want
			continue
		}
		foreApart(at)
		has := foreCells(a, foreShadow+2*at, want/8, note) * 8
		if done += has; has < want {
			break
		}
	}
	return done
}

// foreCells notes an access to each of n cells, as long as they have no owner or only the goroutine accessed them, as a
// whole. It returns how many these are.
func foreCells(a *foreDoing, cell, n uintptr, note uint64) uintptr {
	low := note & foreLow
	for i := uintptr(0); i < n; i++ {
		W, R := *fore64(cell), *fore64(cell+8)
		has := R >> foreReadAt & 0xff
		if a.write {
			has = R >> foreWroteAt
		}
		mine := W>>foreTagAt == note>>foreTagAt
		switch {
		case mine && has == 0xff && a.write:
			*fore64(cell) = note | foreMany
		case mine && has == 0xff:
			*fore64(cell + 8) = R&^foreLow | low
		case W == 0 || mine && has == 0:
			if !atomic.Cas64(fore64(cell), W, foreBusyW) { // it is another's now
				return i
			}
			foreNoteCell(foreAfterWhole(cell, a.write, W, R, note))
		case W>>foreTagAt == 1 || foreThreadOf(uint32(W>>foreTagAt)) != a.w.id || !foreRenewed(cell, W, 0xff, note, a.write):
			return i
		}
		cell += 16
	}
	return n
}

// foreAfterWhole is what a cell has after an access to all of its bytes, if no owner has accessed it otherwise.
func foreAfterWhole(cell uintptr, write bool, W, R, note uint64) (uintptr, uint64, uint64) {
	if W == 0 {
		W, R = note&^foreLow, 0 // what was left there
	}
	switch {
	case !write:
		return cell, W, R&(0xff<<foreWroteAt) | 0xff<<foreReadAt | note&foreLow
	case R != 0:
		note |= foreMany
	}
	return cell, note, R&(1<<foreWroteAt-1) | 0xff<<foreWroteAt
}

// foreOwned notes an access of the owner; false: these bytes must be noted apart from others, or the goroutine is
// no longer the owner.
func foreOwned(a *foreDoing, cell uintptr, W, m uint64) bool {
	R := *fore64(cell + 8)
	wrote, read := R>>foreWroteAt, R>>foreReadAt&0xff
	was, last := wrote, W&(foreMany-1)
	if !a.write {
		was, last = read, R&foreLow
	}
	again := was != 0 && (last^uint64(a.w.pos-a.w.from)>>4)&(1<<forePosBits-1) == 0 && foreIsAt(last, a.pc)
	if again {
		m |= was // the same statement, as in a loop
	} else if was != 0 && was != m && foreMem.parts < foreParts {
		foreMem.parts++
		return false
	}
	note := last
	if !again {
		note = a.note()
		if note>>foreTagAt != W>>foreTagAt {
			return note == 0
		}
	}
	note = note&foreLow | W&^(foreMany|foreLow)
	if !atomic.Cas64(fore64(cell), W, foreBusyW) {
		return false // another goroutine has accessed it
	}
	if !a.write {
		foreNoteCell(cell, W, R&(0xff<<foreWroteAt)|m<<foreReadAt|note&foreLow)
		return true
	}
	if wrote|read != 0 {
		note |= foreMany
	}
	foreNoteCell(cell, note, R&(1<<foreWroteAt-1)|m<<foreWroteAt)
	return true
}

// foreNoteCell ends what a goroutine does to a cell that it has made busy; as foreStripeUnlock.
//
//go:noinline
func foreNoteCell(cell uintptr, W, R uint64) {
	*fore64(cell + 8) = R
	if GOARCH == "amd64" {
		*fore64(cell) = W
	} else {
		atomic.Store64(fore64(cell), W)
	}
}
