// Small programs that race, and their twins that do not: races NAME racy|fixed. The words behind a case
// are the variable that races. Those marked "later" are ordered in the run as it is, by who took a lock
// first or by what waited for what, so that only another run shows the race.
package main

import (
	buffer "bytes"
	"container/list"
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// guard is a lock that the racy program forgets.
type guard struct {
	mu    sync.Mutex
	fixed bool
}

func (g *guard) lock() {
	if g.fixed {
		g.mu.Lock()
	}
}

func (g *guard) unlock() {
	if g.fixed {
		g.mu.Unlock()
	}
}

// both does a and b in two goroutines and waits for them.
func both(a, b func()) {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); a() }()
	go func() { defer wg.Done(); b() }()
	wg.Wait()
}

// turns does a and then, when that is surely over, b: nothing orders them.
func turns(a, b func()) {
	both(a, func() {
		time.Sleep(3 * time.Millisecond)
		b()
	})
}

type node struct {
	key  int
	ok   bool
	also bool
	half [2]int32
	next *node
}

var (
	mutex, second sync.Mutex
	rw            sync.RWMutex
	once          sync.Once

	count  int
	ratio  float64
	flag   bool
	name   string
	any    interface{}
	slice  []int
	table  map[string]int
	array  [4]int
	tree   node
	shared *node
	data   int
	config *node
	fail   error
	bytes  [8]byte
	halves [2]int32
	ready  int32
	value  atomic.Value
	sink   int
	note   string // by the linker
)

func counter(g *guard) { // main.count
	add := func() {
		g.lock()
		count++
		g.unlock()
	}
	both(add, add)
}

func readers(g *guard) { // main.count
	both(func() { g.lock(); count = 1; g.unlock() }, func() { g.lock(); sink = count; g.unlock() })
}

func field(g *guard) { // main.tree.key
	both(func() { g.lock(); tree.key++; g.unlock() }, func() { g.lock(); tree.key = 7; g.unlock() })
}

func boolean(g *guard) { // main.tree.also
	both(func() { g.lock(); tree.also = true; g.unlock() }, func() {
		g.lock()
		tree.ok = true
		if tree.also {
			sink = 1
		}
		g.unlock()
	})
}

func float(g *guard) { // main.ratio
	both(func() { g.lock(); ratio *= 2; g.unlock() }, func() { g.lock(); ratio = 1; g.unlock() })
}

func text(g *guard) { // main.name
	both(func() { g.lock(); name = "long"; g.unlock() }, func() { g.lock(); sink = len(name); g.unlock() })
}

func face(g *guard) { // main.any
	both(func() { g.lock(); any = 3; g.unlock() }, func() { g.lock(); any = "x"; g.unlock() })
}

func element(g *guard) { // int@
	s := make([]int, 4)
	both(func() { g.lock(); s[1]++; g.unlock() }, func() { g.lock(); s[1] = 2; g.unlock() })
}

func header(g *guard) { // main.slice
	slice = make([]int, 0, 8)
	add := func() { g.lock(); slice = append(slice, 1); g.unlock() }
	both(add, add)
}

func backing(g *guard) { // int@
	base := make([]int, 1, 4)
	both(func() { g.lock(); sink = append(base, 1)[0]; g.unlock() }, func() { g.lock(); sink = append(base, 2)[0]; g.unlock() })
}

func elements(g *guard) { // main.array
	i := 1
	if g.fixed {
		i = 2
	}
	both(func() { array[1]++ }, func() { array[i]++ })
}

func neighbours(g *guard) { // main.bytes
	i := 3
	if g.fixed {
		i = 4
	}
	both(func() { bytes[3] = 1 }, func() { bytes[i] = 2 })
}

func parts(g *guard) { // main.halves
	i := 0
	if g.fixed {
		i = 1
	}
	both(func() { halves[0]++ }, func() { halves[i]++ })
}

func insert(g *guard) { // map@
	m := map[int]int{}
	turns(func() { g.lock(); m[1] = 1; g.unlock() }, func() { g.lock(); m[2] = 2; g.unlock() })
}

func lookup(g *guard) { // map@
	m := map[string]int{"a": 1}
	turns(func() { g.lock(); m["b"] = 2; g.unlock() }, func() { g.lock(); sink = m["a"]; g.unlock() })
}

func remove(g *guard) { // map@
	m := map[int64]int{1: 1, 2: 2}
	turns(func() { g.lock(); delete(m, 1); g.unlock() }, func() {
		g.lock()
		for k := range m {
			sink = int(k)
		}
		g.unlock()
	})
}

func mapVariable(g *guard) { // main.table
	both(func() { g.lock(); table = map[string]int{}; g.unlock() }, func() { g.lock(); sink = len(table); g.unlock() })
}

func captured(g *guard) { // int@
	n := 0
	add := func() { g.lock(); n++; g.unlock() }
	both(add, add)
	sink = n
}

func target(g *guard) { // main.node@
	p := &node{}
	both(func() { g.lock(); p.key = 1; g.unlock() }, func() { g.lock(); sink = p.key; g.unlock() })
}

func linked(g *guard) { // main.node@
	p := &node{next: &node{}}
	both(func() { g.lock(); p.next.key++; g.unlock() }, func() { g.lock(); p.next.key++; g.unlock() })
}

func pointer(g *guard) { // main.shared
	both(func() { g.lock(); shared = &node{}; g.unlock() }, func() {
		g.lock()
		if shared != nil {
			sink = 1
		}
		g.unlock()
	})
}

func copied(g *guard) { // main.tree
	both(func() { g.lock(); tree = node{key: 1}; g.unlock() }, func() { g.lock(); shared = &node{}; *shared = tree; g.unlock() })
}

func copies(g *guard) { // int@
	a, b := make([]int, 4), make([]int, 4)
	both(func() { g.lock(); copy(a, b); g.unlock() }, func() { g.lock(); a[3] = 1; g.unlock() })
}

func oneSide(g *guard) { // main.count
	both(func() { mutex.Lock(); count++; mutex.Unlock() }, func() {
		if g.fixed {
			mutex.Lock()
			defer mutex.Unlock()
		}
		count++
	})
}

func wrongLock(g *guard) { // main.count
	other := &second
	if g.fixed {
		other = &mutex
	}
	both(func() { mutex.Lock(); count++; mutex.Unlock() }, func() { other.Lock(); count++; other.Unlock() })
}

func readLock(g *guard) { // main.count
	add := func() {
		if g.fixed {
			rw.Lock()
			defer rw.Unlock()
		} else {
			rw.RLock()
			defer rw.RUnlock()
		}
		count++
	}
	turns(add, add)
}

func early(g *guard) { // main.count
	add := func() {
		mutex.Lock()
		if !g.fixed {
			mutex.Unlock()
		}
		count++
		if g.fixed {
			mutex.Unlock()
		}
	}
	both(add, add)
}

func doubleChecked(g *guard) { // main.config
	get := func() {
		if g.fixed {
			mutex.Lock()
			defer mutex.Unlock()
		}
		if config == nil {
			if !g.fixed {
				mutex.Lock()
				defer mutex.Unlock()
			}
			config = &node{}
		}
	}
	both(get, get)
}

func lazy(g *guard) { // main.config
	get := func() {
		if g.fixed {
			once.Do(func() { config = &node{} })
		} else if config == nil {
			config = &node{}
		}
		_ = config.key
	}
	turns(get, get)
}

func doneFirst(g *guard) { // main.data
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		if !g.fixed {
			wg.Done()
		}
		data = 1
		if g.fixed {
			wg.Done()
		}
	}()
	wg.Wait()
	sink = data
	time.Sleep(3 * time.Millisecond)
}

func sentFirst(g *guard) { // main.data
	c := make(chan int, 1)
	go func() {
		if !g.fixed {
			c <- 1
		}
		data = 1
		if g.fixed {
			c <- 1
		}
	}()
	<-c
	sink = data
	time.Sleep(3 * time.Millisecond)
}

func fullBuffer(g *guard) { // main.data
	n := 1
	if g.fixed {
		n = 0
	}
	c := make(chan int, n)
	go func() {
		data = 1
		<-c
	}()
	c <- 1
	data = 2
	time.Sleep(3 * time.Millisecond)
}

func closedFirst(g *guard) { // main.data
	c := make(chan int)
	go func() {
		if !g.fixed {
			close(c)
		}
		data = 1
		if g.fixed {
			close(c)
		}
	}()
	<-c
	sink = data
	time.Sleep(3 * time.Millisecond)
}

func published(g *guard) { // main.data
	both(func() {
		if !g.fixed {
			atomic.StoreInt32(&ready, 1)
		}
		data = 1
		if g.fixed {
			atomic.StoreInt32(&ready, 1)
		}
	}, func() {
		for atomic.LoadInt32(&ready) == 0 {
			time.Sleep(time.Millisecond)
		}
		sink = data
	})
}

func mixed(g *guard) { // ready
	both(func() { atomic.AddInt32(&ready, 1) }, func() {
		if g.fixed {
			sink = int(atomic.LoadInt32(&ready))
		} else {
			sink = int(ready)
		}
	})
}

func mixedWrite(g *guard) { // ready
	turns(func() {
		if g.fixed {
			atomic.StoreInt32(&ready, 1)
		} else {
			ready = 1
		}
	}, func() { sink = int(atomic.LoadInt32(&ready)) })
}

func inLibrary(g *guard) { // list.List@
	l := list.New()
	add := func() { g.lock(); l.PushBack(1); g.unlock() }
	both(add, add)
}

func buffered(g *guard) { // bytes.Buffer@
	b := &buffer.Buffer{}
	both(func() { g.lock(); b.WriteString("x"); g.unlock() }, func() { g.lock(); sink = b.Len(); g.unlock() })
}

func slept(g *guard) { // main.data
	turns(func() { g.lock(); data = 1; g.unlock() }, func() { g.lock(); sink = data; g.unlock() })
}

func stored(g *guard) { // main.node@
	p := &node{}
	both(func() {
		if g.fixed {
			p.key = 1
		}
		value.Store(p)
		if !g.fixed {
			p.key = 1
		}
	}, func() {
		time.Sleep(3 * time.Millisecond)
		if q, ok := value.Load().(*node); ok {
			sink = q.key
		}
	})
}

func inMap(g *guard) { // main.node@
	var m sync.Map
	both(func() {
		p := &node{}
		if g.fixed {
			p.key = 1
		}
		m.Store(1, p)
		if !g.fixed {
			p.key = 1
		}
	}, func() {
		time.Sleep(3 * time.Millisecond)
		if q, ok := m.Load(1); ok {
			sink = q.(*node).key
		}
	})
}

func pooled(g *guard) { // main.node@
	var p sync.Pool
	x := &node{}
	both(func() {
		if g.fixed {
			x.key = 1
		}
		p.Put(x)
		if !g.fixed {
			x.key = 1
		}
	}, func() {
		time.Sleep(3 * time.Millisecond)
		if q, ok := p.Get().(*node); ok {
			q.key = 2
		} else if !g.fixed {
			x.key = 2
		}
	})
}

func timer(g *guard) { // main.data
	done := make(chan bool)
	time.AfterFunc(time.Millisecond, func() { g.lock(); data = 1; g.unlock(); close(done) })
	g.lock()
	data = 2
	g.unlock()
	<-done
}

func cancelled(g *guard) { // main.data
	ctx, cancel := context.WithCancel(context.Background())
	both(func() {
		if g.fixed {
			data = 1
		}
		cancel()
		if !g.fixed {
			data = 1
		}
	}, func() {
		<-ctx.Done()
		sink = data
	})
}

func condition(g *guard) { // main.flag
	c := sync.NewCond(&mutex)
	both(func() {
		if g.fixed {
			mutex.Lock()
		}
		flag = true
		if g.fixed {
			mutex.Unlock()
		}
		c.Broadcast()
	}, func() {
		mutex.Lock()
		for i := 0; !flag && i < 1; i++ {
			mutex.Unlock()
			time.Sleep(time.Millisecond)
			mutex.Lock()
		}
		mutex.Unlock()
	})
}

func failures(g *guard) { // main.fail
	set := func() { g.lock(); fail = context.Canceled; g.unlock() }
	both(set, set)
}

func polled(g *guard) { // main.data
	c := make(chan int, 1)
	both(func() {
		time.Sleep(30 * time.Millisecond) // the other one looks before
		g.lock()
		data = 1
		g.unlock()
		c <- 1
	}, func() {
		select {
		case <-c:
		default:
			g.lock()
			data = 2
			g.unlock()
		}
		time.Sleep(time.Millisecond)
		g.lock()
		data = 3
		g.unlock()
	})
}

func beforeTheSection(g *guard) { // main.data later
	turns(func() {
		g.lock()
		data = 1
		g.unlock()
		mutex.Lock()
		count++
		mutex.Unlock()
	}, func() {
		mutex.Lock()
		sink = 1
		mutex.Unlock()
		g.lock()
		data = 2
		g.unlock()
	})
}

func afterTheSection(g *guard) { // main.data later
	turns(func() {
		mutex.Lock()
		count++
		mutex.Unlock()
		mutex.Lock()
		if g.fixed {
			data = 1
		}
		mutex.Unlock()
		if !g.fixed {
			data = 1
		}
		second.Lock()
		array[0]++
		second.Unlock()
	}, func() {
		second.Lock()
		array[1]++
		second.Unlock()
		mutex.Lock()
		data = 2
		mutex.Unlock()
	})
}

func twoLocks(g *guard) { // main.data later
	turns(func() {
		g.lock()
		data++
		g.unlock()
		mutex.Lock()
		mutex.Unlock()
		second.Lock()
		second.Unlock()
	}, func() {
		second.Lock()
		second.Unlock()
		mutex.Lock()
		mutex.Unlock()
		g.lock()
		data++
		g.unlock()
	})
}

func readLater(g *guard) { // main.data later
	turns(func() {
		g.lock()
		sink = data
		g.unlock()
		rw.Lock()
		rw.Unlock()
	}, func() {
		rw.RLock()
		rw.RUnlock()
		g.lock()
		data = 1
		g.unlock()
	})
}

// alternate has two goroutines count in turns, each time under the lock: it guards the variable for long.
func alternate() {
	turn := func(k int) func() {
		return func() {
			for n := 0; n < 60; runtime.Gosched() {
				mutex.Lock()
				if count&1 == k {
					count++
					n++
				}
				mutex.Unlock()
			}
		}
	}
	both(turn(0), turn(1))
}

func guardedLong(g *guard) { // main.count
	turns(alternate, func() {
		if g.fixed {
			mutex.Lock()
			defer mutex.Unlock()
		}
		count = 7 // not guarded
	})
}

func guardedAgain(g *guard) { // main.count
	turns(func() {
		alternate()
		time.Sleep(6 * time.Millisecond)
		alternate()
	}, func() {
		if g.fixed {
			mutex.Lock()
			defer mutex.Unlock()
		}
		sink = count
	})
}

func guardedWithin(g *guard) { // main.data
	var inner [2]sync.Mutex // differs from goroutine to goroutine, the outer one guards
	section := func(k int) func() {
		return func() {
			for i := 0; i < 60; i++ {
				rw.Lock()
				inner[k].Lock()
				data++
				inner[k].Unlock()
				rw.Unlock()
				runtime.Gosched()
			}
		}
	}
	turns(func() { both(section(0), section(1)) }, func() {
		if g.fixed {
			rw.Lock()
			defer rw.Unlock()
		} else {
			inner[0].Lock()
			defer inner[0].Unlock()
		}
		data++
	})
}

func handedOver(g *guard) { // main.count
	for i := 0; i < 40; i++ {
		mutex.Lock()
		count++
		go func() { // which unlocks what it has not locked
			count++
			mutex.Unlock()
		}()
		if !g.fixed {
			sink = count
		}
	}
	mutex.Lock()
	mutex.Unlock()
}

type small struct{ at *int }

func smallBlocks(g *guard) { // main.small
	boxes := make([]*small, 32) // of 8 bytes each: neighbours
	for i := range boxes {
		boxes[i] = new(small)
	}
	var wg sync.WaitGroup
	for i := range boxes {
		box := boxes[i]
		if !g.fixed && i == 1 {
			box = boxes[0]
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			box.at = new(int)
			*box.at = 1
		}()
	}
	wg.Wait()
}

func main() {
	all := map[string]func(*guard){"counter": counter, "readers": readers, "field": field,
		"boolean": boolean, "float": float, "text": text, "face": face, "element": element,
		"header": header, "backing": backing, "elements": elements, "neighbours": neighbours,
		"parts": parts, "insert": insert, "lookup": lookup, "remove": remove,
		"mapVariable": mapVariable, "captured": captured, "target": target, "linked": linked,
		"pointer": pointer, "copied": copied, "copies": copies, "oneSide": oneSide,
		"wrongLock": wrongLock, "readLock": readLock, "early": early,
		"doubleChecked": doubleChecked, "lazy": lazy, "doneFirst": doneFirst,
		"sentFirst": sentFirst, "fullBuffer": fullBuffer, "closedFirst": closedFirst,
		"published": published, "slept": slept, "stored": stored, "inMap": inMap,
		"pooled": pooled, "timer": timer, "cancelled": cancelled, "condition": condition,
		"failures": failures, "polled": polled, "beforeTheSection": beforeTheSection,
		"mixed": mixed, "mixedWrite": mixedWrite,
		"inLibrary": inLibrary, "buffered": buffered, "afterTheSection": afterTheSection, "twoLocks": twoLocks, "readLater": readLater,
		"guardedLong": guardedLong, "guardedAgain": guardedAgain, "guardedWithin": guardedWithin, "handedOver": handedOver,
		"smallBlocks": smallBlocks}
	all[os.Args[1]](&guard{fixed: os.Args[2] == "fixed"})
	fmt.Print(note)
}
