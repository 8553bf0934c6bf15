// Classic: the signal comes before the wait, and no other follows.
package main

import "sync"

func main() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	go func() {
		mu.Lock()
		c.Signal()
		mu.Unlock()
	}()
	for i := 0; i < 1000; i++ {
		mu.Lock()
		mu.Unlock()
	}
	done := make(chan bool)
	go func() { done <- true }()
	<-done
	mu.Lock()
	c.Wait()
	mu.Unlock()
}
