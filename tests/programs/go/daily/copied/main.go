// What was used, is held, counts or has run is copied: the copy is another one, and begins like that.
package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

type table struct {
	mu sync.RWMutex
	l  sync.Mutex
	n  int
}

func use(t *table, done chan bool) {
	for i := 0; i < 5; i++ {
		t.mu.RLock()
		t.mu.RUnlock()
		t.l.Lock()
		t.n++
		t.l.Unlock()
	}
	done <- true
}

type used struct {
	mu    sync.Mutex
	rw    sync.RWMutex
	once  sync.Once
	group sync.WaitGroup
	n     int
}

// several makes two goroutines do f, and gives whoever waits in it time to do so before it returns.
func several(f func()) *sync.WaitGroup {
	both := new(sync.WaitGroup)
	both.Add(2)
	for i := 0; i < 2; i++ {
		go func() {
			defer both.Done()
			f()
		}()
	}
	time.Sleep(10 * time.Millisecond)
	return both
}

func copies() {
	var from used
	from.once.Do(func() { from.n++ })
	from.mu.Lock()
	from.rw.RLock()
	from.group.Add(2)
	to := from
	over := several(func() {
		to.once.Do(func() { panic("twice") })
		to.mu.Lock()
		to.n++
		to.mu.Unlock()
		to.rw.Lock()
		to.rw.Unlock()
		to.group.Done()
	})
	to.mu.Unlock()
	to.rw.RUnlock()
	to.group.Wait()
	over.Wait()
	from.group.Add(-2)
	from.group.Wait()
}

// byValue counts down the copy of its caller's group.
func byValue(group sync.WaitGroup) { group.Done() }

func waitsForCopy() {
	var group sync.WaitGroup
	group.Add(1)
	go byValue(group)
	go group.Wait()
	time.Sleep(10 * time.Millisecond)
}

func main() {
	if len(os.Args) > 1 {
		waitsForCopy()
		return
	}
	copies()
	done := make(chan bool)
	a := &table{}
	go use(a, done)
	<-done
	b := new(table)
	*b = *a
	go use(b, done)
	go use(b, done)
	<-done
	<-done
	fmt.Println(b.n)
}
