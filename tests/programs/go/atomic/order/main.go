// Two locks, taken in both orders, but never at the same time: an atomic flag says when. With
// recorded atomics that is known; with --no-atomics a deadlock seems possible.
package main

import (
	"sync"
	"sync/atomic"
	"time"
)

var (
	a, b sync.Mutex
	free atomic.Bool
)

func main() {
	done := make(chan bool)
	go func() {
		for !free.Load() {
			time.Sleep(time.Millisecond)
		}
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
		done <- true
	}()
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
	free.Store(true)
	<-done
}
