
// Appended by foresee: the steps of a schedule, one after the other, as turn_follow.c of foresee does it for
// C. The goroutine of the next step goes on, past points that no step names, until it has done the step;
// all others wait. Otherwise the program departs from the schedule, and the rest runs by the strategy.
//
// Whether an operation waits is seen when it is done: a step of that kind is over when its goroutine has
// parked, or comes to its next point.

func foreNextStep() *foreStep { return foreStepAt(foreTurn.done) }

func foreStopFollowing() {
	f := &foreTurn
	f.follows, f.waits, f.doing = false, false, 0
	for i := 0; i < f.nstand; i++ {
		foreReadyPut(f.standing[i])
	}
	f.nstand = 0
}

// foreDeviate notes that the program departs from the schedule, because thread `path` does something else: what it
// stands at, if t is told.
func foreDeviate(path, what, word string, t *foreTurnG) {
	o := foreOut()
	n := foreTextPut(o.reason[:], 0, "thread ")
	n = foreTextPut(o.reason[:], n, path)
	n = foreTextPut(o.reason[:], n, what)
	n = foreTextPut(o.reason[:], n, word)
	if t != nil {
		n = foreTextPut(o.reason[:], n, foreOpWord(t.kind))
		n = foreTextPut(o.reason[:], n, " at ")
		foreTextPlace(o.reason[:], n, forePlaceOf(t))
	}
	o.deviated = 1
	foreStopFollowing()
}

// ---- is it this step? ----

func foreLastPart(file string) string {
	for i := len(file); i > 0; i-- {
		if file[i-1] == '/' {
			return file[i:]
		}
	}
	return file
}

func foreIsSite(t *foreTurnG, s *foreStep) bool {
	if s.file == "" {
		return true
	}
	file, line := foreFileLine(forePlaceOf(t))
	return line == s.line && foreLastPart(file) == foreLastPart(s.file)
}

// foreIsAlike compares all but how many of them there were. A goroutine that runs a Once takes its lock.
func foreIsAlike(t *foreTurnG, s *foreStep) bool {
	kind := t.kind == s.kind || t.kind == 25 && s.kind == 12
	counts := t.ops == s.before || foreTurn.atLeast && t.ops > s.before
	return t.fresh && t.plan == s.path+1 && kind && counts && foreIsSite(t, s)
}

func foreIsAccess(kind uint16) bool { return kind >= foreReadKind && kind <= foreRMWKind }

func foreIsStep(t *foreTurnG, s *foreStep) bool {
	return foreIsAlike(t, s) && (!foreIsAccess(s.kind) || t.hits+1 >= s.count)
}

// foreMayPass tells whether the goroutine may pass the point where it stands, on its way to the step.
func foreMayPass(t *foreTurnG, s *foreStep) bool {
	return !t.fresh || !foreIsCounted(t.kind) || foreTurn.atLeast || t.ops < s.before
}

// ---- whose turn it is ----

// foreChild is the n-th goroutine that a thread created, or 0.
func foreChild(of, nth uint32) uint32 {
	if of == 0 && nth == 0 {
		return foreTurnClock
	}
	for i := of + 1; i < foreTurn.threads; i++ {
		if th := foreThreadAt(i); th.parent == of && th.nth == nth && i != foreTurnClock {
			return i
		}
	}
	return 0
}

// foreStepThread is the goroutine of a step; or, not itself, the one that has yet to create it or its parent.
func foreStepThread(s *foreStep) (thread uint32, itself bool) {
	if known := *forePlanAt(s.path); known != 0 {
		return known - 1, true
	}
	path := *forePathAt(s.path)
	for i := 1; i < len(path); {
		n := i + 1
		for n < len(path) && path[n] != '.' {
			n++
		}
		nth, _ := foreNumberIn(path[i+1 : n])
		child := foreChild(thread, uint32(nth))
		if child == 0 {
			return thread, false
		}
		thread, i = child, n
	}
	*forePlanAt(s.path) = thread + 1
	return thread, true
}

// forePlanOf is the path of a new thread in the schedule, + 1, or 0.
func forePlanOf(thread uint32) uint32 {
	if foreTurn.npaths == 0 {
		return 0
	}
	var own [112]byte
	n := forePathText(own[:], thread)
	for i := uint32(0); i < foreTurn.npaths; i++ {
		if path := *forePathAt(i); len(path) == n && foreSame(own[:n], path) {
			*forePlanAt(i) = thread + 1
			return i + 1
		}
	}
	return 0
}

func foreSame(a []byte, b string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// foreMayWait tells whether an operation of this kind may wait for what somebody else does in a later step.
func foreMayWait(kind uint16) bool {
	return kind >= forePre && kind <= foreRecv || kind == 18 || kind == 19
}

func foreStepDone(t *foreTurnG) {
	f := &foreTurn
	s := foreNextStep()
	t.hits = foreHitsForNext(f.done)
	f.done++
	foreOut().done = f.done
	if s.how == foreStands && (f.done == f.nlist || foreNextStep().how != foreStands) {
		foreMeet()
	}
	if f.done == f.nlist {
		foreStopFollowing()
	} else if next := foreNextStep(); f.done+1 == f.nlist && (next.how != foreGoes || next.count == 1) {
		foreTrap()
	}
}

// foreHitsForNext: how many of the accesses that the goroutine's next step counts have been there with
// step i: as many as the last step of the same place counted.
func foreHitsForNext(i uint32) uint32 {
	s := foreStepAt(i)
	next := i + 1
	for next < foreTurn.nlist && foreStepAt(next).path != s.path {
		next++
	}
	if next == foreTurn.nlist || !foreIsAccess(foreStepAt(next).kind) || foreStepAt(next).count < 2 {
		return 0
	}
	n := foreStepAt(next)
	for k := i + 1; k > 0; k-- {
		x := foreStepAt(k - 1)
		if x.path != n.path {
			continue
		}
		if x.before != n.before {
			return 0
		}
		if x.how != foreGoes && x.kind == n.kind && x.line == n.line && foreLastPart(x.file) == foreLastPart(n.file) {
			return x.count
		}
	}
	return 0
}

// foreSettle ends a step whose operation is under way. False: the goroutine has not come to rest.
func foreSettle() {
	f := &foreTurn
	t := foreTurnOf(f.doing)
	s := foreNextStep()
	parked := !foreReadyHas(f.doing) && t.on && readgstatus(foreGOf(f.doing))&^_Gscan == _Gwaiting
	f.doing = 0
	switch {
	case s.how == foreWaits && !parked:
		foreDeviate(*forePathAt(s.path), " did not have to wait for ", foreOpWord(s.kind), nil)
	case s.how == foreDoes && parked:
		foreDeviate(*forePathAt(s.path), " waits in ", "", t)
	default:
		foreStepDone(t)
	}
}

// foreFollow is whose turn it is by the schedule; 0: somebody else decides, or (waits) the one is not there yet.
func foreFollow(pp *p) (next uintptr, waits bool) {
	f := &foreTurn
	f.waits = false
	if f.doing != 0 {
		foreSettle()
	}
	for f.follows {
		s := foreNextStep()
		path := *forePathAt(s.path)
		thread, itself := foreStepThread(s)
		th := foreThreadAt(thread)
		if th.over != 0 || foreIsStanding(th.turn) {
			why := " is not there"
			if itself && th.over != 0 {
				why = " came to its end"
			}
			foreDeviate(path, why, "", nil)
			break
		}
		if thread == foreTurnClock {
			least := foreWakesLater
			if f.n == 0 { // see foreIdle
				least = foreWakesNow
			}
			if w := foreNextTimer(pp, least); w != 0 && foreMayFire(w) {
				f.fireAt, f.clock.fresh, f.choice = w, true, true
				return th.turn, false
			}
			foreDeviate(path, ", the clock, has no timer that is near", "", nil)
			break
		}
		t := foreTurnOf(th.turn)
		if !foreReadyHas(th.turn) {
			if !itself {
				var own [112]byte
				text := stringStruct{unsafe.Pointer(&own), forePathText(own[:], thread)}
				path = *(*string)(unsafe.Pointer(&text))
			}
			return foreFollowParked(pp, t, path)
		}
		if itself && s.how == foreStands && f.nstand < len(f.standing) && foreIsStep(t, s) {
			foreReadyTake(th.turn)
			f.standing[f.nstand] = th.turn
			f.nstand++
			foreStepDone(t)
			continue
		}
		if itself && s.how != foreGoes && !foreIsStep(t, s) && !foreMayPass(t, s) {
			foreDeviate(path, " came instead to ", "", t)
			break
		}
		f.choice = true
		return th.turn, false
	}
	return 0, false
}

func foreIsStanding(p uintptr) bool {
	for i := 0; i < foreTurn.nstand; i++ {
		if foreTurn.standing[i] == p {
			return true
		}
	}
	return false
}

// foreFollowParked is called when the goroutine of the next step waits: for a time, for something outside, or in vain.
func foreFollowParked(pp *p, t *foreTurnG, path string) (uintptr, bool) {
	f := &foreTurn
	gp := foreGOf(foreTurnAddress(t))
	status := readgstatus(gp) &^ _Gscan
	outside := status == _Gsyscall || status == _Gwaiting && gp.waitreason == waitReasonIOWait
	if outside && f.quiet < 100*foreMillisecond {
		f.waits = true
		return 0, true
	}
	if w := foreNextTimer(pp, foreWakesNow); w != 0 && foreVirtual != 0 && foreMayFire(w) && (gp.waitreason == waitReasonSleep || t.kind == forePre || t.kind == foreRecv) {
		f.fireAt, f.clock.fresh, f.choice = w, true, true
		return foreTurnAddress(&f.clock), false
	}
	if outside {
		foreLost("what a goroutine waits for outside does not come")
		foreDeviate(path, " waits outside, after ", "", t)
	} else {
		foreDeviate(path, " waits in ", "", t)
	}
	return 0, false
}

// foreFollowed is called when the goroutine goes past its point.
func foreFollowed(t *foreTurnG) {
	f := &foreTurn
	s := foreNextStep()
	if t.goer.thread == foreTurnClock {
		if *forePathAt(s.path) != "1.0" {
			return
		}
	} else if t.plan != s.path+1 {
		return
	}
	switch {
	case s.how == foreGoes:
		t.hits++
		if t.hits >= s.count {
			foreStepDone(t)
		} else if f.done+1 == f.nlist && t.hits+1 == s.count {
			foreTrap()
		}
	case foreIsStep(t, s):
		if s.kind == forePre && s.choice >= 0 {
			t.which = s.choice + 1
		}
		if s.how == foreWaits || !foreMayWait(t.kind) && !foreIsAccess(t.kind) && foreIsCounted(t.kind) {
			f.doing = foreTurnAddress(t)
		} else {
			foreStepDone(t)
		}
	case foreIsAlike(t, s):
		t.hits++
	}
}

// foreMeet tells whether the goroutines that are to stand at their accesses at once do so.
func foreMeet() {
	f := &foreTurn
	o := foreOut()
	for i := 0; i < f.nstand; i++ {
		t := foreTurnOf(f.standing[i])
		to := &o.stood[i]
		forePathText(to.path[:], t.goer.thread)
		to.state = foreOutWaits
		to.kind = uint32(t.kind)
		to.size = t.size
		to.blocked = 0
		if t.atomic {
			to.blocked = 1
		}
		to.address = t.goer.object
		foreTextPlace(to.place[:], 0, forePlaceOf(t))
		foreReadyPut(f.standing[i])
	}
	o.met = uint32(f.nstand)
	f.nstand = 0
}

// foreTrap stops in a debugger, before the last step.
func foreTrap() {
	if foreTurn.stops {
		breakpoint() // a signal alone would not stop dlv
	}
}
