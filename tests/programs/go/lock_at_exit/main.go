// Main takes the lock and ends the program with it; who waits for it then is not stuck for long.
package main

import (
	"os"
	"sync"
	"time"
)

func main() {
	var mu, outer sync.Mutex
	started := make(chan bool)
	mu.Lock()
	go func() {
		outer.Lock()
		started <- true
		mu.Lock()
	}()
	<-started
	go func() {
		started <- true
		outer.Lock()
	}()
	<-started
	time.Sleep(5 * time.Millisecond)
	os.Exit(0)
}
