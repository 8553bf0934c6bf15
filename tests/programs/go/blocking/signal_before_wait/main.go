// A signal without a condition: if it comes first, nobody hears it.
package main

import (
	"sync"
	"time"
)

func main() {
	var m sync.Mutex
	c := sync.NewCond(&m)
	var done sync.WaitGroup
	done.Add(2)
	go func() {
		defer done.Done()
		m.Lock()
		c.Wait()
		m.Unlock()
	}()
	go func() {
		defer done.Done()
		time.Sleep(20 * time.Millisecond)
		m.Lock()
		c.Signal()
		m.Unlock()
	}()
	done.Wait()
}
