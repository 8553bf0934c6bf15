// Mutex, RWMutex, TryLock, an embedded lock, a Locker.
package main

import (
	"fmt"
	"sync"
)

type counter struct {
	sync.Mutex
	n int
}

func (c *counter) add() {
	c.Lock()
	defer c.Unlock()
	c.n++
}

func main() {
	var c counter
	var rw sync.RWMutex
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 50; k++ {
				c.add()
				rw.RLock()
				rw.RUnlock()
			}
			rw.Lock()
			rw.Unlock()
		}()
	}
	wg.Wait()
	if rw.TryRLock() {
		rw.RUnlock()
	}
	if c.TryLock() {
		fmt.Println(c.n)
		fmt.Println(c.TryLock())
		c.Unlock()
	}
	l := rw.RLocker()
	l.Lock()
	l.Unlock()
}
