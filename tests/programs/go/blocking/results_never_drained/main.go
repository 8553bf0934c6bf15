// A worker whose result nobody wants any more after a cancel.
package main

import (
	"sync"
	"time"
)

func main() {
	result, cancel := make(chan int), make(chan struct{})
	var done sync.WaitGroup
	done.Add(2)
	go func() {
		defer done.Done()
		result <- 42
	}()
	go func() {
		defer done.Done()
		time.Sleep(20 * time.Millisecond)
		close(cancel)
	}()
	select {
	case <-result:
	case <-cancel:
	}
	done.Wait()
}
