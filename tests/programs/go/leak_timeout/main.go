// Classic: the caller gives up after a timeout, and the worker's send has no receiver left.
package main

import (
	"fmt"
	"time"
)

func slow() int {
	time.Sleep(20 * time.Millisecond)
	return 1
}

func fetch() (int, bool) {
	result := make(chan int)
	go func() {
		result <- slow()
	}()
	select {
	case r := <-result:
		return r, true
	case <-time.After(time.Millisecond):
		return 0, false
	}
}

func main() {
	_, ok := fetch()
	fmt.Println(ok)
	time.Sleep(40 * time.Millisecond)
}
