// Add-Pipe: a number goes through a chain of goroutines, each adding one.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func add1(in, out chan int) {
	for n := range in {
		out <- n + 1
	}
	close(out)
}

func main() {
	goroutines, numbers := 50, 20000
	if len(os.Args) > 2 {
		goroutines, _ = strconv.Atoi(os.Args[1])
		numbers, _ = strconv.Atoi(os.Args[2])
	}
	in := make(chan int)
	first := in
	for i := 0; i < goroutines; i++ {
		out := make(chan int)
		go add1(in, out)
		in = out
	}
	go func() {
		for i := 0; i < numbers; i++ {
			first <- i
		}
		close(first)
	}()
	sum := 0
	for n := range in {
		sum += n
	}
	fmt.Println(sum)
}
