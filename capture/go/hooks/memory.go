
// Appended by foresee: memory. A package that is compiled with -msan calls msanread and msanwrite
// before each access (fore_amd64.s has the usual way through them). Most memory is touched by one
// goroutine alone, and nothing is recorded of that: a shadow of memory notes its last write and its
// last read. When a second goroutine comes, it tells what the first one noted (PAST, see ring.h of
// foresee), and records its own access.
//
// The shadow has two words for each 8 bytes:
//
//	W   | tag 19 | many 1 | pc 26 | position 18 |
//	R   | bytes written 8 | bytes read 8 | 4 | pc 26 | position 18 |
//
// A tag stands for a goroutine and a stretch of its records (foreTags); the position is how many
// slots of 16 bytes it had written since. `many` says that it was not the owner's first access. A W
// with tag 1 has the number of a unit, in which everything is that is known of a place that a
// second goroutine came to, or of bytes that are accessed apart from the rest.
//
// Sound: what is told of a goroutine it did, where it is said to have done it. Forgotten is what an
// owner did before its last write and its last read; that it did something is told (as a read that
// comes with that write), so that nothing of another's can be put in between.

const (
	foreTagAt   = 45
	foreMany    = 1 << 44
	forePosBits = 18
	forePcBits  = 26
	foreLow     = 1<<44 - 1
	foreReadAt  = 48
	foreWroteAt = 56
	foreSpecial = 1 << foreTagAt
	foreBusyW   = foreSpecial // a unit of number 0: somebody makes one
	foreTagMost = 1 << 19

	foreHops   = 3  // changes of owner until a place is shared
	foreStreak = 16 // accesses in a row that make an owner again
	foreParts  = 1 << 16 // units for bytes that one goroutine accesses apart

	forePastKind    = 204
	foreStringKind  = 202
	forePlacesKind  = 205
	foreFlagEarly   = 1 << 10
	foreFlagMore    = 1 << 15
	foreSizeAt      = 44
	foreLong        = 1<<20 - 1
	forePiece       = 1 << 20 // of a block that is longer, numbers are given piece by piece
	foreTop         = 1 << 43 // addresses below have a shadow
	foreHeadHasPast = 1136
	foreSeesMemory  = 1 << 4
)

// foreSpot is a place: some bytes of the same 8. It lies outside of the heap.
type foreSpot struct {
	w, r   uint64 // what the owner noted, with its tag; 0: nothing
	rw, rr uint64 // those of them that were recorded
	lock   uint32
	id     uint32
	ticket uint32 // writes that were recorded
	next   uint32 // unit of other bytes of the same 8
	owner  uint32 // tag; 0: the place is shared
	last   uint32 // tag of who came last while it was shared
	age    uint32 // how often the unit was used for another place
	off    uint8
	size   uint8
	hops   uint8
	streak uint8
}

// foreMemory is 0 when memory is not recorded.
//
//go:linkname foreMemory
var foreMemory uint32

// foreBuilt is "memory" if the program was built to record it.
var foreBuilt string

// foreShadow is where the shadow of address 0 would be, or 0.
var foreShadow uintptr

var foreMem struct {
	sites  uintptr // 8 bytes for each 16: where a block was made, and its type or its number
	units  uintptr
	tags   uintptr // thread, and its slots before
	ntags  uint32
	nunits uint32
	parts  uint32 // units that one goroutine made for itself
	lock   uint32 // of the following
	free   uint32 // units
	blocks uint32
	types  [1024]uint64 // type, and the number of its string
	ntypes uint32
	strs   uint32
	tables [12]uintptr // of reads, by size
	beyond uint32 // accesses without a shadow
	makers uintptr // 4 bytes for each 16, if the program is controlled
	inside [4]uintptr // where the text of the runtime and that of maps begin and end
}

// foreTextAt is where the text begins, for the assembly.
var foreTextAt uintptr

const (
	foreUnitMost = 1 << 28
	foreMapFlags = 0x2 | 0x20 | 0x4000 // MAP_PRIVATE MAP_ANON MAP_NORESERVE
)

// foreMemoryOpen maps what is needed; it costs nothing until it is touched.
func foreMemoryOpen() {
	if $SPECIALMALLOC {
		return
	}
	shadow, e1 := mmap(nil, 2*foreTop, _PROT_READ|_PROT_WRITE, foreMapFlags, -1, 0)
	sites, e2 := mmap(nil, foreTop/2, _PROT_READ|_PROT_WRITE, foreMapFlags, -1, 0)
	units, e3 := mmap(nil, foreUnitMost*unsafe.Sizeof(foreSpot{}), _PROT_READ|_PROT_WRITE, foreMapFlags, -1, 0)
	tags, e4 := mmap(nil, foreTagMost*8, _PROT_READ|_PROT_WRITE, foreMapFlags, -1, 0)
	if e1 != 0 || e2 != 0 || e3 != 0 || e4 != 0 {
		foreUnseen("reads and writes: there is no address space for their shadow")
		return
	}
	foreCall(foreMadvise, uintptr(shadow), 2*foreTop, 15, 0, 0) // no huge pages: few bytes of each are touched
	foreCall(foreMadvise, uintptr(sites), foreTop/2, 15, 0, 0)
	*fore32(foreFile.head + foreHeadHasPast) = 1
	if foreTurnOn != 0 {
		foreMem.makers = foreMap(foreTop / 4)
	}
	foreMem.sites = uintptr(sites)
	foreMem.units = uintptr(units)
	foreMem.tags = uintptr(tags)
	foreMem.ntags = 1
	foreTextAt = foreFile.text
	foreFindInside()
	foreMemory = 1
	foreShadow = uintptr(shadow)
}

// foreFindInside finds the functions that allocate for the program.
func foreFindInside() {
	md := &firstmoduledata
	for i := 0; i+1 < len(md.ftab); i++ {
		pc := md.textAddr(md.ftab[i].entryoff)
		f := findfunc(pc)
		if !f.valid() {
			continue
		}
		k := 0
		if name := funcname(f); foreIn(name, "internal/runtime/maps.") {
			k = 2
		} else if !foreIn(name, "runtime.") {
			continue
		}
		if foreMem.inside[k] == 0 {
			foreMem.inside[k] = pc
		}
		foreMem.inside[k+1] = md.textAddr(md.ftab[i+1].entryoff)
	}
}

func foreIsInside(pc uintptr) bool {
	in := &foreMem.inside
	return pc-in[0] < in[1]-in[0] || pc-in[2] < in[3]-in[2]
}

func foreUnitAt(i uint32) *foreSpot {
	return (*foreSpot)(unsafe.Pointer(foreMem.units + uintptr(i)*unsafe.Sizeof(foreSpot{})))
}

// ---- who, and when ----

// foreTagged gives a goroutine a tag, or returns false: there are no more.
func foreTagged(w *foreG) bool {
	if w.pos == 0 { // its first chunk: positions count from there
		if p := foreMore(w, 0); p == 0 {
			return false
		}
	}
	n := atomic.Xadd(&foreMem.ntags, 1)
	if n >= foreTagMost {
		atomic.Store(&foreMem.ntags, foreTagMost)
		return false
	}
	slots := foreSlots(w)
	*fore64(foreMem.tags + uintptr(n)*8) = uint64(w.id) | uint64(slots)<<32
	w.from = slots<<4 - w.before
	w.tag = uint64(n) << foreTagAt
	return true
}

// foreSlots counts the slots that the goroutine has written, those of the chunk's header not.
func foreSlots(w *foreG) uintptr {
	return (w.pos + w.before) >> 4
}

// foreChunked is called when a chunk was taken: positions go on where they were.
func foreChunked(w *foreG, used, start, end uintptr) {
	w.before = used - start
	if w.tag != 0 && (end+w.before)>>4-uintptr(*fore64(foreMem.tags + uintptr(w.tag>>foreTagAt)*8)>>32) >= 1<<forePosBits {
		w.tag = 0
	} else if w.tag != 0 {
		w.from = uintptr(*fore64(foreMem.tags+uintptr(w.tag>>foreTagAt)*8)>>32)<<4 - w.before
	}
}

// foreNoted is an access of now, by pc.
func foreNoted(w *foreG, pc uintptr) uint64 {
	return w.tag | uint64(pc-foreFile.text)<<forePosBits&foreLow | uint64(w.pos-w.from)>>4
}

// ---- accesses ----

// foreOnStack: nobody else sees the goroutine's own stack. It is asked where the stack cannot move.
//
//go:nosplit
func foreOnStack(addr unsafe.Pointer) bool {
	gp := getg()
	return uintptr(addr)-gp.stack.lo < gp.stack.hi-gp.stack.lo
}

//go:nosplit
func foreReadSlow(addr unsafe.Pointer, n uintptr) {
	if foreOnStack(addr) {
		return
	}
	if (n == 16 || n == 24) && uintptr(addr)&7 == 0 {
		n = 8 // a string, an interface, a slice: who writes it writes its first word
	}
	foreAccess(uintptr(addr), n, false, $CALLERPC)
}

//go:nosplit
func foreWriteSlow(addr unsafe.Pointer, n uintptr) {
	if !foreOnStack(addr) {
		foreAccess(uintptr(addr), n, true, $CALLERPC)
	}
}

//go:nosplit
func msanmove(to, from unsafe.Pointer, n uintptr) {
	reads, writes := !foreOnStack(from), !foreOnStack(to)
	a, b := uintptr(from), uintptr(to)
	pc := $CALLERPC
	if reads {
		foreAccess(a, n, false, pc)
	}
	if writes {
		foreAccess(b, n, true, pc)
	}
}

func msanmalloc(addr unsafe.Pointer, n uintptr) {}
func msanfree(addr unsafe.Pointer, n uintptr)   {}

func foreAccess(addr, n uintptr, write bool, pc uintptr) {
	if foreVariableCount != 0 {
		foreExactAccess(addr, n, write, pc)
		return
	}
	gp := getg()
	w := &gp.fore
	if foreShadow == 0 || gp != gp.m.curg || w.id == 0 || w.root != 0 {
		return // a finalizer, say: nothing tells what it comes after
	}
	if addr >= foreTop || addr+n > foreTop {
		if foreMem.beyond++; foreMem.beyond == 1 {
			foreUnseen("memory that was mapped by other means than Go's heap")
		}
		return
	}
	if foreTurns != 0 && foreIsOthers(gp, addr) {
		foreTurnAccess(foreAccessKind(write), addr, n, pc, false)
	}
	if foreUsual(w, addr, n, write, pc) {
		return
	}
	mp := acquirem()
	if pc-foreFile.text < 1<<forePcBits && (w.tag != 0 || foreTagged(w)) {
		for n > 0 {
			off := addr & 7
			k := 8 - off
			if k > n {
				k = n
			}
			foreCell(w, addr&^7, off, k, write, pc)
			addr += k
			n -= k
		}
	}
	releasem(mp)
}

// foreUsual notes the usual access to a place that has a unit: by its owner, or a read of a shared one that
// repeats another. False: it is not so.
func foreUsual(w *foreG, addr, n uintptr, write bool, pc uintptr) bool {
	W := *fore64(foreShadow + 2*(addr&^7))
	if W>>foreTagAt != 1 || W == foreBusyW || w.tag == 0 || w.reads == 0 || pc-foreFile.text >= 1<<forePcBits {
		return false
	}
	u := foreUnitAt(uint32(W))
	if u.next != 0 || uintptr(u.off) != addr&7 || uintptr(u.size) != n {
		return false
	}
	me := uint32(w.tag >> foreTagAt)
	if u.owner == me && !write {
		u.r = foreNoted(w, pc)
		return true
	}
	if u.owner == me && u.w>>foreTagAt == uint64(me) {
		u.w = foreNoted(w, pc) | foreMany
		return true
	}
	e := w.reads + uintptr(uint32(W)&(w.room-1))*16
	return u.owner == 0 && !write && *fore64(e) == uint64(uint32(W))<<32|uint64(u.ticket^u.age<<20) &&
		*fore64(e + 8) == uint64(foreSlots(w)-w.own)
}

// foreIsOthers: another goroutine has been here, or made the memory. An access that is one of many of its
// owner does not come here.
func foreIsOthers(gp *g, addr uintptr) bool {
	w := &gp.fore
	W := *fore64(foreShadow + 2*(addr&^7))
	if W != 0 && (w.tag == 0 || W>>foreTagAt != w.tag>>foreTagAt) {
		return true
	}
	s := spanOfHeap(addr)
	return s == nil || *foreMakerOf(s, addr) != gp.turnNumber()
}

// foreMakerOf is where the number of the goroutine is kept that made the block at addr.
func foreMakerOf(s *mspan, addr uintptr) *uint32 {
	block := s.base() + s.objIndex(addr)*s.elemsize
	return fore32(foreMem.makers + block>>4<<2)
}

func (gp *g) turnNumber() uint32 {
	if gp == nil {
		return 0
	}
	return gp.turn.goer.thread + 1
}

func foreAccessKind(write bool) uint16 {
	if write {
		return foreWriteKind
	}
	return foreReadKind
}

func foreMask(off, n uintptr) uint64 {
	return (1<<n - 1) << off
}

func foreCell(w *foreG, at, off, n uintptr, write bool, pc uintptr) {
	cell := foreShadow + 2*at
	m := foreMask(off, n)
	note := foreNoted(w, pc)
	for {
		W := atomic.Load64(fore64(cell))
		switch {
		case W == 0:
			first, masks := note, m<<foreWroteAt
			if !write {
				first, masks = w.tag, m<<foreReadAt|note&foreLow
			}
			if atomic.Cas64(fore64(cell), 0, first) {
				*fore64(cell + 8) = masks
				return
			}
		case W == foreBusyW:
			procyield(10)
		case W>>foreTagAt == 1:
			if foreUnits(w, cell, uint32(W), at, off, n, write, pc) {
				return
			}
		case W>>foreTagAt == w.tag>>foreTagAt:
			if foreOwned(cell, W, m, note, write) {
				return
			}
			foreParted(cell, W, m, at)
		default:
			foreParted(cell, W, m, at)
		}
	}
}

// foreOwned notes an access of the owner; false: these bytes must be noted apart from others.
func foreOwned(cell uintptr, W, m, note uint64, write bool) bool {
	R := *fore64(cell + 8)
	wrote, read := R>>foreWroteAt, R>>foreReadAt&0xff
	was, last := wrote, W&(foreMany-1)
	if !write {
		was, last = read, R&foreLow
	}
	if was != 0 && was != m && last == note&foreLow {
		m |= was // the same statement, as in a loop
	} else if was != 0 && was != m && foreMem.parts < foreParts {
		foreMem.parts++
		return false
	}
	if write {
		if wrote|read != 0 {
			note |= foreMany
		}
		*fore64(cell + 8) = R&(1<<foreWroteAt-1) | m<<foreWroteAt
		*fore64(cell) = note
	} else {
		*fore64(cell + 8) = R&(0xff<<foreWroteAt) | m<<foreReadAt | note&foreLow
	}
	return true
}

// ---- units ----

func foreNewUnit() uint32 {
	foreStripeLock(&foreMem.lock)
	i := foreMem.free
	if i != 0 {
		foreMem.free = foreUnitAt(i).next
	} else if foreMem.nunits < foreUnitMost-1 {
		foreMem.nunits++
		i = foreMem.nunits
	}
	atomic.Store(&foreMem.lock, 0)
	if i != 0 {
		*foreUnitAt(i) = foreSpot{age: foreUnitAt(i).age + 1}
	}
	return i
}

// foreParted gives units to the bytes of a cell that were written, were read, or are accessed now.
func foreParted(cell uintptr, W, m uint64, at uintptr) {
	if !atomic.Cas64(fore64(cell), W, foreBusyW) {
		return
	}
	R := *fore64(cell + 8)
	wrote, read := R>>foreWroteAt, R>>foreReadAt&0xff
	chain := uint32(0)
	for end := 8; end > 0; {
		b := uint(end - 1)
		from := end - 1
		for from > 0 && wrote>>(b-1)&1 == wrote>>b&1 && read>>(b-1)&1 == read>>b&1 && m>>(b-1)&1 == m>>b&1 {
			b--
			from--
		}
		if (wrote|read|m)>>b&1 != 0 {
			i := foreNewUnit()
			if i == 0 {
				break
			}
			u := foreUnitAt(i)
			u.off, u.size, u.next = uint8(from), uint8(end-from), chain
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
	if chain == 0 {
		*fore64(cell + 8) = 0
		atomic.Store64(fore64(cell), 0)
		return
	}
	atomic.Store64(fore64(cell), foreSpecial|uint64(chain))
}

// foreUnits does the access to the places that it consists of; false: they had to be made first.
func foreUnits(w *foreG, cell uintptr, first uint32, at, off, n uintptr, write bool, pc uintptr) bool {
	m, seen := foreMask(off, n), uint64(0)
	for i := first; i != 0; {
		u := foreUnitAt(i)
		own := foreMask(uintptr(u.off), uintptr(u.size))
		if own&m != 0 && own&^m != 0 {
			foreCut(cell, first, u, m)
			return false
		}
		seen |= own & m
		i = u.next
	}
	if seen != m {
		foreAdd1(cell, first, m&^seen)
		return false
	}
	for i := first; i != 0; {
		u := foreUnitAt(i)
		if foreMask(uintptr(u.off), uintptr(u.size))&m != 0 {
			foreUnitAccess(w, u, i, at, write, pc)
		}
		i = u.next
	}
	return true
}

// foreAdd1 adds a unit for bytes that nobody has touched.
func foreAdd1(cell uintptr, first uint32, m uint64) {
	if !atomic.Cas64(fore64(cell), foreSpecial|uint64(first), foreBusyW) {
		return
	}
	from := uint8(0)
	for m>>from&1 == 0 {
		from++
	}
	n := uint8(0)
	for m>>(from+n)&1 != 0 {
		n++
	}
	if i := foreNewUnit(); i != 0 {
		u := foreUnitAt(i)
		u.off, u.size, u.next = from, n, first
		u.owner = 1 // nobody's: the first to come has it
		first = i
	}
	atomic.Store64(fore64(cell), foreSpecial|uint64(first))
}

// foreCut makes two units of one, where the bytes of m end or begin. What is known of it is known of
// both; its records are of a place that is no more.
func foreCut(cell uintptr, first uint32, u *foreSpot, m uint64) {
	if !atomic.Cas64(fore64(cell), foreSpecial|uint64(first), foreBusyW) {
		return
	}
	k := uint8(1)
	for k < u.size && m>>(u.off+k)&1 == m>>u.off&1 {
		k++
	}
	i := foreNewUnit()
	if i != 0 && k < u.size {
		foreStripeLock(&u.lock)
		if u.owner == 0 { // shared: whoever wrote it last has it
			u.owner = uint32(u.w >> foreTagAt)
			if u.owner == 0 {
				u.owner = uint32(u.r >> foreTagAt)
			}
		}
		u.rw, u.rr, u.id, u.ticket, u.hops, u.streak = 0, 0, 0, 0, 0, 0
		v := foreUnitAt(i)
		*v = *u
		v.lock = 0
		v.off, v.size = u.off+k, u.size-k
		u.size = k
		v.next = u.next
		u.next = i
		atomic.Store(&u.lock, 0)
	}
	atomic.Store64(fore64(cell), foreSpecial|uint64(first))
}

func foreUnitAccess(w *foreG, u *foreSpot, i uint32, at uintptr, write bool, pc uintptr) {
	note, me := foreNoted(w, pc), uint32(w.tag>>foreTagAt)
	if u.owner == me {
		if !write {
			u.r = note
			return
		}
		if u.w>>foreTagAt == uint64(me) {
			u.w = note | foreMany
			return
		}
	}
	if u.owner == 0 && !write && foreReadBefore(w, i, u.ticket^u.age<<20) {
		return
	}
	foreStripeLock(&u.lock)
	switch u.owner {
	case 1: // untouched
		u.owner = me
		foreOwnerNotes(u, note, write)
		atomic.Store(&u.lock, 0)
		return
	case me: // its first write
		foreRecordAccess(w, u, at, true, pc)
		u.w = foreNoted(w, pc)
		u.rw = u.w
	case 0:
		foreRecordAccess(w, u, at, write, pc)
		foreShared(w, u, i, me, foreNoted(w, pc), write)
	default:
		was := u.owner
		foreTell(w, u, at)
		foreRecordAccess(w, u, at, write, pc)
		u.w, u.r, u.rw, u.rr = 0, 0, 0, 0
		if u.hops < foreHops || foreThreadOf(was) == w.id {
			if foreThreadOf(was) != w.id {
				u.hops++
			}
			u.owner = me
		} else {
			u.owner = 0
			u.last, u.streak = me, 0
		}
		note = foreNoted(w, pc)
		foreOwnerNotes(u, note, write)
		u.rw, u.rr = u.w, u.r
	}
	atomic.Store(&u.lock, 0)
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

// foreShared counts who comes: one alone for long is the owner again.
func foreShared(w *foreG, u *foreSpot, i, me uint32, note uint64, write bool) {
	if write {
		u.w = note
	} else {
		u.r = note
	}
	if u.last != me {
		u.last, u.streak = me, 0
		return
	}
	if u.streak++; u.streak < foreStreak {
		return
	}
	u.owner = me
	if u.w>>foreTagAt != uint64(me) {
		u.w = 0
	}
	if u.r>>foreTagAt != uint64(me) {
		u.r = 0
	}
	u.rw, u.rr = u.w, u.r
}

// foreReadBefore: the goroutine has read the place since it was last written, and has not
// synchronised since. If something can come between the two reads, it races with both.
func foreReadBefore(w *foreG, unit, ticket uint32) bool {
	seg := uint64(foreSlots(w) - w.own)
	if w.reads == 0 || w.misses > w.room*2 {
		foreTable(w)
	}
	e := w.reads + uintptr(unit&(w.room-1))*16
	what := uint64(unit)<<32 | uint64(ticket)
	if *fore64(e) == what && *fore64(e + 8) == seg {
		return true
	}
	if *fore64(e)>>32 != uint64(unit) && *fore64(e) != 0 && *fore64(e + 8) == seg {
		w.misses++
	}
	*fore64(e) = what
	*fore64(e + 8) = seg
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
	atomic.Store(&foreMem.lock, 0)
	if p == 0 {
		p = uintptr(persistentalloc(uintptr(size)*16, 16, &memstats.other_sys))
	} else {
		memclrNoHeapPointers(unsafe.Pointer(p), uintptr(size)*16)
	}
	w.reads, w.room = p, size
}

// foreTableEnd gives it back.
func foreTableEnd(w *foreG) {
	if w.reads == 0 {
		return
	}
	class := 0
	for s := uint32(64); s < w.room; s *= 4 {
		class++
	}
	foreStripeLock(&foreMem.lock)
	*fore64(w.reads) = uint64(foreMem.tables[class])
	foreMem.tables[class] = w.reads
	atomic.Store(&foreMem.lock, 0)
	w.reads, w.room = 0, 0
}

// ---- records ----

// foreRecordAccess writes an access of now. Writes are counted; a read comes before the next write,
// whose ticket it has.
func foreRecordAccess(w *foreG, u *foreSpot, at uintptr, write bool, pc uintptr) {
	id := foreIdentity(w, u, at)
	u.ticket++
	word := uint64(foreWriteKind) | foreFlagDone
	if !write {
		word = foreReadKind | foreFlagDone | foreFlagEarly
	}
	p := foreRoom(w, 1)
	if p != 0 {
		*fore64(p) = foreWhere(pc, id)
		*fore64(p + 8) = word | uint64(u.ticket)<<foreTicket
		w.own++
	}
	if !write {
		u.ticket--
	}
}

// foreTell writes what the owner noted and did not record.
func foreTell(w *foreG, u *foreSpot, at uintptr) {
	id := foreIdentity(w, u, at)
	if u.w != u.rw && u.w != 0 && u.w>>foreTagAt == uint64(u.owner) {
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

// ---- names ----

// foreIdentity is the number of the place: that of its block, and how far behind its beginning.
func foreIdentity(w *foreG, u *foreSpot, at uintptr) uint32 {
	if u.id == 0 {
		u.id = foreBlock(w, at+uintptr(u.off))
	}
	return u.id
}

const foreNumbered = 0xffffffff // in place of a type: the block has a number

func foreBlock(w *foreG, addr uintptr) uint32 {
	base, size, made := addr&^255, uintptr(256), uint64(0)
	s := spanOfHeap(addr)
	if s != nil {
		base = s.base() + (addr-s.base())/s.elemsize*s.elemsize
		size = s.elemsize
		made = *fore64(foreMem.sites + base/16*8)
	}
	start := base
	if size > forePiece {
		if piece := addr &^ (forePiece - 1); piece > base {
			base = piece
		}
		size = forePiece
	}
	entry := fore64(foreMem.sites + base/16*8)
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
	atomic.Store(&foreMem.lock, 0)
	return uint32(v) + uint32(addr-base)
}

// foreDefineBlock writes where a block was made and what it is; of a variable of a package, where it
// is, from the beginning of the text on.
func foreDefineBlock(w *foreG, s *mspan, start, base, size uintptr, site, first, text uint32) {
	p := foreRoom(w, 2)
	if p == 0 {
		return
	}
	w.own += 2
	a, b := uint64(base-foreFile.text)&(1<<foreSizeAt-1)|foreLong<<foreSizeAt, uint64(0)
	if s != nil {
		all := uint64(s.elemsize)
		if $HEADER && s.elemsize > 512 && !s.spanclass.noscan() && s.spanclass.sizeclass() != 0 {
			start += 8 // what the allocator keeps there
			all -= 8
		}
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

// foreAlloc begins the life of a block: what was known of its memory is forgotten.
//
//go:noinline
func foreAlloc(x unsafe.Pointer, size uintptr, typ *_type) {
	addr := uintptr(x)
	if addr >= foreTop || size == 0 {
		return
	}
	s := spanOfHeap(addr)
	if s == nil {
		return
	}
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
	*fore64(foreMem.sites + addr/16*8) = uint64(uint32(pc)) | uint64(kind)<<32
	if s.needzero == 0 && s.spanclass.sizeclass() == 0 {
		return // a large block of memory that was never used
	}
	for at := addr &^ (forePiece - 1) + forePiece; at < addr+size; at += forePiece {
		*fore64(foreMem.sites + at/16*8) = 0
	}
	end := foreShadow + 2*((addr+size+7)&^7)
	for cell := foreShadow + 2*(addr&^7); cell < end; cell += 16 {
		if W := *fore64(cell); W != 0 {
			if W>>foreTagAt == 1 {
				foreFreeUnits(uint32(W))
			}
			*fore64(cell) = 0
			*fore64(cell + 8) = 0
		}
	}
}

func foreFreeUnits(i uint32) {
	if i == 0 {
		return
	}
	last := foreUnitAt(i)
	for last.next != 0 {
		last = foreUnitAt(last.next)
	}
	mp := acquirem()
	foreStripeLock(&foreMem.lock)
	last.next = foreMem.free
	foreMem.free = i
	atomic.Store(&foreMem.lock, 0)
	releasem(mp)
}
