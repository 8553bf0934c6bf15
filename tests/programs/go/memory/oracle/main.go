// A random program: goroutines that read and write variables under random synchronisation, in a random
// order that is enforced by means that nobody records. Prints which variables race, by brute force:
// "all" by happens-before; "sure" if whoever reads comes after what it reads, too, and after what the writer
// did until it synchronised, so that races are real which come after others.
//
//	oracle SEED [global]
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

const (
	mostThreads = 5
	steps       = 160
	locks       = 3
)

const (
	read = iota
	write
	lock
	unlock
	rlock
	runlock
	send
	recv
	add    // atomically
	narrow // a read or write of some bytes or elements of a variable
)

type step struct {
	thread, kind, what int
	off, size          int
	writes             bool
}

type block struct {
	A, B, C    int
	D, E       int32
	F, G, H    int16
	I, J       bool
	K          string
	L          []int
	M          interface{}
	N          int64 // also used atomically
	O          [4]int
	P          uint64     // accessed by bytes
	Q          [16]int    // accessed by copying
	R, S, T, U [pages]int // in which there are whole pages of memory: accessed by elements, and by copying some or all
}

var names = []string{"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U"}

const (
	atomicVar = 13
	bytesVar  = 15
	pagesVar  = 17
	pages     = 4096
)

var (
	global block
	heap   *block
	mu     [locks]sync.Mutex
	rw     sync.RWMutex
	pipe   = make(chan int, 2)
	plan   []step
	turn   int
	random uint64
)

//go:norace
//go:noinline
func below(n int) int {
	random ^= random << 13
	random ^= random >> 7
	random ^= random << 17
	return int(random >> 33 % uint64(n))
}

// ---- the plan, which never blocks ----

type planner struct {
	threads, few int
	held         [locks]int // by thread + 1
	writer       int
	readers      [mostThreads]bool
	full         int
	own          bool // each variable has a lock, and nearly all accesses are with it
	without      int  // of so many accesses one is without
	rare         int  // of so many accesses one writes; 0: of three
	pages        bool // most accesses are to R, S, T and U
	quiet        bool // most sections have nothing in them that a specification names
}

func (p *planner) holders() int {
	n := 0
	for _, r := range p.readers {
		if r {
			n++
		}
	}
	return n
}

func (p *planner) synchronise(t int) (step, bool) {
	s := step{thread: t}
	m := below(locks)
	switch below(6) {
	case 0, 1:
		if p.held[m] == t+1 {
			p.held[m] = 0
			s.kind, s.what = unlock, m
			return s, true
		}
		if p.held[m] == 0 {
			p.held[m] = t + 1
			s.kind, s.what = lock, m
			return s, true
		}
	case 2:
		if p.readers[t] {
			p.readers[t] = false
			s.kind = runlock
			return s, true
		}
		if p.writer == 0 {
			p.readers[t] = true
			s.kind = rlock
			return s, true
		}
	case 3:
		if p.full < 2 {
			p.full++
			s.kind = send
			return s, true
		}
	case 4:
		if p.full > 0 {
			p.full--
			s.kind = recv
			return s, true
		}
	case 5:
		s.kind, s.what, s.writes = add, atomicVar, true
		return s, true
	}
	return s, false
}

func (p *planner) access(t int) step {
	s := step{thread: t, kind: read, what: below(p.few), writes: below(3) == 0}
	if p.rare != 0 {
		s.writes = below(p.rare) == 0
	}
	if s.writes {
		s.kind = write
	}
	if p.pages && below(4) != 0 {
		s.what = pagesVar + below(4)
	}
	if s.what >= pagesVar {
		s.takePart()
	}
	if s.what == bytesVar {
		s.kind, s.size = narrow, 1<<below(4)
		s.off = below(8/s.size) * s.size
	}
	return s
}

func (s *step) takePart() {
	s.kind, s.size = narrow, []int{1, 1, 40, 700, 1300, pages}[below(6)]
	s.off = below(pages - s.size + 1)
}

// section is one of those in which nothing happens but, perhaps, what is not named, or another such section.
func (p *planner) section(t int) {
	m, n := below(locks), below(locks)
	if p.held[m] != 0 {
		return
	}
	plan = append(plan, step{thread: t, kind: lock, what: m})
	if below(4) == 0 {
		plan = append(plan, step{thread: t, kind: write, what: 2, writes: true})
	}
	if below(6) == 0 && n != m && p.held[n] == 0 {
		plan = append(plan, step{thread: t, kind: lock, what: n}, step{thread: t, kind: unlock, what: n})
	}
	plan = append(plan, step{thread: t, kind: unlock, what: m})
}

// locked is an access to a variable that all hold its lock for.
func (p *planner) locked(t int, s step) {
	s.thread = t
	plan = append(plan, step{thread: t, kind: lock, what: s.what % locks}, s, step{thread: t, kind: unlock, what: s.what % locks})
}

// readForLong has variables that are read many times before they are written. Now and then a thread reads without
// the lock, just before another writes, or before it ends.
func (p *planner) readForLong() {
	what, left := below(bytesVar-2), p.threads
	for round := 0; round < 6; round++ {
		for n := 20 + below(60); n > 0; n-- {
			p.locked(below(left), step{kind: read, what: what})
		}
		t := below(left)
		if below(4) == 0 {
			plan = append(plan, step{thread: t, kind: read, what: what})
			if t == left-1 && left > 2 && below(2) == 0 {
				left--
			}
		}
		p.locked((t+1)%left, step{kind: write, what: what, writes: true})
		if below(3) == 0 {
			what = below(bytesVar - 2)
		}
	}
}

// ownForLong has variables that one thread owns through many sections before another comes, one race each at most. Several
// variables may lie in the same 8 bytes.
func (p *planner) ownForLong() {
	for what := 0; what < len(names); what++ {
		if what >= bytesVar-2 && what < pagesVar {
			continue
		}
		t := below(p.threads)
		for n := 1 + below(3); n > 0; n-- {
			plan = append(plan, aloneStep(t, what+below(2)))
			for m := below(8); m > 0; m-- {
				plan = append(plan, step{thread: t, kind: lock, what: t % locks}, step{thread: t, kind: unlock, what: t % locks})
			}
		}
		plan = append(plan, aloneStep((t+1)%p.threads, what))
	}
}

func aloneStep(t, what int) step {
	s := step{thread: t, kind: read, what: what % len(names), writes: below(2) == 0}
	if s.writes {
		s.kind = write
	}
	if s.what >= pagesVar {
		s.takePart()
	}
	return s
}

func makePlan(owns bool) int {
	p := planner{threads: 2 + below(mostThreads-1), few: 1 + below(len(names)), own: below(4) == 0, without: 30, rare: 25 * (below(4) / 3)}
	if below(4) == 0 { // few variables, which are guarded for long
		p.few, p.own, p.without = 1+below(3), true, 15+below(100)
	}
	p.pages = below(6) == 0
	p.quiet = len(os.Args) > 2 && below(4) != 0
	if owns {
		p.ownForLong()
		return p.threads
	}
	t, most := 0, steps
	if !p.quiet && below(4) == 0 {
		p.readForLong()
		return p.threads
	}
	if p.quiet {
		p.few, most = 2, 6*steps
	}
	for len(plan) < most {
		if below(3) == 0 {
			t = below(p.threads)
		}
		if p.quiet && below(40) != 0 {
			p.section(t)
			continue
		}
		if below(3) == 0 {
			if s, ok := p.synchronise(t); ok {
				plan = append(plan, s)
			}
			continue
		}
		s := p.access(t)
		m := s.what % locks
		if p.own && s.what != bytesVar && below(p.without) != 0 && p.held[m] == 0 {
			plan = append(plan, step{thread: t, kind: lock, what: m}, s, step{thread: t, kind: unlock, what: m})
			continue
		}
		plan = append(plan, s)
	}
	for m, by := range p.held {
		if by != 0 {
			plan = append(plan, step{thread: by - 1, kind: unlock, what: m})
		}
	}
	for t, r := range p.readers {
		if r {
			plan = append(plan, step{thread: t, kind: runlock})
		}
	}
	return p.threads
}

// ---- doing it ----

//go:norace
//go:noinline
func next(t, i int) (int, step) {
	for i < len(plan) && plan[i].thread != t {
		i++
	}
	if i == len(plan) {
		return i, step{}
	}
	for turn != i {
		runtime.Gosched()
	}
	return i, plan[i]
}

//go:norace
//go:noinline
func over(i int) { turn = i + 1 }

func access(b *block, s step) (seen int) {
	switch s.what*2 + map[bool]int{true: 1}[s.writes] {
	case 0:
		seen = b.A
	case 1:
		b.A = 1
	case 2:
		seen = b.B
	case 3:
		b.B++
	case 4:
		seen = b.C
	case 5:
		b.C = 3
	case 6:
		seen = int(b.D)
	case 7:
		b.D = 1
	case 8:
		seen = int(b.E)
	case 9:
		b.E++
	case 10:
		seen = int(b.F)
	case 11:
		b.F = 1
	case 12:
		seen = int(b.G)
	case 13:
		b.G = 1
	case 14:
		seen = int(b.H)
	case 15:
		b.H++
	case 16:
		if b.I {
			seen = 1
		}
	case 17:
		b.I = !b.I
	case 18:
		if b.J {
			seen = 1
		}
	case 19:
		b.J = true
	case 20:
		seen = len(b.K)
	case 21:
		b.K = "text"
	case 22:
		seen = cap(b.L[:0])
	case 23:
		b.L = nil
	case 24:
		if b.M != nil {
			seen = 1
		}
	case 25:
		b.M = seen
	case 26:
		seen = int(b.N)
	case 27:
		b.N = 5
	case 28:
		seen = b.O[2]
	case 29:
		b.O[2]++
	case 32:
		var to [16]int
		seen = copy(to[:], b.Q[:])
	case 33:
		seen = copy(b.Q[:], make([]int, 16))
	}
	return
}

func accessBytes(b *block, s step) (seen int) {
	at := unsafe.Pointer(uintptr(unsafe.Pointer(&b.P)) + uintptr(s.off))
	switch s.size*2 + map[bool]int{true: 1}[s.writes] {
	case 2:
		seen = int(*(*uint8)(at))
	case 3:
		*(*uint8)(at) = 1
	case 4:
		seen = int(*(*uint16)(at))
	case 5:
		*(*uint16)(at) = 1
	case 8:
		seen = int(*(*uint32)(at))
	case 9:
		*(*uint32)(at) = 1
	case 16:
		seen = int(*(*uint64)(at))
	case 17:
		*(*uint64)(at) = 1
	}
	return
}

// accessElements copies through memory of its own, which the collector gives out again to other threads.
func accessElements(b *block, s step) int {
	part := [4]*[pages]int{&b.R, &b.S, &b.T, &b.U}[s.what-pagesVar][s.off : s.off+s.size]
	if s.size == 1 {
		if s.writes {
			part[0] = 1
		}
		return part[0]
	}
	if s.off%4 == 0 {
		runtime.GC()
	}
	own := make([]int, pages+s.off%2) // on the heap
	copy(own, own[pages/2:])
	if s.writes {
		return copy(part, own)
	}
	return copy(own, part)
}

func work(t int, b *block) (seen int) {
	i, s := next(t, 0)
	for ; i < len(plan); i, s = next(t, i+1) {
		switch s.kind {
		case read, write:
			seen += access(b, s)
		case narrow:
			if s.what >= pagesVar {
				seen += accessElements(b, s)
			} else {
				seen += accessBytes(b, s)
			}
		case lock:
			mu[s.what].Lock()
		case unlock:
			mu[s.what].Unlock()
		case rlock:
			rw.RLock()
		case runlock:
			rw.RUnlock()
		case send:
			pipe <- 1
		case recv:
			<-pipe
		case add:
			atomic.AddInt64(&b.N, 1)
		}
		over(i)
	}
	return
}

// ---- which variables race ----

type clock [mostThreads]int

func (c *clock) join(d clock) {
	for i := range c {
		if d[i] > c[i] {
			c[i] = d[i]
		}
	}
}

type done struct {
	step
	at clock
}

func overlap(a, b step) bool {
	return a.what == b.what && (a.kind != narrow || a.off < b.off+b.size && b.off < a.off+a.size)
}

// updates: b.B++ reads, too.
func updates(s step) bool {
	return s.kind == write && strings.Contains("BEHIO", names[s.what])
}

func races(sure bool) (racy [len("ABCDEFGHIJKLMNOPQRSTU")]bool) {
	var written [len(racy)]clock
	var now [mostThreads]clock
	var locked [locks]clock
	var counter clock
	var queue, taken []clock
	for t := range now {
		now[t][t] = 1
	}
	var all []done
	for _, s := range plan {
		c := &now[s.thread]
		switch s.kind {
		case lock:
			c.join(locked[s.what])
		case send: // the k-th receive comes before the send that takes its room
			if k := len(queue) + len(taken); k >= 2 {
				c.join(taken[k-2])
			}
		case recv:
			c.join(queue[0])
		case add:
			c.join(counter)
		}
		if !sure {
			c[s.thread]++
		}
		switch s.kind {
		case unlock:
			locked[s.what] = *c
		case send:
			queue = append(queue, *c)
		case recv:
			queue = queue[1:]
			taken = append(taken, *c)
		case read, write, narrow, add:
			for _, d := range all {
				if overlap(d.step, s) && d.thread != s.thread && (d.writes || s.writes) && !(d.kind == add && s.kind == add) && c[d.thread] < d.at[d.thread] {
					racy[s.what] = true
				}
			}
			all = append(all, done{s, *c})
			if sure && (s.kind == read || s.kind == narrow || updates(s)) {
				c.join(written[s.what])
			}
			if s.writes {
				written[s.what] = *c
			}
		}
		switch {
		case s.kind == add:
			counter = *c
		case !sure && s.kind == write && s.what == atomicVar:
			counter = clock{} // who adds to this does not see what was added before
		}
		if sure && s.kind != read && s.kind != write && s.kind != narrow {
			c[s.thread]++
		}
	}
	return
}

func main() {
	seed, _ := strconv.Atoi(os.Args[1])
	random = uint64(seed)*0x9e3779b97f4a7c15 + 1
	threads := makePlan(seed%8 == 7 && len(os.Args) < 3)
	b := &global
	if below(2) == 0 && len(os.Args) < 3 {
		heap = &block{}
		b = heap
	}
	b.L = make([]int, 1)
	var wg sync.WaitGroup
	for t := 0; t < threads; t++ {
		wg.Add(1)
		go func(t int) { work(t, b); wg.Done() }(t)
	}
	wg.Wait()
	sure := races(true)
	for i, racy := range races(false) {
		if racy {
			fmt.Println("all", names[i])
		}
		if sure[i] {
			fmt.Println("sure", names[i])
		}
	}
}
