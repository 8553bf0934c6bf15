package pool

import (
	"sync"
	"testing"
)

func TestHit(t *testing.T) {
	var wg sync.WaitGroup
	p := &Pool{}
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); Hit(); p.Grow() }()
	}
	wg.Wait()
}
