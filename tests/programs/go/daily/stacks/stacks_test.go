package stacks

import (
	"sync"
	"testing"
	"time"
)

// One goroutine waits while it holds a lock, another waits for the lock: each somewhere below other functions.

type box struct {
	mu sync.Mutex
	c  chan int
}

func (x *box) keep()   { x.inside() }
func (x *box) inside() { x.mu.Lock(); x.receive(); x.mu.Unlock() }

func (x *box) receive() { <-x.c }

func (x *box) want() { x.lock() }
func (x *box) lock() { x.mu.Lock() }

func (x *box) a() { x.b() }
func (x *box) b() { x.d() }
func (x *box) d() { x.e() }
func (x *box) e() { x.f() }
func (x *box) f() {
	go x.keep()
	time.Sleep(5 * time.Millisecond)
	go x.want()
	time.Sleep(5 * time.Millisecond)
}

func TestStacks(t *testing.T) {
	x := &box{c: make(chan int)}
	x.a()
}
