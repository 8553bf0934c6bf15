
// Appended by foresee: long runs. The oldest part of the file is used again, so that the file always has the
// newest part of the run.
//
// The run has parts, each a third of the file. Everything is written for the part that its goroutine is in; a
// goroutine comes to the present part (forePart) when it next does something to an object, while no other
// goroutine can do something to that object, and so the parts of an object's operations never fall: what lies
// before a part is a beginning of the run. The first operation of a part on an object records again what the
// object is, and its state before that. The chunks of the last two parts are kept, and so are a goroutine's
// last two chunks, in which it could still complete a record; the others are used again.

const (
	foreDefBorn   = 212
	foreKeepers   = 1<<32 - 1 // the number of the thread that defines what must be known in every part
	foreSpans     = 5         // chunks of 1, 2, 4, 8, 16
	foreListEnd   = 1<<32 - 1
	foreHeadPart  = 3720
	foreHeadAgain = 3724
)

// forePart is the number of the present part, from 1 on.
var forePart uint32

var foreRing struct {
	on          uint32
	lock        uint32
	total       uint64 // chunks that were taken so far
	third       uint64 // of the file, in chunks
	first, last [foreSpans]uint32
	keeper      foreG
	keeping     uint32
}

// foreRingOpen is called before anything is recorded. What recorded memory needs is not recorded again, so
// with memory the beginning of the run is kept.
func foreRingOpen(on bool) {
	forePart = 1
	foreRing.keeper.id = foreKeepers
	foreRing.keeper.part = 1
	foreRing.third = foreFile.room / 3
	if on && foreRing.third >= 64 {
		foreRing.on = 1
		*fore32(foreFile.head + foreHeadPart) = 1
	}
}

// forePresent brings the goroutine to the present part.
func forePresent(w *foreG) {
	if part := atomic.Load(&forePart); w.part != part {
		foreTurnPage(w, part)
	}
}

// foreTurnPage moves w to that part, with the records that it has begun. Its chunks are not used again until
// these records are out of them.
func foreTurnPage(w *foreG, part uint32) {
	if w.part == 0 || w.id == foreKeepers {
		w.part = part
		return
	}
	bases, pend, was := w.bases, w.pend, w.was
	prev, chunk := w.prev, w.chunk
	w.prev, w.chunk = 0, 0
	w.pend, w.was = [2]uintptr{}, [2]uintptr{}
	w.part = part
	w.pos, w.end, w.half = 0, 0, 0
	w.bases = [4]uint64{}
	w.stale = 1
	if r := w.rec; r != 0 {
		w.rec = 0
		if word := *fore64(r); word != 0 && word&foreFlagDone == 0 {
			w.rec = foreMoved(w, r, bases)
		}
	}
	for i := 1; i >= 0; i-- {
		if r := pend[i]; r != 0 {
			if p := foreMoved(w, r+8, bases); p != 0 {
				pend[i] = p - 8
			} else {
				pend[i] = 0
			}
		}
	}
	w.pend, w.was = pend, was
	if w.chunk == 0 {
		w.prev, w.chunk = prev, chunk
		return
	}
	foreLeaveChunk(prev)
	foreLeaveChunk(chunk)
}

// foreMoved copies a record that is not complete, whose word is at r, which was the last in its chunk. It returns where
// the word is now.
func foreMoved(w *foreG, r uintptr, bases [4]uint64) uintptr {
	word := *fore64(r)
	units, where := uintptr(0), uint64(0)
	if word&0xff >= foreShortKind && word&0xff < foreDefObject {
		where = bases[word>>foreExtra&3]
		word = (word - foreShortKind) &^ (0xff << foreExtra)
	} else {
		units = uintptr(word >> foreExtra & 0xff)
		where = *fore64(r - 8)
	}
	p := foreRoom(w, 1+units)
	if p != 0 {
		for i := uintptr(0); i < units*16; i += 8 {
			*fore64(p + 16 + i) = *fore64(r + 8 + i)
		}
		*fore64(p) = where
		*fore64(p + 8) = word
		p += 8
	}
	*fore64(r) = 0
	return p
}

// foreBegun notes a record of package sync that is completed later.
func foreBegun(w *foreG, p uintptr) uintptr {
	w.pend[1], w.was[1] = w.pend[0], w.was[0]
	w.pend[0], w.was[0] = p, p
	return p
}

// foreRecord is where the record that began at rec is now.
func foreRecord(w *foreG, rec uintptr) uintptr {
	for i := range w.was {
		if rec == w.was[i] {
			return w.pend[i]
		}
	}
	return rec
}

// foreComplete notes that the record which began at rec is complete.
func foreComplete(w *foreG, rec uintptr) {
	for i := range w.was {
		if rec == w.was[i] {
			w.pend[i], w.was[i] = 0, 0
			return
		}
	}
}

// ---- chunks ----

// foreCountTaken counts chunks that were taken; a third of the file is a part.
func foreCountTaken(span uint64) {
	part := uint32(1 + atomic.Xadd64(&foreRing.total, int64(span))/foreRing.third)
	for {
		old := atomic.Load(&forePart)
		if old >= part {
			return
		}
		if atomic.Cas(&forePart, old, part) {
			atomic.Store(fore32(foreFile.head+foreHeadPart), part)
			return
		}
	}
}

// foreAgain takes the oldest chunk that is not needed, long enough for n records; 0: there is none.
func foreAgain(span uint64, n uintptr) (uintptr, uint64) {
	class := 0
	for uint64(1)<<class < span && class < foreSpans-1 {
		class++
	}
	mp := acquirem()
	foreStripeLock(&foreRing.lock)
	p := uintptr(0)
	for c := class; c < foreSpans && p == 0; c++ {
		p = forePop(c)
	}
	for c := class - 1; c >= 0 && p == 0 && uintptr(foreChunk)<<c >= n*16+32; c-- {
		p = forePop(c)
	}
	atomic.Store(&foreRing.lock, 0)
	releasem(mp)
	if p == 0 {
		return 0, 0
	}
	atomic.Store(fore32(foreFile.head+foreHeadAgain), 1)
	span = *fore64(p + 8) & 0xff
	*fore64(p) = 0
	memclrNoHeapPointers(unsafe.Pointer(p), uintptr(span)*foreChunk)
	return p, span
}

func forePop(class int) uintptr {
	first := foreRing.first[class]
	if first == 0 {
		return 0
	}
	p := foreFile.data + uintptr(first-1)*foreChunk
	head := *fore64(p + 8)
	if uint32(head)>>8+2 > atomic.Load(&forePart) {
		return 0
	}
	if head>>32 == foreListEnd {
		foreRing.first[class], foreRing.last[class] = 0, 0
	} else {
		foreRing.first[class] = uint32(head >> 32)
	}
	return p
}

// foreLeaveChunk is called when no goroutine writes to the chunk any more.
func foreLeaveChunk(p uintptr) {
	if p == 0 || foreRing.on == 0 {
		return
	}
	class := 0
	for span := *fore64(p + 8) & 0xff; uint64(1)<<class < span; {
		class++
	}
	if class >= foreSpans {
		return
	}
	number := uint32((p-foreFile.data)/foreChunk) + 1
	mp := acquirem()
	foreStripeLock(&foreRing.lock)
	*fore32(p + 12) = foreListEnd
	if last := foreRing.last[class]; last != 0 {
		*fore32(foreFile.data + uintptr(last-1)*foreChunk + 12) = number
	} else {
		foreRing.first[class] = number
	}
	foreRing.last[class] = number
	atomic.Store(&foreRing.lock, 0)
	releasem(mp)
}

// foreSettled forgets what w has begun in that chunk: its records are complete.
func foreSettled(w *foreG, p uintptr) {
	if p == 0 {
		return
	}
	n := uintptr(*fore64(p + 8)&0xff) * foreChunk
	if w.rec-p < n {
		w.rec = 0
	}
	for i := range w.pend {
		if w.pend[i]-p < n {
			w.pend[i], w.was[i] = 0, 0
		}
	}
}

// foreLeft gives up the last chunks of w, which writes nothing more.
func foreLeft(w *foreG) {
	foreLeaveChunk(w.prev)
	foreLeaveChunk(w.chunk)
	w.prev, w.chunk = 0, 0
	w.pos, w.end = 0, 0
}

// ---- what is recorded again ----

// foreBornAgain records who w is, whose creation was in an earlier part, as the record of its creation would.
func foreBornAgain(into, w *foreG) {
	gp := (*g)(unsafe.Pointer(uintptr(unsafe.Pointer(w)) - unsafe.Offsetof(g{}.fore)))
	p := foreRoom(into, 3)
	if p == 0 {
		return
	}
	*fore64(p + 16) = uint64(w.id) | uint64(w.group)<<32
	*fore64(p + 24) = uint64(uint32(foreEntry(gp)-foreFile.text)) | uint64(gp.goid)<<32
	*fore64(p + 32) = uint64(uint32(w.site))
	*fore64(p + 40) = 0
	pc := gp.gopc
	if pc == 0 {
		pc = foreFile.text
	}
	*fore64(p) = foreWhere(pc, w.id)
	*fore64(p + 8) = foreDefBorn | foreFlagDone | foreFlagStack | 2<<foreExtra
}

// foreKnown records what an object is, and its state before the present operation. `weak`: by a goroutine
// that waits for it, so that the state may change meanwhile.
func foreKnown(w *foreG, id uint32, kind, capacity uint64, made, user uint32, a, b, weak uint64) {
	p := foreRoom(w, 4)
	if p == 0 {
		return
	}
	*fore64(p + 16) = kind
	*fore64(p + 24) = capacity
	*fore64(p + 32) = uint64(user)
	*fore64(p + 40) = 0
	*fore64(p + 48) = a
	*fore64(p + 56) = b
	*fore64(p) = uint64(made) | uint64(id)<<32
	*fore64(p + 8) = foreDefObject | foreFlagStack | foreFlagInit | weak | 3<<foreExtra
}

// foreChanAgain is called for the channel's first operation in this part; the channel's lock is held.
func foreChanAgain(w *foreG, c *hchan, closed bool) {
	if c.fore.id == 0 {
		foreMake(c, 0)
		return
	}
	c.fore.part = w.part
	foreChanKnown(w, c, closed, 0)
}

func foreChanKnown(w *foreG, c *hchan, closed bool, weak uint64) {
	b := c.fore.recvs
	if closed {
		b |= 1 << 63
	}
	foreKnown(w, c.fore.id, 1, uint64(c.dataqsiz), c.fore.made, c.fore.user, c.fore.sends, b, weak)
}

// foreFresh is foreChanAgain for an operation that is done without the channel's lock.
func foreFresh(c *hchan) {
	w := &getg().fore
	forePresent(w)
	if c.fore.part != w.part {
		lock(&c.lock)
		foreID(c)
		unlock(&c.lock)
	}
}

// foreSyncAgain is called for the first operation in this part on an object of package sync, which no other
// goroutine uses now.
func foreSyncAgain(w *foreG, s *foreSync) {
	code := s.part &^ forePartBits
	if s.id == 0 || code == 0 {
		return
	}
	s.part = code | w.part
	foreKnown(w, s.id, foreSyncKinds[code>>forePartAt], 0, s.made, 0, uint64(s.owner), uint64(s.at), 0)
}

// foreSyncWeak is foreSyncAgain for a goroutine that is going to wait for s.
func foreSyncWeak(w *foreG, s *foreSync) {
	part := s.part
	if code := part &^ forePartBits; foreRing.on != 0 && part&forePartBits != w.part && s.id != 0 && code != 0 {
		foreKnown(w, s.id, foreSyncKinds[code>>forePartAt], 0, s.made, 0, uint64(s.owner), uint64(s.at), foreFlagBusy)
	}
}

const (
	forePartAt   = 24
	forePartBits = 1<<forePartAt - 1
)

// foreSyncKinds are the kinds of foreSync, by the number that is above the part.
var foreSyncKinds = [...]uint64{0, 2, 2 | (1<<1|1<<3)<<16, 2 | 1<<4<<16, 3, 6, 7}

func foreSyncCode(kind uint64) uint32 {
	for i, k := range foreSyncKinds {
		if k == kind {
			return uint32(i) << forePartAt
		}
	}
	return 0
}

// foreKeep writes what every part needs to know.
func foreKeep(where, object uint32, word uint64, text string) {
	mp := acquirem()
	foreStripeLock(&foreRing.keeping)
	units := uintptr(len(text)+15) / 16
	if p := foreRoom(&foreRing.keeper, 1+units); p != 0 {
		foreMarkBytes(p+16, units, text)
		*fore64(p) = uint64(where) | uint64(object)<<32
		*fore64(p + 8) = word | foreFlagDone | uint64(units)<<foreExtra
	}
	atomic.Store(&foreRing.keeping, 0)
	releasem(mp)
}
