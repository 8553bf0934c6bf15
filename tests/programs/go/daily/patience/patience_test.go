package patience

import (
	"testing"
	"time"
)

func TestAsk(t *testing.T) {
	if !Ask() {
		t.Error("no answer")
	}
}

// A test that gives up fails. What it leaves behind then is nobody's bug.
func TestWaits(t *testing.T) {
	done := make(chan bool)
	go func() { done <- true }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it did not end")
	}
}
