
// Appended by foresee. Each method that was renamed to ...0 is wrapped: the fast way is tried
// and recorded complete; if it has to wait, that is recorded before and completed after. Tickets
// are taken while the lock is held; what is no lock is done between foreTake and foreGive.

// foreSync is known to runtime by its layout.
type foreSync struct {
	seq        uint64
	id, check  uint32
	part, made uint32
	owner, at  uint32
	taken      [4]uint32
	know       uint64
	first      uint32
	guard      uint32
}

const (
	foreIsLock = 2
	foreIsRW   = 2 | (1<<1|1<<3)<<16
	foreIsOwn  = 2 | 1<<4<<16 // hidden
	foreIsCond = 3
	foreIsOnce = 6
	foreIsWG   = 7

	foreKLock       = 12
	foreKTryLock    = 13
	foreKUnlock     = 14
	foreKRLock      = 15
	foreKTryRLock   = 16
	foreKRUnlock    = 17
	foreKCWait      = 18
	foreKCWoken     = 19
	foreKCSignal    = 20
	foreKCBroadcast = 21
	foreKOnce       = 25
	foreKWGAdd      = 26
	foreKWGDone     = 27
	foreKWGWait     = 28

	foreBusy = 1 << 10
)

//go:linkname foreOn runtime.foreOn
var foreOn uint32

//go:linkname foreReadersAt runtime.foreReadersAt
var foreReadersAt uintptr

func init() {
	foreReadersAt = unsafe.Offsetof(RWMutex{}.readerCount) - unsafe.Offsetof(RWMutex{}.fore)
}

// foreTurns is not 0 when the program is controlled: then forePoint waits for the goroutine's turn.
//
//go:linkname foreTurns runtime.foreTurns
var foreTurns uint32

func forePoint(object unsafe.Pointer, kind uint16)
func foreCountUp()

func foreEvent(s *foreSync, kind, word uint64)
func foreHeld(s *foreSync, kind, word uint64)
func foreTwo(s *foreSync, kind, word, a, b uint64) uintptr
func forePre(s *foreSync, kind, word uint64) uintptr
func foreDone(s *foreSync, rec uintptr, flags uint64)
func foreUnit(rec uintptr, a, b uint64)
func forePeer() uint64
func foreCaller() (pc, fp uintptr)
func foreAt(s *foreSync, kind, word uint64, pc, fp uintptr)
func foreTurn(s *foreSync, rec uintptr, word uint64)
func foreTake(s *foreSync) uint64
func foreGive(s *foreSync, rec uintptr, ticket uint64)
func foreMark(who, rec uintptr, ticket uint64)
func foreMe() uintptr
func foreWillCall(f func())
func foreHolding(s *foreSync, took bool) (uint64, uint64)
func foreSpins(n int) bool

// The fast ways of Lock and Unlock are in assembly (fore_amd64.s): a section that says nothing (know.go) costs no more. All
// others go on in the functions below.
func foreLock(m *Mutex)
func foreUnlock(m *Mutex)

// Lock locks m. If it is already in use, the calling goroutine waits until it is available.
func (m *Mutex) Lock() {
	foreLock(m)
}

// Unlock unlocks m.
func (m *Mutex) Unlock() {
	foreUnlock(m)
}

//go:noinline
//go:linkname foreLockAny
func foreLockAny(m *Mutex) {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(m), foreKLock)
	}
	if foreOn == 0 {
		m.foreLock0()
		return
	}
	if !race.Enabled && $FREEMUTEX || m.foreTryLock0() || m.foreTakeSoon() {
		foreHeld(&m.fore, foreIsLock, foreKLock)
		return
	}
	rec := forePre(&m.fore, foreIsLock, foreKLock)
	m.foreLock0()
	foreDone(&m.fore, rec, 0)
}

// foreLocked records that m, which must be said, was locked.
//
//go:noinline
//go:linkname foreLocked
func foreLocked(m *Mutex) {
	foreHeld(&m.fore, foreIsLock, foreKLock)
}

//go:noinline
//go:linkname foreUnlockAny
func foreUnlockAny(m *Mutex) {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(m), foreKUnlock)
	}
	if foreOn != 0 {
		foreHeld(&m.fore, foreIsLock, foreKUnlock)
		if !race.Enabled && $HELDMUTEX {
			return
		}
	}
	m.foreUnlock0()
}

// foreUnlockWanted unlocks m, which others wait for, without a record.
//
//go:noinline
//go:linkname foreUnlockWanted
func foreUnlockWanted(m *Mutex) {
	m.foreUnlock0()
}

// foreTakeSoon takes m if its holder gives it back within a moment, as m itself would: that needs no record
// of a wait, and a section that says nothing then needs none at all (know.go).
func (m *Mutex) foreTakeSoon() bool {
	for n := 0; foreSpins(n); n++ {
		if m.foreTryLock0() {
			return true
		}
	}
	return false
}

// TryLock tries to lock m and reports whether it succeeded.
//
//go:noinline
func (m *Mutex) TryLock() bool {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(m), foreKTryLock)
	}
	ok := m.foreTryLock0()
	if foreOn != 0 {
		if ok {
			foreHeld(&m.fore, foreIsLock, foreKTryLock)
		} else {
			foreEvent(&m.fore, foreIsLock, foreKTryLock|foreBusy)
		}
	}
	return ok
}

// Lock locks rw for writing.
//
//go:noinline
func (rw *RWMutex) Lock() {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(rw), foreKLock)
	}
	if foreOn == 0 {
		rw.foreLock0()
		return
	}
	if rw.foreTryLock0() {
		foreEvent(&rw.fore, foreIsRW, foreKLock)
		return
	}
	rec := forePre(&rw.fore, foreIsRW, foreKLock)
	rw.foreLock0()
	foreDone(&rw.fore, rec, 0)
}

// TryLock tries to lock rw for writing and reports whether it succeeded.
//
//go:noinline
func (rw *RWMutex) TryLock() bool {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(rw), foreKTryLock)
	}
	ok := rw.foreTryLock0()
	if foreOn != 0 {
		word := uint64(foreKTryLock)
		if !ok {
			word |= foreBusy
		}
		foreEvent(&rw.fore, foreIsRW, word)
	}
	return ok
}

// Unlock unlocks rw for writing.
//
//go:noinline
func (rw *RWMutex) Unlock() {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(rw), foreKUnlock)
	}
	if foreOn != 0 {
		foreEvent(&rw.fore, foreIsRW, foreKUnlock)
	}
	rw.foreUnlock0()
}

// RLock locks rw for reading.
//
//go:noinline
func (rw *RWMutex) RLock() {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(rw), foreKRLock)
	}
	if foreOn == 0 {
		rw.foreRLock0()
		return
	}
	if rw.foreTryRLock0() {
		foreEvent(&rw.fore, foreIsRW, foreKRLock)
		return
	}
	rec := forePre(&rw.fore, foreIsRW, foreKRLock)
	rw.foreRLock0()
	foreDone(&rw.fore, rec, 0)
}

// TryRLock tries to lock rw for reading and reports whether it succeeded.
//
//go:noinline
func (rw *RWMutex) TryRLock() bool {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(rw), foreKTryRLock)
	}
	ok := rw.foreTryRLock0()
	if foreOn != 0 {
		word := uint64(foreKTryRLock)
		if !ok {
			word |= foreBusy
		}
		foreEvent(&rw.fore, foreIsRW, word)
	}
	return ok
}

// RUnlock undoes a single RLock call.
//
//go:noinline
func (rw *RWMutex) RUnlock() {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(rw), foreKRUnlock)
	}
	if foreOn != 0 {
		foreEvent(&rw.fore, foreIsRW, foreKRUnlock)
	}
	rw.foreRUnlock0()
}

// Do calls f if it is the first call of Do. While f runs, a lock of the Once is held, for which
// the others wait. A goroutine that waited, or came later, has seen f return: its ticket is greater than that
// of the one that ran f.
//
//go:noinline
func (o *Once) Do(f func()) {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(o), foreKOnce)
	}
	if foreOn == 0 {
		if foreTurns != 0 {
			do := f
			f = func() {
				defer o.foreReturns()
				do()
			}
		}
		o.foreDo0(f)
		return
	}
	if atomic.LoadUint32(&o.foreRan) != 0 {
		foreEvent(&o.fore, foreIsOnce, foreKOnce|foreBusy)
		return
	}
	pc, fp := foreCaller()
	foreAt(&o.fore, foreIsOnce, 0, pc, fp)
	rec, ran := forePre(&o.foreRuns, foreIsLock, foreKLock), false
	o.foreDo0(func() {
		ran = true
		foreDone(&o.foreRuns, rec, 0)
		defer func() {
			if foreTurns != 0 {
				o.foreReturns()
			}
			foreAt(&o.foreRuns, foreIsLock, foreKUnlock, pc, fp)
			foreAt(&o.fore, foreIsOnce, foreKOnce, pc, fp)
			atomic.StoreUint32(&o.foreRan, 1)
		}()
		f()
	})
	if !ran {
		foreTurn(&o.fore, rec, foreKOnce|foreBusy)
	}
}

// foreReturns has the points of the two operations that are recorded when f has returned.
func (o *Once) foreReturns() {
	forePoint(unsafe.Pointer(o), foreKUnlock)
	forePoint(unsafe.Pointer(o), foreKOnce)
}

// foreWaiter is a goroutine that waits for a group to be at zero.
type foreWaiter struct {
	who, rec uintptr
	next     *foreWaiter
}

// foreForget leaves out what waited for the group that wg was copied from.
func (wg *WaitGroup) foreForget() {
	if wg.foreSelf != wg {
		wg.foreSelf, wg.foreWaits = wg, nil
	}
}

// foreCountBy completes, when the count is zero, the records of the goroutines that this wakes: before
// they run on, others may count up again.
func (wg *WaitGroup) foreCountBy(rec uintptr, delta int) {
	n := foreTake(&wg.fore)
	last := n
	wg.foreForget()
	wg.foreCount += delta
	wg.fore.owner = uint32(wg.foreCount)
	foreMark(foreMe(), rec, n)
	if wg.foreCount == 0 {
		for w := wg.foreWaits; w != nil; w = w.next {
			last++
			foreMark(w.who, w.rec, last)
		}
		wg.foreWaits = nil
	}
	defer foreGive(&wg.fore, 0, last)
	wg.foreAdd0(delta)
}

// Add adds delta, which may be negative, to the WaitGroup counter.
//
//go:noinline
func (wg *WaitGroup) Add(delta int) {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(wg), foreKWGAdd)
	}
	if foreOn == 0 {
		wg.foreAdd0(delta)
		return
	}
	wg.foreCountBy(foreTwo(&wg.fore, foreIsWG, foreKWGAdd, uint64(delta), 0), delta)
}

// Done decrements the WaitGroup counter by one.
//
//go:noinline
func (wg *WaitGroup) Done() {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(wg), foreKWGDone)
	}
	if foreOn == 0 {
		wg.foreAdd0(-1)
		return
	}
	wg.foreCountBy(forePre(&wg.fore, foreIsWG, foreKWGDone), -1)
}

// Wait blocks until the WaitGroup counter is zero.
//
//go:noinline
func (wg *WaitGroup) Wait() {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(wg), foreKWGWait)
	}
	if foreOn == 0 {
		wg.foreWait0()
		return
	}
	w := &foreWaiter{who: foreMe(), rec: forePre(&wg.fore, foreIsWG, foreKWGWait)}
	n := foreTake(&wg.fore)
	if wg.foreCount == 0 {
		foreGive(&wg.fore, w.rec, n)
		return
	}
	wg.foreForget()
	w.next = wg.foreWaits
	wg.foreWaits = w
	foreGive(&wg.fore, 0, n-1)
	wg.foreWait0()
}

// Wait atomically unlocks c.L and suspends execution of the calling goroutine.
//
//go:noinline
func (c *Cond) Wait() {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(c), foreKCWait)
	}
	if foreOn == 0 {
		if foreTurns != 0 {
			c.foreWaitTurn()
		} else {
			c.foreWait0()
		}
		return
	}
	c.checker.check()
	var held *foreSync
	switch l := c.L.(type) {
	case *Mutex:
		held = &l.fore
	case *RWMutex:
		held = &l.fore
	default:
		c.foreWaitOwn()
		return
	}
	a, b := foreHolding(held, false)
	rec := foreTwo(&c.fore, foreIsCond, foreKCWait, a, b)
	woken := foreTwo(&c.fore, foreIsCond, foreKCWoken, a, 0)
	n := foreTake(&c.fore)
	t := runtime_notifyListAdd(&c.notify)
	foreGive(&c.fore, rec, n)
	c.foreRelease()
	runtime_notifyListWait(&c.notify, t)
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(c), foreKCWoken)
	}
	c.foreRetake()
	a, b = foreHolding(held, true)
	foreUnit(woken, a, b)
	foreGive(&c.fore, woken, foreTake(&c.fore))
}

// foreWaitOwn is Wait where the lock is of a type that foresee does not know, whose Unlock has events of its own. No
// signal comes between these and the wait: a hidden lock is held meanwhile, and by whoever signals.
func (c *Cond) foreWaitOwn() {
	n, k := c.foreTakeOwn()
	own := &c.foreOwn
	foreEvent(own, foreIsOwn, foreKLock|(k-1)<<24)
	t := runtime_notifyListAdd(&c.notify)
	foreGive(&c.fore, 0, n)
	c.L.Unlock()
	if foreTurns != 0 {
		foreCountUp()
	}
	foreTwo(&c.fore, foreIsCond, foreKCWait|1<<8|n<<24, uint64(own.id), k)
	rec := foreTwo(&c.fore, foreIsCond, foreKCWoken, uint64(own.id), 0)
	runtime_notifyListWait(&c.notify, t)
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(c), foreKCWoken)
		foreCountUp()
	}
	n, k = c.foreTakeOwn()
	foreUnit(rec, uint64(own.id), k-1)
	foreEvent(own, foreIsOwn, foreKUnlock|k<<24)
	foreGive(&c.fore, rec, n)
	c.L.Lock()
}

// foreTakeOwn is foreTake, and says the second of two tickets of the hidden lock.
func (c *Cond) foreTakeOwn() (n, k uint64) {
	n = foreTake(&c.fore)
	c.foreOwn.seq += 2
	return n, c.foreOwn.seq
}

func (c *Cond) foreHasOwn() bool {
	switch c.L.(type) {
	case *Mutex, *RWMutex, nil:
		return false
	}
	return true
}

// foreWakeTurn counts what foreWakeOwn records of the hidden lock.
func (c *Cond) foreWakeTurn() {
	if foreTurns != 0 && c.foreHasOwn() {
		foreCountUp()
		foreCountUp()
	}
}

// foreWakeOwn is Signal or Broadcast where Wait is foreWaitOwn.
func (c *Cond) foreWakeOwn(kind uint64) {
	c.foreWakeTurn()
	n, k := c.foreTakeOwn()
	foreEvent(&c.foreOwn, foreIsOwn, foreKLock|(k-1)<<24)
	rec := foreTwo(&c.fore, foreIsCond, kind, 0, 0)
	if kind == foreKCSignal {
		forePeer()
		c.foreSignal0()
		foreUnit(rec, forePeer(), 0)
	} else {
		c.foreBroadcast0()
	}
	foreEvent(&c.foreOwn, foreIsOwn, foreKUnlock|k<<24)
	foreGive(&c.fore, rec, n)
}

// foreWaitTurn is Wait of a program that is controlled and not recorded: the same points.
func (c *Cond) foreWaitTurn() {
	c.checker.check()
	own := c.foreHasOwn()
	t := runtime_notifyListAdd(&c.notify)
	if own {
		c.L.Unlock()
		foreCountUp()
	} else {
		c.foreRelease()
	}
	runtime_notifyListWait(&c.notify, t)
	forePoint(unsafe.Pointer(c), foreKCWoken)
	if own {
		foreCountUp()
		c.L.Lock()
	} else {
		c.foreRetake()
	}
}

func (c *Cond) foreRelease() {
	switch l := c.L.(type) {
	case *Mutex:
		l.foreUnlock0()
	case *RWMutex:
		l.foreUnlock0()
	}
}

func (c *Cond) foreRetake() {
	switch l := c.L.(type) {
	case *Mutex:
		l.foreLock0()
	case *RWMutex:
		l.foreLock0()
	}
}

// Signal wakes one goroutine waiting on c, if there is any.
//
//go:noinline
func (c *Cond) Signal() {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(c), foreKCSignal)
	}
	if foreOn == 0 {
		c.foreWakeTurn()
		c.foreSignal0()
		return
	}
	if c.foreHasOwn() {
		c.foreWakeOwn(foreKCSignal)
		return
	}
	rec := foreTwo(&c.fore, foreIsCond, foreKCSignal, 0, 0)
	n := foreTake(&c.fore)
	forePeer()
	c.foreSignal0()
	foreUnit(rec, forePeer(), 0)
	foreGive(&c.fore, rec, n)
}

// Broadcast wakes all goroutines waiting on c.
//
//go:noinline
func (c *Cond) Broadcast() {
	if foreTurns != 0 {
		forePoint(unsafe.Pointer(c), foreKCBroadcast)
	}
	if foreOn == 0 {
		c.foreWakeTurn()
		c.foreBroadcast0()
		return
	}
	if c.foreHasOwn() {
		c.foreWakeOwn(foreKCBroadcast)
		return
	}
	rec := forePre(&c.fore, foreIsCond, foreKCBroadcast)
	n := foreTake(&c.fore)
	c.foreBroadcast0()
	foreGive(&c.fore, rec, n)
}
