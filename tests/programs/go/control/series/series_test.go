// Tests that are run many times in one process.
package series

import (
	"sync"
	"testing"
	"time"
)

func TestClean(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	done := make(chan int, 3)
	n := 0
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 2; k++ {
				time.Sleep(time.Millisecond)
				mu.Lock()
				n++
				mu.Unlock()
			}
			done <- 1
		}()
	}
	for i := 0; i < 3; i++ {
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("nobody came")
		}
	}
	wg.Wait()
}

func TestClosed(t *testing.T) {
	c, sent := make(chan int, 1), make(chan bool)
	go func() { c <- 1; close(sent) }()
	close(c)
	<-sent
}

func TestLeak(t *testing.T) {
	answer, stop := make(chan int), make(chan bool)
	go func() { answer <- 1 }()
	go close(stop)
	select {
	case <-answer:
	case <-stop:
	}
}

func TestFails(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	wg.Add(2)
	for i := 0; i < 2; i++ {
		go func() {
			defer wg.Done()
			mu.Lock()
			was := n
			mu.Unlock()
			mu.Lock()
			n = was + 1
			mu.Unlock()
		}()
	}
	wg.Wait()
	if n != 2 {
		t.Fatal("one was lost")
	}
}

var runs int

// It fails only because of what another run has left.
func TestState(t *testing.T) {
	if runs++; runs > 3 {
		t.Fatal("the fourth run")
	}
}

// A goroutine that goes on: no bug, but the next run would not begin as this one did.
func TestLeaves(t *testing.T) {
	go func() {
		for {
			time.Sleep(time.Minute)
		}
	}()
}

// So does a timer.
func TestLeavesTimer(t *testing.T) {
	time.AfterFunc(24*time.Hour, func() {})
}

// Nothing of Go's own packages is initialised by its first run.
func TestLocks(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 4; k++ {
				mu.Lock()
				n++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
}

var (
	once  sync.Once
	table map[int]int
)

// What the first run initialises takes turns of its own, so that the same seed does something else in a process of
// its own.
func TestLazy(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	wg.Add(2)
	for i := 0; i < 2; i++ {
		go func() {
			defer wg.Done()
			once.Do(func() {
				table = map[int]int{}
				for k := 0; k < 5; k++ {
					mu.Lock()
					table[k] = k
					mu.Unlock()
				}
			})
			mu.Lock()
			was := n
			mu.Unlock()
			mu.Lock()
			n = was + 1
			mu.Unlock()
		}()
	}
	wg.Wait()
	if n != 2 {
		t.Fatal("one was lost after all")
	}
}
