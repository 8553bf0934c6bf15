// A WaitGroup that is counted up and down while others find it at zero, and a Cond that is
// signalled without its lock: tickets must tell the order in which it happened.
package main

import (
	"sync"
	"time"
)

func main() {
	var wg, all sync.WaitGroup
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	stop := make(chan bool)
	woken := 0
	all.Add(2)
	go func() {
		defer all.Done()
		for {
			select {
			case <-stop:
				return
			default:
				cond.Signal()
				time.Sleep(time.Microsecond)
			}
		}
	}()
	go func() {
		defer all.Done()
		for i := 0; i < 200; i++ {
			wg.Add(1)
			wg.Done()
		}
	}()
	for i := 0; i < 200; i++ {
		mu.Lock()
		cond.Wait()
		woken++
		mu.Unlock()
	}
	close(stop)
	all.Wait()
	wg.Wait()
}
