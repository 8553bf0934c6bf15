
// Appended by foresee: memory. A package that is compiled with -msan calls msanread and msanwrite before each
// access (fore_amd64.s has the usual way through them). Most memory is touched by one goroutine alone, and
// nothing is recorded of that: a shadow of memory notes the last write and the last read. A second goroutine
// that accesses the memory records what the first one noted (PAST, see ring.h of foresee), and then its own
// access.
//
// The shadow has two words for each 8 bytes:
//
//	W   | tag 19 | many 1 | pc 26 | position 18 |
//	R   | bytes written 8 | bytes read 8 | 4 | pc 26 | position 18 |
//
// A tag stands for a goroutine and a stretch of its records (foreTags); the position is how many slots of 16
// bytes it had written since. `many` says that it was not the owner's first access. A W with tag 1 has the
// number of a unit (units.go), which holds everything about a place that a second goroutine has accessed, or
// about bytes that are accessed apart from the rest; R has then the lock that guards them (guard.go), or the epochs of
// two goroutines that have read all 8 bytes since they were last written. An epoch stands for a goroutine and what it does until it
// synchronises again.
//
// The first read and the second write at a position stand for those that follow at the same one: between them
// the goroutine recorded nothing, so that no order tells them apart. In place of a pc the number of a stack
// may stand (stacks.go), if the usual way was not taken.
//
// Sound: every access recorded for a goroutine was done by it, where the record says. An owner's accesses
// before its last write and its last read are forgotten; that there were some is recorded (as a read that
// comes with that write), so that no access of another goroutine can be put in between.

const (
	foreTagAt   = 45
	foreMany    = 1 << 44
	forePosBits = 18
	forePcBits  = 26
	foreLow     = 1<<44 - 1
	foreReadAt  = 48
	foreWroteAt = 56
	foreSpecial = 1 << foreTagAt
	foreBusyW   = foreSpecial // a unit of number 0: a goroutine is making one
	foreLanes   = 1 << 44     // in a W with a unit: the unit of some bytes is one of 8 side by side, that of the first of them
	foreTagMost = 1 << 19

	foreHops   = 3  // changes of owner until a place is shared
	foreMuch   = 64 // bytes of an access that goes through memory cell by cell
	foreStreak = 16 // accesses in a row that make an owner again
	foreParts  = 1 << 16 // units for bytes that one goroutine accesses apart
	foreAtomic8 = 255    // instead of the hops: sync/atomic uses the place, too
	foreEpochs = 64      // epochs that a goroutine takes at once

	forePastKind    = 204
	foreStringKind  = 202
	forePlacesKind  = 205
	foreFlagEarly   = 1 << 10
	foreFlagMore    = 1 << 15
	foreSizeAt      = 44
	foreLong        = 1<<20 - 1
	forePiece       = 1 << 20 // numbers of a longer block are given piece by piece
	foreTop         = 1 << 43 // addresses below have a shadow
	foreAliasAt     = 1 << 32 // where the shadow of a program lies that itself lies above
	foreAliasMost   = 1 << 36
	foreArguments   = 8 << 20
	foreHeadHasPast = 1136
	foreSeesMemory  = 1 << 4
)

// foreSpot is a place: some bytes of the same 8. It lies outside of the heap.
type foreSpot struct {
	w, r   uint64 // the owner's notes, with its tag; 0: none
	rw, rr uint64 // those of the notes that were recorded
	lock   uint32
	id     uint32
	ticket uint32 // writes that were recorded
	next   uint32 // unit of other bytes of the same 8
	owner  uint32 // tag; 0: the place is shared
	last   uint32 // tag of the goroutine that accessed it last while it was shared
	age    uint16 // how often the unit was used for another place, or its guard changed
	guard  uint16 // the lock that orders the accesses to a shared place (guard.go), or 0
	off    uint8
	size   uint8
	hops   uint8 // above these, how often another lock was held than the guard, and how often it was written after many reads
	streak uint8 // above these, reads since it was last written (readers.go)
}

// generation changes when the place is written.
func (u *foreSpot) generation() uint32 {
	return u.ticket ^ uint32(u.age)<<20
}

// foreMemory is 0 when memory is not recorded.
//
//go:linkname foreMemory
var foreMemory uint32

// foreBorn is 0 if allocations do not matter.
var foreBorn uint32

// foreBuilt is "memory" or "all" if the program was built to record it.
var foreBuilt string

// foreSeesAll tells whether reads and writes of all the program's packages are recorded: Go's own and those
// of the main module always are.
func foreSeesAll() bool {
	const dependency = "\ndep\t"
	if foreBuilt == "all" {
		return true
	}
	for i := 0; i+len(dependency) <= len(modinfo); i++ {
		if modinfo[i:i+len(dependency)] == dependency {
			return false
		}
	}
	return true
}

// foreShadow is the address of the shadow of address 0, or 0.
var foreShadow uintptr

var foreMem struct {
	sites  uintptr // where a block was made, and its type or its number (foreMadeAt)
	units  uintptr
	pages  uintptr // a cell for each page that is accessed as a whole (pages.go)
	tags   uintptr // by tag: its thread, and the slots that this had before
	ntags  uint32
	short  uint32 // not 0: stretches have only this many slots, for tests
	nunits uint32
	parts  uint32 // units that single goroutines made for themselves
	lock   uint32 // of the following
	free   uint32 // units that are not in use: lists of them (spare.go)
	lanes  uint32 // 8 side by side
	blocks uint32
	types  [1024]uint64 // type, and the number of its string
	ntypes uint32
	strs   uint32
	tables [12]uintptr // of reads, by size
	beyond uint32 // number of accesses without a shadow
	far    uint32 // number of accesses by code that no note can name
	epochs uint32 // that were taken
	guards uintptr
	nguards uint32
	readers [foreReaders]*foreG // goroutines that have notes of reads
	readersLock uint32
	image, imageSpan uintptr // of a program that lies above foreTop
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
func foreMemoryOpen(options string) {
	if $SPECIALMALLOC {
		return
	}
	shadow, e1 := mmap(nil, 2*foreTop, _PROT_READ|_PROT_WRITE, foreMapFlags, -1, 0)
	sites, e2 := mmap(nil, foreTop, _PROT_READ|_PROT_WRITE, foreMapFlags, -1, 0)
	units, e3 := mmap(nil, foreUnitMost*unsafe.Sizeof(foreSpot{}), _PROT_READ|_PROT_WRITE, foreMapFlags, -1, 0)
	tags, e4 := mmap(nil, foreTagMost*8, _PROT_READ|_PROT_WRITE, foreMapFlags, -1, 0)
	pages, e6 := mmap(nil, foreTop/forePage*16, _PROT_READ|_PROT_WRITE, foreMapFlags, -1, 0)
	guards, e5 := mmap(nil, foreGuardMost*foreGuardLine, _PROT_READ|_PROT_WRITE, foreMapFlags, -1, 0)
	if e1 != 0 || e2 != 0 || e3 != 0 || e4 != 0 || e5 != 0 || e6 != 0 {
		foreUnseen("reads and writes: there is no address space for their shadow")
		return
	}
	foreCall(foreMadvise, uintptr(shadow), 2*foreTop, 15, 0, 0) // no huge pages, because few bytes of each are touched
	foreCall(foreMadvise, uintptr(sites), foreTop, 15, 0, 0)
	*fore32(foreFile.head + foreHeadHasPast) = 1
	if foreTurnOn != 0 {
		foreMem.makers = foreMap(foreTop / 4)
	}
	foreMem.sites = uintptr(sites)
	foreMem.units = uintptr(units)
	foreMem.tags = uintptr(tags)
	foreMem.guards = uintptr(guards)
	foreMem.pages = uintptr(pages)
	foreMem.ntags = 1
	foreMem.short = uint32(foreOption(options, "short", 0))
	foreMem.epochs = 1
	if from := foreFile.text &^ 4095; from >= foreTop && firstmoduledata.end-from < foreAliasMost {
		foreMem.image, foreMem.imageSpan = from, firstmoduledata.end-from
	}
	foreStacksOpen()
	foreFindInside()
	foreMemory, foreBorn = 1, 1
	foreShadow = uintptr(shadow)
}

func foreIsGeneric(name string) bool {
	for i := 0; i < len(name); i++ {
		if name[i] == '[' {
			return true
		}
	}
	return false
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
		name := funcname(f)
		if foreIn(name, "internal/runtime/maps.") {
			k = 2
		} else if !foreIn(name, "runtime.") {
			continue
		}
		if foreIsGeneric(name) {
			continue // an instance of AddCleanup, for example, lies in the package that it was made for
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

// foreSlots counts the slots that the goroutine has written, except those of the chunk's header.
func foreSlots(w *foreG) uintptr {
	return (w.pos + w.before) >> 4
}

// foreChunked is called when a chunk was taken: positions continue from where they were.
func foreChunked(w *foreG, used, start, end uintptr) {
	w.before = used - start
	if w.tag != 0 && (end+w.before)>>4-uintptr(*fore64(foreMem.tags + uintptr(w.tag>>foreTagAt)*8)>>32) >= 1<<forePosBits {
		w.tag = 0
	} else if w.tag != 0 {
		w.from = uintptr(*fore64(foreMem.tags+uintptr(w.tag>>foreTagAt)*8)>>32)<<4 - w.before
	}
}

// foreNoted is the note of an access that w does now; `at` is a place in the text or the number of a stack.
func foreNoted(w *foreG, at uintptr) uint64 {
	if w.tag == 0 && !foreTagged(w) {
		return 0
	}
	return w.tag | uint64(at)<<forePosBits&foreLow | uint64(w.pos-w.from)>>4
}

// foreEpoch is the goroutine's since it last synchronised, or 0.
func foreEpoch(w *foreG) uint32 {
	seg := foreSlots(w) - w.own
	w.epochAt = w.pos + 1
	if w.epoch != 0 && w.epochSeg == seg {
		return w.epoch
	}
	w.epochSeg = seg
	if w.epoch++; w.epoch%foreEpochs != 1 {
		return w.epoch
	}
	n := atomic.Load(&foreMem.epochs)
	for n < 1<<31/foreEpochs-1 && !atomic.Cas(&foreMem.epochs, n, n+1) {
		n = atomic.Load(&foreMem.epochs)
	}
	w.epoch = n*foreEpochs + 1
	if n == 1<<31/foreEpochs-1 {
		w.epoch, w.epochAt = 0, 0
	}
	return w.epoch
}

// foreStamp notes that the goroutine has read all 8 bytes of a cell, which have one unit.
func foreStamp(w *foreG, cell uintptr, u *foreSpot) {
	R := *fore64(cell + 8)
	if u.off == 0 && u.size == 8 && u.next == 0 && u.hops != foreAtomic8 && !foreShowsGuard(R) {
		*fore64(cell + 8) = R<<32 | uint64(foreEpoch(w))
	}
}

// ---- accesses ----

// foreOnStack tells whether addr is on the goroutine's own stack, which no other goroutine sees. It is asked
// where the stack cannot move.
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
		n = 8 // a string, an interface, a slice: a write of it writes its first word
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

// foreDoing is an access under way.
type foreDoing struct {
	gp    *g
	w     *foreG
	fp    uintptr
	pc    uintptr
	at    uintptr // the number of its stack; 0: not looked up yet
	write bool
}

func (a *foreDoing) site() uintptr {
	if a.at == 0 {
		a.at = foreStack(a.gp, a.w, a.fp, a.pc)
	}
	return a.at
}

func (a *foreDoing) note() uint64 {
	at := a.site() // it may write a record
	return foreNoted(a.w, at)
}

// foreShadowed is an address that has a shadow, or 0.
func foreShadowed(addr, n uintptr) uintptr {
	if addr < foreTop && addr+n <= foreTop {
		return addr
	}
	if in := addr - foreMem.image; in < foreMem.imageSpan && in+n <= foreMem.imageSpan {
		return foreAliasAt + in
	}
	return 0
}

// foreReal undoes foreShadowed: it is the program's own address.
func foreReal(addr uintptr) uintptr {
	if in := addr - foreAliasAt; in < foreMem.imageSpan {
		return foreMem.image + in
	}
	return addr
}

//go:noinline
func foreAccess(addr, n uintptr, write bool, pc uintptr) {
	if foreVariableCount != 0 {
		foreExactAccess(addr, n, write, pc)
		return
	}
	gp := getg()
	w := &gp.fore
	if foreShadow == 0 || gp != gp.m.curg || w.id == 0 || w.root != 0 {
		return // in a finalizer, for example, of which it is not known what it comes after
	}
	to := foreShadowed(addr, n)
	if to == 0 {
		// The system puts the arguments and the environment above argv; the runtime has pages for what it makes once and
		// never changes, such as the tables of methods behind interfaces.
		if n != 0 && addr-uintptr(unsafe.Pointer(argv)) > foreArguments && !inPersistentAlloc(addr) && atomic.Cas(&foreMem.beyond, 0, 1) {
			foreUnseen("memory that was mapped by other means than Go's heap")
		}
		return
	}
	if foreTurns != 0 && foreIsOthers(gp, addr, to) {
		foreTurnAccess(foreAccessKind(write), addr, n, pc, false)
	}
	if foreMem.short != 0 && w.tag != 0 && (w.pos-w.from)>>4 > uintptr(foreMem.short) {
		w.tag = 0
	}
	if foreUsual(w, to, n, write, pc) {
		return
	}
	if pc-foreFile.text >= 1<<forePcBits && atomic.Cas(&foreMem.far, 0, 1) {
		foreUnseen("what the code of plugins, and that beyond 64 MB, reads and writes")
	}
	mp := acquirem()
	if pc-foreFile.text < 1<<forePcBits && (w.tag != 0 || foreTagged(w)) {
		var a foreDoing // one by one, because copying what was just written in parts stalls the processor
		a.gp, a.w = gp, w
		a.fp, a.pc, a.at = foreBP(), pc, 0
		a.write = write
		if foreGuardedSoon(&a, to, n) {
			n = 0
		}
		for n > 0 {
			if n >= foreMuch {
				k := foreRange(&a, to, n)
				to += k
				n -= k
			}
			off := to & 7
			k := 8 - off
			if k > n {
				k = n
			}
			if k != 0 {
				foreCell(&a, to&^7, off, k)
			}
			to += k
			n -= k
		}
	}
	releasem(mp)
}

// foreUsual notes the usual access to a place that has a unit: one by the owner, or a read of a shared place that
// repeats another. It returns false for any other access.
func foreUsual(w *foreG, addr, n uintptr, write bool, pc uintptr) bool {
	cell := foreShadow + 2*(addr&^7)
	W := *fore64(cell)
	if W>>foreTagAt != 1 || W == foreBusyW || w.tag == 0 || pc-foreFile.text >= 1<<forePcBits {
		return false
	}
	if place := foreGuardedPlace(W, *fore64(cell + 8), addr&7, n); place != 0 {
		return !write && w.section != 0 && *foreSectionOf(w, place) == foreSection{uintptr(place), foreSlots(w) - w.own}
	}
	i := foreUnitOf(W, addr&7)
	u := foreUnitAt(i)
	if u.next != 0 && W&foreLanes == 0 || uintptr(u.off) != addr&7 || uintptr(u.size) != n {
		return false
	}
	me := uint32(w.tag >> foreTagAt)
	if u.owner == me {
		return foreOwnerAgain(w, u, cell, write, pc)
	}
	if w.reads == 0 {
		return false
	}
	e := foreReadOf(w, i)
	if u.owner != 0 || write || e.what != foreReadWhat(u, i) {
		return false
	}
	if seg := foreSlots(w) - w.own; e.seg != seg {
		return foreIsRead(u) && foreNoteRead(w, e, seg, pc)
	}
	if w.epochAt != w.pos+1 {
		foreEpoch(w)
	}
	if u.guard != 0 {
		foreStamp(w, cell, u) // the first read did not, because most places are read once in a section
	}
	return true
}

// foreOwnerAgain notes an access of a unit's owner that repeats an earlier one; false: it repeats none.
func foreOwnerAgain(w *foreG, u *foreSpot, cell uintptr, write bool, pc uintptr) bool {
	note := foreNoted(w, pc-foreFile.text)
	was := u.r
	if write {
		was = u.w
		note |= foreMany
	}
	switch {
	case was>>foreTagAt != w.tag>>foreTagAt:
		return false
	case (was^note)&(1<<forePosBits-1) != 0:
		was = note
	}
	if write {
		u.w = was | foreMany
		return true
	}
	u.r = was
	foreStamp(w, cell, u)
	return true
}

// foreIsOthers tells whether another goroutine has accessed or made the memory. Repeated accesses by its
// owner do not come here.
func foreIsOthers(gp *g, addr, shadowed uintptr) bool {
	w := &gp.fore
	W := *fore64(foreShadow + 2*(shadowed&^7))
	if W == 0 && !foreIsApart(shadowed) {
		W = *fore64(forePageCell(shadowed))
	}
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
