// What is hard on a recorder of memory, once wrong and once right: strange NAME racy|fixed. The words behind a case are
// what races.
package main

import (
	"net/netip"
	"os"
	"reflect"
	"runtime"
	"sync"
	"time"
	"unsafe"
)

type account struct {
	id      int32
	balance int64
	history [4]int64
	owner   string
}

var (
	mu     sync.Mutex
	shared account
	hits   int
	total  int64
	prices = map[string]int{}
)

// apart does both, the second when the first is surely over; nothing orders them but the lock of a fixed program.
func apart(fixed bool, a, b func()) {
	var wg sync.WaitGroup
	with := func(f func()) {
		defer wg.Done()
		if fixed {
			mu.Lock()
			defer mu.Unlock()
		}
		f()
	}
	wg.Add(2)
	go with(a)
	time.Sleep(5 * time.Millisecond)
	go with(b)
	wg.Wait()
}

// A field that a library of the program sets by its name, as decoders do.
func reflected(fixed bool) { // main.shared.balance
	apart(fixed, func() {
		reflect.ValueOf(&shared).Elem().Set(reflect.ValueOf(account{id: 1, balance: 5}))
	}, func() { total = shared.balance })
}

// A field by its offset, as serialisers do.
func offset(fixed bool) { // main.shared.history
	third := (*int64)(unsafe.Pointer(uintptr(unsafe.Pointer(&shared)) + unsafe.Offsetof(shared.history) + 2*unsafe.Sizeof(int64(0))))
	apart(fixed, func() { *third = 7 }, func() { shared.history[2]++ })
}

//go:nosplit
//go:noinline
func count(p *int) { *p += 1 }

func nosplit(fixed bool) { // main.hits
	apart(fixed, func() { count(&hits) }, func() { count(&hits) })
}

func dig(n int, f func()) int {
	var room [128]int
	room[n%len(room)] = n
	if n == 0 {
		f()
		return 0
	}
	return dig(n-1, f) + room[n%len(room)]
}

// At the bottom of a stack of 200 megabytes.
func stack(fixed bool) { // main.total
	apart(fixed, func() { dig(150000, func() { total = 1 }) }, func() { dig(3, func() { total++ }) })
}

// Iterating while the map is changed, by the iterating goroutine itself and by another.
func iterating(fixed bool) { // map@
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		prices[name] = len(name)
	}
	apart(fixed, func() {
		for name, price := range prices {
			if price > 0 {
				delete(prices, name)
				prices[name+name] = 0
			}
		}
	}, func() {
		for name := range prices {
			total += int64(len(name))
		}
	})
}

// Thousands under one lock, but for main.
func many(fixed bool) { // main.hits
	var wg sync.WaitGroup
	for i := 0; i < 5000; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			hits++
			mu.Unlock()
		}()
	}
	if fixed {
		mu.Lock()
		defer mu.Unlock()
	}
	hits++
	if fixed {
		mu.Unlock()
		defer mu.Lock()
	}
	wg.Wait()
}

// The sum is done by assembly, which nobody sees; that the slice is replaced is seen.
func assembled(fixed bool) { // main.table
	table = []int64{1, 2, 3, 4}
	apart(fixed, func() { total = sum(table) }, func() { table = []int64{5, 6} })
}

var table []int64

// Finalisers take locks and count; nothing orders them with the program, and nothing is said of them.
func finalised(fixed bool) { // -
	for i := 0; i < 200; i++ {
		a := &account{id: int32(i)}
		runtime.SetFinalizer(a, func(a *account) {
			mu.Lock()
			hits += int(a.id)
			mu.Unlock()
			if !fixed {
				total += int64(a.id)
			}
		})
	}
	for i := 0; i < 3; i++ {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	mu.Lock()
	hits = 0
	mu.Unlock()
}

// A block of more than 512 bytes with pointers in it.
type sheet struct {
	n    int
	rows [90]*int
}

// Beside it generic functions of the runtime, for types of others, lie in the program's text.
var home = netip.MustParseAddr("fe80::1%lo")

// Such blocks have names, and a new one in the memory of one that was dropped is another: who shared the old one has
// nothing to do with it.
func lives(fixed bool) { // main.sheet@main.go
	var users sync.WaitGroup
	for i := 0; i < 8; i++ {
		users.Add(1)
		go func() {
			defer users.Done()
			for k := 0; k < 20; k++ {
				s, done := &sheet{}, make(chan bool)
				go func() {
					if fixed {
						s.n++
					}
					done <- true
					if !fixed {
						s.n++
					}
					done <- true
				}()
				<-done
				s.n++
				<-done
				runtime.GC()
			}
		}()
	}
	users.Wait()
}

// Nobody calls it, so it is not linked: that it asks for a length makes nothing uncertain.
func pending(c chan int) bool { return len(c) > 0 }

func main() {
	all := map[string]func(bool){"reflected": reflected, "offset": offset, "nosplit": nosplit, "stack": stack,
		"iterating": iterating, "many": many, "assembled": assembled, "finalised": finalised, "lives": lives, "file": file}
	all[os.Args[1]](os.Args[2] == "fixed")
}
