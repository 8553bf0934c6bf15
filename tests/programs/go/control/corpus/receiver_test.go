package corpus

import (
	"testing"
	"time"
)

func room(fixed bool, n int) int {
	if fixed {
		return n
	}
	return 0
}

// After the timeout nobody receives.
func TestTimeoutLeavesSender(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		result := make(chan int, room(fixed, 1))
		go func() {
			time.Sleep(time.Millisecond)
			result <- 1
		}()
		select {
		case <-result:
		case <-time.After(time.Millisecond):
		}
	})
}

func TestCancelLeavesSender(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		result, cancel := make(chan int, room(fixed, 1)), make(chan bool)
		go func() { result <- 1 }()
		go close(cancel)
		select {
		case <-result:
		case <-cancel:
		}
	})
}

// The first of three answers is enough.
func TestFirstOfThree(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		answers := make(chan int, room(fixed, 3))
		for i := 0; i < 3; i++ {
			i := i
			go func() { answers <- i }()
		}
		<-answers
	})
}

// An error ends the collection of what others still send.
func TestErrorLeavesProducers(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		results := make(chan int, room(fixed, 2))
		go func() { results <- 1 }()
		go func() { results <- -1 }()
		for i := 0; i < 2; i++ {
			if r := <-results; r < 0 {
				return
			}
		}
	})
}

// A question is dropped by a server that leaves, and who asked waits for the answer.
func TestAnswerNeverComes(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		questions, quit := make(chan chan int, 1), make(chan bool)
		serve := func() {
			for {
				select {
				case q := <-questions:
					q <- 1
				case <-quit:
					if fixed {
						close(questions)
						for q := range questions {
							q <- 0
						}
					}
					return
				}
			}
		}
		ask := func() {
			answer := make(chan int, 1)
			questions <- answer
			go close(quit)
			<-answer
		}
		together(serve, ask)
	})
}
