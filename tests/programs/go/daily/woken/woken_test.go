package woken

import (
	"testing"
	"time"
)

var (
	once  = make(chan int)
	twice = make(chan int)
)

// Both goroutines of this test wait when it ends. A following test wakes them: one ends, one waits again, and nobody is
// left then who could wake it a second time.
func TestFirst(t *testing.T) {
	go func() { <-once }()
	go func() {
		<-twice
		<-twice
	}()
	time.Sleep(time.Millisecond)
}

func TestSecond(t *testing.T) {
	once <- 1
	twice <- 1
}
