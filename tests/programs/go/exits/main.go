// os.Exit with a status while a goroutine waits: an exit, not a leak.
package main

import (
	"os"
	"time"
)

func main() {
	c := make(chan int)
	go func() { c <- 1 }()
	time.Sleep(5 * time.Millisecond)
	os.Exit(3)
}
