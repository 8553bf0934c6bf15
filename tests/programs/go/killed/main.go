// Killed from outside: what was recorded before is there.
package main

import (
	"os"
	"syscall"
	"time"
)

func main() {
	c := make(chan int)
	go func() { c <- 1 }()
	time.Sleep(5 * time.Millisecond)
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}
