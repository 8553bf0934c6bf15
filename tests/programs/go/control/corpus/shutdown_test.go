package corpus

import (
	"sync"
	"testing"
)

// Send looks whether it is closed, and then sends.
func TestSendAndClose(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.RWMutex
		closed, queue := false, make(chan int, 1)
		send := func() {
			mu.RLock()
			if closed {
				mu.RUnlock()
				return
			}
			if !fixed {
				mu.RUnlock()
			}
			queue <- 1
			if fixed {
				mu.RUnlock()
			}
		}
		shut := func() {
			mu.Lock()
			closed = true
			close(queue)
			mu.Unlock()
		}
		together(send, shut)
	})
}

// The worker may see the end before the message; who sent it waits for the receipt. A run in which
// it takes the message first does not tell that there is another branch.
func TestShutdownDropsMessage(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		messages, receipts := make(chan int, 1), make(chan int, 1)
		quit := make(chan bool)
		work := func() {
			for {
				select {
				case m := <-messages:
					receipts <- m
					return
				case <-quit:
					if fixed {
						receipts <- <-messages
					}
					return
				}
			}
		}
		send := func() {
			messages <- 1
			<-receipts
		}
		shut := func() { close(quit) }
		together(work, send, shut)
	})
}

// Close waits for the loop, which waits for somebody to take its result.
func TestCloseWaitsForLoop(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		in, out := make(chan int, 1), make(chan int)
		quit, over := make(chan bool), make(chan bool)
		go func() {
			defer close(over)
			for {
				select {
				case v := <-in:
					if !fixed {
						out <- v
						continue
					}
					select {
					case out <- v:
					case <-quit:
						return
					}
				case <-quit:
					return
				}
			}
		}()
		in <- 1
		close(quit)
		<-over
	})
}

// Who registers after the last message is never told.
func TestRegisterAfterEnd(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		var listeners []chan bool
		ended := false
		register := func() {
			c := make(chan bool, 1)
			mu.Lock()
			if ended && fixed {
				c <- true
			}
			listeners = append(listeners, c)
			mu.Unlock()
			<-c
		}
		end := func() {
			mu.Lock()
			ended = true
			for _, c := range listeners {
				c <- true
			}
			listeners = nil
			mu.Unlock()
		}
		together(register, end)
	})
}

// Two shut down; each ends the loop by a message, and the loop takes one.
func TestShutDownTwice(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		ended := false
		quit := make(chan bool)
		loop := func() { <-quit }
		shut := func() {
			mu.Lock()
			before := ended
			if fixed {
				ended = true
			}
			mu.Unlock()
			if before {
				return
			}
			quit <- true
			mu.Lock()
			ended = true
			mu.Unlock()
		}
		together(loop, shut, shut)
	})
}
