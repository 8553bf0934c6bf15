
// Appended by foresee: what Go's own packages tell the race detector, which is not there, about memory
// and order.

//go:linkname foreAccess
func foreAccess(addr unsafe.Pointer, n uintptr, write bool, pc uintptr)

//go:linkname foreEdge
func foreEdge(addr unsafe.Pointer, release bool)

func Acquire(addr unsafe.Pointer) {
	if ForeMemory != 0 {
		foreEdge(addr, false)
	}
}

func Release(addr unsafe.Pointer) {
	if ForeMemory != 0 {
		foreEdge(addr, true)
	}
}

func ReleaseMerge(addr unsafe.Pointer) {
	if ForeMemory != 0 {
		foreEdge(addr, true)
	}
}

func ReadPC(addr unsafe.Pointer, callerpc, pc uintptr) {
	if ForeMemory != 0 {
		foreAccess(addr, 8, false, callerpc)
	}
}

func WritePC(addr unsafe.Pointer, callerpc, pc uintptr) {
	if ForeMemory != 0 {
		foreAccess(addr, 8, true, callerpc)
	}
}
