
// Appended by foresee: what package sync calls. Its caller is the method that the program called.

func foreSyncID(s *foreSync, kind uint64, pc, fp uintptr) uint32 {
	check := uint32(uintptr(unsafe.Pointer(s))>>2) | 1
	old := atomic.Load(&s.check)
	if old == check {
		for {
			if id := atomic.Load(&s.id); id != 0 {
				return id
			}
			procyield(10) // another goroutine gives it its number just now
		}
	}
	if !atomic.Cas(&s.check, old, check) {
		return foreSyncID(s, kind, pc, fp)
	}
	// New, or a copy of another: its number is its own.
	id := foreDefine(kind, 0, pc, fp)
	atomic.Store(&s.id, id)
	return id
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
	return foreOwners[pc%uintptr(len(foreOwners))] == uint64(pc)<<2|foreOfUser
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
	if k := word & 0xff; word>>foreTicket == 0 && !(word&foreFlagBusy != 0 && (k == 13 || k == 16)) {
		word |= uint64(atomic.Xadd(&s.seq, 1)) << foreTicket
	}
	foreOp(&gp.fore, pc, id, word|foreFlagDone)
}

// foreSyncHeld is foreSyncEvent for what only the holder does: it needs no atomic counter.
//
//go:linkname foreSyncHeld sync.foreHeld
//go:noinline
func foreSyncHeld(s *foreSync, kind, word uint64) {
	gp := getg()
	fp := *(*uintptr)(unsafe.Pointer(foreBP()))
	pc := foreReturn(gp, fp)
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
	s.seq++
	foreOp(&gp.fore, pc, id, word|foreFlagDone|uint64(s.seq)<<foreTicket)
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
	return foreUnit(&gp.fore, pc, id, word, a, b)
}

// foreSyncPre writes what is going to wait.
//
//go:linkname foreSyncPre sync.forePre
//go:noinline
func foreSyncPre(s *foreSync, kind, word uint64) uintptr {
	gp := getg()
	fp := *(*uintptr)(unsafe.Pointer(foreBP()))
	pc := foreReturn(gp, fp)
	id, pc := foreSyncHere(gp, s, kind, pc, fp)
	return foreOp(&gp.fore, pc, id, word)
}

//go:linkname foreSyncDone sync.foreDone
func foreSyncDone(s *foreSync, rec uintptr, flags uint64) {
	seq := atomic.Xadd(&s.seq, 1)
	if rec != 0 {
		*fore64(rec + 8) |= foreFlagDone | flags | uint64(seq)<<foreTicket
	}
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
		foreOp(&getg().fore, pc, id, word|foreFlagDone|uint64(atomic.Xadd(&s.seq, 1))<<foreTicket)
	}
}

// foreSyncTurn makes a wait that is over another operation, on s.
//
//go:linkname foreSyncTurn sync.foreTurn
func foreSyncTurn(s *foreSync, rec uintptr, word uint64) {
	seq := atomic.Xadd(&s.seq, 1)
	if rec != 0 {
		*fore32(rec + 4) = s.id
		*fore64(rec + 8) = word | foreFlagDone | uint64(seq)<<foreTicket
	}
}

const foreTaken = 1 << 31

// foreSyncTake begins an operation that nobody else's comes into, and says its ticket. The
// holder may be descheduled.
//
//go:linkname foreSyncTake sync.foreTake
func foreSyncTake(s *foreSync) uint32 {
	for n := 0; ; n++ {
		v := atomic.Load(&s.seq)
		if v&foreTaken == 0 && atomic.Cas(&s.seq, v, v|foreTaken) {
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
func foreSyncGive(s *foreSync, rec uintptr, ticket uint32) {
	atomic.Store(&s.seq, ticket)
	foreSyncMark(rec, ticket)
}

//go:linkname foreSyncMark sync.foreMark
func foreSyncMark(rec uintptr, ticket uint32) {
	if rec != 0 {
		*fore64(rec + 8) |= foreFlagDone | uint64(ticket)<<foreTicket
	}
}

//go:linkname foreSyncUnit sync.foreUnit
func foreSyncUnit(rec uintptr, a, b uint64) {
	if rec != 0 {
		*fore64(rec + 16) = a
		*fore64(rec + 24) = b
	}
}

//go:linkname foreSyncPeer sync.forePeer
func foreSyncPeer() uint64 {
	w := &getg().fore
	peer := w.peer
	w.peer = 0
	return uint64(peer)
}
