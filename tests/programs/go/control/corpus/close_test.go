package corpus

import (
	"sync"
	"testing"
)

// The producer stops early, and then the range has no end.
func TestRangeNeverClosed(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		out, stop := make(chan int), make(chan bool)
		go close(stop)
		go func() {
			if fixed {
				defer close(out)
			}
			for i := 0; i < 2; i++ {
				select {
				case out <- i:
				case <-stop:
					return
				}
			}
			if !fixed {
				close(out)
			}
		}()
		for range out {
		}
	})
}

// The last of two closes; who is the last is asked in a second critical section.
func TestLastCloses(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		left, over := 2, make(chan bool)
		work := func() {
			mu.Lock()
			left--
			if !fixed {
				mu.Unlock()
				mu.Lock()
			}
			if left == 0 {
				close(over)
			}
			mu.Unlock()
		}
		together(work, work)
		<-over
	})
}

// A stage that is stopped does not tell the next one.
func TestStageForgetsNext(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		in, out, stop := make(chan int), make(chan int), make(chan bool)
		source := func() {
			select {
			case in <- 1:
			case <-stop:
			}
			close(in)
		}
		stage := func() {
			if fixed {
				defer close(out)
			}
			for {
				select {
				case v, ok := <-in:
					if !ok {
						if !fixed {
							close(out)
						}
						return
					}
					out <- v
				case <-stop:
					return
				}
			}
		}
		sink := func() {
			for range out {
			}
		}
		halt := func() { close(stop) }
		together(source, stage, sink, halt)
	})
}

// The way out after an error does not say that it is over.
func TestErrorSaysNothing(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		broken := false
		over := make(chan bool, 1)
		go func() {
			mu.Lock()
			bad := broken
			mu.Unlock()
			if bad && !fixed {
				return
			}
			over <- true
		}()
		mu.Lock()
		broken = true
		mu.Unlock()
		<-over
	})
}

// Two close; each looks first whether the other did.
func TestCloseTwice(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		closed, c := false, make(chan bool)
		shut := func() {
			mu.Lock()
			if closed {
				mu.Unlock()
				return
			}
			if fixed {
				closed = true
			}
			mu.Unlock()
			close(c)
			if !fixed {
				mu.Lock()
				closed = true
				mu.Unlock()
			}
		}
		together(shut, shut)
	})
}

func TestCloseIfOpen(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		c := make(chan bool)
		shut := func() {
			if fixed {
				mu.Lock()
				defer mu.Unlock()
			}
			select {
			case <-c:
			default:
				close(c)
			}
		}
		together(shut, shut)
	})
}

func TestCloseWhileSending(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var senders sync.WaitGroup
		c := make(chan int, 4)
		for i := 0; i < 2; i++ {
			senders.Add(1)
			go func() {
				defer senders.Done()
				c <- 1
				c <- 2
			}()
		}
		<-c
		if fixed {
			senders.Wait()
		}
		close(c)
		senders.Wait()
	})
}

// Who asked gives up and closes the channel of the answer.
func TestAnswerAfterClose(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		answer, enough := make(chan int, 1), make(chan bool)
		serve := func() { answer <- 1 }
		ask := func() {
			select {
			case <-answer:
			case <-enough:
				if !fixed {
					close(answer)
				}
			}
		}
		tire := func() { close(enough) }
		together(serve, ask, tire)
	})
}
