//go:build go1.25

package named

import (
	"sync"
	"testing"
)

func receives(c chan int) func() {
	return func() { <-c }
}

// Who waits is the function that the program hands to the wait group.
func TestGo(t *testing.T) {
	var wg sync.WaitGroup
	c := make(chan int)
	wg.Go(func() {})
	wg.Go(receives(c))
	go func() { wg.Wait() }()
}
