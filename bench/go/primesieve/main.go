// Primesieve: the sieve of Eratosthenes as a growing chain of filters.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func generate(ch chan<- int) {
	for i := 2; ; i++ {
		ch <- i
	}
}

func filter(in <-chan int, out chan<- int, prime int) {
	for {
		if i := <-in; i%prime != 0 {
			out <- i
		}
	}
}

func main() {
	primes := 900
	if len(os.Args) > 1 {
		primes, _ = strconv.Atoi(os.Args[1])
	}
	ch := make(chan int)
	go generate(ch)
	last := 0
	for i := 0; i < primes; i++ {
		last = <-ch
		next := make(chan int)
		go filter(ch, next, last)
		ch = next
	}
	fmt.Println(last)
}
