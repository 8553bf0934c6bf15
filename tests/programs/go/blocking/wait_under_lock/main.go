// Waiting for a worker under a lock that the worker needs.
package main

import (
	"sync"
	"time"
)

func main() {
	var m sync.Mutex
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		m.Lock()
		m.Unlock()
		done.Done()
	}()
	time.Sleep(20 * time.Millisecond)
	m.Lock()
	done.Wait()
	m.Unlock()
}
