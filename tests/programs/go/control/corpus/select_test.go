package corpus

import (
	"sync"
	"testing"
)

// break leaves the select, and not the loop.
func TestBreakInSelect(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		in, stop := make(chan int), make(chan bool, 1)
		work := func() {
			for i := 0; i < 2; i++ {
				select {
				case <-in:
				case <-stop:
					if fixed {
						return
					}
					break
				}
			}
		}
		feed := func() {
			select {
			case in <- 1:
			case stop <- true:
				return
			}
			stop <- true
		}
		together(work, feed)
	})
}

// What is in the queue is lost if the stop is seen first.
func TestStopLosesItems(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		queue, stop := make(chan int, 2), make(chan bool)
		n := 0
		work := func() {
			for {
				select {
				case <-queue:
					n++
				case <-stop:
					if fixed {
						for n < 2 {
							<-queue
							n++
						}
					}
					return
				}
			}
		}
		feed := func() {
			queue <- 1
			queue <- 2
			close(stop)
		}
		together(work, feed)
		if n != 2 {
			t.Errorf("%d of 2 items were seen", n)
		}
	})
}

// One stop for two workers, unless one has left by itself.
func TestStopForOne(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		jobs, stop := make(chan int, 1), make(chan bool, 1)
		var group sync.WaitGroup
		group.Add(2)
		work := func() {
			defer group.Done()
			select {
			case <-jobs:
			case <-stop:
			}
		}
		go work()
		go work()
		select {
		case jobs <- 1:
		default:
		}
		select {
		case <-jobs: // nobody has taken it yet: it is taken back
		default:
		}
		if fixed {
			close(stop)
		} else {
			stop <- true
		}
		group.Wait()
	})
}

// The worker has left after an error, and the stop is sent to nobody.
func TestStopForNobody(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		jobs, stop := make(chan int, 1), make(chan bool)
		work := func() {
			select {
			case <-jobs: // which fails
			case <-stop:
			}
		}
		halt := func() {
			if fixed {
				close(stop)
			} else {
				stop <- true
			}
		}
		feed := func() { jobs <- 1 }
		together(work, feed, halt)
	})
}
