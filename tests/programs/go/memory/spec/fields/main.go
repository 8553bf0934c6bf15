// Members of what is allocated: a pump fills a tank while a valve drains it.
package main

import "sync"

type tank struct {
	name  string
	mu    sync.Mutex
	level int
	open  bool
}

func newTank(name string) *tank { return &tank{name: name, level: 5} }

func (t *tank) fill(n int) {
	t.mu.Lock()
	t.level += n
	t.mu.Unlock()
}

func main() {
	t := newTank("first")
	done := make(chan bool)
	go func() {
		t.fill(3)
		p := &t.open
		*p = true
		done <- true
	}()
	<-done
	t.fill(-2)
	println(t.level, t.open)
}
