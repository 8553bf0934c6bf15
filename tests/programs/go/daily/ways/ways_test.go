package ways

import (
	"log"
	"os"
	"sync"
	"testing"
	"time"
)

// The first test leaves somebody behind; the second ends the process in the way that WAY names, while others wait.

func TestLeaves(t *testing.T) {
	left := make(chan int)
	begun := make(chan bool)
	go func() {
		close(begun)
		left <- 1
	}()
	<-begun
	time.Sleep(50 * time.Millisecond) // it has come to wait by then, also on a busy machine
}

func TestEnds(t *testing.T) {
	var mu sync.Mutex
	mu.Lock()
	go func() { mu.Lock() }()
	wait := make(chan int)
	go func() { <-wait }()
	time.Sleep(50 * time.Millisecond)
	switch os.Getenv("WAY") {
	case "exit":
		os.Exit(3)
	case "fatal":
		log.Fatal("over")
	case "panic":
		panic("over")
	case "goroutine":
		go func() { panic("over") }()
		time.Sleep(time.Minute)
	case "stuck":
		<-wait
	case "runs":
		os.WriteFile(os.Getenv("RUNS"), nil, 0o666)
		for {
			time.Sleep(time.Millisecond)
		}
	}
	mu.Unlock()
	close(wait)
}
