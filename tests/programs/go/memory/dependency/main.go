// What a dependency keeps, under a lock, decides who takes which lock next.
package main

import (
	"sync"

	"example.com/dep"
)

var mu, a, b sync.Mutex
var jobs dep.Count

func step() {
	mu.Lock()
	first := jobs.Next() == 1
	mu.Unlock()
	if first {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
		mu.Lock()
		jobs.Next()
		mu.Unlock()
		return
	}
	for n := 0; n < 3; {
		mu.Lock()
		n = jobs.Now()
		mu.Unlock()
	}
	b.Lock()
	a.Lock()
	a.Unlock()
	b.Unlock()
}

func main() {
	var wg sync.WaitGroup
	wg.Add(2)
	for i := 0; i < 2; i++ {
		go func() { defer wg.Done(); step() }()
	}
	wg.Wait()
}
