// Once: one runs the function, the others wait for it.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var once sync.Once
	var wg sync.WaitGroup
	ready := make(chan int)
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			once.Do(func() { <-ready })
		}()
	}
	ready <- 1
	wg.Wait()
	once.Do(func() { panic("twice") })
	fmt.Println("once")
}
