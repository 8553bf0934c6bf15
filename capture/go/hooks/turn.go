
// Appended by foresee: the program runs on a schedule that was chosen for it. There is one P, so one
// goroutine runs at a time; before each operation that others could notice it comes to a point,
// where another may go on instead. The run queue is the set of those that can go on: what blocks
// parks, and what is woken is in the queue.
//
//	turn.go           who has the turn, who waits, who gets it
//	turn_points.go    where the program comes to points
//	turn_clock.go     timers, and what is done when nobody can go on
//	turn_schedule.go  the file with the schedule
//	turn_follow.go    its steps
//	turn_tell.go      what the outcome file says
//	turn_watch.go     loops and system calls that take long
//	turn_runs.go      many runs of tests in one process
//	turn_node.go      nodes that foresee gives messages to
//	strategy.go       which one of many
//
// Nothing here is called while foreTurnOn is 0. Only the goroutine that has the P touches the turn's own data.

// foreTurnG is what is kept in each g. It has no pointers, so that the garbage collector need not look at it.
type foreTurnG struct {
	goer   foreGoer // first: a strategy is given its address
	on     bool     // it is controlled: not the runtime's own
	fresh  bool     // it stands before its operation, whose kind, place and so on follow
	try    bool     // the operation does not wait
	atomic bool
	kind   uint16
	ops    uint32 // how many synchronisation operations it has done
	hits   uint32 // see turn_follow.go
	idle   uint32 // steps since it did something that others could notice
	plan   uint32 // its path in the schedule, + 1
	size   uint32 // of an access
	which  int32  // the case that a select is to take, + 1
	pc     uintptr
	other  uint64 // the goroutine that it has created, for the point behind that
}

// foreThread is what is kept of a goroutine even when it has ended.
type foreThread struct {
	parent, nth, children uint32
	over                  uint32
	turn                  uintptr
	name, class           uint64 // hashes: of its path, and of what it has done (turn_runs.go)
}

// Operations, as in capture/control/schedule.h of foresee, where they are not those of records.
const (
	foreOpBegin = 2
	foreOpSleep = 64
	foreOpInput = 65
	foreOpBack  = 67
	foreOpYield = 68
	foreOpWoken = 70

	foreTurnClock = 1 // the clock's number among the threads

	foreFruitless   = 50   // a goroutine that took so many steps and changed nothing is taken to spin
	foreMostLive    = 4096 // a strategy chooses among so many at most
	foreMostThreads = 1 << 22
)

// foreTurnOn is not 0 while the program is controlled; foreTurns, while it comes to points.
var foreTurnOn uint32

//go:linkname foreTurns
var foreTurns uint32

// foreVirtual is the virtual time, or 0: time is real. foreTick is what a step takes.
var foreVirtual int64
var foreTick int64 = 1000

var foreTurn struct {
	strategy  foreStrategy
	later     foreStrategy // when tests begin
	ready     uintptr      // those that can go on, in order of creation: addresses of foreTurnG
	n         int
	own       gQueue  // the runtime's own goroutines
	next      uintptr // who was given the turn, and does not run yet
	fireAt    int64   // when the timer that has the turn is due
	holder    uintptr // the goroutine that collects garbage, and is the only one that may run
	holds     uint32
	choice    bool // the one that has the turn was one of several
	running   uint32
	threads   uint32
	table     uintptr // of foreThread
	clock     foreTurnG
	began     int64
	base      int64 // seconds
	steps     uint64
	random    uint64
	procs     int32
	drainer   uintptr // the goroutine that ends the program, while others go on
	drained   bool
	until     int64   // when they must have come to their end: by the program's clock,
	most      uint64  // by the number of steps,
	real      int64   // and by the real clock
	quiet     int64   // how long nothing has come from outside
	armer     uint32  // who started the timer that fires
	preempted uintptr // the goroutine that was asked to give the P back

	follows  bool    // a schedule
	waits    bool    // for the goroutine of its next step
	horizon  int64   // timers that are so near may fire before their time
	syncOnly bool    // accesses that are not atomic are no points
	stops    bool    // for a debugger
	atLeast  bool    // `before` counts only what was recorded
	paths    uintptr // strings
	npaths   uint32
	plans    uintptr // the thread of each path, + 1
	list     uintptr // of foreStep
	nlist    uint32
	done     uint32  // steps of it
	doing    uintptr // the goroutine that has passed the point of a step in which it may have to wait
	standing [4]uintptr
	nstand   int
	looks    uint32
	out      uintptr
}

//go:nosplit
func foreTurnOf(p uintptr) *foreTurnG { return (*foreTurnG)(unsafe.Pointer(p)) }

// foreTurnAddress: the address may be kept as a number, because goroutines and the clock do not move.
//
//go:nosplit
func foreTurnAddress(t *foreTurnG) uintptr { return uintptr(unsafe.Pointer(t)) }

//go:nosplit
func foreGOf(p uintptr) *g {
	return (*g)(unsafe.Pointer(p - unsafe.Offsetof(g{}.turn)))
}

func foreReadyList() []uintptr {
	return (*[foreMostThreads]uintptr)(unsafe.Pointer(foreTurn.ready))[:foreTurn.n]
}

func foreThreadAt(i uint32) *foreThread {
	return (*foreThread)(unsafe.Pointer(foreTurn.table + uintptr(i)*unsafe.Sizeof(foreThread{})))
}

// foreReadyPut adds one to those that can go on. They are in the order of their creation, which is the same in each
// run, so that a strategy chooses the same.
func foreReadyPut(p uintptr) {
	f := &foreTurn
	f.n++
	list := foreReadyList()
	i := f.n - 1
	for ; i > 0 && foreGoerAt(list[i-1]).thread > foreGoerAt(p).thread; i-- {
		list[i] = list[i-1]
	}
	list[i] = p
}

// foreReadyTake removes one; false if it is not there.
func foreReadyTake(p uintptr) bool {
	list := foreReadyList()
	for i := range list {
		if list[i] == p {
			copy(list[i:], list[i+1:])
			foreTurn.n--
			return true
		}
	}
	return false
}

func foreReadyHas(p uintptr) bool {
	for _, q := range foreReadyList() {
		if p == q {
			return true
		}
	}
	return false
}

// foreMerge moves what the runtime has made runnable from its queues to the list.
func foreMerge(pp *p) {
	for {
		gp, _ := runqget(pp)
		if gp == nil {
			break
		}
		foreReadyG(gp)
	}
	if $RUNQSIZE == 0 {
		return
	}
	lock(&sched.lock)
	for {
		gp := sched.runq.pop()
		if gp == nil {
			break
		}
		foreReadyG(gp)
	}
	$RUNQSIZE = 0
	unlock(&sched.lock)
}

func foreReadyG(gp *g) {
	if foreIsStanding(foreTurnAddress(&gp.turn)) {
		return // it comes back when the others stand, too
	}
	if gp.turn.on && foreTurn.n < foreMostThreads-2 {
		foreReadyPut(foreTurnAddress(&gp.turn))
	} else {
		foreTurn.own.pushBack(gp)
	}
}

// ---- points ----

// foreTurnCan tells whether the running goroutine may come to a point here.
//
//go:nosplit
func foreTurnCan(gp *g) bool {
	return gp.turn.on && gp == gp.m.curg && gp.m.locks == 0 && foreTurn.holds == 0 && gp.m.mallocing == 0
}

// forePoint: the goroutine comes to a point. It returns when the goroutine may go on.
func forePoint(kind uint16, object, pc uintptr, try bool) {
	gp := getg()
	if !foreTurnCan(gp) {
		return
	}
	t := &gp.turn
	t.kind = kind
	t.goer.object = uint64(object)
	t.goer.writes = true
	t.try = try
	t.atomic = false
	t.pc = pc
	t.which = 0
	t.other = 0
	t.size = 0
	forePass(gp)
}

// forePass waits for the turn of a goroutine whose operation is known.
func forePass(gp *g) {
	t := &gp.turn
	t.fresh = true
	t.goer.yields = t.kind == foreOpYield || t.idle > foreFruitless
	if !foreDecide(gp) {
		mcall(gosched_m)
	}
}

// foreDecide tells whether the running goroutine goes on; otherwise it is to give the P back.
func foreDecide(gp *g) bool {
	mp := acquirem()
	pp := mp.p.ptr()
	foreMerge(pp)
	if !foreTurn.own.empty() || foreDrainEnds() {
		releasem(mp)
		return false
	}
	forePoll()
	foreMerge(pp)
	me := foreTurnAddress(&gp.turn)
	foreReadyPut(me)
	next := foreChoose(pp)
	if next == me {
		foreWent(&gp.turn)
		releasem(mp)
		return true
	}
	foreReadyTake(me) // gosched_m puts it into the runtime's queue
	foreTurn.next = next
	releasem(mp)
	return false
}

// forePoll asks what has come from the network.
func forePoll() {
	if foreAnyWaiters() {
		systemstack(func() { forePollNow() })
	}
}

func foreAnyWaiters() bool {
	return netpollinited() && $ANYWAITERS
}

//go:yeswritebarrierrec
func forePollNow() {
	$NETPOLLED := netpoll(0)
	if !list.empty() {
		foreLost("what comes from the network, or through pipes")
		foreTurn.quiet = 0
		injectglist(&list)
		$ADJUSTWAITERS
	}
}

// ---- the pick ----

// foreChoose removes the one that goes on from the list and returns its address, or 0 if nobody can.
func foreChoose(pp *p) uintptr {
	f := &foreTurn
	f.choice = false
	if f.follows {
		p, waits := foreFollow(pp)
		if p != 0 || waits {
			return foreChosen(p)
		}
	}
	clock := foreTurnAddress(&f.clock)
	if foreTimerCompetes(pp) {
		foreReadyPut(clock)
	}
	c := foreReadyList()
	if len(c) == 0 {
		return 0
	}
	if len(c) > foreMostLive {
		c = c[:foreMostLive]
	}
	f.choice = len(c) > 1
	p := c[f.strategy.pick(c, f.running)]
	if p != clock {
		foreReadyTake(clock)
	}
	return foreChosen(p)
}

func foreChosen(p uintptr) uintptr {
	if p != 0 {
		foreReadyTake(p)
		foreLookForRace(foreTurnOf(p))
	}
	return p
}

// foreIsCounted: the operations that a schedule counts to say which one of a goroutine it means.
func foreIsCounted(kind uint16) bool {
	return kind >= forePre && kind <= 28 && kind != 10
}

// foreWent: the goroutine has the turn, and is about to go on.
func foreWent(t *foreTurnG) {
	f := &foreTurn
	if foreVirtual != 0 {
		foreVirtual += foreTick
	}
	f.steps++
	f.running = t.goer.thread
	switch kind := foreKindNow(t); { // who only reads, tries or yields changes nothing for others
	case kind == foreReadKind || kind == 13 || kind == 16 || kind == foreOpYield || kind == foreOpSleep || t.try:
		t.idle++
	case kind != foreOpWoken:
		t.idle = 0
	}
	foreLog(t)
	if f.follows {
		foreFollowed(t)
	}
	if t.fresh && foreIsCounted(t.kind) {
		t.ops++
	}
	t.fresh = false
}

// foreKindNow: a goroutine that has passed its point, and comes from a wait, does no operation.
func foreKindNow(t *foreTurnG) uint16 {
	if !t.fresh {
		return foreOpWoken
	}
	return t.kind
}

// foreFind is what the scheduler asks for a goroutine to run; nil: it has to look again.
//
//go:yeswritebarrierrec
func foreFind(pp *p) *g {
	f := &foreTurn
	for $NOGCWAITING && pp.runSafePointFn == 0 {
		foreMerge(pp)
		if gp := f.own.pop(); gp != nil {
			return gp
		}
		if sched.disable.user || f.holder != 0 {
			return foreFindHolder()
		}
		if foreDrainEnds() {
			return foreDrainOver()
		}
		if gp := foreGoesOn(pp); gp != nil {
			return gp
		}
		next := f.next
		f.next = 0
		if next == 0 {
			if foreAnyWaiters() {
				forePollNow()
				foreMerge(pp)
			}
			next = foreChoose(pp)
		}
		if next == 0 {
			if gp, again := foreIdle(pp); gp != nil || !again {
				return gp
			}
			continue
		}
		foreWent(foreTurnOf(next))
		if next != foreTurnAddress(&f.clock) {
			return foreGOf(next)
		}
		foreFireTimers(pp)
	}
	return nil
}

// foreFindHolder: only the runtime's own goroutines run while garbage is collected, and the one that
// asked for it.
func foreFindHolder() *g {
	f := &foreTurn
	if !sched.disable.user && f.holder != 0 && foreReadyTake(f.holder) {
		return foreGOf(f.holder)
	}
	usleep(20)
	return nil
}

// foreHold begins what only the calling goroutine may do: a collection of garbage waits many times, and others would go
// on meanwhile as it happens to wait. False if that is not wanted, or another one does it already.
func foreHold() bool {
	gp := getg()
	if foreTurnOn == 0 || !gp.turn.on || gp != gp.m.curg || foreTurn.holds != 0 && foreTurn.holder != foreTurnAddress(&gp.turn) {
		return false
	}
	foreTurn.holder = foreTurnAddress(&gp.turn)
	foreTurn.holds++
	return true
}

func foreRelease() {
	if foreTurn.holds--; foreTurn.holds == 0 {
		foreTurn.holder = 0
	}
}

func gcStart(trigger gcTrigger) {
	held := foreHold()
	foreGcStart0(trigger)
	if held {
		foreRelease()
	}
}

// GC runs a garbage collection and blocks the caller until the garbage collection is complete.
func GC() {
	held := foreHold()
	foreGC0()
	if held {
		foreRelease()
	}
}

// ---- goroutines ----

// foreTurnSpawn: newg was created, by a goroutine or by a timer that one had started.
func foreTurnSpawn(by, newg *g) {
	f := &foreTurn
	if isSystemGoroutine(newg, false) || f.threads >= foreMostThreads-1 {
		return
	}
	parent := uint32(0)
	if by != nil && by.turn.on {
		parent = by.turn.goer.thread
	} else {
		parent = f.armer
	}
	t := &newg.turn
	t.goer.thread = f.threads
	t.kind = foreOpBegin
	t.on, t.fresh = true, true
	t.pc = newg.startpc
	th := foreThreadAt(f.threads)
	*th = foreThread{turn: foreTurnAddress(t)}
	if f.threads > 0 {
		p := foreThreadAt(parent)
		p.children++
		th.parent, th.nth = parent, p.children
		th.name = foreHashWith(p.name, uint64(th.nth))
		th.class = th.name
	}
	f.threads++
	if f.threads == foreTurnClock {
		f.threads++
		f.clock.goer.thread = foreTurnClock
		f.clock.kind = foreOpSleep
		f.clock.on = true
		foreThreadAt(foreTurnClock).turn = foreTurnAddress(&f.clock)
		foreTellPath(foreTurnClock)
	}
	foreTellPath(t.goer.thread)
	t.plan = forePlanOf(t.goer.thread)
	if by != nil && by.turn.on {
		by.turn.other = uint64(t.goer.thread)
	}
}

// foreCreated is the point behind a go statement.
func foreCreated(pc uintptr) {
	gp := getg()
	if !foreTurnCan(gp) || gp.turn.other == 0 {
		return
	}
	t := &gp.turn
	t.kind, t.goer.object, t.goer.writes, t.try, t.pc, t.which = foreSignal, 0, true, false, pc, 0
	forePass(gp)
	t.other = 0
}

func foreTurnEnd() {
	gp := getg()
	if t := &gp.turn; t.on {
		t.on = false
		th := foreThreadAt(t.goer.thread)
		th.over = 1
		th.turn = 0
		foreTellOver(t)
	}
}

// foreTurnArm notes which goroutine starts a timer: what the timer starts is a child of that goroutine.
func foreTurnArm(t *foreTimer) {
	if turn := &getg().turn; turn.on {
		t.by = turn.goer.thread
	}
}

// foreTurnFatal: the program ends by a panic.
func foreTurnFatal() {
	if gp := getg(); gp.turn.on && gp == gp.m.curg {
		foreTurns = 0
		foreTellAll()
	}
}

// foreGosched is a point; false: the runtime yields as it likes.
func foreGosched(pc uintptr) bool {
	gp := getg()
	if !foreTurnCan(gp) {
		return false
	}
	forePoint(foreOpYield, 0, pc, false)
	return true
}
