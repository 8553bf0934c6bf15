// Goroutines that call C; one of them is not waited for.
package main

// static int twice(int x) { return 2 * x; }
import "C"

import "fmt"

func main() {
	c := make(chan int)
	for i := 0; i < 3; i++ {
		go func(i int) {
			c <- int(C.twice(C.int(i)))
		}(i)
	}
	fmt.Println(<-c, <-c)
}
