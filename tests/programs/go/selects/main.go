// Select: several cases, default, a timeout, sends and receives, closed channels.
package main

import (
	"fmt"
	"time"
)

func main() {
	a, b, quit := make(chan int), make(chan int, 1), make(chan struct{})
	go func() {
		for i := 0; i < 2; i++ {
			select {
			case a <- i:
			case <-quit:
				return
			}
		}
		close(a)
	}()
	select {
	case n := <-b:
		fmt.Println("b", n)
	default:
		fmt.Println("default")
	}
	for open := true; open; {
		select {
		case n, ok := <-a:
			fmt.Println("a", n, ok)
			open = ok
		case <-quit:
			fmt.Println("quit")
		case <-time.After(10 * time.Second):
			fmt.Println("timeout")
		}
	}
	select {
	case b <- 7:
	default:
	}
	select {
	case <-time.After(time.Millisecond):
		fmt.Println("timeout", <-b)
	case <-quit:
	}
}
