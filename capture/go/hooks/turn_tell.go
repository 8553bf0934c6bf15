
// Appended by foresee: what is told outside while the program is controlled: where each goroutine stands, each
// step, and accesses that race. The form is that of capture/control/outcome.h of foresee.

type foreOutThread struct {
	path, place                [112]byte
	name                       [56]byte
	state, kind, blocked, size uint32
	address, other             uint64
}

type foreOutRace struct {
	thread, kind [2]uint32
	place        [2][112]byte
	object       [112]byte
}

type foreOutStep struct {
	thread         uint32
	kind, flags    uint16
	address, other uint64
	size, site     uint32
}

type foreOutcome struct {
	magic                               [8]byte
	version, end, steps, done           uint32
	skipped, deviated                   uint32
	reason                              [256]byte
	uncontrolled                        uint32
	by                                  [120]byte
	file                                [112]byte
	line, column, running, threads, met uint32
	stand                               [4]uint32
	choices, logged, virtual, hash      uint64
	races                               uint32
	race                                [8]foreOutRace
	stood                               [4]foreOutThread
	thread                              [1024]foreOutThread
}

const (
	foreOutExited = 1
	foreOutStuck  = 2

	foreOutWaits   = 2
	foreOutAway    = 3
	foreOutOver    = 4
	foreOutNew     = 0
	foreOutSteps   = 1 << 19
	foreOutMost    = 1 << 20
	foreOutChoice  = 1
	foreOutTimeout = 2
	foreOutAtomic  = 4
	foreOutEarly   = 16

	foreHashFrom  = 0xcbf29ce484222325
	foreHashTimes = 0x100000001b3
)

// As C has it.
var _ [324152]byte = [unsafe.Sizeof(foreOutcome{})]byte{}
var _ [32]byte = [unsafe.Sizeof(foreOutStep{})]byte{}

func foreOut() *foreOutcome { return (*foreOutcome)(unsafe.Pointer(foreTurn.out)) }

// foreMapOutcome maps the file that the environment names, or memory that nobody sees.
func foreMapOutcome(path *byte) {
	size := uintptr(foreOutSteps + foreOutMost*unsafe.Sizeof(foreOutStep{}))
	at, err := unsafe.Pointer(nil), 1
	if path != nil && *path != 0 {
		if fd := open(path, 0x2|0x40|0x80000, 0600); fd >= 0 {
			if _, errno := foreCall(foreFtruncate, uintptr(fd), size, 0, 0, 0); errno == 0 {
				at, err = mmap(nil, size, _PROT_READ|_PROT_WRITE, 1, fd, 0)
			}
			closefd(fd)
		}
	}
	if err != 0 {
		foreTurn.out = foreMap(size)
	} else {
		foreTurn.out = uintptr(at)
	}
	o := foreOut()
	copy(o.magic[:], "FORESEEO")
	o.version = 3
	o.steps = foreTurn.nlist
	o.hash = foreHashFrom
}

// foreOutBegin forgets what the runtime did before the program began.
func foreOutBegin() {
	o := foreOut()
	o.logged = 0
	o.hash = foreHashFrom
}

func foreLost(by string) {
	o := foreOut()
	o.uncontrolled++
	n := copy(o.by[:len(o.by)-1], by)
	o.by[n] = 0
}

// ---- words ----

func foreTextPut(into []byte, n int, s string) int {
	if n >= len(into) {
		return n
	}
	n += copy(into[n:len(into)-1], s)
	into[n] = 0
	return n
}

func foreTextPutNumber(into []byte, n int, v uint64) int {
	var digits [20]byte
	i := len(digits)
	for {
		i--
		digits[i] = byte('0' + v%10)
		if v /= 10; v == 0 {
			break
		}
	}
	text := stringStruct{unsafe.Pointer(&digits[i]), len(digits) - i}
	return foreTextPut(into, n, *(*string)(unsafe.Pointer(&text)))
}

// forePathText writes how a goroutine was created.
func forePathText(into []byte, thread uint32) int {
	var chain [40]uint32
	n := 0
	if thread == foreTurnClock {
		return foreTextPut(into, 0, "1.0")
	}
	for t := thread; t != 0; t = foreThreadAt(t).parent {
		if n < len(chain) {
			chain[n] = foreThreadAt(t).nth
			n++
		}
	}
	at := foreTextPut(into, 0, "1")
	for n > 0 {
		n--
		at = foreTextPut(into, at, ".")
		at = foreTextPutNumber(into, at, uint64(chain[n]))
	}
	return at
}

// foreOuter is where what is inlined at pc was called, or 0.
func foreOuter(f funcInfo, pc uintptr) uintptr {
	$OUTERFRAME
}

// foreFileLine is where a call returns to. What is inlined there of Go's own packages (a method of atomic.Int32) is where the
// program calls it, as in traces.
func foreFileLine(pc uintptr) (string, uint32) {
	f := findfunc(pc)
	if !f.valid() {
		return "", 0
	}
	at := pc
	if pc > f.entry() {
		at--
	}
	file, line := funcline1(f, at, false)
	for outer := foreOuter(f, at); outer != 0 && foreIsOfGo(file); outer = foreOuter(f, outer) {
		file, line = funcline1(f, outer, false)
	}
	return file, uint32(line)
}

func foreIsOfGo(file string) bool {
	root := foreRoot()
	return root != "" && foreIn(file, root)
}

func foreTextPlace(into []byte, n int, pc uintptr) int {
	file, line := foreFileLine(pc)
	if line == 0 {
		return foreTextPut(into, n, "")
	}
	n = foreTextPut(into, n, file)
	n = foreTextPut(into, n, ":")
	n = foreTextPutNumber(into, n, uint64(line))
	return foreTextPut(into, n, ":0")
}

// forePlaceOf is the program's own place of a goroutine's operation: if Go's packages do it, that of the
// innermost caller that is not theirs.
func forePlaceOf(t *foreTurnG) uintptr {
	if t.goer.thread == foreTurnClock || t.kind == foreOpBegin || foreWhose(t.pc) == foreOfUser {
		return t.pc
	}
	gp := foreGOf(foreTurnAddress(t))
	fp := gp.sched.bp
	if gp == getg() {
		fp = foreBP()
	} else if gp == getg().m.curg && getg() == getg().m.g0 {
		return t.pc
	}
	for i := 0; i < 40; i++ {
		pc := foreReturn(gp, fp)
		if pc == 0 {
			break
		}
		if foreWhose(pc) == foreOfUser {
			return pc
		}
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return t.pc
}

// foreLines remembers the line of a pc: pc<<20 | line.
var foreLines [1024]uint64

func foreLineOf(pc uintptr) uint32 {
	slot := &foreLines[pc%uintptr(len(foreLines))]
	if v := *slot; v>>20 == uint64(pc) && v != 0 {
		return uint32(v & (1<<20 - 1))
	}
	_, line := foreFileLine(pc)
	*slot = uint64(pc)<<20 | uint64(line&(1<<20-1))
	return line
}

// ---- threads ----

func foreToldOf(thread uint32) *foreOutThread {
	o := foreOut()
	if thread < uint32(len(o.thread)) {
		return &o.thread[thread]
	}
	return nil
}

func foreTellPath(thread uint32) {
	if o := foreOut(); o.threads <= thread {
		o.threads = thread + 1
	}
	if to := foreToldOf(thread); to != nil {
		forePathText(to.path[:], thread)
		to.state = foreOutNew
		if thread == foreTurnClock {
			to.state = foreOutOver // it waits for nobody
		}
	}
}

func foreTellOver(t *foreTurnG) {
	if to := foreToldOf(t.goer.thread); to != nil {
		to.state = foreOutOver
		to.blocked = 0
	}
}

func foreTellG(gp *g) {
	t := &gp.turn
	to := foreToldOf(t.goer.thread)
	if to == nil {
		return
	}
	to.kind = uint32(t.kind)
	to.size = t.size
	to.address, to.other = t.goer.object, t.other
	to.state, to.blocked = foreOutWaits, 0
	switch readgstatus(gp) &^ _Gscan {
	case _Gsyscall:
		to.state, to.kind = foreOutAway, foreOpBack
	case _Gwaiting:
		to.blocked = 1
		if gp.waitreason == waitReasonIOWait {
			to.state, to.kind = foreOutAway, foreOpInput
		} else if gp.waitreason == waitReasonSleep {
			to.kind = foreOpSleep
		} else if t.kind < forePre || t.kind > 28 {
			to.kind = 0
		}
	case _Grunning:
		to.state = 1
	case _Grunnable:
		if t.kind == foreOpBegin && t.fresh {
			to.state = foreOutNew
		}
	}
	foreTextPlace(to.place[:], 0, forePlaceOf(t))
}

func foreTellAll() {
	o := foreOut()
	for i := 0; i < len(allgs); i++ {
		if gp := allgs[i]; gp.turn.on {
			foreTellG(gp)
		}
	}
	if foreTurn.doing != 0 && foreTurn.follows {
		foreSettle()
	}
	if foreVirtual != 0 {
		o.virtual = uint64(foreVirtual - foreTurn.began)
	}
	o.choices = foreTurn.strategy.choices
	if o.logged > 0 && o.running < foreTurn.threads {
		if p := foreThreadAt(o.running).turn; p != 0 {
			file, line := foreFileLine(forePlaceOf(foreTurnOf(p)))
			n := copy(o.file[:len(o.file)-1], file)
			o.file[n] = 0
			o.line = line
		}
	}
}

// ---- steps ----

func foreLog(t *foreTurnG) {
	o := foreOut()
	o.running = t.goer.thread
	o.hash = (o.hash ^ uint64(t.goer.thread+1)) * foreHashTimes
	if o.logged >= foreOutMost {
		return
	}
	s := (*foreOutStep)(unsafe.Pointer(foreTurn.out + foreOutSteps + uintptr(o.logged)*unsafe.Sizeof(foreOutStep{})))
	s.thread = t.goer.thread
	s.kind = foreKindNow(t)
	flags := uint16(0)
	if foreTurn.choice {
		flags = foreOutChoice
	}
	if t.goer.thread == foreTurnClock {
		flags |= foreOutTimeout
		if foreTurn.n > 0 && foreVirtual != 0 && foreTurn.fireAt > foreVirtual+foreMillisecond {
			flags |= foreOutEarly
		}
	}
	if t.atomic {
		flags |= foreOutAtomic
	}
	s.flags = flags
	s.address, s.other, s.size = 0, 0, 0
	if t.fresh {
		s.address, s.other, s.size = t.goer.object, t.other, t.size
	}
	s.site = 0
	if t.pc != 0 {
		s.site = foreLineOf(t.pc) << 8
	}
	if foreRuns.repeats && foreRuns.begun {
		foreClassStep(s)
	}
	o.logged++
}

// ---- races ----

func foreRaces(a, b *foreTurnG) bool {
	p, q := a.goer.object, b.goer.object
	return p < q+uint64(b.size) && q < p+uint64(a.size) && !(a.atomic && b.atomic) &&
		(a.kind != foreReadKind || b.kind != foreReadKind)
}

// foreLookForRace looks for a goroutine that stands at an access to the place to which the one that goes on has an
// access: that is a race.
func foreLookForRace(next *foreTurnG) {
	if !next.fresh || !foreIsAccess(next.kind) {
		return
	}
	for _, p := range foreReadyList() {
		if t := foreTurnOf(p); t != next && t.fresh && foreIsAccess(t.kind) && foreRaces(next, t) {
			foreTellRace(next, t)
		}
	}
}

func foreTellRace(a, b *foreTurnG) {
	o := foreOut()
	if o.races >= uint32(len(o.race)) {
		return
	}
	r := &o.race[o.races]
	both := [2]*foreTurnG{a, b}
	for i, t := range both {
		r.thread[i], r.kind[i] = t.goer.thread, uint32(t.kind)
		foreTextPlace(r.place[i][:], 0, t.pc)
	}
	for i := uint32(0); i < o.races; i++ {
		if o.race[i].place == r.place {
			return
		}
	}
	o.races++
}
