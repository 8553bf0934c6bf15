package queue

import (
	"sync"
	"testing"
	"time"
)

// A queue that is right, with a worker that nobody ever stops, of two types.

type queue[T any] struct {
	mu       sync.Mutex
	notEmpty *sync.Cond
	items    []T
}

func (q *queue[T]) push(x T) {
	q.mu.Lock()
	q.items = append(q.items, x)
	q.notEmpty.Signal()
	q.mu.Unlock()
}

func (q *queue[T]) pop() T {
	q.mu.Lock()
	for len(q.items) == 0 {
		q.notEmpty.Wait()
	}
	x := q.items[0]
	q.items = q.items[1:]
	q.mu.Unlock()
	return x
}

func start[T any](done chan T) *queue[T] {
	q := &queue[T]{}
	q.notEmpty = sync.NewCond(&q.mu)
	go func() {
		for {
			done <- q.pop()
		}
	}()
	return q
}

func TestNumbers(t *testing.T) {
	done := make(chan int)
	q := start(done)
	time.Sleep(5 * time.Millisecond) // the worker waits, most likely
	q.push(1)
	<-done
	time.Sleep(5 * time.Millisecond)
	q.push(2)
	<-done
}

func TestTexts(t *testing.T) {
	done := make(chan string)
	start(done).push("text")
	<-done
}
