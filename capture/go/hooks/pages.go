
// Appended by foresee: pages of memory that are accessed as a whole, as a buffer that is copied or cleared. Such a page has
// one cell (cells.go), and its shadow is not touched: that would take twice the time and the memory that the page itself
// takes. An access to a part of it puts the page apart: each of its cells becomes what that one cell is.
//
// A page's cell is 0 (and those of its parts are), busy, one that a goroutine owns (and those of its parts are 0), or
// forePageApart.

const (
	forePage      = 512
	forePageApart = foreSpecial | 1
)

func forePageCell(at uintptr) uintptr {
	return foreMem.pages + at/forePage*16
}

func foreIsApart(at uintptr) bool {
	return atomic.Load64(fore64(forePageCell(at))) == forePageApart
}

// forePages notes an access to the pages from `at` on that lie within n bytes, as long as they are such, and returns
// how many bytes these have.
func forePages(a *foreDoing, at, n uintptr, note uint64) uintptr {
	done := uintptr(0)
	for ; at%forePage == 0 && n-done >= forePage; done += forePage {
		cell := forePageCell(at + done)
		W := atomic.Load64(fore64(cell))
		mine := W>>foreTagAt == note>>foreTagAt
		if W>>foreTagAt == 1 || W != 0 && !mine && foreThreadOf(uint32(W>>foreTagAt)) != a.w.id {
			break
		}
		if W != 0 && !mine && foreRenewed(cell, W, 0xff, note, a.write) {
			continue
		}
		if W != 0 && !mine || !atomic.Cas64(fore64(cell), W, foreBusyW) {
			break
		}
		foreNoteCell(foreAfterWhole(cell, a.write, W, *fore64(cell + 8), note))
	}
	return done
}

// foreUntouched notes an access to n bytes of a page of which nothing was accessed before; false: something was. Until the page is
// put apart, other goroutines leave its cells alone.
func foreUntouched(a *foreDoing, at, n uintptr, note uint64) bool {
	page := forePageCell(at)
	if *fore64(page) != 0 || !atomic.Cas64(fore64(page), 0, foreBusyW) {
		return false
	}
	first, W, R := foreAfterWhole(foreShadow+2*at, a.write, 0, 0, note)
	foreFill(first, first+2*n, W, R)
	foreNoteCell(page, forePageApart, 0)
	return true
}

// foreApart puts the page apart that `at` is in.
func foreApart(at uintptr) {
	page := forePageCell(at)
	for {
		W := atomic.Load64(fore64(page))
		switch {
		case W == forePageApart:
			return
		case W == foreBusyW:
			procyield(10)
		case atomic.Cas64(fore64(page), W, foreBusyW):
			if W != 0 {
				from := foreShadow + 2*(at&^(forePage-1))
				foreFill(from, from+2*forePage, W, *fore64(page + 8))
			}
			foreNoteCell(page, forePageApart, 0)
			return
		}
	}
}

// foreFill makes all cells from one on, up to another, what foreNoteCell would.
//
//go:noescape
func foreFill(cell, end uintptr, W, R uint64)

// foreForgetAll forgets what was known of memory that begins a new life.
func foreForgetAll(from, to uintptr) {
	for at := from; at < to; {
		end := at&^(forePage-1) + forePage
		if end > to {
			end = to
		}
		page := forePageCell(at)
		switch whole := end-at == forePage; {
		case *fore64(page) == 0:
		case whole && !foreIsApart(at):
			*fore64(page) = 0
		default:
			foreApart(at)
			foreForgetCells(foreShadow+2*at, foreShadow+2*end)
			if whole {
				*fore64(page) = 0
			}
		}
		at = end
	}
}

func foreForgetCells(cell, end uintptr) {
	for ; cell < end; cell += 16 {
		if W := *fore64(cell); W != 0 {
			if W>>foreTagAt == 1 {
				foreFreeUnits(W)
			}
			*fore64(cell) = 0
			*fore64(cell + 8) = 0
		}
	}
}
