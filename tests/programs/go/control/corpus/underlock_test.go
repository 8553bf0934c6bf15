package corpus

import (
	"sync"
	"testing"
)

func TestSendUnderLock(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		news := make(chan int)
		send := func() {
			mu.Lock()
			if fixed {
				mu.Unlock()
			}
			news <- 1
			if !fixed {
				mu.Unlock()
			}
		}
		receive := func() {
			mu.Lock()
			mu.Unlock()
			<-news
		}
		together(receive, send)
	})
}

func TestReceiveUnderLock(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		news := make(chan int)
		receive := func() {
			mu.Lock()
			if fixed {
				mu.Unlock()
			}
			<-news
			if !fixed {
				mu.Unlock()
			}
		}
		send := func() {
			mu.Lock()
			mu.Unlock()
			news <- 1
		}
		together(send, receive)
	})
}

// Two fit into the queue. A third waits for the consumer, which waits for the lock.
func TestFullBufferUnderLock(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		room := 2
		if fixed {
			room = 3
		}
		queue := make(chan int, room)
		put := func() {
			mu.Lock()
			queue <- 1
			mu.Unlock()
		}
		consume := func() {
			for i := 0; i < 3; i++ {
				mu.Lock()
				mu.Unlock()
				<-queue
			}
		}
		together(consume, put, put, put)
	})
}

// Events are offered under the lock; who is not there must not be waited for.
func TestOfferUnderLock(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		events, gone := make(chan int), make(chan bool)
		offer := func() {
			mu.Lock()
			defer mu.Unlock()
			if fixed {
				select {
				case events <- 1:
				default:
				}
				return
			}
			select {
			case events <- 1:
			case <-gone:
			}
		}
		listen := func() {
			select {
			case <-events:
				return
			default:
			}
			mu.Lock() // to leave
			defer mu.Unlock()
			close(gone)
		}
		together(offer, listen)
	})
}

// Stop holds the lock until the loop is over, and the loop takes it for each item.
func TestStopUnderLock(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		items, over := make(chan int, 2), make(chan bool)
		n := 0
		go func() {
			for range items {
				mu.Lock()
				n++
				mu.Unlock()
			}
			close(over)
		}()
		items <- 1
		items <- 2
		mu.Lock()
		close(items)
		if fixed {
			mu.Unlock()
		}
		<-over
		if !fixed {
			mu.Unlock()
		}
	})
}
