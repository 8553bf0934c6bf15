package stacks

import (
	"sync"
	"testing"
)

// One goroutine waits while it holds a lock, another waits for the lock: each somewhere below other functions.

type box struct {
	mu sync.Mutex
	c  chan int

	held chan bool
}

func (x *box) keep()   { x.inside() }
func (x *box) inside() { x.mu.Lock(); x.receive(); x.mu.Unlock() }

func (x *box) receive() {
	close(x.held)
	<-x.c
}

func (x *box) want() { x.lock() }
func (x *box) lock() { x.mu.Lock() }

func (x *box) a() { x.b() }
func (x *box) b() { x.d() }
func (x *box) d() { x.e() }
func (x *box) e() { x.f() }
func (x *box) f() {
	go x.keep()
	<-x.held
	go x.want()
}

func TestStacks(t *testing.T) {
	x := &box{c: make(chan int), held: make(chan bool)}
	x.a()
}

// The function that took the lock has returned when its goroutine waits.

func (x *box) take()       { x.mu.Lock() }
func (x *box) takeForAll() { x.take() }
func (x *box) serve()      { x.takeForAll(); x.send() }

func (x *box) send() {
	close(x.held)
	x.c <- 1
}

func TestTaken(t *testing.T) {
	x := &box{c: make(chan int), held: make(chan bool)}
	go x.serve()
	<-x.held
	go x.want()
}
