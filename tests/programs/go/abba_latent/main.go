// Two locks in opposite order; the second goroutine comes late, so that the run is green.
package main

import (
	"fmt"
	"sync"
	"time"
)

func both(first, second *sync.Mutex) {
	first.Lock()
	second.Lock()
	second.Unlock()
	first.Unlock()
}

func main() {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); both(&a, &b) }()
	go func() {
		defer wg.Done()
		time.Sleep(10 * time.Millisecond)
		both(&b, &a)
	}()
	wg.Wait()
	fmt.Println("green")
}
