// What a list of Go's own library holds, under a lock, decides who takes which lock next: the second
// order of locks never meets the first.
package main

import (
	"container/list"
	"sync"
)

var (
	mu   sync.Mutex
	jobs = list.New()
	a, b sync.Mutex
)

func step() {
	mu.Lock()
	first := jobs.Len() == 0
	jobs.PushBack(1)
	mu.Unlock()
	if first {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
		mu.Lock()
		jobs.PushBack(2)
		mu.Unlock()
	} else {
		for {
			mu.Lock()
			n := jobs.Len()
			mu.Unlock()
			if n > 2 {
				break
			}
		}
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	}
}

func main() {
	var wg sync.WaitGroup
	wg.Add(2)
	for i := 0; i < 2; i++ {
		go func() { defer wg.Done(); step() }()
	}
	wg.Wait()
}
