// A nil channel: a send on it waits for ever.
package main

import "time"

func main() {
	var c chan int
	go func() {
		c <- 1
	}()
	time.Sleep(5 * time.Millisecond)
}
