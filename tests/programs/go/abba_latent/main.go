// Two locks in opposite order, one goroutine after the other: the run is green.
package main

import (
	"fmt"
	"sync"
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
	turn := make(chan bool, 1)
	go func() { defer wg.Done(); both(&a, &b); turn <- true }()
	go func() {
		defer wg.Done()
		for ok := false; !ok; {
			select {
			case <-turn:
				ok = true
			default:
			}
		}
		both(&b, &a)
	}()
	wg.Wait()
	fmt.Println("green")
}
