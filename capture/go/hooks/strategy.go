
// Appended by foresee: strategies, which of the goroutines that may go on goes on. The twin of
// capture/control/strategy.h of foresee, where they are explained: the same seed makes the same
// choices on the same program, and a test compares the two. Nothing of the runtime is used here.

// foreGoer is what a strategy knows about a goroutine.
type foreGoer struct {
	mark   uint64
	object uint64 // what its next operation is on; 0: nothing that others could touch
	thread uint32 // in order of creation
	writes bool   // it changes the object
	yields bool   // it would rather have others go
}

const (
	foreStrategyFree   = 0
	foreStrategyRandom = 1
	foreStrategyPct    = 2
	foreStrategyPos    = 3
	foreStrategyDelay  = 4

	foreFallen   = 1 << 32
	forePatience = 4000
)

var foreStrategyNames = [...]string{"free", "random", "pct", "pos", "delay"}

type foreStrategy struct {
	kind    uint32
	state   uint64
	depth   uint32
	falls   uint32
	choices uint64
	length  uint64
	change  [16]uint64
}

// foreMix is splitmix64.
//
//go:nosplit
func foreMix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *foreStrategy) below(n int) int {
	return int((foreMix(&s.state) >> 32) * uint64(n) >> 32)
}

func (s *foreStrategy) start(kind, depth uint32, seed, length uint64) {
	*s = foreStrategy{kind: kind, state: seed, length: length, depth: depth}
	foreMix(&s.state)
	if s.depth > uint32(len(s.change)) {
		s.depth = uint32(len(s.change))
	}
	if s.length == 0 {
		s.length = 100
	}
	for i := uint32(0); i < s.depth; i++ {
		s.change[i] = 1 + foreMix(&s.state)%s.length
	}
}

func (s *foreStrategy) changes(from uint32) bool {
	for i := from; i < s.depth; i++ {
		if s.change[i] == s.choices {
			return true
		}
	}
	return false
}

// foreGoerAt is the i-th goer. Goers are not on the heap, so that the scheduler can write them wherever it is.
//
//go:nosplit
func foreGoerAt(p uintptr) *foreGoer {
	return (*foreGoer)(unsafe.Pointer(p))
}

// foreAfter is the first in cyclic order behind the thread; itself only if there is no other.
func foreAfter(c []uintptr, thread uint32) int {
	best, first := -1, 0
	for i := range c {
		t := foreGoerAt(c[i]).thread
		if t < foreGoerAt(c[first]).thread {
			first = i
		}
		if t > thread && (best < 0 || t < foreGoerAt(c[best]).thread) {
			best = i
		}
	}
	if best < 0 {
		return first
	}
	return best
}

func (s *foreStrategy) pickFree(c []uintptr, running uint32) int {
	passes := s.choices%forePatience == 0
	for i := 0; i < len(c) && !passes; i++ {
		if g := foreGoerAt(c[i]); g.thread == running && !g.yields {
			return i
		}
	}
	return foreAfter(c, running)
}

func (s *foreStrategy) pickRandom(c []uintptr) int {
	at := s.below(len(c))
	if foreGoerAt(c[at]).yields {
		return s.below(len(c))
	}
	return at
}

func foreHighest(c []uintptr) int {
	best := 0
	for i := 1; i < len(c); i++ {
		if foreGoerAt(c[i]).mark > foreGoerAt(c[best]).mark {
			best = i
		}
	}
	return best
}

func (s *foreStrategy) pickPct(c []uintptr) int {
	anew := s.choices%(4*s.length+200) == 0
	for i := range c {
		if g := foreGoerAt(c[i]); g.mark == 0 || anew {
			g.mark = foreFallen + (foreMix(&s.state)>>1 | foreFallen)
		}
	}
	best := foreHighest(c)
	if foreGoerAt(c[best]).yields || s.changes(1) {
		s.falls++
		foreGoerAt(c[best]).mark = foreFallen - uint64(s.falls)
		best = foreHighest(c)
	}
	return best
}

func (s *foreStrategy) pickPos(c []uintptr) int {
	anew := s.choices%forePatience == 0
	for i := range c {
		if g := foreGoerAt(c[i]); g.mark == 0 || anew || g.mark == 1 && !g.yields {
			g.mark = foreMix(&s.state) | 1
		}
	}
	best := foreHighest(c)
	if foreGoerAt(c[best]).yields {
		yields := best
		foreGoerAt(c[best]).mark = 1
		best = foreHighest(c)
		if foreGoerAt(c[best]).mark == 1 {
			best = foreAfter(c, foreGoerAt(c[yields]).thread)
		}
	}
	b := foreGoerAt(c[best])
	for i := range c {
		g := foreGoerAt(c[i])
		if i == best || g.object != 0 && g.object == b.object && (g.writes || b.writes) {
			g.mark = 0
		}
	}
	return best
}

func (s *foreStrategy) pickDelay(c []uintptr, running uint32) int {
	at := s.pickFree(c, running)
	if s.changes(0) {
		return foreAfter(c, foreGoerAt(c[at]).thread)
	}
	return at
}

// pick is the index of the one that goes on; `running` did the last step. There is at least one.
func (s *foreStrategy) pick(c []uintptr, running uint32) int {
	if len(c) == 1 {
		if s.kind == foreStrategyPos {
			foreGoerAt(c[0]).mark = 0
		}
		return 0
	}
	s.choices++
	switch s.kind {
	case foreStrategyRandom:
		return s.pickRandom(c)
	case foreStrategyPct:
		return s.pickPct(c)
	case foreStrategyPos:
		return s.pickPos(c)
	case foreStrategyDelay:
		return s.pickDelay(c, running)
	}
	return s.pickFree(c, running)
}
