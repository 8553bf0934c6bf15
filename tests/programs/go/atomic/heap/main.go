// Atomics in memory that the collector frees and gives out again: each variable is a place of
// its own, though addresses recur.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

type box struct {
	n    atomic.Int64
	next atomic.Pointer[box]
	fill [200]byte
}

func main() {
	var wg sync.WaitGroup
	var total, spin int32
	for w := 0; w < 4; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 200; i++ {
				b := new(box)
				b.n.Add(1)
				b.next.Store(&box{})
				b.next.Load().n.Add(int64(i))
				if i%50 == 0 {
					runtime.GC()
				}
				for !atomic.CompareAndSwapInt32(&spin, 0, 1) {
					runtime.Gosched()
				}
				total++
				atomic.StoreInt32(&spin, 0)
			}
		}()
	}
	wg.Wait()
	fmt.Println(total)
}
