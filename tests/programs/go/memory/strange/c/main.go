// C fills memory of Go, under a lock or not: that C is called is said, and what Go does itself is seen.
//
//	c racy|fixed
package main

/*
#include <string.h>
static void fill(char *p, int n, int with) { memset(p, with, n); }
*/
import "C"

import (
	"os"
	"sync"
	"unsafe"
)

var (
	mu    sync.Mutex
	bytes [64]byte
	fills int
)

func main() {
	fixed := os.Args[1] == "fixed"
	var wg sync.WaitGroup
	for k := 0; k < 2; k++ {
		wg.Add(1)
		go func(k int) {
			defer wg.Done()
			if fixed {
				mu.Lock()
				defer mu.Unlock()
			}
			C.fill((*C.char)(unsafe.Pointer(&bytes[0])), C.int(len(bytes)), C.int(k))
			fills++
		}(k)
	}
	wg.Wait()
}
