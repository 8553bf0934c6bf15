package polled

import (
	"context"
	"testing"
	"time"
)

// Correct programs whose order rests on what leaves no event of its own, or on timers.

// The channel is closed once its length says that the send is over.
func TestLength(t *testing.T) {
	c := make(chan int, 1)
	done := make(chan bool)
	go func() {
		for len(c) == 0 {
			time.Sleep(time.Millisecond)
		}
		close(c)
		close(done)
	}()
	c <- 1
	<-done
	if <-c != 1 {
		t.Error("lost")
	}
}

// The same with what is left of its capacity.
func TestCapacity(t *testing.T) {
	c := make(chan int, 2)
	done := make(chan bool)
	go func() {
		for len(c) < cap(c) {
			time.Sleep(time.Millisecond)
		}
		close(c)
		close(done)
	}()
	c <- 1
	c <- 2
	<-done
}

func TestTimerDrained(t *testing.T) {
	for i := 0; i < 3; i++ {
		timer := time.NewTimer(time.Duration(i) * time.Millisecond)
		time.Sleep(time.Millisecond)
		if !timer.Stop() {
			select {
			case <-timer.C:
			default:
			}
		}
		timer.Reset(time.Millisecond)
		<-timer.C
	}
}

func TestAfterCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan bool)
	context.AfterFunc(ctx, func() { done <- true })
	stop := context.AfterFunc(ctx, func() { t.Error("stopped") })
	if !stop() {
		t.Error("not stopped")
	}
	cancel()
	<-done
}
