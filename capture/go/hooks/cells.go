
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
		default:
			foreParted(cell, W, m, at)
		}
	}
}

// foreRange does what foreCell does to each of many cells, from the first on, as long as they are nobody's or were accessed by
// the goroutine alone and as a whole. It returns how many bytes that are.
func foreRange(a *foreDoing, to, n uintptr) uintptr {
	note := a.note()
	if to&7 != 0 || note == 0 {
		return 0
	}
	low, done := note&foreLow, uintptr(0)
	for ; done+8 <= n; done += 8 {
		cell := foreShadow + 2*(to+done)
		W, R := *fore64(cell), *fore64(cell+8)
		has, rest := R>>foreReadAt&0xff, R>>foreWroteAt // of the access's kind, and of the other
		if a.write {
			has, rest = rest, has
		}
		if W != 0 && (W>>foreTagAt != note>>foreTagAt || has != 0 && has != 0xff) {
			break
		}
		switch {
		case W == 0 || has == 0: // what is there is another's no more when the cell is busy
			if !atomic.Cas64(fore64(cell), W, foreBusyW) {
				return done
			}
			if a.write {
				first := note
				if W != 0 && rest != 0 {
					first |= foreMany
				}
				if W == 0 {
					R = 0 // what was left there
				}
				foreNoteCell(cell, first, R&(1<<foreWroteAt-1)|0xff<<foreWroteAt)
			} else if W == 0 {
				foreNoteCell(cell, note&^foreLow, 0xff<<foreReadAt|low)
			} else {
				foreNoteCell(cell, W, R&(0xff<<foreWroteAt)|0xff<<foreReadAt|low)
			}
		case a.write:
			*fore64(cell) = note | foreMany
		default:
			*fore64(cell + 8) = R&^foreLow | low
		}
	}
	return done
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
		return false // another goroutine has come
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
