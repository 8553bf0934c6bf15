
// Appended by foresee: what the runtime does for the program, in the words of the race detector. With
// -race these are the detector's.

func racereadpc(addr unsafe.Pointer, callerpc, pc uintptr)  { foreAccess(uintptr(addr), 8, false, callerpc) }
func racewritepc(addr unsafe.Pointer, callerpc, pc uintptr) { foreAccess(uintptr(addr), 8, true, callerpc) }

func racereadrangepc(addr unsafe.Pointer, n, callerpc, pc uintptr) {
	foreAccess(uintptr(addr), n, false, callerpc)
}

func racewriterangepc(addr unsafe.Pointer, n, callerpc, pc uintptr) {
	foreAccess(uintptr(addr), n, true, callerpc)
}

func raceReadObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	foreAccess(uintptr(addr), uintptr(*fore64(uintptr(unsafe.Pointer(t)))), false, callerpc)
}

func raceWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	foreAccess(uintptr(addr), uintptr(*fore64(uintptr(unsafe.Pointer(t)))), true, callerpc)
}
