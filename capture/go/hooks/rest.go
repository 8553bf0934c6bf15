
// Appended by foresee: how goroutines come to rest before the end, and where those that wait then are.

const (
	foreDefRests = 209
	foreDefFed   = 210
	foreDefTaken = 213
	foreDefSpent = 214

	foreStill    = 5000000 // after this many nanoseconds without a move goroutines are at rest
	foreHeadTime = 2208
	foreDeepest  = 64
	foreClock    = 228*goarch.IsAmd64 + 113*goarch.IsArm64
)

// foreMoves changes whenever a goroutine has done something, or is about to.
func foreMoves(self *g) uint64 {
	sum := uint64(0)
	forEachGRace(func(gp *g) {
		if gp == self || gp.fore.id == 0 {
			return
		}
		if s := readgstatus(gp) &^ _Gscan; s == _Grunnable || s == _Grunning {
			sum += uint64(nanotime()) | 1
		}
		sum += uint64(gp.fore.pos) + uint64(gp.fore.chunks) + uint64(gp.fore.id)
	})
	return sum
}

// foreRest waits until no goroutine has moved for a while, or for as long as it may.
func foreRest() {
	self := getg()
	last := foreMoves(self)
	for waited := int64(0); waited < foreFile.linger; {
		step := int64(foreStill)
		if step > foreFile.linger-waited {
			step = foreFile.linger - waited
		}
		timeSleep(step)
		waited += step
		now := foreMoves(self)
		if now == last {
			return
		}
		last = now
	}
}

// foreWhereAll writes the callers of every goroutine that waits, into the chunks of w. A goroutine that is marked as
// being scanned is not woken meanwhile, and its stack stays where it is.
func foreWhereAll(w *foreG) {
	forePresent(w)
	systemstack(func() {
		forEachGRace(func(gp *g) {
			if gp.fore.id == 0 || gp.fore.root != 0 || readgstatus(gp)&^_Gscan == _Gdead {
				return
			}
			if foreRing.on != 0 && gp.fore.part != 0 && (gp.fore.part != w.part || gp.fore.stale != 0) {
				foreBornAgain(w, &gp.fore)
			}
			if !foreIsWaiting(&gp.fore) {
				return
			}
			if readgstatus(gp) == _Gwaiting && castogscanstatus(gp, _Gwaiting, _Gscanwaiting) {
				foreWhereOne(w, gp)
				foreWaitedFor(w, gp)
				foreTimersSpent(gp)
				if s := (*foreSync)(unsafe.Pointer(gp.fore.waits)); s != nil {
					foreTakenBy(w, s)
				}
				casfrom_Gscanstatus(gp, _Gscanwaiting, _Gwaiting)
			}
		})
	})
}

// foreWaitedFor says again what the goroutine waits for, if that was said in an earlier part only.
func foreWaitedFor(w *foreG, gp *g) {
	if foreRing.on == 0 {
		return
	}
	if s := (*foreSync)(unsafe.Pointer(gp.fore.waits)); s != nil {
		foreSyncWeak(w, s)
	}
	for sg := gp.waiting; sg != nil; sg = sg.waitlink {
		if c := $WAITSFOR; c != nil && c.fore.id != 0 && c.fore.part != w.part {
			foreChanKnown(w, c, c.closed != 0, foreFlagBusy)
		}
	}
}

// foreTimersSpent names the channels of timers, among those that the goroutine waits for, whose timer is not set.
func foreTimersSpent(gp *g) {
	for sg := gp.waiting; sg != nil; sg = sg.waitlink {
		if c := $WAITSFOR; c != nil && c.fore.id != 0 && $TIMERSPENT {
			foreKeep(0, c.fore.id, foreDefSpent, "")
		}
	}
}

// foreIsWaiting tells whether the goroutine's last record says that it waits.
func foreIsWaiting(w *foreG) bool {
	if w.pend[0] != 0 {
		return *fore64(w.pend[0]+8)&foreFlagDone == 0
	}
	return w.rec != 0 && *fore64(w.rec)&foreFlagDone == 0
}

func foreWhereOne(w *foreG, gp *g) {
	var pcs [foreDeepest]uint32
	n := 0
	for fp := gp.sched.bp; n < foreDeepest; n++ {
		pc := foreReturn(gp, fp)
		if pc == 0 {
			break
		}
		pcs[n] = uint32(pc - foreFile.text)
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	units := uintptr(n+3) / 4
	p := foreRoom(w, 1+units)
	if p == 0 || n == 0 {
		return
	}
	for i := uintptr(0); i < units*4; i++ {
		*fore32(p + 16 + i*4) = pcs[i]
	}
	*fore64(p) = uint64(gp.fore.id) << 32
	*fore64(p + 8) = foreDefRests | foreFlagDone | uint64(units)<<foreExtra | uint64(n)<<foreTicket
}

// foreTakenBy records who called the method that took a lock for which a goroutine waits. The holder rewrites
// that only when it has given the lock away, which changes seq.
func foreTakenBy(w *foreG, s *foreSync) {
	seq, owner, at := atomic.Load64(&s.seq), atomic.Load(&s.owner), s.at
	taken := s.taken
	first := 0
	for first < foreTakenDeep && taken[first] != at {
		first++
	}
	if at == 0 || owner == 0 || owner&foreQuietBit != 0 || first == foreTakenDeep || seq != atomic.Load64(&s.seq) {
		return
	}
	p := foreRoom(w, 4)
	if p == 0 {
		return
	}
	n := uint64(0)
	for i := first; i < foreTakenDeep && taken[i] != 0; i++ {
		*fore32(p + 32 + uintptr(n)*4) = taken[i]
		n++
	}
	*fore64(p + 16) = seq &^ foreTaken
	*fore64(p + 24) = uint64(owner)
	*fore64(p) = uint64(s.id) << 32
	*fore64(p + 8) = foreDefTaken | foreFlagDone | 3<<foreExtra | n<<foreTicket
}

// foreTime notes the processor time that the process took.
func foreTime() {
	var t [2]uint64
	if _, errno := foreCall(foreClock, 2, uintptr(unsafe.Pointer(&t)), 0, 0, 0); errno == 0 {
		*fore64(foreFile.head + foreHeadTime) = t[0]*1000000000 + t[1]
	}
}

// foreFed notes that signals will be sent on this channel.
//
//go:linkname foreFed os/signal.foreFed
func foreFed(c *hchan) {
	if foreOn != 0 && c != nil {
		foreFresh(c)
		foreKeep(0, c.fore.id, foreDefFed, "")
	}
}
