package corpus

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestCondWithoutLoop(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		some := sync.NewCond(&mu)
		var items []int
		take := func() {
			mu.Lock()
			defer mu.Unlock()
			if fixed {
				for len(items) == 0 {
					some.Wait()
				}
			} else if len(items) == 0 {
				some.Wait()
			}
			items = items[1:]
		}
		put := func() {
			for i := 0; i < 2; i++ {
				mu.Lock()
				items = append(items, i)
				mu.Unlock()
				some.Broadcast()
			}
		}
		together(take, take, put)
	})
}

// Nobody remembers the signal.
func TestSignalBeforeWait(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		ready := sync.NewCond(&mu)
		is := false
		wait := func() {
			mu.Lock()
			if !fixed || !is {
				ready.Wait()
			}
			mu.Unlock()
		}
		signal := func() {
			mu.Lock()
			is = true
			ready.Signal()
			mu.Unlock()
		}
		together(wait, signal)
	})
}

// Those who put and those who take wait on one condition, and the signal wakes the wrong one.
func TestSignalWakesWrong(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		change := sync.NewCond(&mu)
		n := 0
		tell := change.Signal
		if fixed {
			tell = change.Broadcast
		}
		put := func() {
			mu.Lock()
			for n == 1 {
				change.Wait()
			}
			n++
			tell()
			mu.Unlock()
		}
		take := func() {
			mu.Lock()
			for n == 0 {
				change.Wait()
			}
			n--
			tell()
			mu.Unlock()
		}
		together(put, put, take, take)
	})
}

// The flag is set without the lock, between the look at it and the wait.
func TestFlagWithoutLock(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		var over int32
		ready := sync.NewCond(&mu)
		wait := func() {
			mu.Lock()
			for atomic.LoadInt32(&over) == 0 {
				ready.Wait()
			}
			mu.Unlock()
		}
		set := func() {
			if fixed {
				mu.Lock()
				defer mu.Unlock()
			}
			atomic.StoreInt32(&over, 1)
			ready.Signal()
		}
		together(wait, set)
	})
}
