package corpus

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Both who come first start a worker; only one of them is stopped.
func TestStartedTwice(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		started := false
		jobs, quit := make(chan int, 2), make(chan bool, 1)
		work := func() {
			for {
				select {
				case <-jobs:
				case <-quit:
					return
				}
			}
		}
		submit := func() {
			mu.Lock()
			first := !started
			if fixed {
				started = true
			}
			mu.Unlock()
			if first {
				go work()
				mu.Lock()
				started = true
				mu.Unlock()
			}
			jobs <- 1
		}
		together(submit, submit)
		quit <- true
	})
}

// The worker finds nothing more to do, and says a moment later that it left.
func TestWorkerLeaves(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		var jobs []chan bool
		running := false
		work := func() {
			for {
				mu.Lock()
				if len(jobs) == 0 {
					if fixed {
						running = false
					}
					mu.Unlock()
					break
				}
				job := jobs[0]
				jobs = jobs[1:]
				mu.Unlock()
				job <- true
			}
			if !fixed {
				mu.Lock()
				running = false
				mu.Unlock()
			}
		}
		submit := func() {
			job := make(chan bool, 1)
			mu.Lock()
			jobs = append(jobs, job)
			if !running {
				running = true
				go work()
			}
			mu.Unlock()
			<-job
		}
		together(submit, submit)
	})
}

// Who asks before the channel is made waits on none.
func TestChannelMadeLate(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		var ready chan bool
		if fixed {
			ready = make(chan bool)
		}
		start := func() {
			mu.Lock()
			if !fixed {
				ready = make(chan bool)
			}
			close(ready)
			mu.Unlock()
		}
		wait := func() {
			mu.Lock()
			c := ready
			mu.Unlock()
			<-c
		}
		together(start, wait)
	})
}

// What is missing is made by both who miss it.
func TestMadeTwice(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		cache, made := map[string]int{}, 0
		get := func() {
			mu.Lock()
			_, ok := cache["key"]
			if !fixed {
				mu.Unlock()
			}
			if ok {
				if fixed {
					mu.Unlock()
				}
				return
			}
			if !fixed {
				mu.Lock()
			}
			made++
			cache["key"] = made
			mu.Unlock()
		}
		together(get, get)
		if made != 1 {
			t.Errorf("made %d times", made)
		}
	})
}

// Read, counted up and written, each atomic.
func TestCountedTwice(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var n int32
		count := func() {
			if fixed {
				atomic.AddInt32(&n, 1)
				return
			}
			atomic.StoreInt32(&n, atomic.LoadInt32(&n)+1)
		}
		together(count, count)
		if n != 2 {
			t.Errorf("counted %d of 2", n)
		}
	})
}

// The worker is told that there is work before the work is there.
func TestToldTooEarly(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		var work []int
		told := make(chan bool, 1)
		put := func() {
			if !fixed {
				told <- true
			}
			mu.Lock()
			work = append(work, 1)
			mu.Unlock()
			if fixed {
				told <- true
			}
		}
		take := func() {
			<-told
			mu.Lock()
			defer mu.Unlock()
			if work[0] != 1 {
				t.Error("another work")
			}
		}
		together(put, take)
	})
}
