// A package whose name is not the last element of its path.
package pool

import "sync"

type Stats struct{ Hits, Misses int }

type Pool struct {
	mu   sync.Mutex
	Size int
}

var (
	mu    sync.Mutex
	stats Stats
)

func Hit() {
	mu.Lock()
	stats.Hits++
	mu.Unlock()
}

func (p *Pool) Grow() { p.mu.Lock(); p.Size++; p.mu.Unlock() }
