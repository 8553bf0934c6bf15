// The answer comes in time; had it not, its sender would wait for ever.
package main

import (
	"errors"
	"fmt"
	"time"
)

func ask(d, limit time.Duration) (int, error) {
	c := make(chan int)
	go func() { time.Sleep(d); c <- 1 }()
	select {
	case v := <-c:
		return v, nil
	case <-time.After(limit):
		return 0, errors.New("timeout")
	}
}
func main() {
	fmt.Println(ask(time.Millisecond, 500*time.Millisecond))
}
