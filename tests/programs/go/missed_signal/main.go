// Classic: the signal comes before the wait, and no other follows.
package main

import "sync"

func main() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	done := make(chan bool)
	go func() {
		c.Signal()
		done <- true
	}()
	<-done
	mu.Lock()
	c.Wait()
	mu.Unlock()
}
