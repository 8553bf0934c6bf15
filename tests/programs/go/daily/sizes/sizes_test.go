// Asserts the size of a type with a lock in it, as those do who pad for cache lines.
package sizes

import (
	"sync"
	"testing"
	"unsafe"
)

type slot struct {
	sync.Mutex
	value int64
}

// The line with unsafe.Sizeof(slot{}) in a comment asks for nothing.
func TestSize(t *testing.T) {
	if n := unsafe.Sizeof(slot{}); n != 16 {
		t.Fatalf("a slot takes %d bytes", n)
	}
}
