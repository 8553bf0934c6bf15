
// What follows was appended by foresee. It writes a record of 8 or 16 bytes per operation into a file that is
// mapped shared (its format: capture/ring/ring.h of foresee), and does nothing else: the program waits for no
// record, and when there is no room the program goes on.
//
// An operation that succeeds at once is written complete. One that has to wait is written before it parks and
// completed, in place, by the goroutine that wakes it: that one holds the channel's lock, and knows both
// sides.

// foreG is where a goroutine (or a timer, while it fires) writes. No pointers: the
// collector need not know it.
type foreG struct {
	pos, end uintptr // next record, and the end of the chunk
	rec      uintptr // the word of the operation in which it waits
	site     uintptr // where it was created, if by Go's own code, relative to the text
	half     uintptr // a slot of short words with room for a second one
	bases    [4]uint64
	id       uint32  // number of the thread; 0: none yet
	chunks   uint32  // how many chunks were taken
	runs     uintptr // the function for which its next child is made, if the go statement names another one; of the child, its own
	peer     uint32  // thread that a signal of a condition woke
	lost     uint32  // records without room
	group    uint32  // the string that names the test that it belongs to
	oldest   uint32  // of the bases
	atom     uint32  // not 0: within an operation of sync/atomic

	// For long runs, see parts.go:
	part, stale uint32  // the part of the run; not 0: its identity must be recorded again
	chunk, prev uintptr // its last chunks
	pend, was   [2]uintptr // records of package sync that are not complete: where they are, and where they began
	waits       uintptr // the lock or wait group, if it waits for one
	rested      uintptr // for a bubble's root: who has rested there last; for others: who has before it (bubble.go)
	rests       uint32  // not 0: it is in that list

	// For recorded memory, see memory.go:
	tag          uint64  // its identity in the shadow; 0: it has none yet
	from, before uintptr // of positions: pos-from since the tag, pos+before in all
	own          uintptr // slots that are about memory
	epochSeg     uintptr // slots that are not about memory, when it got its epoch
	epochAt      uintptr // pos + 1 up to which its epoch is known to be valid
	epoch        uint32
	reads        uintptr // what it has read of shared places
	section      uintptr // and of guarded ones since it last synchronised
	room, misses uint32
	noted, reader uint32 // how many of these are not recorded; 1 + its index among the readers
	guarded      uint32 // accesses to guarded places
	spare, spares uint32 // units that it has for itself, and how many (spare.go)
	spareStep    uint32  // how many new ones it took last
	locks        [4]uint16 // guards that it has taken, the last one first; other goroutines may have given them back
	root         uint32  // not 0: no recorded goroutine created it
	slot, news   uint32  // for sections that say nothing, see know.go
	events       uint32
	taught       uint32
	eventful     uint32
	clock, shown uint64  // what it knows; the same, or 0: no other goroutine knows its news yet
	wrote        uintptr // the record of its write to a variable of a specification, which lacks the value
}

// foreChan counts the messages of a channel: its n-th receive takes its n-th send.
type foreChan struct {
	sends, recvs uint64
	id, part     uint32
	made, user   uint32 // where, relative to the text, and by whom
}

type foreTimer struct {
	id, seq uint32
	group   uint32 // of who armed it
	by      uint32 // who armed it, if it is controlled
	part    uint32 // the part of the run in which it was last defined
	made    uint32
}

// foreSync is in every mutex, wait group, ...; check tells a copy from its original.
type foreSync struct {
	seq             uint64
	id, check       uint32
	part, made      uint32 // the part, with its kind above; and where it was made
	owner, at       uint32 // of a lock: its holder, and where it was taken; of a wait group: its count
	taken           [foreTakenDeep]uint32 // from package sync outwards, where it was taken last
	know            uint64 // of a Mutex: what was known when it was last unlocked (know.go)
	first, guard    uint32 // of a lock: which goroutine took it first, and its number if it guards something
}

// foreOn is 0 when nothing is recorded.
//
//go:linkname foreOn
var foreOn uint32

// foreFile is the mapped file.
var foreFile struct {
	head, data  uintptr
	text        uintptr
	room        uint64 // chunks that fit
	reserved    uint64 // chunks that have space on the disk
	step        uint64
	fd          int32
	linger      int64
	threads     uint32
	objects     uint32
	exiting     uint32
	full        uint32
}

const (
	foreChunk = 256

	foreSignal     = 1
	foreWaitKind   = 2
	foreEndKind    = 3
	foreExitKind   = 4
	forePanicKind  = 5
	forePre        = 7
	foreSend       = 8
	foreRecv       = 9
	foreCloseKind  = 11
	foreArmKind    = 29
	foreFireKind   = 30
	foreDefObject  = 200
	foreShortKind  = 128

	foreFlagDone    = 1 << 8
	foreFlagClosed  = 1 << 9
	foreFlagBusy    = 1 << 10
	foreFlagSend    = 1 << 11
	foreFlagDefault = 1 << 12
	foreFlagStack   = 1 << 14
	foreFlagTry     = 1 << 15

	foreExtra  = 16
	foreTicket = 24

	// offsets in the file's header
	foreHeadRoom    = 24
	foreHeadNext    = 72
	foreHeadDropped = 80
	foreHeadState   = 88
	foreHeadStatus  = 92
)

//go:nosplit
func fore32(p uintptr) *uint32 { return (*uint32)(unsafe.Pointer(p)) }

//go:nosplit
func fore64(p uintptr) *uint64 { return (*uint64)(unsafe.Pointer(p)) }

// foreRoom returns where a record and its units (n in all) may be written, or 0.
func foreRoom(w *foreG, n uintptr) uintptr {
	if w.wrote != 0 {
		foreExactWritten(w)
	}
	if w.shown != 0 {
		foreSaid(w)
	}
	p := w.pos
	if p+n*16 > w.end {
		return foreMore(w, n)
	}
	w.pos = p + n*16
	return p
}

// foreMore takes chunks: few at first, since most goroutines do little.
//
//go:noinline
func foreMore(w *foreG, n uintptr) uintptr {
	born := w.id > 1 // by another: its first record says so
	if w.id == 0 {
		w.id = atomic.Xadd(&foreFile.threads, 1)
		w.root = 1
	}
	if w.part == 0 {
		w.part = atomic.Load(&forePart)
	}
	span := uint64(1)
	if w.chunks < 4 {
		span <<= w.chunks
	} else {
		span = 16
	}
	for uintptr(span)*foreChunk < n*16+32 {
		span *= 2
	}
	if w.stale != 0 && span < 2 {
		span = 2 // what it is has room, too
	}
	written := w.pos + w.before
	p, span := foreChunkFor(span, n)
	if p == 0 {
		foreDrop(w)
		return 0
	}
	foreHave(w, p, span)
	w.pos = p + 16
	w.end = p + uintptr(span)*foreChunk
	foreChunked(w, written, w.pos, w.end)
	if w.chunks++; w.chunks == 1 && born && w.id != foreKeepers {
		*fore64(p + 24) = foreWaitKind | foreFlagDone
		w.pos += 16
	}
	if w.stale != 0 {
		w.stale = 0
		if w.root == 0 {
			foreBornAgain(w, w)
		}
	}
	return foreRoom(w, n)
}

// foreChunkFor takes a chunk of that span, or one that was used long ago and has room for n records; 0: there is none.
func foreChunkFor(span uint64, n uintptr) (uintptr, uint64) {
	if foreFile.full != 0 {
		return 0, 0
	}
	next := fore64(foreFile.head + foreHeadNext)
	if foreRing.on == 0 || atomic.Load64(next) < foreFile.room {
		k := atomic.Xadd64(next, int64(span))
		if k <= foreFile.room && (k <= atomic.Load64(&foreFile.reserved) || foreReserve(k)) {
			if foreRing.on != 0 {
				foreCountTaken(span)
			}
			return foreFile.data + uintptr(k-span)*foreChunk, span
		}
		if k <= foreFile.room { // the disk is full: nobody reads beyond what it has
			foreFile.room = atomic.Load64(&foreFile.reserved)
			*fore64(foreFile.head + foreHeadRoom) = foreFile.room
		}
	}
	// Many goroutines may hold on to much of a small file: then parts are shorter.
	for i := uint64(0); i < 3 && foreRing.on != 0 && span <= 1<<(foreSpans-1); i++ {
		if p, span := foreAgain(span, n); p != 0 {
			foreCountTaken(span)
			return p, span
		}
		foreCountTaken(foreRing.third)
	}
	foreFile.full = 1
	atomic.Store(fore32(foreFile.head+foreHeadState), 3)
	return 0, 0
}

// foreHave makes the chunk the last one of w, and gives up the one before the last: records that w still has
// to complete are in the last two.
func foreHave(w *foreG, p uintptr, span uint64) {
	head := span
	if foreRing.on != 0 {
		head |= uint64(w.part) << 8
		w.bases = [4]uint64{} // each chunk can be read by itself
		w.half = 0
		foreSettled(w, w.prev)
		foreLeaveChunk(w.prev)
		w.prev, w.chunk = w.chunk, p
	}
	*fore64(p + 8) = head
	*fore64(p) = uint64(w.id) | uint64(w.chunks)<<32
}

func foreDrop(w *foreG) {
	w.lost++
	if w.lost&63 == 1 {
		atomic.Xadd64(fore64(foreFile.head+foreHeadDropped), 1)
	} else if w.lost&63 == 0 {
		atomic.Xadd64(fore64(foreFile.head+foreHeadDropped), 63)
	}
}

func foreWhere(pc uintptr, object uint32) uint64 {
	return uint64(uint32(pc-foreFile.text)) | uint64(object)<<32
}

// foreOp writes a record without units.
func foreOp(w *foreG, pc uintptr, object uint32, word uint64) uintptr {
	p := foreRoom(w, 1)
	if p != 0 {
		*fore64(p) = foreWhere(pc, object)
		*fore64(p + 8) = word
	}
	return p
}

// foreChanOp writes a send or a receive and returns where its word is. An operation at a place and on a
// channel that the goroutine has named before needs no whole record: two such operations share a slot.
func foreChanOp(w *foreG, pc uintptr, object uint32, word uint64) uintptr {
	if w.shown != 0 {
		foreSaid(w)
	}
	where := foreWhere(pc, object)
	b := uint64(0)
	for w.bases[b] != where {
		if b++; b == uint64(len(w.bases)) {
			return foreBase(w, where, word)
		}
	}
	short := word + (foreShortKind | b<<foreExtra)
	if p := w.half; p != 0 && p+16 == w.pos {
		w.half = 0
		*fore64(p) = short
		return p
	}
	p := foreRoom(w, 1)
	if p == 0 {
		return 0
	}
	if w.bases[b] != where { // the room is in a new chunk, which has no bases yet
		return foreBaseAt(w, p, b, where, word)
	}
	if foreMemory == 0 { // otherwise accesses may come between the two
		w.half = p
	}
	*fore64(p + 8) = short
	return p + 8
}

// foreBase writes a whole record, which is a base from then on. The number of the base is in the two lowest bits of the
// address: any address within the call says where it is.
func foreBase(w *foreG, where, word uint64) uintptr {
	b := uint64(0)
	for b < uint64(len(w.bases)) && w.bases[b] != where {
		b++
	}
	if b == uint64(len(w.bases)) {
		b = uint64(w.oldest)
		w.oldest = (w.oldest + 1) % uint32(len(w.bases))
	}
	p := foreRoom(w, 1)
	if p == 0 {
		return 0
	}
	return foreBaseAt(w, p, b, where, word)
}

func foreBaseAt(w *foreG, p uintptr, b, where, word uint64) uintptr {
	w.bases[b] = where
	*fore64(p) = where - (where-b)&3
	*fore64(p + 8) = word
	return p + 8
}

// foreUnit writes a record with one unit.
func foreUnit(w *foreG, pc uintptr, object uint32, word, a, b uint64) uintptr {
	p := foreRoom(w, 2)
	if p != 0 {
		*fore64(p + 16) = a
		*fore64(p + 24) = b
		*fore64(p) = foreWhere(pc, object)
		*fore64(p + 8) = word | 1<<foreExtra
	}
	return p
}

// foreBP returns the frame pointer of its caller.
func foreBP() uintptr

// foreCallers writes up to n callers, from the frame fp outwards, at p; 0 for those that are not there.
func foreCallers(gp *g, fp, p, n uintptr) {
	for i := uintptr(0); i < n; i++ {
		pc := uintptr(0)
		if fp >= gp.stack.lo && fp+16 <= gp.stack.hi {
			pc = *(*uintptr)(unsafe.Pointer(fp + 8))
			fp = *(*uintptr)(unsafe.Pointer(fp))
		} else {
			fp = 0
		}
		if pc != 0 {
			pc -= foreFile.text
		}
		*fore32(p + i*4) = uint32(pc)
	}
}

// foreDepth counts the frames from fp outwards, as far as they are told.
func foreDepth(gp *g, fp uintptr) uintptr {
	n := uintptr(0)
	for n < foreDeepest && fp >= gp.stack.lo && fp+16 <= gp.stack.hi {
		fp = *(*uintptr)(unsafe.Pointer(fp))
		n++
	}
	return n
}

// foreReturn is the address to which the frame fp returns.
func foreReturn(gp *g, fp uintptr) uintptr {
	if fp < gp.stack.lo || fp+16 > gp.stack.hi {
		return 0
	}
	return *(*uintptr)(unsafe.Pointer(fp + 8))
}

// foreDefine gives an object its number; fp is the frame whose return address is pc.
func foreDefine(kind, capacity uint64, pc, fp uintptr) uint32 {
	gp := getg()
	id := atomic.Xadd(&foreFile.objects, 1)
	p := foreRoom(&gp.fore, 3)
	if p == 0 {
		return id
	}
	*fore64(p + 16) = kind
	*fore64(p + 24) = capacity
	up := uintptr(0)
	if fp >= gp.stack.lo && fp+16 <= gp.stack.hi {
		up = *(*uintptr)(unsafe.Pointer(fp))
	}
	foreCallers(gp, up, p+32, 4)
	*fore64(p) = foreWhere(pc, id)
	*fore64(p + 8) = foreDefObject | foreFlagStack | 2<<foreExtra
	return id
}

//go:noinline
func foreMake(c *hchan, pc uintptr) {
	bp := foreBP() // this frame's; the next is makechan's
	w := &getg().fore
	forePresent(w)
	c.fore.id = foreDefine(1, uint64(c.dataqsiz), pc, *(*uintptr)(unsafe.Pointer(bp)))
	c.fore.part = w.part
	if pc != 0 {
		c.fore.made = uint32(pc - foreFile.text)
	}
	if foreRing.on != 0 && w.pos != 0 {
		c.fore.user = uint32(foreSite(pc, w.pos-16))
	}
}

func foreID(c *hchan) uint32 {
	w := &getg().fore
	forePresent(w)
	return foreHereID(w, c)
}

// foreHereID is foreID for a goroutine that is in the present part.
func foreHereID(w *foreG, c *hchan) uint32 {
	if c.fore.part != w.part {
		foreChanAgain(w, c, c.closed != 0)
	}
	return c.fore.id
}

func foreTry(block bool) uint64 {
	if block {
		return 0
	}
	return foreFlagTry
}

// forePatch completes the record of a goroutine that waits.
func forePatch(gp *g, object uint32, flags uint64) {
	r := gp.fore.rec
	if r == 0 {
		return
	}
	w := *fore64(r)
	if w&foreFlagDone != 0 {
		return
	}
	if part := getg().fore.part; gp.fore.part != part {
		foreTurnPage(&gp.fore, part)
		if r = gp.fore.rec; r == 0 {
			return
		}
		w = *fore64(r)
	}
	if w&0xff == forePre {
		*fore32(r - 4) = object
	} else {
		flags &^= foreFlagSend
	}
	*fore64(r) = w | flags | foreFlagDone
}

// foreSpawn runs on the system stack, on behalf of `by`.
func foreSpawn(by, newg *g, pc uintptr) {
	if isSystemGoroutine(newg, false) {
		return
	}
	forePresent(&by.fore)
	newg.fore.id = atomic.Xadd(&foreFile.threads, 1)
	newg.fore.group = by.fore.group
	newg.fore.part = by.fore.part
	fp := uintptr(0)
	if getg() != by { // systemstack saved the frame of newproc
		if bp := by.sched.bp; bp >= by.stack.lo && bp+16 <= by.stack.hi {
			fp = *(*uintptr)(unsafe.Pointer(bp))
		}
	}
	units := (foreDepth(by, fp) + 3) / 4
	if units == 0 {
		units = 1
	}
	p := foreRoom(&by.fore, 2+units)
	if p == 0 {
		return
	}
	*fore64(p + 16) = uint64(newg.fore.id) | uint64(newg.fore.group)<<32
	newg.fore.runs, by.fore.runs = by.fore.runs, 0
	*fore64(p + 24) = uint64(uint32(foreEntry(newg)-foreFile.text)) | uint64(newg.goid)<<32
	foreCallers(by, fp, p+32, units*4)
	if !foreUsers(pc) {
		newg.fore.site = foreSite(pc, p+32)
	}
	*fore64(p) = foreWhere(pc, 0)
	*fore64(p + 8) = foreSignal | foreFlagDone | foreFlagStack | (1+uint64(units))<<foreExtra
}

// foreEntry is the function that a goroutine is named by.
func foreEntry(gp *g) uintptr {
	if gp.fore.runs != 0 {
		return gp.fore.runs
	}
	return gp.startpc
}

// foreWillCall: the goroutine that a wait group starts next will call f.
//
//go:linkname foreWillCall sync.foreWillCall
func foreWillCall(f func()) {
	if f != nil {
		getg().fore.runs = **(**uintptr)(unsafe.Pointer(&f))
	}
}

// foreSite is the first place of the program among four callers that were written at p.
func foreSite(pc, p uintptr) uintptr {
	callers := [5]uintptr{pc}
	for i := uintptr(0); i < 4; i++ {
		if up := *fore32(p + i*4); up != 0 {
			callers[i+1] = foreFile.text + uintptr(up)
		}
	}
	if up := foreFirstUser(callers[:]); up != 0 {
		return up - foreFile.text
	}
	return 0
}

func foreEnd() {
	gp := getg()
	foreBubbleEnds(gp)
	foreTableEnd(&gp.fore)
	foreGiveUnits(&gp.fore)
	foreOp(&gp.fore, foreFile.text, 0, foreEndKind|foreFlagDone)
	if n := gp.fore.lost & 63; n > 1 {
		atomic.Xadd64(fore64(foreFile.head+foreHeadDropped), int64(n-1))
	}
	foreLeft(&gp.fore)
}

// foreExit lets the other goroutines come to rest, so that those that still wait then wait for ever or nearly
// so, and marks the end.
func foreExit(status int32) {
	if !atomic.Cas(&foreFile.exiting, 0, 1) {
		return
	}
	foreEnded(foreHow())
	over := *fore32(foreFile.head + foreHeadEnded) == 1 // otherwise no goroutine has to come to an end
	if over && foreFile.linger > 0 && $GCOUNT > 1 && foreTurnOn == 0 {
		foreRest()
	}
	if over {
		foreWhereAll(&getg().fore)
	}
	foreTime()
	foreOp(&getg().fore, foreFile.text, 0, foreExitKind|foreFlagDone)
	*(*int32)(unsafe.Pointer(foreFile.head + foreHeadStatus)) = status
	atomic.Cas(fore32(foreFile.head+foreHeadState), 0, 1)
}

// foreDeadlock is called when no goroutine can run any more.
func foreDeadlock() {
	var w *foreG // that of any goroutine: none writes any more
	forEachGRace(func(gp *g) {
		if gp.fore.id != 0 && w == nil {
			w = &gp.fore
		}
	})
	if w != nil {
		foreWhereAll(w)
	}
	foreTime()
	atomic.Cas(fore32(foreFile.head+foreHeadState), 0, 2)
}

// foreFatal notes the panic that ends the program, at the innermost frame outside the runtime and package
// sync. An operation that sync itself refused (an unlock of an unlocked mutex, a negative wait group) did not
// happen: its record becomes the panic.
//
//go:noinline
func foreFatal() {
	gp := getg()
	if gp == gp.m.g0 || gp == gp.m.gsignal {
		return
	}
	pc, refused, how := uintptr(0), false, uint32(5)
	for fp := foreBP(); fp >= gp.stack.lo && fp+16 <= gp.stack.hi; fp = *(*uintptr)(unsafe.Pointer(fp)) {
		pc = *(*uintptr)(unsafe.Pointer(fp + 8))
		name := ""
		if f := findfunc(pc); f.valid() {
			name = funcname(f)
		}
		if foreIn(name, "testing.(*M).startAlarm") { // the test's time is over
			how = 1
		}
		if foreIn(name, "sync.") || foreIn(name, "internal/sync.") {
			refused = true
		} else if name != "" && !foreIn(name, "runtime.") && !foreIn(name, "internal/") && !foreIn(name, "testing.tRunner.func") {
			break
		}
	}
	foreEnded(how)
	undone := refused && foreUndo(&gp.fore)
	foreWhereAll(&gp.fore)
	foreTime()
	if !undone {
		foreOp(&gp.fore, pc, 0, forePanicKind|foreFlagDone)
	}
}

func foreIn(name, prefix string) bool {
	return len(name) >= len(prefix) && name[:len(prefix)] == prefix
}

// foreUndo turns the last record, of the operation that was refused (or of a wait for a group that was used
// again too soon), into the record of the panic.
func foreUndo(w *foreG) bool {
	if w.pos == 0 {
		return false
	}
	k := *fore64(w.pos-8) & 0xff
	if k == 14 || k == 17 || k == 27 || *fore64(w.pos-8)&(0xff|foreFlagDone) == 28 {
		*fore32(w.pos - 12) = 0
		*fore64(w.pos - 8) = forePanicKind | foreFlagDone
		return true
	}
	if *fore64(w.pos - 24)&0xffff == 26|foreFlagDone && *fore64(w.pos - 24)>>foreExtra&0xff == 1 {
		*fore32(w.pos - 28) = 0
		*fore64(w.pos - 24) = forePanicKind | foreFlagDone | 1<<foreExtra
		return true
	}
	return false
}

//go:noinline
func foreArm(t *foreTimer) {
	gp := getg()
	bp := *(*uintptr)(unsafe.Pointer(foreBP())) // the frame of newTimer, called by time
	pc := foreReturn(gp, bp)
	up := gp.stack.hi - bp
	where := foreUser(gp, pc, bp)
	forePresent(&gp.fore)
	if t.id == 0 {
		t.id = foreDefine(8, 0, pc, gp.stack.hi-up)
		t.made, t.part = uint32(pc-foreFile.text), gp.fore.part
	} else if t.part != gp.fore.part {
		t.part = gp.fore.part
		foreKnown(&gp.fore, t.id, 8, 0, t.made, uint32(where-foreFile.text), 0, 0, 0)
	}
	t.group = gp.fore.group
	seq := atomic.Xadd(&t.seq, 1)
	foreOp(&gp.fore, where, t.id, foreArmKind|foreFlagDone|uint64(seq)<<foreTicket)
}

// foreFire begins a thread of its own for the timer's actions.
func foreFire(t *foreTimer) {
	w := &getg().fore
	*w = foreG{group: t.group}
	forePresent(w)
	if t.part != w.part {
		t.part = w.part
		foreKnown(w, t.id, 8, 0, t.made, 0, 0, 0, 0)
	}
	seq := atomic.Xadd(&t.seq, 1)
	foreOp(w, foreFile.text, t.id, foreFireKind|foreFlagDone|uint64(seq)<<foreTicket)
	foreBubbleGoes(getg())
}
