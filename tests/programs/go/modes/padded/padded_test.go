package padded

import (
	"testing"
	"unsafe"
)

func TestPut(t *testing.T) {
	var l line
	if l.Put(1) != 1 || unsafe.Sizeof(l)%64 != 0 {
		t.Fatal(unsafe.Sizeof(l))
	}
}
