// Collector: many goroutines send to one that collects what they send.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func collect(results chan<- int, id, messages int) {
	for i := 0; i < messages; i++ {
		results <- id
	}
}

func main() {
	goroutines, messages := 200, 20000
	if len(os.Args) > 2 {
		goroutines, _ = strconv.Atoi(os.Args[1])
		messages, _ = strconv.Atoi(os.Args[2])
	}
	results := make(chan int)
	for i := 0; i < goroutines; i++ {
		go collect(results, i, messages)
	}
	sum := 0
	for i := 0; i < goroutines*messages; i++ {
		sum += <-results
	}
	fmt.Println(sum)
}
