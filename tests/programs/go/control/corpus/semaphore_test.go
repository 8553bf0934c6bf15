package corpus

import (
	"sync"
	"testing"
)

// A task keeps its slot while its child waits for one.
func TestNestedSlots(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		slots := make(chan bool, 2)
		task := func() {
			slots <- true
			if fixed {
				<-slots
			}
			slots <- true
			<-slots
			if !fixed {
				<-slots
			}
		}
		together(task, task)
	})
}

// After an error the slot is not given back.
func TestSlotLost(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		slots, broken := make(chan bool, 1), make(chan bool)
		task := func() {
			slots <- true
			select {
			case <-broken:
				if !fixed {
					return
				}
			default:
			}
			<-slots
		}
		together(task, task, func() { close(broken) })
	})
}

// Each needs two of three.
func TestTwoOfThreeSlots(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		slots := make(chan bool, 3)
		task := func() {
			if fixed {
				mu.Lock()
			}
			slots <- true
			slots <- true
			if fixed {
				mu.Unlock()
			}
			<-slots
			<-slots
		}
		together(task, task, task)
	})
}

// Results are collected when all tasks were started, and the second one needs the slot of the first.
func TestSlotBeforeStart(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		slots, results := make(chan bool, 1), make(chan int, room(fixed, 2))
		for i := 0; i < 2; i++ {
			slots <- true
			go func() {
				results <- 1
				<-slots
			}()
		}
		<-results
		<-results
	})
}
