// A buffered channel: messages are numbered, the n-th receive takes the n-th send.
package main

import "fmt"

func main() {
	c := make(chan string, 2)
	done := make(chan bool)
	go func() {
		for s := range c {
			fmt.Println(s)
		}
		done <- true
	}()
	for _, s := range []string{"a", "b", "c", "d", "e"} {
		c <- s
	}
	close(c)
	<-done
}
