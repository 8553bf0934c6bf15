// What is hard on a recorder of memory: robust NAME. None of it races.
package main

import (
	"os"
	"reflect"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type node struct { // reflection sets what is exported
	Value int
	next  *node
}

var total int
var mu sync.Mutex

// goroutines: a hundred thousand at once.
func goroutines() {
	var wg, ready sync.WaitGroup
	gate := make(chan bool)
	all := make([]int, 100000)
	for i := range all {
		wg.Add(1)
		ready.Add(1)
		go func(i int) {
			ready.Done()
			<-gate
			all[i] = i
			mu.Lock()
			total += all[i] % 2
			mu.Unlock()
			wg.Done()
		}(i)
	}
	ready.Wait()
	close(gate)
	wg.Wait()
	if total != 50000 {
		panic(total)
	}
}

func deep(n int, p *int) int {
	var room [16]int
	room[n%16] = n
	*p++
	if n == 0 {
		return 0
	}
	return deep(n-1, p) + room[n%16]*0
}

// stacks: deep ones, which move while pointers lead into them.
func stacks() {
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			n := 0
			deep(200000, &n)
			if n != 200001 {
				panic(n)
			}
			wg.Done()
		}()
	}
	wg.Wait()
}

// mapped: memory that is none of Go's.
func mapped() {
	b, err := syscall.Mmap(-1, 0, 1<<16, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	done := make(chan bool)
	b[5] = 1
	go func() { b[5]++; done <- true }()
	<-done
	if b[5] != 2 {
		panic(b[5])
	}
}

// finalizers: they run in a goroutine of the runtime.
func finalizers() {
	done := make(chan int, 1)
	p := &node{Value: 7}
	runtime.SetFinalizer(p, func(p *node) { done <- p.Value })
	p = nil
	for i := 0; i < 100; i++ {
		runtime.GC()
		select {
		case v := <-done:
			if v != 7 {
				panic(v)
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	panic("it did not run")
}

// reflection and unsafe: accesses through them.
func reflection() {
	done := make(chan bool)
	n := &node{}
	m := map[string]int{}
	reflect.ValueOf(n).Elem().Field(0).SetInt(3)
	reflect.ValueOf(m).SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf(1))
	*(*int)(unsafe.Add(unsafe.Pointer(n), 0)) += 1
	go func() {
		if reflect.ValueOf(n).Elem().Field(0).Int() != 4 || m["a"] != 1 {
			panic("lost")
		}
		done <- true
	}()
	<-done
}

//go:nosplit
func add(p *int) { *p++ }

// nosplit: functions that may not grow the stack.
func nosplit() {
	n, done := 0, make(chan bool)
	add(&n)
	go func() { add(&n); done <- true }()
	<-done
	if n != 2 {
		panic(n)
	}
}

// reuse: memory that the collector gives out again, to other goroutines.
func reuse() {
	var wg sync.WaitGroup
	for g := 0; g < 8; g++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 2000; i++ {
				var list *node
				for k := 0; k < 50; k++ {
					list = &node{k, list}
				}
				b := make([]byte, 64+i)
				b[i%64] = 1
				if i%500 == 0 {
					runtime.GC()
				}
			}
		}()
	}
	wg.Wait()
}

// handed: blocks that go from goroutine to goroutine, through a pool and a channel.
func handed() {
	pool := sync.Pool{New: func() interface{} { return new([64]int) }}
	work := make(chan *[64]int, 4)
	var wg sync.WaitGroup
	for g := 0; g < 4; g++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for b := range work {
				for i := range b {
					b[i]++
				}
				pool.Put(b)
			}
		}()
	}
	for i := 0; i < 3000; i++ {
		b := pool.Get().(*[64]int)
		b[0] = i
		work <- b
	}
	close(work)
	wg.Wait()
}

func main() {
	all := map[string]func(){"goroutines": goroutines, "stacks": stacks, "mapped": mapped,
		"finalizers": finalizers, "reflection": reflection, "nosplit": nosplit, "reuse": reuse,
		"handed": handed}
	all[os.Args[1]]()
}
