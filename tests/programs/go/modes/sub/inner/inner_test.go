package inner

import (
	"testing"
	"time"
)

func TestInner(t *testing.T) {
	inner := make(chan int)
	go func() { inner <- 1 }()
	time.Sleep(time.Millisecond)
}
