
// Appended by foresee: what the runtime does for the program, in the words of the race detector. With
// -race these are the detector's.

//go:nosplit
func racereadpc(addr unsafe.Pointer, callerpc, pc uintptr) {
	if !foreOnStack(addr) {
		foreAccess(uintptr(addr), 8, false, callerpc)
	}
}

//go:nosplit
func racewritepc(addr unsafe.Pointer, callerpc, pc uintptr) {
	if !foreOnStack(addr) {
		foreAccess(uintptr(addr), 8, true, callerpc)
	}
}

//go:nosplit
func racereadrangepc(addr unsafe.Pointer, n, callerpc, pc uintptr) {
	if !foreOnStack(addr) {
		foreAccess(uintptr(addr), n, false, callerpc)
	}
}

//go:nosplit
func racewriterangepc(addr unsafe.Pointer, n, callerpc, pc uintptr) {
	if !foreOnStack(addr) {
		foreAccess(uintptr(addr), n, true, callerpc)
	}
}

//go:nosplit
func raceReadObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	if !foreOnStack(addr) {
		foreAccess(uintptr(addr), uintptr(*fore64(uintptr(unsafe.Pointer(t)))), false, callerpc)
	}
}

//go:nosplit
func raceWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	if !foreOnStack(addr) {
		foreAccess(uintptr(addr), uintptr(*fore64(uintptr(unsafe.Pointer(t)))), true, callerpc)
	}
}
