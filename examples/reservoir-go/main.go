// The water reservoir of [jmpax], figure 1, in Go. One goroutine reads the level of the water and stores
// the quantity in w; the other opens the valve v step by step, looking at w before the first and the last.
// Nothing but their timing keeps the two in step.
package main

import (
	"fmt"
	"time"
)

var w, v = 20, 40

func valve(done chan<- bool) {
	quantity := 0
	for step := 1; step <= 3; step++ {
		time.Sleep(200 * time.Millisecond)
		if step != 2 {
			quantity = w
		}
		if quantity < 20 {
			break
		}
		v = 40 + 10*step
	}
	done <- true
}

func level(done chan<- bool) {
	time.Sleep(100 * time.Millisecond)
	for _, reading := range []int{24, 27, 31} {
		w = reading
		time.Sleep(200 * time.Millisecond)
	}
	done <- true
}

func main() {
	done := make(chan bool)
	go valve(done)
	go level(done)
	<-done
	<-done
	fmt.Printf("water %d, valve %d\n", w, v)
}
