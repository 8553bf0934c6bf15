package foreign

import (
	"testing"
	"time"
)

func TestTwice(t *testing.T) {
	results := make(chan int)
	go func() { results <- Twice(2) }()
	go func() { results <- Twice(3) }()
	<-results
	time.Sleep(time.Millisecond)
}
