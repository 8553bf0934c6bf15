package corpus

import (
	"context"
	"testing"
)

// The consumer leaves when the context ends, the producer does not look at it.
func TestContextIgnored(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		ctx, cancel := context.WithCancel(context.Background())
		out := make(chan int)
		go func() {
			if !fixed {
				out <- 1
				return
			}
			select {
			case out <- 1:
			case <-ctx.Done():
			}
		}()
		go cancel()
		select {
		case <-out:
		case <-ctx.Done():
		}
	})
}

// The way out after an error does not cancel.
func TestCancelForgotten(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		ctx, cancel := context.WithCancel(context.Background())
		if fixed {
			defer cancel()
		}
		results := make(chan int, 2)
		go func() { <-ctx.Done() }()
		go func() { results <- 1 }()
		go func() { results <- -1 }()
		if <-results < 0 {
			return
		}
		cancel()
	})
}

// The second stage waits for a first stage that the context has ended.
func TestSecondStageWaits(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		ctx, cancel := context.WithCancel(context.Background())
		between := make(chan int)
		first := func() {
			if fixed {
				defer close(between)
			}
			select {
			case between <- 1:
			case <-ctx.Done():
			}
		}
		second := func() { <-between }
		together(first, second, cancel)
	})
}

// Two requests share a call; the context of one of them ends it for both, and only one is told.
func TestSharedCall(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		ctx, cancel := context.WithCancel(context.Background())
		answer, result := make(chan int, 1), make(chan int, 2)
		call := func() {
			select {
			case v := <-answer:
				result <- v
				result <- v
			case <-ctx.Done():
				result <- 0
				if fixed {
					result <- 0
				}
			}
		}
		serve := func() { answer <- 1 }
		wait := func() { <-result }
		together(call, serve, cancel, wait, wait)
	})
}
