
// Appended by foresee: blocks of memory, their lives and their names.

// foreIdentity is the number of the place: that of its block, and how far behind its beginning.
func foreIdentity(w *foreG, u *foreSpot, at uintptr) uint32 {
	if u.id == 0 {
		u.id = foreBlock(w, at+uintptr(u.off))
	}
	return u.id
}

// foreMadeAt is the entry that says what the block beginning there is. Few blocks begin at an odd multiple of
// 8: they have half of the table for themselves, of which little is touched.
func foreMadeAt(base uintptr) *uint64 {
	return fore64(foreMem.sites + base/16*8 + base/8%2*(foreTop/2))
}

const foreNumbered = 0xffffffff // instead of a type: the block has a number

func foreBlock(w *foreG, addr uintptr) uint32 {
	base, size, made := addr&^255, uintptr(256), uint64(0)
	s := spanOfHeap(addr)
	if s != nil {
		base = s.base() + (addr-s.base())/s.elemsize*s.elemsize
		size = s.elemsize
		made = *foreMadeAt(base)
	}
	start := base
	if size > forePiece {
		if piece := addr &^ (forePiece - 1); piece > base {
			base = piece
		}
		size = forePiece
	}
	entry := foreMadeAt(base)
	if v := atomic.Load64(entry); v>>32 == foreNumbered {
		return uint32(v) + uint32(addr-base)
	}
	text := uint32(0)
	if s != nil && made>>32 != foreNumbered {
		text = foreTypeText(w, uint32(made>>32))
	}
	foreStripeLock(&foreMem.lock)
	v := atomic.Load64(entry)
	if v>>32 != foreNumbered {
		first := atomic.Xadd(&foreFile.objects, int32(size)) - uint32(size) + 1
		v = uint64(first) | foreNumbered<<32
		foreDefineBlock(w, s, start, base, size, uint32(made), first, text)
		atomic.Store64(entry, v)
	}
	foreStripeUnlock(&foreMem.lock)
	return uint32(v) + uint32(addr-base)
}

// foreAllocators is how many bytes at the beginning of such a block are the allocator's own.
func foreAllocators(s *mspan) uintptr {
	if $HEADER && s.elemsize > 512 && !s.spanclass.noscan() && s.spanclass.sizeclass() != 0 {
		return 8
	}
	return 0
}

// foreDefineBlock writes where a block was made and what it is; of a variable of a package, where it
// is, from the beginning of the text on.
func foreDefineBlock(w *foreG, s *mspan, start, base, size uintptr, site, first, text uint32) {
	p := foreRoom(w, 2)
	if p == 0 {
		return
	}
	w.own += 2
	a, b := uint64(foreReal(base)-foreFile.text)&(1<<foreSizeAt-1)|foreLong<<foreSizeAt, uint64(0)
	if s != nil {
		all := uint64(s.elemsize)
		start += foreAllocators(s)
		all -= uint64(foreAllocators(s))
		if all > foreLong {
			all = foreLong
		}
		a = uint64(base-start)&(1<<foreSizeAt-1) | all<<foreSizeAt
		b = uint64(first) | uint64(text)<<32
	}
	*fore64(p + 16) = a
	*fore64(p + 24) = b
	*fore64(p) = uint64(site) | uint64(first)<<32
	*fore64(p + 8) = forePlacesKind | foreFlagDone | 1<<foreExtra | uint64(size)<<foreTicket
}

// A block of this size is likely to be used from end to end: its shadow has huge pages.
const (
	foreHugeFrom = 1 << 20
	foreHuge     = 2 << 20
)

// foreAlloc begins the life of a block: what was known of its memory is forgotten.
//
//go:noinline
func foreAlloc(x unsafe.Pointer, size uintptr, typ *_type) {
	addr := uintptr(x)
	if foreVariableCount != 0 {
		foreExactBorn(addr, size, typ)
		return
	}
	if addr >= foreTop || size == 0 {
		return
	}
	s := spanOfHeap(addr)
	if s == nil {
		return
	}
	own := foreAllocators(s) // a block's name and number are kept where the block begins
	addr -= own
	size += own
	gp := getg()
	if foreTurns != 0 {
		*foreMakerOf(s, addr) = gp.m.curg.turnNumber()
	}
	pc := uintptr(0)
	if gp == gp.m.curg {
		fp := *(*uintptr)(unsafe.Pointer(foreBP())) // of mallocgc
		for i := 0; i < 8 && fp >= gp.stack.lo && fp+16 <= gp.stack.hi; i++ {
			pc = *(*uintptr)(unsafe.Pointer(fp + 8))
			fp = *(*uintptr)(unsafe.Pointer(fp))
			if !foreIsInside(pc) {
				break
			}
		}
	}
	kind := uintptr(0)
	if t := uintptr(unsafe.Pointer(typ)); t >= firstmoduledata.types && t < firstmoduledata.etypes {
		kind = t - firstmoduledata.types
	}
	if pc != 0 {
		pc -= foreFile.text
	}
	*foreMadeAt(addr) = uint64(uint32(pc)) | uint64(kind)<<32
	if size >= foreHugeFrom {
		from, to := (foreShadow+2*addr)&^(foreHuge-1), (foreShadow+2*(addr+size)+foreHuge-1)&^(foreHuge-1)
		foreCall(foreMadvise, from, to-from, 14, 0, 0)
	}
	for at := addr &^ (forePiece - 1) + forePiece; at < addr+size; at += forePiece {
		if made := foreMadeAt(at); *made != 0 {
			*made = 0
		}
	}
	foreForgetAll(addr&^7, (addr+size+7)&^7)
}
