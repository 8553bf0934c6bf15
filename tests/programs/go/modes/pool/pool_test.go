package pool

import (
	"testing"
	"time"
)

func TestStart(t *testing.T) {
	Start()
	time.Sleep(time.Millisecond)
}

func BenchmarkStart(b *testing.B) {
	Start()
}

func FuzzGood(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, n int) {
		c := make(chan int, 1)
		c <- n
		if <-c != n {
			t.Fail()
		}
	})
}
