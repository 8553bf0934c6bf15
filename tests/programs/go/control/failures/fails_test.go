// Every way in which a test can fail in some order only. Each has a twin that cannot.
package fails

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// both runs the two halves of a test, bug or fixed.
func both(t *testing.T, run func(t *testing.T, fixed bool)) {
	t.Run("bug", func(t *testing.T) { run(t, false) })
	t.Run("fixed", func(t *testing.T) { run(t, true) })
}

// between reports whether another goroutine came between two steps of this one.
func between(fixed bool) bool {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n, came := 0, false
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			was := n
			if !fixed {
				mu.Unlock()
				mu.Lock()
			}
			came = came || n != was
			n = was + 1
			mu.Unlock()
		}()
	}
	wg.Wait()
	return came
}

func TestPanic(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		if between(fixed) {
			panic("somebody came between")
		}
	})
}

func TestFatal(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		if between(fixed) {
			t.Fatal("somebody came between")
		}
	})
}

func TestStatus(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		if between(fixed) {
			os.Exit(7)
		}
	})
}

// The test goes on for ever, but it is never stuck: a ticker wakes it.
func TestTimeout(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for waits := between(fixed); waits; {
			<-tick.C
		}
	})
}

func TestDeadlock(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var a, b sync.Mutex
		var wg sync.WaitGroup
		take := func(x, y *sync.Mutex) {
			defer wg.Done()
			x.Lock()
			y.Lock()
			y.Unlock()
			x.Unlock()
		}
		wg.Add(2)
		go take(&a, &b)
		if fixed {
			go take(&a, &b)
		} else {
			go take(&b, &a)
		}
		wg.Wait()
	})
}

// The test ends, and a goroutine does not.
func TestLeak(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		n := 0
		if fixed {
			n = 1
		}
		answer, stop := make(chan int, n), make(chan bool)
		go func() { answer <- 1 }()
		go close(stop)
		select {
		case <-answer:
		case <-stop:
		}
	})
}

func TestSendOnClosed(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		c, sent := make(chan int, 1), make(chan bool)
		go func() { c <- 1; close(sent) }()
		if fixed {
			<-sent
		}
		close(c)
		if !fixed {
			<-sent
		}
	})
}

func TestNegative(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var wg sync.WaitGroup
		var done int32
		wg.Add(2)
		end := func() {
			if fixed {
				wg.Done()
			} else if n := atomic.LoadInt32(&done); n < 2 { // and another one thinks so, too
				atomic.StoreInt32(&done, n+1)
				wg.Done()
			}
		}
		var all sync.WaitGroup
		all.Add(3)
		for i := 0; i < 3; i++ {
			go func(last bool) {
				defer all.Done()
				if !last || !fixed {
					end()
				}
			}(i == 2)
		}
		all.Wait()
	})
}

var shared int

// A race, whatever the order: explore sees it when the two stand at their accesses at once.
func TestRace(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		wg.Add(2)
		for i := 0; i < 2; i++ {
			go func() {
				defer wg.Done()
				if fixed {
					mu.Lock()
					defer mu.Unlock()
				}
				shared++
			}()
		}
		wg.Wait()
	})
}

type page struct{ lines []string }

// The writer's access is to memory that nobody else has come to before: the two never stand at their accesses at once.
func TestRaceApart(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var shown atomic.Value
		var wg sync.WaitGroup
		shown.Store(&page{})
		wg.Add(2)
		go func() {
			defer wg.Done()
			p := &page{}
			if fixed {
				p.lines = append(p.lines, "early")
			}
			shown.Store(p)
			if !fixed {
				p.lines = append(p.lines, "late")
			}
		}()
		go func() {
			defer wg.Done()
			if n := len(shown.Load().(*page).lines); n > 1 {
				t.Error(n)
			}
		}()
		wg.Wait()
	})
}

// What the race detector sees needs this order: the second goroutine is first.
func TestRaceOfOneOrder(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		ready, value := false, 0
		wg.Add(2)
		go func() {
			defer wg.Done()
			if fixed {
				mu.Lock()
				defer mu.Unlock()
			}
			value = 1
			if !fixed {
				mu.Lock()
				ready = true
				mu.Unlock()
			}
		}()
		go func() {
			defer wg.Done()
			mu.Lock()
			is := ready
			if fixed {
				is = value == 1
			}
			mu.Unlock()
			if !is {
				mu.Lock()
				value++
				mu.Unlock()
			}
		}()
		wg.Wait()
	})
}

var configured, started int

// configured is always set before started; but not in every order.
func TestProperty(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		configured, started = 0, 0
		set, done := make(chan bool), make(chan bool, 2)
		go func() {
			mu.Lock()
			configured = 1
			mu.Unlock()
			close(set)
			done <- true
		}()
		go func() {
			if fixed {
				<-set
			}
			mu.Lock()
			started = 1
			mu.Unlock()
			done <- true
		}()
		<-done
		<-done
	})
}

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) inc(fixed bool) int {
	call := foreseeInvoke("counter", "inc")
	c.mu.Lock()
	n := c.n + 1
	if !fixed {
		c.mu.Unlock()
		c.mu.Lock()
	}
	c.n = n
	c.mu.Unlock()
	foreseeReturn(call, foreseeInt(n))
	return n
}

// Two operations give the same number: no order of the two explains that.
func TestHistory(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var c counter
		var wg sync.WaitGroup
		for i := 0; i < 2; i++ {
			wg.Add(1)
			go func() { defer wg.Done(); c.inc(fixed) }()
		}
		wg.Wait()
	})
}
