// Classic: two goroutines close the same channel.
package main

import "time"

func main() {
	c := make(chan int)
	go close(c)
	<-c
	time.Sleep(time.Millisecond)
	close(c)
}
