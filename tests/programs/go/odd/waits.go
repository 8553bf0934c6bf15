package main

import "sync"

// A phaser: everybody goes on when the last one has come; whoever is through leaves.
type phaser struct {
	mu                   sync.Mutex
	cond                 *sync.Cond
	parties, here, phase int
}

func (p *phaser) advance() {
	p.here = 0
	p.phase++
	p.cond.Broadcast()
}

func (p *phaser) arrive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.here++
	if p.here == p.parties {
		p.advance()
		return
	}
	for phase := p.phase; phase == p.phase; {
		p.cond.Wait()
	}
}

func (p *phaser) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parties--
	if p.parties > 0 && p.here == p.parties {
		p.advance()
	}
}

// The phases keep the two orders of the locks apart.
func phases() {
	p := &phaser{parties: 3}
	p.cond = sync.NewCond(&p.mu)
	several(3, func(i int) {
		if i == 0 {
			forwards()
		}
		p.arrive()
		if i == 1 {
			backwards()
		}
		if i < 2 {
			p.arrive()
		}
		p.leave()
	})
}

type question struct {
	number int
	reply  chan int
}

// Whoever asks sends the channel on which the answer comes.
func requestReply() {
	questions, stopped := make(chan question), make(chan bool)
	go func() {
		defer close(stopped)
		for q := range questions {
			q.reply <- 2 * q.number
		}
	}()
	several(3, func(i int) {
		reply := make(chan int)
		questions <- question{i, reply}
		must(<-reply == 2*i)
	})
	close(questions)
	<-stopped
}

// The conditions have locks of other types: readers wait, and whoever holds a spinning lock.
func condOfReaders() {
	var rw sync.RWMutex
	changed := sync.NewCond(rw.RLocker())
	ready := false
	go func() {
		pause()
		rw.Lock()
		ready = true
		rw.Unlock()
		changed.Broadcast()
	}()
	several(2, func(int) {
		rw.RLock()
		for !ready {
			changed.Wait()
		}
		rw.RUnlock()
	})
}

func (s *spin) Lock()   { s.lock() }
func (s *spin) Unlock() { s.unlock() }

func condOfSpin() {
	var l spin
	changed := sync.NewCond(&l)
	ready := false
	go func() {
		pause()
		l.Lock()
		ready = true
		l.Unlock()
		changed.Signal()
	}()
	l.Lock()
	for !ready {
		changed.Wait()
	}
	l.Unlock()
}

// A source that is through is taken out of the select: its channel is nil from then on.
func nilMerge() {
	source := func(n int) <-chan int {
		c := make(chan int)
		go func() {
			defer close(c)
			for i := 0; i < n; i++ {
				c <- i
			}
		}()
		return c
	}
	a, b, got := source(3), source(2), 0
	for a != nil || b != nil {
		select {
		case _, open := <-a:
			if open {
				got++
			} else {
				a = nil
			}
		case _, open := <-b:
			if open {
				got++
			} else {
				b = nil
			}
		}
	}
	must(got == 5)
}
