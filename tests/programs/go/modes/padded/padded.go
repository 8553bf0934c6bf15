// Package padded fills a structure with a lock up to a cache line, which is larger when it is watched.
package padded

import (
	"sync"
	"unsafe"
)

type bucket struct {
	values [6]uint64
	next   unsafe.Pointer
	mu     sync.Mutex
}

type line struct {
	pad [64 - unsafe.Sizeof(bucket{})]byte
	bucket
}

// Put adds one in the line, and tells which value it was.
func (l *line) Put(i int) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.values[i]++
	return l.values[i]
}
