// A Cond whose lock is of the program's own type; the second wait never ends.
package main

import (
	"sync"
	"time"
)

type gate struct{ sync.Mutex }

func (g *gate) Lock()   { g.Mutex.Lock() }
func (g *gate) Unlock() { g.Mutex.Unlock() }

func main() {
	g := &gate{}
	c := sync.NewCond(g)
	for i := 0; i < 2; i++ {
		go func() {
			g.Lock()
			c.Wait()
			g.Unlock()
		}()
	}
	time.Sleep(20 * time.Millisecond)
	g.Lock()
	c.Signal()
	g.Unlock()
	time.Sleep(20 * time.Millisecond)
}
