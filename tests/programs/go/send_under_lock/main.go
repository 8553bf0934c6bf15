// Classic: a send while holding a lock that its receiver needs first.
package main

import "sync"

func main() {
	var mu sync.Mutex
	c := make(chan int)
	started := make(chan bool)
	go func() {
		started <- true
		mu.Lock()
		<-c
		mu.Unlock()
	}()
	mu.Lock()
	<-started
	c <- 1
	mu.Unlock()
}
