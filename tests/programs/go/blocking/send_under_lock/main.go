// A send under a lock that the receiver needs first.
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
		x <- 1
		m.Unlock()
	}()
	m.Lock()
	m.Unlock()
	<-x
	m.Lock()
	m.Unlock()
}
