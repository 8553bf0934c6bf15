// A receive under a lock that the sender needs first.
package main

import (
	"sync"
	"time"
)

func main() {
	var m sync.Mutex
	x := make(chan int)
	go func() {
		time.Sleep(20 * time.Millisecond)
		m.Lock()
		<-x
		m.Unlock()
	}()
	m.Lock()
	m.Unlock()
	x <- 1
	m.Lock()
	m.Unlock()
}
