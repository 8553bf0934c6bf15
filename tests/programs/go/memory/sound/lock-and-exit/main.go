// Main ends the program under the lock: had the other one come later, it would wait, but not for ever.
package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

func main() {
	var mu sync.Mutex
	ready := make(chan bool)
	go func() {
		ready <- true
		mu.Lock()
		mu.Unlock()
	}()
	<-ready
	time.Sleep(2 * time.Millisecond)
	mu.Lock()
	fmt.Println("bye")
	os.Exit(0)
}
