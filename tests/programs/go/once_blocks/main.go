// The function of a Once waits for ever, and so does everybody who comes after it.
package main

import (
	"sync"
	"time"
)

var once sync.Once

func main() {
	never := make(chan int)
	for i := 0; i < 2; i++ {
		go once.Do(func() {
			<-never
		})
	}
	time.Sleep(20 * time.Millisecond)
}
