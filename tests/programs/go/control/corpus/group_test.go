package corpus

import (
	"sync"
	"testing"
)

func TestAddInside(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var group sync.WaitGroup
		var mu sync.Mutex
		n := 0
		for i := 0; i < 2; i++ {
			if fixed {
				group.Add(1)
			}
			go func() {
				if !fixed {
					group.Add(1)
				}
				defer group.Done()
				mu.Lock()
				n++
				mu.Unlock()
			}()
		}
		group.Wait()
		mu.Lock()
		defer mu.Unlock()
		if n != 2 {
			t.Errorf("%d of 2 are done", n)
		}
	})
}

// After an error it is done twice.
func TestDoneTwice(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var group sync.WaitGroup
		var mu sync.Mutex
		broken := false
		group.Add(2)
		go func() {
			defer group.Done()
			mu.Lock()
			defer mu.Unlock()
			if broken && !fixed {
				group.Done()
			}
		}()
		go func() {
			defer group.Done()
			mu.Lock()
			broken = true
			mu.Unlock()
		}()
		group.Wait()
	})
}

func TestDoneSkipped(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var group sync.WaitGroup
		queue := make(chan int, 1)
		group.Add(2)
		put := func() {
			select {
			case queue <- 1:
			default:
				if fixed {
					group.Done()
				}
				return
			}
			group.Done()
		}
		go put()
		go put()
		select {
		case <-queue:
		default:
		}
		group.Wait()
	})
}

// The next round begins before all have come back from the wait of this one.
func TestReusedTooEarly(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var group sync.WaitGroup
		back := make(chan bool, 1)
		group.Add(1)
		go func() {
			group.Wait()
			back <- true
		}()
		go func() { group.Done() }()
		group.Wait()
		if fixed {
			<-back
		}
		group.Add(1)
		go func() { group.Done() }()
		group.Wait()
		if !fixed {
			<-back
		}
	})
}

// A request comes while the server waits for those that it has.
func TestRequestDuringShutdown(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var requests sync.WaitGroup
		var mu sync.Mutex
		closed := false
		results := make(chan int, 1)
		handle := func() {
			mu.Lock()
			if closed {
				mu.Unlock()
				return
			}
			if fixed {
				requests.Add(1)
				mu.Unlock()
			} else {
				mu.Unlock()
				requests.Add(1)
			}
			results <- 1
			requests.Done()
		}
		shut := func() {
			mu.Lock()
			closed = true
			mu.Unlock()
			requests.Wait()
			close(results)
		}
		together(handle, shut)
	})
}
