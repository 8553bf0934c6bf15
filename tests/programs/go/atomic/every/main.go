// Every kind of atomic operation, by function and by type, in an order that is fixed.
package main

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"
)

var (
	ready int32
	count uint64
	flag  atomic.Bool
	level atomic.Int32
	total atomic.Int64
	node  atomic.Pointer[int]
	raw   unsafe.Pointer
	any_  atomic.Value
)

func main() {
	done := make(chan bool)
	go func() {
		x := 7
		atomic.AddUint64(&count, 5)
		atomic.CompareAndSwapUint64(&count, 4, 9)
		atomic.CompareAndSwapUint64(&count, 5, 6)
		level.Store(-3)
		level.Add(1)
		total.Swap(1 << 40)
		node.Store(&x)
		node.CompareAndSwap(nil, &x)
		atomic.StorePointer(&raw, unsafe.Pointer(&x))
		atomic.SwapPointer(&raw, nil)
		any_.Store("one")
		any_.Swap("two")
		any_.CompareAndSwap("two", "three")
		flag.Store(true)
		atomic.StoreInt32(&ready, 1)
		done <- true
	}()
	for atomic.LoadInt32(&ready) == 0 {
		time.Sleep(time.Millisecond)
	}
	fmt.Println(flag.Load(), level.Load(), total.Load(), *node.Load(), any_.Load(), atomic.LoadUint64(&count), atomic.LoadPointer(&raw) == nil)
	<-done
}
