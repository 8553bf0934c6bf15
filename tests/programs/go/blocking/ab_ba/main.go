// Two locks in opposite order; in this run one goroutine is late.
package main

import (
	"sync"
	"time"
)

func main() {
	var a, b sync.Mutex
	var done sync.WaitGroup
	done.Add(2)
	go func() {
		defer done.Done()
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	}()
	go func() {
		defer done.Done()
		time.Sleep(20 * time.Millisecond)
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	}()
	done.Wait()
}
