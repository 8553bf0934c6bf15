// A Mutex that is copied when nobody holds it, though its last sections were not recorded, is free.
package main

import "sync"

type box struct {
	mu sync.Mutex
	n  int
}

var level int

func section(b *box) {
	b.mu.Lock()
	b.n++
	b.mu.Unlock()
}

func main() {
	a := &box{}
	level = 1
	for i := 0; i < 10; i++ {
		section(a)
	}
	b := new(box)
	*b = *a // as vet reports
	section(b)
	section(b)
	level = 2
}
