// A request and its answer over unbuffered channels, both directions, named goroutines.
package main

import "fmt"

func double(in <-chan int, out chan<- int) {
	for n := range in {
		out <- 2 * n
	}
	close(out)
}

func main() {
	in, out := make(chan int), make(chan int)
	go double(in, out)
	for i := 0; i < 3; i++ {
		in <- i
		fmt.Println(<-out)
	}
	close(in)
	_, ok := <-out
	fmt.Println(ok)
}
