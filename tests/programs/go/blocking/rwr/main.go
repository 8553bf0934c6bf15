// A reader that reads again, and a writer that could come in between.
package main

import (
	"sync"
	"time"
)

func main() {
	var m sync.RWMutex
	var done sync.WaitGroup
	done.Add(2)
	go func() {
		defer done.Done()
		m.RLock()
		m.RLock()
		m.RUnlock()
		m.RUnlock()
	}()
	go func() {
		defer done.Done()
		time.Sleep(20 * time.Millisecond)
		m.Lock()
		m.Unlock()
	}()
	done.Wait()
}
