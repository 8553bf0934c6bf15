package pool

import (
	"fmt"
	"testing"
	"time"
)

// Every goroutine that is left waiting here belongs to another test.

func leave() {
	left := make(chan int)
	go func() { left <- 1 }()
	time.Sleep(time.Millisecond)
}

func TestOuter(t *testing.T) {
	t.Run("sub one", func(t *testing.T) { leave() })
	t.Run("x(y)'z", func(t *testing.T) {
		late := make(chan int)
		time.AfterFunc(time.Millisecond, func() {
			go func() { <-late }()
		})
		time.Sleep(5 * time.Millisecond)
	})
}

func TestGood(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	<-c
}

func Example_left() {
	example := make(chan int)
	go func() { example <- 2 }()
	fmt.Println("hi")
	// Output: hi
}

func BenchmarkLeft(b *testing.B) {
	bench := make(chan int)
	go func() { bench <- 1 }()
}

func FuzzLeft(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, n int) {
		fuzz := make(chan int)
		go func() { fuzz <- n }()
		time.Sleep(time.Millisecond)
	})
}
