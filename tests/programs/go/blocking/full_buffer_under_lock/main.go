// A buffer that can be full while its reader needs the lock.
package main

import (
	"sync"
	"time"
)

func main() {
	var m sync.Mutex
	var done sync.WaitGroup
	q := make(chan int, 1)
	done.Add(1)
	go func() {
		defer done.Done()
		for i := 1; i <= 2; i++ {
			time.Sleep(time.Duration(i) * 60 * time.Millisecond)
			m.Lock()
			<-q
			m.Unlock()
		}
	}()
	for i := 0; i < 2; i++ {
		m.Lock()
		q <- i
		m.Unlock()
		time.Sleep(100 * time.Millisecond)
	}
	done.Wait()
}
