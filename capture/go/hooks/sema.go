
// Appended by foresee: the functions that package sync calls. Their caller is the method that the program
// called.

// foreSyncDefined stands in place of a check while a goroutine gives the object its number.
const foreSyncDefined = 2

func foreSyncID(s *foreSync, kind uint64, pc, fp uintptr) uint32 {
	check := uint32(uintptr(unsafe.Pointer(s))>>2) | 1
	old := atomic.Load(&s.check)
	if old == check {
		return atomic.Load(&s.id)
	}
	for n := 0; old == foreSyncDefined || !atomic.Cas(&s.check, old, foreSyncDefined); n++ {
		if n < 30 { // the other goroutine may be descheduled
			procyield(20)
		} else {
			Gosched()
		}
		if old = atomic.Load(&s.check); old == check {
			return atomic.Load(&s.id)
		}
	}
	// New, or a copy of another: its number is its own.
	w := &getg().fore
	forePresent(w)
	id := foreDefine(kind, 0, pc, fp)
	s.part = foreSyncCode(kind) | w.part
	s.made = uint32(pc - foreFile.text)
	s.first, s.guard, s.know = 0, 0, 0
	if old != 0 {
		foreSyncCopied(w, s, kind, id, pc)
	}
	s.id = id
	atomic.Store(&s.check, check)
	return id
}

// foreReadersAt is where in a RWMutex its readers are counted, from its foreSync.
//
//go:linkname foreReadersAt
var foreReadersAt uintptr

// foreSyncCopied begins the copy of an object that was held, counted, or had run. The first goroutine that uses the copy
// records that state as its own operations, because where the copy was made is not known; nor is, therefore, what
// else those operations would come after. The tickets of the copy are its own.
func foreSyncCopied(w *foreG, s *foreSync, kind uint64, id uint32, pc uintptr) {
	owner, at, was, n := s.owner, s.at, atomic.Load64(&s.seq)&^foreTaken, uint64(0)
	s.owner, s.at = 0, 0
	if kind&0xff == 2 && owner&foreQuietBit != 0 { // held, if it is, without a record: who gives it back finds that
		s.owner, owner = owner, 0
	}
	switch {
	case kind == 7 && owner != 0:
		n = 1
		s.owner = owner
		foreUnit(w, pc, id, 26|foreFlagDone|n<<foreTicket, uint64(int32(owner)), 0)
	case kind == 6 && was != 0:
		foreOp(w, pc, id, 25|foreFlagDone|1<<foreTicket)
		atomic.Store64(&s.seq, 1)
		return
	case kind&0xff == 2 && owner != 0:
		n = 1
		s.owner, s.at = w.id, at
		foreOp(w, foreFile.text+uintptr(at), id, 12|foreFlagDone|n<<foreTicket)
	case kind == foreSyncKinds[2]:
		readers := *(*int32)(add(unsafe.Pointer(s), foreReadersAt))
		if readers < 0 { // a writer waits for them
			readers += 1 << 30
		}
		for ; n < uint64(uint32(readers)); n++ {
			foreOp(w, pc, id, 15|foreFlagDone|(n+1)<<foreTicket)
		}
	}
	atomic.Store64(&s.seq, n)
	if n != 0 && !foreOnStack(unsafe.Pointer(s)) { // else only the stack has moved
		const text = "when what is locked or counted was copied"
		foreKeep(uint32(pc-foreFile.text), 0, foreDefUnseen|uint64(len(text))<<foreTicket, text)
	}
}

const foreTakenDeep = 4

// foreTakes notes the callers of the method of package sync that took a lock, whose frame is fp; the calling
// goroutine holds the lock.
func foreTakes(gp *g, s *foreSync, fp uintptr) {
	low, text := gp.stack.lo, foreFile.text
	room := gp.stack.hi - 16 - low
	for i := range s.taken {
		if fp-low > room {
			s.taken[i] = 0
			return
		}
		s.taken[i] = uint32(*(*uintptr)(unsafe.Pointer(fp + 8)) - text)
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
}

// foreHolds notes which goroutine has a lock, after such an operation with that ticket.
func foreHolds(w *foreG, s *foreSync, kind uint64, where uintptr, ticket uint64) {
	switch kind & (0xff | foreFlagBusy) {
	case 12, 13:
		s.owner, s.at = w.id, uint32(where-foreFile.text)
		if foreShadow != 0 {
			foreGuardTaken(w, s, ticket)
		}
	case 14:
		s.owner, s.at = 0, 0
		if foreShadow != 0 {
			foreGuardGiven(w, s, ticket)
		}
	}
}

// foreSyncHere is the number of s and the place of the operation: that of the program, though
// package sync called itself.
func foreSyncHere(gp *g, s *foreSync, kind uint64, pc, fp uintptr) (uint32, uintptr) {
	from := pc
	up := gp.stack.hi - fp // the stack may move
	if !foreUsers(pc) {
		pc = foreUser(gp, pc, fp)
	}
	return foreSyncID(s, kind, from, gp.stack.hi-up), pc
}

// foreUsers tells whether pc is known to be the program's own.
func foreUsers(pc uintptr) bool {
	return foreOwners[pc%uintptr(len(foreOwners))] == uint64(pc)<<3|foreOfUser
}

// foreUser is the innermost caller that is the program's own, or the place that created the
// goroutine.
//
//go:noinline
func foreUser(gp *g, pc, fp uintptr) uintptr {
	var callers [5]uintptr // read before the stack can move
	for i := range callers {
		callers[i] = foreReturn(gp, fp)
		if callers[i] == 0 {
			break
		}
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	if up := foreFirstUser(callers[:]); up != 0 {
		return up
	}
	if gp.fore.site != 0 {
		return gp.fore.site + foreFile.text
	}
	return pc
}

func foreFirstUser(callers []uintptr) uintptr {
	for _, pc := range callers {
		if pc != 0 && foreWhose(pc) == foreOfUser {
			return pc
		}
	}
	return 0
}

// foreSyncMoved keeps the number of what is held, though the stack that it lies on moved.
func foreSyncMoved(s *foreSync) {
	if s.id != 0 {
		s.check = uint32(uintptr(unsafe.Pointer(s))>>2) | 1
	}
}

// foreSyncEvent writes a record; kind is the object's, word the event's. It takes a ticket if
// word has none and the object was not found busy.
//
//go:linkname foreSyncEvent sync.foreEvent
//go:noinline
func foreSyncEvent(s *foreSync, kind, word uint64) {
	gp := getg()
	fp := *(*uintptr)(unsafe.Pointer(foreBP()))
	pc := foreReturn(gp, fp)
	id, pc := foreSyncHere(gp, s, kind, pc, fp)
	w := &gp.fore
	k := word & 0xff
	if word&foreFlagBusy == 0 && (k == 12 || k == 13) {
		foreTakes(gp, s, *(*uintptr)(unsafe.Pointer(foreBP())))
	}
	switch {
	case word&foreFlagBusy != 0 && (k == 13 || k == 16):
		forePresent(w)
		foreSyncWeak(w, s)
		foreOp(w, pc, id, word|foreFlagDone)
	case word>>foreTicket != 0:
		forePresent(w)
		if s.part&forePartBits != w.part {
			foreSyncAgain(w, s)
		}
		foreOp(w, pc, id, word|foreFlagDone)
	default:
		n := foreSyncTake(s)
		foreHolds(w, s, word, pc, n)
		foreOp(w, pc, id, word|foreFlagDone|n<<foreTicket)
		atomic.Store64(&s.seq, n)
	}
}

// foreSyncHeld is foreSyncEvent for operations of the holder only, which need no atomic counter.
//
//go:linkname foreSyncHeld sync.foreHeld
//go:noinline
func foreSyncHeld(s *foreSync, kind, word uint64) {
	gp := getg()
	if word == 14 && gp.quiet == s && s.owner == gp.fore.id|foreQuietBit {
		gp.quiet = nil
		return
	}
	fp := *(*uintptr)(unsafe.Pointer(foreBP()))
	pc := foreReturn(gp, fp)
	if gp.fore.shown != 0 && foreQuietly(gp, s, word, pc) {
		return
	}
	if word&0xff != 14 {
		foreTakes(gp, s, fp)
	}
	id := s.id
	if check := uint32(uintptr(unsafe.Pointer(s))>>2) | 1; s.check != check || id == 0 {
		if word&0xff == 14 {
			foreSyncMoved(s)
		}
		id = foreSyncID(s, kind, pc, fp)
	}
	if !foreUsers(pc) {
		pc = foreUser(gp, pc, fp)
	}
	w := &gp.fore
	forePresent(w)
	if s.part&forePartBits != w.part {
		foreSyncAgain(w, s)
	}
	if foreKnow.on != 0 {
		foreHeldKnown(gp, s, word, pc, id)
		return
	}
	s.seq++
	foreHolds(w, s, word, pc, s.seq)
	foreOp(w, pc, id, word|foreFlagDone|s.seq<<foreTicket)
}

// foreMutexState is the word behind the foreSync of a Mutex; its lowest bit tells whether the Mutex is locked.
func foreMutexState(s *foreSync) *uint32 {
	return fore32(uintptr(unsafe.Pointer(s)) + unsafe.Sizeof(foreSync{}))
}

// foreHeldKnown records what is done to a Mutex where sections that say nothing are left out. Taking or
// giving back the lock is no news to other goroutines; what was learnt by taking it is.
func foreHeldKnown(gp *g, s *foreSync, word uint64, pc uintptr, id uint32) {
	w := &gp.fore
	if gp.quiet != nil {
		foreSaid(w)
	}
	if word == 14 && s.owner&foreQuietBit != 0 && *foreMutexState(s)&1 != 0 {
		foreFound(w, s, pc)
	}
	if word == 14 {
		foreTeach(w, s)
	}
	news, events, shown := w.news, w.events, w.shown
	s.seq++
	foreHolds(w, s, word, pc, s.seq)
	foreOp(w, pc, id, word|foreFlagDone|s.seq<<foreTicket)
	switch word {
	case 12:
		w.news, w.events = news, events
		foreLearn(w, s)
	case 14:
		w.news, w.events, w.shown = news, events, shown
	}
}

// foreSyncTwo writes a record with a unit, which is completed later.
//
//go:linkname foreSyncTwo sync.foreTwo
//go:noinline
func foreSyncTwo(s *foreSync, kind, word, a, b uint64) uintptr {
	gp := getg()
	fp := *(*uintptr)(unsafe.Pointer(foreBP()))
	pc := foreReturn(gp, fp)
	id, pc := foreSyncHere(gp, s, kind, pc, fp)
	forePresent(&gp.fore)
	if word&0xff == 18 { // a wait for a condition
		foreBubbleRests(gp)
	}
	p := foreUnit(&gp.fore, pc, id, word, a, b)
	if word&foreFlagDone == 0 {
		foreBegun(&gp.fore, p)
	}
	return p
}

// foreSyncSpins waits for a moment and says true, if that is of use: other threads run, and no other goroutine
// wants to.
//
//go:linkname foreSyncSpins sync.foreSpins
//go:nosplit
func foreSyncSpins(n int) bool {
	if n >= 4 || gomaxprocs <= 1 || foreTurns != 0 || !runqempty(getg().m.p.ptr()) {
		return false
	}
	procyield(30)
	return true
}

// foreSyncPre records an operation that is going to wait.
//
//go:linkname foreSyncPre sync.forePre
//go:noinline
func foreSyncPre(s *foreSync, kind, word uint64) uintptr {
	gp := getg()
	fp := *(*uintptr)(unsafe.Pointer(foreBP()))
	pc := foreReturn(gp, fp)
	id, pc := foreSyncHere(gp, s, kind, pc, fp)
	forePresent(&gp.fore)
	if foreKnow.on != 0 && gp.quiet != nil {
		foreSaid(&gp.fore)
	}
	foreBubbleRests(gp)
	if kind&0xff == 2 || word&0xff == 28 {
		gp.fore.waits = uintptr(unsafe.Pointer(s))
		foreSyncWeak(&gp.fore, s)
	}
	return foreBegun(&gp.fore, foreOp(&gp.fore, pc, id, word))
}

//go:linkname foreSyncDone sync.foreDone
//go:noinline
func foreSyncDone(s *foreSync, rec uintptr, flags uint64) {
	w := &getg().fore
	n := foreSyncTake(s)
	if p := foreRecord(w, rec); p != 0 {
		if *fore64(p + 8)&0xff == 12 {
			foreTakes(getg(), s, *(*uintptr)(unsafe.Pointer(foreBP())))
		}
		foreHolds(w, s, *fore64(p + 8), foreFile.text+uintptr(*fore32(p)), n)
		*fore64(p + 8) |= foreFlagDone | flags | n<<foreTicket
	}
	foreComplete(w, rec)
	w.waits = 0
	atomic.Store64(&s.seq, n)
}

// foreSyncCaller is the place from which the calling method was called, and that method's frame.
//
//go:linkname foreSyncCaller sync.foreCaller
//go:noinline
func foreSyncCaller() (pc, fp uintptr) {
	fp = *(*uintptr)(unsafe.Pointer(foreBP()))
	return foreReturn(getg(), fp), fp
}

// foreSyncAt writes a record for that place, or with word 0 only makes the object known.
//
//go:linkname foreSyncAt sync.foreAt
func foreSyncAt(s *foreSync, kind, word uint64, pc, fp uintptr) {
	id := foreSyncID(s, kind, pc, fp)
	if word != 0 {
		w := &getg().fore
		n := foreSyncTake(s)
		foreHolds(w, s, word, pc, n)
		foreOp(w, pc, id, word|foreFlagDone|n<<foreTicket)
		atomic.Store64(&s.seq, n)
	}
}

// foreSyncTurn makes a wait that is over another operation, on s.
//
//go:linkname foreSyncTurn sync.foreTurn
func foreSyncTurn(s *foreSync, rec uintptr, word uint64) {
	w := &getg().fore
	n := foreSyncTake(s)
	if p := foreRecord(w, rec); p != 0 {
		*fore32(p + 4) = s.id
		*fore64(p + 8) = word | foreFlagDone | n<<foreTicket
	}
	foreComplete(w, rec)
	w.waits = 0
	atomic.Store64(&s.seq, n)
}

const foreTaken = 1 << 63

// foreSyncTake begins an operation that nobody else's comes into, and says its ticket. The
// holder may be descheduled.
//
//go:linkname foreSyncTake sync.foreTake
func foreSyncTake(s *foreSync) uint64 {
	for n := 0; ; n++ {
		v := atomic.Load64(&s.seq)
		if v&foreTaken == 0 && atomic.Cas64(&s.seq, v, v|foreTaken) {
			w := &getg().fore
			forePresent(w)
			if s.part&forePartBits != w.part {
				foreSyncAgain(w, s)
			}
			return v + 1
		}
		if n < 30 {
			procyield(20)
		} else {
			Gosched()
		}
	}
}

//go:linkname foreSyncGive sync.foreGive
func foreSyncGive(s *foreSync, rec uintptr, ticket uint64) {
	if rec != 0 {
		foreSyncMark(foreSyncMe(), rec, ticket)
	}
	atomic.Store64(&s.seq, ticket)
}

// foreSyncMark completes a record of `who`, which is the caller or waits.
//
//go:linkname foreSyncMark sync.foreMark
func foreSyncMark(who, rec uintptr, ticket uint64) {
	w := (*foreG)(unsafe.Pointer(who))
	if part := getg().fore.part; w.part != part {
		foreTurnPage(w, part)
	}
	if p := foreRecord(w, rec); p != 0 {
		*fore64(p + 8) |= foreFlagDone | ticket<<foreTicket
	}
	foreComplete(w, rec)
	w.waits = 0
}

// foreSyncMe is the goroutine, for foreSyncMark.
//
//go:linkname foreSyncMe sync.foreMe
func foreSyncMe() uintptr {
	return uintptr(unsafe.Pointer(&getg().fore))
}

// foreSyncHolding takes a ticket of a lock that is held, for the wait that gives (or took) it.
//
//go:linkname foreSyncHolding sync.foreHolding
func foreSyncHolding(s *foreSync, took bool) (uint64, uint64) {
	w := &getg().fore
	if s.id == 0 {
		return 0, 0
	}
	if w.shown != 0 {
		foreSaid(w)
	}
	s.know = 0
	n := foreSyncTake(s)
	s.owner, s.at = 0, 0
	if took {
		s.owner = w.id
	}
	if foreShadow != 0 && took {
		foreGuardTaken(w, s, n)
	} else if foreShadow != 0 {
		foreGuardGiven(w, s, n)
	}
	atomic.Store64(&s.seq, n)
	return uint64(s.id), n
}

//go:linkname foreSyncUnit sync.foreUnit
func foreSyncUnit(rec uintptr, a, b uint64) {
	if p := foreRecord(&getg().fore, rec); p != 0 {
		*fore64(p + 16) = a
		*fore64(p + 24) = b
	}
}

//go:linkname foreSyncPeer sync.forePeer
func foreSyncPeer() uint64 {
	w := &getg().fore
	peer := w.peer
	w.peer = 0
	return uint64(peer)
}
