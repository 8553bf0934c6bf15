package bubble

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		got := make(chan int)
		for i := 0; i < 3; i++ {
			go func() {
				time.Sleep(time.Duration(i+1) * time.Hour)
				got <- i
			}()
		}
		for i := 0; i < 3; i++ {
			if v := <-got; v != i {
				t.Errorf("got %d instead of %d", v, i)
			}
		}
		synctest.Wait()
		if d := time.Since(begin); d != 3*time.Hour {
			t.Errorf("it took %v", d)
		}
	})
}

func TestStuck(t *testing.T) {
	ch := make(chan int)
	go func() { ch <- 1 }()
	<-ch
	<-ch
}
