// Generic code over channels, and channels of channels.
package main

import "fmt"

type sender[T any] interface{ ~chan T | ~chan<- T }

func all[T any, C sender[T]](c C, xs ...T) {
	for _, x := range xs {
		c <- x
	}
	close(c)
}

type words chan string

func main() {
	w := make(words)
	go all[string](w, "a", "b")
	for s := range w {
		fmt.Println(s)
	}
	requests := make(chan chan int)
	go func() {
		for r := range requests {
			r <- 42
		}
	}()
	answer := make(chan int)
	requests <- answer
	fmt.Println(<-answer)
	close(requests)
}
