
// Appended by foresee: timers, and what is done when nobody can go on. A timer that fires is a step of
// the clock, which is a thread of its own.

const (
	foreMillisecond = 1000 * 1000
	foreSecond      = 1000 * foreMillisecond
	foreHorizon     = 100 * foreMillisecond // timers that are so near may come before anything else, if nothing else is said
	foreMostEarly   = 3600 * 1000           // milliseconds
	foreQuietMax    = foreSecond            // of waiting for what is outside, until time jumps
	foreDrainFor    = 10 * foreSecond
	foreDrainMax    = 20000 // steps
)

//go:nosplit
func foreRealClock() bool { return foreVirtual == 0 }

func foreTurnTime() int64 { return nanotime() }

// foreTimeNow is what time.Now says.
func foreTimeNow() (sec int64, nsec int32, mono int64) {
	foreVirtual += foreTick
	ns := foreVirtual - foreTurn.began
	return foreTurn.base + ns/foreSecond, int32(ns % foreSecond), foreVirtual
}

// foreNanoNow is what time.Since counts with.
func foreNanoNow() int64 {
	foreVirtual += foreTick
	return foreVirtual
}

// foreIsAlarm: the timer that ends tests which take too long.
func foreIsAlarm(fn uintptr) bool {
	f := findfunc(fn)
	return f.valid() && foreIn(funcname(f), "testing.(*M).startAlarm")
}

const (
	foreWakesNobody = 0
	foreWakesLater  = 1 // somebody might look for it
	foreWakesAlarm  = 2
	foreWakesNow    = 3
)

// foreTimerWakes tells whom a timer with this argument would wake.
func foreTimerWakes(arg any) int {
	switch a := arg.(type) {
	case *g:
		return foreWakesNow
	case *pollDesc:
		if foreAnyWaiters() {
			return foreWakesNow
		}
		return foreWakesLater
	case nil:
		_ = a
		return foreWakesNobody
	}
	e := efaceOf(&arg)
	switch *(*byte)(unsafe.Pointer(uintptr(unsafe.Pointer(e._type)) + 23)) & 31 {
	case foreKindChan:
		if c := (*hchan)(e.data); c.recvq.first != nil {
			return foreWakesNow
		}
		return foreWakesLater
	case foreKindFunc:
		if foreIsAlarm(**(**uintptr)(unsafe.Pointer(&e.data))) {
			return foreWakesAlarm
		}
		return foreWakesNow
	}
	return foreWakesNobody
}

// foreMayFire tells whether the schedule lets a timer fire though goroutines may be able to go on. A witness, which
// says nothing about how near timers have to be, lets any.
func foreMayFire(w int64) bool {
	f := &foreTurn
	return f.n == 0 || f.horizon == foreHorizon || foreRealClock() || w <= foreTurnTime()+f.horizon
}

// foreTimerCompetes offers timers to the strategy: one that is due may fire; one that is near may,
// too, but yields to goroutines.
func foreTimerCompetes(pp *p) bool {
	f := &foreTurn
	w := foreWakeTime(pp)
	now := foreTurnTime()
	if w == 0 || w > now+f.horizon {
		return false
	}
	if w > now && (foreRealClock() || f.strategy.kind == foreStrategyFree || foreAnyWaiters()) {
		return false
	}
	w = foreNextTimer(pp, foreWakesLater)
	if w == 0 || w > now+f.horizon {
		return false
	}
	f.fireAt = w
	f.clock.fresh = true
	f.clock.goer.yields = w > now
	return true
}

//go:yeswritebarrierrec
func foreFireTimers(pp *p) {
	f := &foreTurn
	if foreVirtual != 0 && f.fireAt > foreVirtual {
		foreVirtual = f.fireAt
	}
	foreCheckTimers(pp, foreTurnTime())
}

// foreOutside counts the goroutines that something outside could wake: the end of a system call (of a child,
// say), the network or a pipe, a signal.
func foreOutside() (calls, polls, signals int) {
	n := len(allgs)
	for i := 0; i < n; i++ {
		gp := allgs[i]
		if !gp.turn.on {
			continue
		}
		switch readgstatus(gp) &^ _Gscan {
		case _Gsyscall:
			if f := findfunc(gp.startpc); f.valid() && funcname(f) == "os/signal.loop" {
				signals++
			} else {
				calls++
			}
		case _Grunnable, _Grunning:
			calls++ // its call has ended just now, and it is not in a queue yet
		case _Gwaiting:
			if gp.waitreason == waitReasonIOWait {
				polls++
			}
		}
	}
	return
}

// foreIdle is called when nobody can go on: time jumps to the next timer, unless something outside may come before that.
// It returns a goroutine that can go on now, or nil and whether there is something to choose from again.
//
//go:yeswritebarrierrec
func foreIdle(pp *p) (*g, bool) {
	f := &foreTurn
	calls, polls, signals := foreOutside()
	if foreNode != 0 {
		return nil, foreNodeIdle(pp, calls, polls, signals)
	}
	w := foreNextTimer(pp, foreWakesNow)
	if f.drainer != 0 {
		if !f.drained {
			if f.quiet < foreRunPatience && foreRunIsOutside() {
				foreWaitForHelp(false)
				return nil, false
			}
			w = foreNextTimer(pp, foreWakesLater) // nobody waits for it, and it must not come in the next run
		}
		if w == 0 || w > f.until || foreVirtual == 0 {
			return foreDrainOver(), false
		}
		foreJump(pp, w)
		return nil, true
	}
	if f.waits {
		polls++ // the goroutine of the next step waits for something outside
	}
	quiet := calls == 0 && (polls == 0 || f.quiet > foreQuietMax)
	if w == 0 && polls > 0 && quiet {
		w = foreNextTimer(pp, foreWakesAlarm)
	}
	now := foreTurnTime()
	if w != 0 && (w <= now || foreVirtual != 0 && quiet) {
		if polls > 0 && w > now {
			foreLost("what somebody waits for outside does not come")
		}
		foreJump(pp, w)
		return nil, true
	}
	if w == 0 && calls+polls+signals == 0 {
		foreStuck()
	}
	foreWaitForHelp(w != 0)
	return nil, false
}

// foreJump lets time pass until a timer is due, which is the only thing that can happen.
//
//go:yeswritebarrierrec
func foreJump(pp *p, w int64) {
	f := &foreTurn
	f.quiet = 0
	f.fireAt = w
	f.choice = false
	f.clock.fresh = true
	foreWent(&f.clock)
	foreFireTimers(pp)
}

// foreWaitForHelp lets a moment pass, in which something outside may happen; on the virtual clock as well if there is a
// timer, which would never be due otherwise.
func foreWaitForHelp(timed bool) {
	f := &foreTurn
	before := nanotime1()
	if f.quiet < 200*1000 {
		usleep(10)
	} else {
		usleep(200)
	}
	passed := nanotime1() - before
	f.quiet += passed
	if foreVirtual != 0 && timed {
		foreVirtual += passed
	}
}

// foreStuck ends the program as Go does: nobody can go on, and nothing could wake anybody.
func foreStuck() {
	foreTellAll()
	foreOut().end = foreOutStuck
	if foreOn != 0 {
		foreDeadlock()
	}
	foreTrap()
	fatal("all goroutines are asleep - deadlock!")
}

// ---- the end ----

// foreDrain lets the others go on until nobody can, before the program ends: who waits then would wait for ever.
func foreDrain() {
	gp := getg()
	f := &foreTurn
	if f.drained || !gp.turn.on || gp != gp.m.curg || gp.m.locks != 0 {
		return
	}
	f.drained = true
	foreDrainUntil(foreDrainFor)
}

// foreDrainUntil does the same for so long at most. Steps and real time are bounded, too: others may go on for ever
// without letting the program's clock move much.
func foreDrainUntil(ns int64) {
	gp := getg()
	f := &foreTurn
	f.until = foreTurnTime() + ns
	f.most = f.steps + foreDrainMax
	f.real = nanotime1() + 2*foreSecond
	gp.turn.kind, gp.turn.fresh = 0, false
	gp.waitreason = waitReasonSleep
	mcall(foreDrainPark)
}

func foreDrainPark(gp *g) {
	foreTurn.drainer = foreTurnAddress(&gp.turn)
	casgstatus(gp, _Grunning, _Gwaiting)
	dropg()
	schedule()
}

// foreDrainEnds tells whether the others have had their time. The real clock is read now and then only, as it is slow.
func foreDrainEnds() bool {
	f := &foreTurn
	return f.drainer != 0 && (f.steps >= f.most || foreTurnTime() > f.until || f.steps&63 == 0 && nanotime1() > f.real)
}

// foreDrainOver gives the turn back to the goroutine that ends the program, or the run of a test.
func foreDrainOver() *g {
	gp := foreGOf(foreTurn.drainer)
	foreTurn.drainer = 0
	if foreTurn.drained {
		foreTurn.follows = false
		foreTurns = 0
	}
	casgstatus(gp, _Gwaiting, _Grunnable)
	return gp
}

// foreTurnExit is called when the program ends. Status 0, or the end of tests, is an end in order.
func foreTurnExit(orderly bool) {
	if orderly {
		foreDrain()
	}
	foreTurns = 0
	foreTellAll()
	if o := foreOut(); o.end == 0 {
		o.end = foreOutExited
	}
}
