// One counter, or two if an argument says so: the specification is watched in the first.
package main

import (
	"os"
	"sync"
)

type counter struct {
	mu   sync.Mutex
	hits int
}

//go:noinline
func newCounter() *counter { return &counter{} }

func (c *counter) hit(wg *sync.WaitGroup) {
	defer wg.Done()
	c.mu.Lock()
	c.hits++
	c.mu.Unlock()
}

func main() {
	var wg sync.WaitGroup
	wg.Add(2)
	first := newCounter()
	second := first
	go first.hit(&wg)
	if len(os.Args) > 1 {
		second = newCounter()
	}
	go second.hit(&wg)
	wg.Wait()
}
