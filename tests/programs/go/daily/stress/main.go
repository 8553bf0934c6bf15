// Many goroutines, by a seed: locks that are held, channels that are filled and waits that last while the trace is used
// again from its beginning on, several times.
//
//	stress quiet SEED ROUNDS   nothing is wrong
//	stress bugs SEED ROUNDS    four goroutines are left behind, each at a place of its own
package main

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"sync"
	"time"
)

const many = 12

type place struct {
	mu    sync.Mutex   // held by its keeper for a round
	rw    sync.RWMutex // as mu, for reading
	table sync.RWMutex // of everybody
	sum   int
	box   chan int
	turn  *sync.Cond
	comes bool
}

var (
	places [many]place
	ends   sync.WaitGroup // of those that last
	work   sync.WaitGroup
)

// keeps holds locks between two messages.
func keeps(p *place, from chan struct{}) {
	defer ends.Done()
	for range from {
		p.mu.Lock()
		p.rw.RLock()
		<-from
		p.table.Lock()
		p.sum++
		p.table.Unlock()
		p.rw.RUnlock()
		p.mu.Unlock()
	}
}

func fills(r *rand.Rand, n int) {
	defer work.Done()
	for k := 0; k < n; k++ {
		p := &places[r.Intn(many)]
		p.box <- k
		if r.Intn(4) == 0 {
			p.table.Lock()
			p.sum++
			p.table.Unlock()
		}
	}
}

func drains(box chan int) {
	defer ends.Done()
	for range box {
	}
}

// waits for its turn, which comes at the end.
func waits(p *place) {
	defer ends.Done()
	p.turn.L.Lock()
	for !p.comes {
		p.turn.Wait()
	}
	p.turn.L.Unlock()
}

func traffic(r *rand.Rand, n int) {
	defer work.Done()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	reply := make(chan int)
	for k := 0; k < n; k++ {
		p := &places[r.Intn(many)]
		switch r.Intn(4) {
		case 0:
			if p.mu.TryLock() {
				p.mu.Unlock()
			}
		case 1:
			p.rw.RLock()
			p.table.RLock()
			p.table.RUnlock()
			p.rw.RUnlock()
		case 2:
			go func(k int) { reply <- k }(k)
			select {
			case <-reply:
			case <-timer.C:
			}
		case 3:
			var done sync.WaitGroup
			done.Add(1)
			go done.Done()
			done.Wait()
		}
	}
}

// ---- what is wrong ----

type left struct {
	mu   sync.Mutex
	none chan int
	full chan int
	wg   sync.WaitGroup
}

func (x *left) takes()    { x.mu.Lock() }
func (x *left) receives() { x.takes(); <-x.none } // bug: nobody sends
func (x *left) sends()    { x.full <- 2 }         // bug: it is full
func (x *left) counts()   { x.wg.Wait() }         // bug: nobody is done
func (x *left) locks()    { x.mu.Lock() }         // bug: the lock is held by the first

func main() {
	seed, _ := strconv.ParseInt(os.Args[2], 10, 64)
	rounds, _ := strconv.Atoi(os.Args[3])
	r := rand.New(rand.NewSource(seed))
	bugs := os.Args[1] == "bugs"
	var keepers [many]chan struct{}
	for i := range places {
		p := &places[i]
		p.box, p.turn = make(chan int, r.Intn(5)), sync.NewCond(&sync.Mutex{})
		keepers[i] = make(chan struct{})
		ends.Add(3)
		go drains(p.box)
		go waits(p)
		go keeps(p, keepers[i])
	}
	x := &left{none: make(chan int), full: make(chan int, 1)}
	x.full <- 1
	x.wg.Add(1)
	if bugs {
		go x.receives()
		go x.counts()
	}
	for round := 0; round < 3; round++ {
		n := 1 + r.Intn(many)
		for _, from := range keepers[:n] {
			from <- struct{}{}
		}
		for i := 0; i < 4; i++ {
			work.Add(2)
			go fills(rand.New(rand.NewSource(r.Int63())), rounds/2)
			go traffic(rand.New(rand.NewSource(r.Int63())), rounds)
		}
		work.Wait()
		if round == 1 && bugs {
			go x.sends()
		}
		for _, from := range keepers[:n] {
			from <- struct{}{}
		}
	}
	if bugs {
		go x.locks()
		time.Sleep(5 * time.Millisecond)
	}
	for i := range places {
		p := &places[i]
		p.turn.L.Lock()
		p.comes = true
		p.turn.L.Unlock()
		p.turn.Broadcast()
		close(p.box)
		close(keepers[i])
	}
	ends.Wait()
	fmt.Println("done")
}
