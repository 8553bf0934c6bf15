package corpus

import (
	"sync"
	"testing"
)

func TestOnceAndLock(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		var once sync.Once
		load := func() {
			mu.Lock()
			mu.Unlock()
		}
		first := func() { once.Do(load) }
		second := func() {
			if fixed {
				once.Do(load)
				mu.Lock()
			} else {
				mu.Lock()
				once.Do(func() {})
			}
			mu.Unlock()
		}
		together(first, second)
	})
}

// Loading waits for a helper, which needs what is being loaded.
func TestOnceWaitsForUser(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var once sync.Once
		helped := make(chan bool, 2)
		load := func() { <-helped }
		user := func() { once.Do(load) }
		helper := func() {
			if fixed {
				helped <- true
			}
			once.Do(func() {})
			helped <- true
		}
		together(user, helper)
	})
}

// Two onces that load each other's half.
func TestTwoOnces(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var a, b sync.Once
		none := func() {}
		first := func() { a.Do(func() { b.Do(none) }) }
		second := func() { b.Do(func() { a.Do(none) }) }
		if fixed {
			second = func() { b.Do(none) }
		}
		together(first, second)
	})
}
