// A hundred thousand goroutines, all alive at once.
package main

import (
	"fmt"
	"sync"
)

func main() {
	const n = 100000
	var wg sync.WaitGroup
	go_on, sum := make(chan bool), make(chan int, 64)
	wg.Add(n)
	for i := 0; i < n; i++ {
		go func() {
			<-go_on
			sum <- 1
			wg.Done()
		}()
	}
	close(go_on)
	total := 0
	for i := 0; i < n; i++ {
		total += <-sum
	}
	wg.Wait()
	fmt.Println(total)
}
