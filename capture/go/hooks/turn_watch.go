
// Appended by foresee: the thread that watches a controlled program for system calls and loops that take long.
// A system call that ends soon is a part of its goroutine's step, and the longer it may take the more runs are alike.
// So that they are alike on a busy machine, too, what counts is the processor time of a loop, and of a call whether
// its thread sleeps.

// foreLongStep is the processor time without a point after which a goroutine is taken to wait in a loop.
const foreLongStep = 500 * 1000 * 1000

// foreSysmon is what the runtime's own thread of that name does under control.
func foreSysmon() {
	tick := uint32(10 * 1000) // microseconds
	if foreNode != 0 {
		tick = 100 * 1000
	}
	last, began, asleep := uint64(0), int64(0), 0
	for {
		usleep(tick)
		if foreTurn.steps != last || foreTurn.holder != 0 || sched.disable.user {
			last, began, asleep = foreTurn.steps, foreProcessorTime(), 0
			continue
		}
		if asleep++; !foreCallSleeps(allp[0]) {
			asleep = 0
		}
		long := foreProcessorTime()-began >= foreLongStep
		if !long && asleep < foreCallPatience() {
			continue
		}
		foreRetake(long)
		if long {
			began = foreProcessorTime()
		}
	}
}

// foreCallPatience is how often a call is to be seen asleep: longer if nobody else would go on.
func foreCallPatience() int {
	switch {
	case foreNode != 0:
		return 10
	case foreTurn.n == 0:
		return 5
	}
	return 1
}

// foreRetake takes the P from a goroutine that is in a system call, or asks one that loops to give it back.
func foreRetake(loops bool) {
	now := nanotime1()
	seen := &allp[0].sysmontick
	seen.schedtick = allp[0].schedtick
	seen.schedwhen = now
	if loops {
		seen.schedwhen = now - foreLongStep
	}
	if retake(now) != 0 {
		foreLost("a system call that took long")
	}
}

// foreSlice is how long a goroutine may have the P: what foreRetake says.
func foreSlice() int64 {
	if foreTurnOn != 0 {
		return foreLongStep
	}
	return forcePreemptNS
}

// forePreempted is called when a goroutine has come to no point for long.
func forePreempted(gp *g) {
	if gp.turn.on && foreTurn.holder == 0 {
		gp.turn.goer.yields = true
		foreTurn.preempted = foreTurnAddress(&gp.turn)
	}
}

// foreGoesOn returns the goroutine that was preempted, if nobody else could go on: nothing was decided then.
func foreGoesOn(pp *p) *g {
	f := &foreTurn
	p := f.preempted
	f.preempted = 0
	if p == 0 {
		return nil
	}
	if f.n == 1 && !foreTimerCompetes(pp) && foreReadyTake(p) {
		return foreGOf(p)
	}
	foreLost("a loop without points")
	return nil
}

// foreProcessorTime is what the process has taken.
func foreProcessorTime() int64 {
	var t [2]int64
	if _, errno := foreCall(foreClock, 2, uintptr(unsafe.Pointer(&t)), 0, 0, 0); errno != 0 {
		return nanotime1()
	}
	return t[0]*foreSecond + t[1]
}

// foreCallSleeps tells whether the goroutine that has the P waits in a system call: the kernel calls its thread
// sleeping then, and not one that only waits for a processor.
func foreCallSleeps(pp *p) bool {
	for mp := (*m)(atomic.Loadp(unsafe.Pointer(&allm))); mp != nil; mp = mp.alllink {
		gp := mp.curg
		if gp != nil && mp.oldp.ptr() == pp && mp.syscalltick == pp.syscalltick && readgstatus(gp)&^_Gscan == _Gsyscall {
			state := foreThreadState(int(mp.procid))
			return state == 'S' || state == 0
		}
	}
	return false
}

// foreThreadState is the third word of a thread's stat file, or 0.
func foreThreadState(id int) byte {
	var text [128]byte
	n := copy(text[:], "/proc/self/task/")
	n = foreNumber(text[:], n, id)
	n += copy(text[n:], "/stat")
	text[n] = 0
	fd := open(&text[0], 0x80000, 0) // O_CLOEXEC
	if fd < 0 {
		return 0
	}
	got := read(fd, noescape(unsafe.Pointer(&text[0])), int32(len(text)))
	closefd(fd)
	for i := int(got) - 3; i >= 0; i-- {
		if text[i] == ')' { // the second word may hold any other character
			return text[i+2]
		}
	}
	return 0
}
