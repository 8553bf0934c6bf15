// Telling a loop to stop that may have ended by itself.
package main

import (
	"sync"
	"time"
)

func main() {
	stop, items := make(chan struct{}), make(chan int)
	var done sync.WaitGroup
	done.Add(2)
	go func() {
		defer done.Done()
		for {
			select {
			case <-stop:
				return
			case _, more := <-items:
				if !more {
					return
				}
			}
		}
	}()
	go func() {
		defer done.Done()
		time.Sleep(20 * time.Millisecond)
		close(items)
	}()
	stop <- struct{}{}
	done.Wait()
}
