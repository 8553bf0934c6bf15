package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

func ask(result chan int) {
	go func() { result <- 1 }()
	select {
	case <-result:
	case <-time.After(time.Minute):
	}
}

func timeoutLeaves()   { ask(make(chan int)) }
func timeoutBuffered() { ask(make(chan int, 1)) }

func askUntil(ctx context.Context, result chan int) {
	go func() { result <- 1 }()
	select {
	case <-result:
	case <-ctx.Done():
	}
}

func deadlineLeaves() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	askUntil(ctx, make(chan int))
}

func deadlineBuffered() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	askUntil(ctx, make(chan int, 1))
}

// The first of several answers is taken; the others stay where they are.
func firstOf(answers chan int) {
	for i := 0; i < 3; i++ {
		go func(i int) { answers <- i }(i)
	}
	<-answers
	pause()
}

func firstAnswer()         { firstOf(make(chan int)) }
func firstAnswerBuffered() { firstOf(make(chan int, 3)) }

// Two close it; the second one panics, which somebody hides.
func closeTwice() {
	done, over := make(chan bool), make(chan bool, 2)
	stop := func() {
		defer func() {
			recover()
			over <- true
		}()
		close(done)
	}
	go stop()
	go stop()
	<-over
	<-over
}

func closeOnce() {
	done, over := make(chan bool), make(chan bool, 2)
	var once sync.Once
	stop := func() {
		once.Do(func() { close(done) })
		over <- true
	}
	go stop()
	go stop()
	<-over
	<-over
	<-done
}

type worker struct {
	mu      sync.Mutex
	stopped bool
	quit    chan bool
}

func (w *worker) stop(held bool) {
	w.mu.Lock()
	if held {
		defer w.mu.Unlock()
	}
	stopped := w.stopped
	w.stopped = true
	if !held {
		w.mu.Unlock()
	}
	if !stopped {
		close(w.quit)
	}
}

// The quit channel is closed by whoever is first; another one may be sending on it.
func stopTwice() {
	w := &worker{quit: make(chan bool, 1)}
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		w.quit <- true
	}()
	pause()
	go func() {
		defer wg.Done()
		w.stop(true)
	}()
	wg.Wait()
}

func stopOnce() {
	w := &worker{quit: make(chan bool)}
	var wg sync.WaitGroup
	wg.Add(2)
	for i := 0; i < 2; i++ {
		go func() {
			defer wg.Done()
			w.stop(true)
		}()
	}
	wg.Wait()
}

func sendAfterClose() {
	results := make(chan int, 2)
	go func() { results <- 1 }()
	pause()
	close(results)
	for range results {
	}
}

func sendThenClose() {
	results := make(chan int, 2)
	go func() {
		results <- 1
		close(results)
	}()
	for range results {
	}
}

// The receiver closes, to tell the sender that it has enough.
func closeWhileSending() {
	data, over := make(chan int, 1), make(chan bool, 1)
	go func() {
		data <- 1
		data <- 2
		over <- true
	}()
	<-data
	pause()
	close(data)
	<-over
}

func closeAfterSending() {
	data := make(chan int)
	go func() {
		data <- 1
		data <- 2
		close(data)
	}()
	for range data {
	}
}

func rangeWithoutClose() {
	jobs, done := make(chan int), make(chan bool, 1)
	go func() {
		for range jobs {
		}
		done <- true
	}()
	jobs <- 1
	pause()
}

func rangeWithClose() {
	jobs, done := make(chan int), make(chan bool, 1)
	go func() {
		for range jobs {
		}
		done <- true
	}()
	jobs <- 1
	close(jobs)
	<-done
}

func produce(quit chan bool) chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := 0; i < 3; i++ {
			select {
			case out <- i:
			case <-quit:
				return
			}
		}
	}()
	return out
}

func consumerLeaves() {
	for range produce(nil) {
		break
	}
	pause()
}

func consumerDrains() {
	quit := make(chan bool)
	out := produce(quit)
	<-out
	close(quit)
	for range out {
	}
}

// The worker puts more jobs into the queue that it alone takes from. It may be full.
func followUps(room int) {
	jobs, over := make(chan int, room), make(chan bool, 1)
	go func() {
		for done := 0; done < 4; done++ {
			if n := <-jobs; n > 0 {
				jobs <- n - 1
			}
		}
		over <- true
	}()
	jobs <- 1
	pause()
	jobs <- 1
	<-over
}

func queueForItself()      { followUps(1) }
func queueWithRoomForAll() { followUps(4) }

// A goroutine waits for the end of a context that nobody ends.
func cancelForgotten() {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-ctx.Done()
	}()
	pause()
	_ = cancel
}

func cancelDeferred() {
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan bool)
	go func() {
		<-ctx.Done()
		close(over)
	}()
	cancel()
	<-over
}

// The reader of a pipe of package io leaves; the writer waits within the library.
func readOne(r *io.PipeReader, w *io.PipeWriter) {
	go func() {
		defer w.Close()
		for i := 0; i < 3; i++ {
			fmt.Fprintln(w, i)
		}
	}()
	r.Read(make([]byte, 8))
	pause()
}

func pipeLeft() { readOne(io.Pipe()) }
func pipeClosed() {
	r, w := io.Pipe()
	defer r.Close()
	readOne(r, w)
}
