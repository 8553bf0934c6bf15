
// Appended by foresee: sections that say nothing. With a specification a program may take a Mutex a million
// times between two events that matter. Taking one orders something only if the goroutine that unlocked it
// knew of an event that the one that locks it does not know of. So each lock has a clock of what was known at
// its last recorded unlock, and each goroutine has one; while both have the same clock, a section with
// nothing in it is not recorded. If something happens within, also the taking of another lock, the section is
// recorded before that. docs/theory/filter.md has the argument ("Sections that say nothing"); as there, a
// goroutine's own number in a clock counts its news: what it has done, and what it has learnt in other ways
// than by these locks.
//
// A clock never changes. There is room for some, and the oldest is given up for a new one: its goroutine then
// knows less than it could, and records one section more. Two are the same if their numbers are, which are
// not used twice.

const (
	foreKnowers  = 256 // goroutines with clocks; later ones record every section
	foreClocks   = 1024
	foreEventful = 4       // after so many sections in a row in which something happened, no clock is kept of the next ones
	foreQuietBit = 1 << 31 // in a lock's owner: its last holder has taken it without a record
)

var foreKnow struct {
	on     uint32
	lock   uint32
	slots  uint32
	made   uint64 // the number of the newest clock
	clocks *[foreClocks][foreKnowers]uint32
}

// foreKnowOpen is called before the program runs. A controlled program records every lock: its schedule counts them.
func foreKnowOpen() {
	if foreTurns != 0 || foreTurnOn != 0 {
		return
	}
	if p := foreMap(foreClocks * foreKnowers * 4); p != 0 {
		foreKnow.clocks = (*[foreClocks][foreKnowers]uint32)(unsafe.Pointer(p))
		foreKnow.on = 1
	}
}

// foreClockOf is the clock of that number, or nil; the lock of all is held.
func foreClockOf(number uint64) *[foreKnowers]uint32 {
	if number == 0 || number+foreClocks <= foreKnow.made {
		return nil
	}
	return &foreKnow.clocks[number%foreClocks]
}

// foreNewClock makes one that has the greater of each number of a and b, which may be nil.
func foreNewClock(a, b *[foreKnowers]uint32) uint64 {
	var both [foreKnowers]uint32 // the room may be that of a or b
	for i := range both {
		if a != nil {
			both[i] = a[i]
		}
		if b != nil && b[i] > both[i] {
			both[i] = b[i]
		}
	}
	foreKnow.made++
	foreKnow.clocks[foreKnow.made%foreClocks] = both
	return foreKnow.made
}

func foreIsWithin(a, b *[foreKnowers]uint32) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}

// foreIsKnower gives the goroutine its place in the clocks; false: there is none.
func foreIsKnower(w *foreG) bool {
	if w.slot == 0 {
		w.slot = atomic.Xadd(&foreKnow.slots, 1)
		w.news = 1
	}
	return w.slot <= foreKnowers
}

// foreLearn: w has taken the lock, which is recorded.
func foreLearn(w *foreG, s *foreSync) {
	w.shown = 0
	if !foreIsKnower(w) {
		return
	}
	foreStripeLock(&foreKnow.lock)
	theirs, mine := foreClockOf(s.know), foreClockOf(w.clock)
	switch {
	case theirs == nil || mine == nil:
		w.news++
	case foreIsWithin(theirs, mine):
	case foreIsWithin(mine, theirs):
		w.clock = s.know
	default:
		w.clock = foreNewClock(mine, theirs)
	}
	if c := foreClockOf(w.clock); c != nil && c[w.slot-1] == w.news {
		w.shown = w.clock
	}
	atomic.Store(&foreKnow.lock, 0)
}

// foreTeach: w gives the lock back, which is recorded.
func foreTeach(w *foreG, s *foreSync) {
	w.shown = 0
	w.eventful++
	if w.events == w.taught {
		w.eventful = 0
	}
	w.taught = w.events
	if w.eventful > foreEventful || !foreIsKnower(w) || foreOnStack(unsafe.Pointer(s)) {
		s.know = 0 // a lock on a stack moves with it
		return
	}
	foreStripeLock(&foreKnow.lock)
	mine := foreClockOf(w.clock)
	if mine == nil || mine[w.slot-1] != w.news {
		w.clock = foreNewClock(mine, nil)
		foreClockOf(w.clock)[w.slot-1] = w.news
	}
	s.know = w.clock
	w.shown = w.clock
	atomic.Store(&foreKnow.lock, 0)
}

// foreQuietly takes a Mutex without a record, if nothing needs to be said about it, at `pc`. On amd64 the usual way through
// Lock and Unlock does the same in assembly (fore_amd64.s), as long as the collector needs to know nothing of it.
func foreQuietly(gp *g, s *foreSync, word uint64, pc uintptr) bool {
	w := &gp.fore
	if word != 12 || s.know != w.shown || gp.quiet != nil || !foreUsers(pc) ||
		s.check != uint32(uintptr(unsafe.Pointer(s))>>2)|1 {
		return false
	}
	gp.quiet = s
	s.owner, s.at = w.id|foreQuietBit, uint32(pc-foreFile.text)
	return true
}

// foreSaid is called before w writes a record while other goroutines know all of its news.
func foreSaid(w *foreG) {
	gp := (*g)(unsafe.Pointer(uintptr(unsafe.Pointer(w)) - unsafe.Offsetof(g{}.fore)))
	w.shown = 0
	w.news++
	w.events++
	s := gp.quiet
	if s == nil {
		return
	}
	*(*uintptr)(unsafe.Pointer(&gp.quiet)) = 0 // records are also written where barriers must not be; s is used below at most
	if s.owner != w.id|foreQuietBit {
		return // another goroutine has given it back
	}
	s.taken = [foreTakenDeep]uint32{s.at}
	s.seq++
	pc := foreFile.text + uintptr(s.at)
	foreHolds(w, s, 12, pc, s.seq)
	foreOp(w, pc, s.id, 12|foreFlagDone|s.seq<<foreTicket)
}

// foreFound: w gives back a lock that another goroutine has taken quietly. Nothing has come from that
// goroutine to w since; so the lock is recorded as w's.
func foreFound(w *foreG, s *foreSync, pc uintptr) {
	s.seq++
	foreOp(w, pc, s.id, 12|foreFlagDone|s.seq<<foreTicket)
}
