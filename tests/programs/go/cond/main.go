// Cond: a queue with Signal, then Broadcast.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	c := sync.NewCond(&mu)
	queue, closed, sum := 0, false, 0
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			for {
				for queue == 0 && !closed {
					c.Wait()
				}
				if queue == 0 {
					return
				}
				queue--
				sum++
			}
		}()
	}
	for i := 0; i < 10; i++ {
		mu.Lock()
		queue++
		mu.Unlock()
		c.Signal()
	}
	mu.Lock()
	closed = true
	mu.Unlock()
	c.Broadcast()
	wg.Wait()
	fmt.Println(sum)
}
