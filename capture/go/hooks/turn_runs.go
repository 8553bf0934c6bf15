
// Appended by foresee: many runs of tests in one process. A run is what `go test -count=1` runs; package testing
// says when one begins and when its tests are over. Then the goroutines that it started go on until nobody can,
// and what is left behind (goroutines, timers) ends the process, because the next run would not begin as in
// a process of its own. So does a test that failed. The clock and what is random begin anew in each run;
// variables of packages keep what they have, as with `go test -count`.

// foreRunsTold is struct fore_outcome_runs of foresee's capture/control/outcome.h.
type foreRunsTold struct {
	done, taken  uint64 // runs that are over; those whose class was taken out of the ring
	run          uint64 // the number of the one that goes on, or was the last
	seed, length uint64 // what it runs on
	strategy     uint32
	depth        uint32
	why          uint32
	goroutines   uint32 // that it left behind
	timers       uint32
	uncontrolled uint32    // runs that were not wholly under control
	longest      uint64    // choices
	path, place  [112]byte // of the first goroutine that was left
	classes      [foreRunsRing]uint64
}

const (
	foreRunsAt   = 0x52000 // in the file of the outcome
	foreRunsRing = 8192

	foreRunFailed = 1 // why the process ends
	foreRunLeft   = 2
	foreRunLast   = 3

	foreRunPatience = 20 * 1000 * 1000 // for what is to come from outside, when the tests are over
	foreObjects     = 1 << 14
)

var _ [65832]byte = [unsafe.Sizeof(foreRunsTold{})]byte{}

// foreObject is what is known of an operation's object in a run: of its last write, and of the reads since.
type foreObject struct {
	key, run      uint64
	written, read uint64
}

var foreRuns struct {
	starts  bool // the strategy begins with the tests
	repeats bool // they are run many times
	begun   bool
	random  uint64 // seed of what is random, from the first test on

	first, step, last, seed uint64
	kinds, depths           [8]uint32 // strategies, which take turns
	n                       int

	// when the first run began:
	threads, children uint32
	timers            int
	clock             int64

	objects uintptr // of foreObject
	used    uint32
}

func foreToldRuns() *foreRunsTold { return (*foreRunsTold)(unsafe.Pointer(foreTurn.out + foreRunsAt)) }

// ---- what the schedule says ----

func foreReadStarts(word string) bool {
	r := &foreRuns
	ok := false
	r.random, ok = foreNumberIn(word)
	r.starts = ok
	return ok
}

// foreReadRepeats: the numbers of the first run, of the one after it (how many further), of the last; their seed.
func foreReadRepeats(first, line string) bool {
	r := &foreRuns
	all := [4]*uint64{&r.first, &r.step, &r.last, &r.seed}
	word := first
	for _, to := range all {
		n, ok := foreNumberIn(word)
		if !ok {
			return false
		}
		*to = n
		word = foreNextWord(&line)
	}
	r.starts, r.repeats = true, true
	return r.step > 0
}

// foreAddStrategy adds one to the strategies that take turns when tests are repeated.
func foreAddStrategy(kind, depth uint32) {
	if r := &foreRuns; r.n < len(r.kinds) {
		r.kinds[r.n], r.depths[r.n] = kind, depth
		r.n++
	}
}

// ---- the class of a run: a hash of who came when to which object ----

//go:nosplit
func foreHashOf(x uint64) uint64 { return foreMix(&x) }

//go:nosplit
func foreHashWith(seed, x uint64) uint64 {
	return foreHashOf(seed*0xd6e8feb86659fd93 + foreHashOf(x))
}

// foreObjectAt finds what is known of 4 bytes in this run.
func foreObjectAt(key uint64) *foreObject {
	r := &foreRuns
	run := foreToldRuns().run + 1
	for i := foreHashOf(key); ; i++ {
		o := (*foreObject)(unsafe.Pointer(r.objects + uintptr(i%foreObjects)*unsafe.Sizeof(foreObject{})))
		if o.run == run && o.key == key {
			return o
		}
		if o.run != run {
			if r.used < foreObjects/2 { // otherwise many share the last one
				r.used++
				*o = foreObject{key: key, run: run}
			}
			return o
		}
	}
}

func foreTouches(kind uint16) bool {
	return kind > 6 && kind < foreOpSleep
}

func foreOnlyReads(kind uint16) bool {
	return kind == foreReadKind || kind >= 15 && kind <= 17
}

// foreClassStep is what classes_step of foresee's reversal.c does.
func foreClassStep(s *foreOutStep) {
	th := foreThreadAt(s.thread)
	h := foreHashWith(th.class, uint64(s.kind))
	h = foreHashWith(h, uint64(s.site)+uint64(s.flags&foreOutTimeout)<<40)
	if s.address != 0 && foreTouches(s.kind) {
		from, to := s.address/4, s.address/4
		if s.size > 0 {
			to = (s.address + uint64(s.size) - 1) / 4
		}
		if to > from+15 {
			to = from + 15
		}
		reads := foreOnlyReads(s.kind)
		for g := from; g <= to; g++ {
			o := foreObjectAt(g)
			x := o.written
			if !reads {
				x += o.read
			}
			h = foreHashWith(h, x)
		}
		for g := from; g <= to; g++ {
			o := foreObjectAt(g)
			if reads {
				o.read += h
			} else {
				o.written, o.read = h, 0
			}
		}
	}
	th.class = h
}

func foreClassOfRun() uint64 {
	sum := uint64(0)
	for i := uint32(0); i < foreTurn.threads; i++ {
		sum += foreHashOf(foreThreadAt(i).class)
	}
	return sum
}

// ---- a run ----

// foreRunBegins is called when the tests begin.
//
//go:linkname foreRunBegins testing.foreRunBegins
func foreRunBegins() {
	f, r := &foreTurn, &foreRuns
	if foreTurns == 0 || !r.starts || r.begun && !r.repeats {
		return
	}
	mp := acquirem()
	if r.repeats {
		foreRunAnew(mp.p.ptr())
	} else {
		f.strategy = f.later
		f.random = r.random
	}
	r.begun = true
	for i := uint32(0); i < f.threads; i++ {
		if p := foreThreadAt(i).turn; p != 0 {
			foreGoerAt(p).mark = 0
			foreTurnOf(p).idle = 0
		}
	}
	f.running = getg().turn.goer.thread
	releasem(mp)
}

// foreRunAnew makes everything as it was when the first run began.
func foreRunAnew(pp *p) {
	f, r, told, o := &foreTurn, &foreRuns, foreToldRuns(), foreOut()
	if !r.begun {
		r.threads, r.children, r.clock = f.threads, foreThreadAt(0).children, foreVirtual
		r.timers, _ = foreTimersLeft(pp)
		r.objects = foreMap(foreObjects * unsafe.Sizeof(foreObject{}))
		told.run = r.first
	} else {
		f.threads, foreThreadAt(0).children, foreVirtual = r.threads, r.children, r.clock
		told.run += r.step
	}
	o.threads, o.uncontrolled, o.logged, o.hash = r.threads, 0, 0, foreHashFrom
	for i := uint32(0); i < r.threads; i++ {
		foreThreadAt(i).class = foreThreadAt(i).name
	}
	r.used = 0
	f.quiet = 0
	i := told.run % uint64(r.n)
	told.strategy, told.depth = r.kinds[i], r.depths[i]
	told.seed = r.seed*1000003 + told.run
	if told.length = told.longest; told.length == 0 {
		told.length = 100
	}
	f.strategy.start(told.strategy, told.depth, told.seed, told.length)
	f.random = told.seed
}

// foreRunLefts counts the goroutines of the run that are not over, and timers.
func foreRunLefts(pp *p) (goroutines, timers int, first uint32) {
	f, r := &foreTurn, &foreRuns
	for i := f.threads; i > r.threads; i-- {
		if foreThreadAt(i-1).over == 0 {
			goroutines++
			first = i - 1
		}
	}
	timers, _ = foreTimersLeft(pp)
	return goroutines, timers - r.timers, first
}

// foreRunRests lets what the run has started come to its end: but not until the alarm that ends tests.
func foreRunRests(pp *p) {
	until := int64(500 * foreSecond)
	if _, alarm := foreTimersLeft(pp); alarm != 0 && alarm-foreVirtual-foreSecond < until {
		until = alarm - foreVirtual - foreSecond
	}
	foreTurn.quiet = 0
	foreDrainUntil(until)
}

// foreRunEnds is called when the tests are over.
//
//go:linkname foreRunEnds testing.foreRunEnds
func foreRunEnds(failed bool) {
	r, told := &foreRuns, foreToldRuns()
	if !r.repeats || foreTurns == 0 {
		return
	}
	pp := getg().m.p.ptr()
	goroutines, timers, first := foreRunLefts(pp)
	if goroutines > 0 || timers > 0 {
		foreRunRests(pp)
		goroutines, timers, first = foreRunLefts(pp)
	}
	for told.done-atomic.Load64(&told.taken) >= foreRunsRing {
		usleep(50)
	}
	told.classes[told.done%foreRunsRing] = foreClassOfRun()
	if foreTurn.strategy.choices > told.longest {
		told.longest = foreTurn.strategy.choices
	}
	if foreOut().uncontrolled != 0 {
		told.uncontrolled++
	}
	switch {
	case failed:
		told.why = foreRunFailed
	case goroutines > 0 || timers > 0:
		told.why = foreRunLeft
		told.goroutines, told.timers = uint32(goroutines), uint32(timers)
	case told.run+r.step > r.last:
		told.why = foreRunLast
	}
	if goroutines > 0 {
		forePathText(told.path[:], first)
		foreTextPlace(told.place[:], 0, forePlaceOf(foreTurnOf(foreThreadAt(first).turn)))
	}
	atomic.Store64(&told.done, told.done+1)
	if told.why != 0 {
		foreTurns = 0
		foreTellAll()
		foreOut().end = foreOutExited
		exit(0)
	}
}

// foreRunIsOutside tells whether a goroutine of the run waits for the network, or is in a system call.
func foreRunIsOutside() bool {
	for i := foreRuns.threads; i < foreTurn.threads; i++ {
		th := foreThreadAt(i)
		if th.over != 0 {
			continue
		}
		gp := foreGOf(th.turn)
		if s := readgstatus(gp) &^ _Gscan; s == _Gsyscall || s == _Gwaiting && gp.waitreason == waitReasonIOWait {
			return true
		}
	}
	return false
}
