// What testing/synctest orders: Wait, and time that goes on when all rest. Tests called Race... race all the same.
package bubble

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A goroutine has written, and waits for more.
func TestBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan bool)
		x := 0
		go func() {
			x = 1
			<-stop
			x = 2
		}()
		synctest.Wait()
		if x != 1 {
			t.Error(x)
		}
		x = 3
		close(stop)
		synctest.Wait()
		if x != 2 {
			t.Error(x)
		}
	})
}

// A goroutine has written and is gone.
func TestEnded(t *testing.T) {
	x := 0
	synctest.Test(t, func(t *testing.T) {
		go func() { x = 1 }()
		synctest.Wait()
		x++
	})
	if x != 2 {
		t.Error(x)
	}
}

// Time is exact: who sleeps longer comes later.
func TestSleepers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := 0
		out := make(chan int, 4)
		for i := range 4 {
			go func() {
				time.Sleep(time.Duration(i+1) * time.Second)
				x++
				out <- x
			}()
		}
		time.Sleep(10 * time.Second)
		close(out)
		if x != 4 {
			t.Error(x)
		}
	})
}

// Timers of all kinds.
func TestTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := 0
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		time.AfterFunc(time.Second, func() { x++ })
		tick := time.NewTicker(3 * time.Second)
		defer tick.Stop()
		go func() {
			<-tick.C
			x++
		}()
		<-ctx.Done()
		if x != 2 {
			t.Error(x)
		}
	})
}

// Many goroutines wait for one of them.
func TestMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		cond := sync.NewCond(&mu)
		ready, n := false, make([]int, 20)
		for i := range n {
			wg.Go(func() {
				n[i]++
				mu.Lock()
				for !ready {
					cond.Wait()
				}
				mu.Unlock()
				n[i]++
			})
		}
		synctest.Wait()
		for i := range n {
			n[i]++
		}
		mu.Lock()
		ready = true
		mu.Unlock()
		cond.Broadcast()
		wg.Wait()
		for i := range n {
			if n[i] != 3 {
				t.Error(i, n[i])
			}
		}
	})
}

func TestRaceTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		two := 0
		go func() { two++ }()
		go func() { two++ }()
		synctest.Wait()
	})
}

// Both go on at the same time.
func TestRaceAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan bool)
		after := 0
		go func() {
			<-stop
			after++
		}()
		synctest.Wait()
		close(stop)
		after++
		synctest.Wait()
	})
}
