
// Appended by foresee: the program is a node that foresee explores. Its time is in a page that both
// see (capture/node/clock.h of foresee) and moves only when foresee says so; standard input is read
// through the poller, so that a goroutine that waits for a message is parked. When none
// can go on, the page says until when, and foresee gives the next message or the next moment.

const (
	foreNodeMagic  = 0x666f72656e6f6465
	foreNodeEpoch  = 1704067200 // seconds
	foreNodeUptime = 86400 * foreSecond
	foreNodeSize   = 40 + 64*16

	foreNodeSeed     = 8
	foreNodeNow      = 16
	foreNodeKeeper   = 24
	foreNodeAsked    = 28
	foreNodeRested   = 32
	foreNodeWaits    = 40
	foreNodeDeadline = 48

	foreNodeIsGo = 2
	foreNever    = 1<<63 - 1
	foreCallMost = 50 * 1000 * 1000 // of a system call, until it is one that may take for ever

	foreFcntl     = 72*goarch.IsAmd64 + 25*goarch.IsArm64
	foreFutex     = 202*goarch.IsAmd64 + 98*goarch.IsArm64
	foreFutexWait = 0
	foreFutexWake = 1
)

// foreNode is where the page is, or 0: the program is no node.
var foreNode uintptr

// foreNodeSeen is what had been asked when everybody was last seen to wait.
var foreNodeSeen uint32

func foreNodeWord(at uintptr) *uint32 { return fore32(foreNode + at) }

// foreNodeStart maps the page that the environment names, before the runtime has a heap.
func foreNodeStart() bool {
	number := foreTakeVariable("FORESEE_NODE_CLOCK")
	if number == nil {
		return false
	}
	fd, ok := foreNumberIn(gostringnocopy(number))
	if !ok {
		return false
	}
	page, err := mmap(nil, foreNodeSize, _PROT_READ|_PROT_WRITE, 1, int32(fd), 0)
	if err != 0 || *fore64(uintptr(page)) != foreNodeMagic {
		return false
	}
	foreNode = uintptr(page)
	f := &foreTurn
	f.base = foreNodeEpoch
	f.began = foreNodeUptime
	f.drained = true // as without foresee: what main leaves behind ends with it
	f.strategy.start(foreStrategyFree, 0, 0, 0)
	foreTick = 0
	foreVirtual = f.began + int64(*fore64(foreNode + foreNodeNow))
	const setFlags, nonblocking = 4, 0x800
	foreCall(foreFcntl, 0, setFlags, nonblocking, 0, 0)
	atomic.Store(foreNodeWord(foreNodeKeeper), foreNodeIsGo)
	return true
}

// foreNodeIdle is called when nobody can go on, and tells whether there is something to do now.
//
//go:yeswritebarrierrec
func foreNodeIdle(pp *p, calls, polls, signals int) bool {
	f := &foreTurn
	if now := f.began + int64(atomic.Load64(fore64(foreNode+foreNodeNow))); now > foreVirtual {
		foreVirtual = now
	}
	w := foreNextTimer(pp, foreWakesNow)
	if w != 0 && w <= foreVirtual {
		foreJump(pp, w)
		return true
	}
	if w == 0 && calls+polls+signals == 0 {
		foreStuck()
	}
	asked := atomic.Load(foreNodeWord(foreNodeAsked))
	if asked != foreNodeSeen { // what came with it may not have been looked for yet
		foreNodeSeen = asked
		f.quiet = 0
		return true
	}
	if calls == 0 || f.quiet > foreCallMost {
		foreNodeRest(w, asked)
	}
	before := nanotime1()
	moment := [2]uint64{0, 100 * 1000 * 1000} // what foresee gives wakes us
	if calls > 0 || polls > 1 {
		moment[1] = 1000 * 1000 // what else may come does not
	}
	foreCall(foreFutex, foreNode+foreNodeAsked, foreFutexWait, uintptr(asked), uintptr(unsafe.Pointer(&moment)), 0)
	f.quiet += nanotime1() - before
	return false
}

// foreNodeRest tells foresee that the step is over, and when the next timer is due.
func foreNodeRest(w int64, asked uint32) {
	if atomic.Load(foreNodeWord(foreNodeRested)) == asked {
		return
	}
	deadline := uint64(foreNever)
	if w != 0 {
		deadline = uint64(w - foreTurn.began)
	}
	atomic.Store64(fore64(foreNode+foreNodeDeadline), deadline)
	atomic.Store(foreNodeWord(foreNodeWaits), 1)
	atomic.Store(foreNodeWord(foreNodeRested), asked)
	foreCall(foreFutex, foreNode+foreNodeRested, foreFutexWake, 1, 0, 0)
}

// foreChance fills bytes for package crypto/rand; false: they are to be random.
//
//go:linkname foreChance
func foreChance(p []byte) bool {
	if foreNode == 0 {
		return false
	}
	for i := range p {
		p[i] = byte(foreMix(&foreTurn.random) >> 32)
	}
	return true
}
