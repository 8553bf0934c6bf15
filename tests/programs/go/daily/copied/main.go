// A lock that was used is copied with what it guards: the copy is another one.
package main

import (
	"fmt"
	"sync"
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

func main() {
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
