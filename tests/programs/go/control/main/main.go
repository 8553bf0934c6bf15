// Three programs that end well in most orders; the first argument is the name of one.
package main

import (
	"os"
	"sync"
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

func main() {
	if len(os.Args) > 1 {
		map[string]func(){"semaphore": semaphore, "group": group, "timeout": timeout}[os.Args[1]]()
	}
}
