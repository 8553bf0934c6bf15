// Programs that end well in most orders, the last in all; the first argument is the name of one.
package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// Each needs two of two slots.
func semaphore() {
	slots, over := make(chan bool, 2), make(chan bool, 2)
	for i := 0; i < 2; i++ {
		go func() {
			slots <- true
			slots <- true
			<-slots
			<-slots
			over <- true
		}()
	}
	<-over
	<-over
}

func group() {
	var wg sync.WaitGroup
	go func() {
		wg.Add(1)
		defer wg.Done()
	}()
	time.Sleep(10 * time.Millisecond)
	wg.Wait()
}

func timeout() {
	result := make(chan int)
	go func() { result <- 1 }()
	select {
	case <-result:
	case <-time.After(time.Minute):
	}
}

// Signals that it sends to itself.
func signals() {
	self, _ := os.FindProcess(os.Getpid())
	for i := 0; i < 3; i++ {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGUSR1)
		time.AfterFunc(time.Millisecond, func() { self.Signal(syscall.SIGUSR1) })
		<-ctx.Done()
		stop()
	}
}

func main() {
	if len(os.Args) > 1 {
		map[string]func(){"semaphore": semaphore, "group": group, "timeout": timeout, "signals": signals}[os.Args[1]]()
	}
}
