// What the speed of control is measured with.
package forty

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

// TestForty: 4 goroutines, 40 operations.
func TestForty(t *testing.T) {
	if os.Getenv("GOROUTINES") != "" {
		t.Skip()
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	done := make(chan int, 3)
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
			done <- 1
		}()
	}
	for i := 0; i < 3; i++ {
		<-done
	}
	wg.Wait()
	if n != 12 {
		t.Fatal(n)
	}
}

func processorTime() int64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

// TestPoints: what a point costs, in GOROUTINES goroutines that take and release locks of their own.
func TestPoints(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("GOROUTINES"))
	if n == 0 {
		t.Skip()
	}
	const points = 400000
	var wg sync.WaitGroup
	before := processorTime()
	for i := 0; i < n; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var mu sync.Mutex
			for k := 0; k < points/2/n; k++ {
				mu.Lock()
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	fmt.Printf("%d goroutines: %d ns a point (with the operation)\n", n, (processorTime()-before)/points)
}
