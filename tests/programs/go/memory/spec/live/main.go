// Breaks a property and goes on until somebody has made the file that it is given, for a minute at most.
package main

import (
	"os"
	"sync"
	"time"
)

var (
	mu    sync.Mutex
	level int
)

func main() {
	done := make(chan bool)
	for k := 0; k < 2; k++ {
		go func() {
			for i := 0; i < 3; i++ {
				mu.Lock()
				level++
				mu.Unlock()
			}
			done <- true
		}()
	}
	<-done
	<-done
	if !isMade(os.Args[1]) {
		os.Exit(3)
	}
}

func isMade(file string) bool {
	for i := 0; i < 600; i++ {
		if _, err := os.Stat(file); err == nil {
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}
