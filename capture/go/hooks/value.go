
// Appended by foresee: each method of Value is one operation, recorded with --atomics.

const (
	foreValueLoad   = 1<<7 | 0
	foreValueStore  = 1<<7 | 1
	foreValueSwap   = 1<<7 | 2
	foreValueRefuse = 1<<7 | 15
)

//go:linkname foreAtomics runtime.foreAtomics
var foreAtomics uint32

//go:noescape
func foreEnter(v unsafe.Pointer) unsafe.Pointer
func foreLeave(entry unsafe.Pointer, how uint32)
func foreQuiet(on uint32)

// Load returns the value set by the most recent Store.
// It returns nil if there has been no call to Store for this Value.
//
//go:noinline
func (v *Value) Load() (val any) {
	if foreAtomics == 0 {
		return v.foreLoad0()
	}
	e := foreEnter(unsafe.Pointer(v))
	val = v.foreLoad0()
	if e != nil {
		foreLeave(e, foreValueLoad)
	}
	return
}

// foreRefuses tells whether Store would panic, which it must not while it is being recorded.
func (v *Value) foreRefuses(val any) bool {
	is := *(*unsafe.Pointer)(unsafe.Pointer(v))
	return is != nil && is != *(*unsafe.Pointer)(unsafe.Pointer(&val))
}

// Store sets the value of the Value v to val.
// All calls to Store for a given Value must use values of the same concrete type.
// Store of an inconsistent type panics, as does Store(nil).
//
//go:noinline
func (v *Value) Store(val any) {
	if foreAtomics == 0 || val == nil {
		v.foreStore0(val)
		return
	}
	e := foreEnter(unsafe.Pointer(v))
	if e != nil && v.foreRefuses(val) {
		foreLeave(e, foreValueRefuse)
		e = nil
	}
	v.foreStore0(val)
	if e != nil {
		foreLeave(e, foreValueStore)
	}
}

// Swap stores new into Value and returns the previous value. It returns nil if
// the Value is empty.
//
// All calls to Swap for a given Value must use values of the same concrete
// type. Swap of an inconsistent type panics, as does Swap(nil).
//
//go:noinline
func (v *Value) Swap(new any) (old any) {
	if foreAtomics == 0 || new == nil {
		return v.foreSwap0(new)
	}
	e := foreEnter(unsafe.Pointer(v))
	if e != nil && v.foreRefuses(new) {
		foreLeave(e, foreValueRefuse)
		e = nil
	}
	old = v.foreSwap0(new)
	if e != nil {
		foreLeave(e, foreValueSwap)
	}
	return
}

// CompareAndSwap executes the compare-and-swap operation for the Value.
//
// All calls to CompareAndSwap for a given Value must use values of the same
// concrete type. CompareAndSwap of an inconsistent type panics, as does
// CompareAndSwap(old, nil).
//
// It compares values of any type, which may panic: it is recorded right after it happened.
//
//go:noinline
func (v *Value) CompareAndSwap(old, new any) (swapped bool) {
	if foreAtomics == 0 {
		return v.foreCompareAndSwap0(old, new)
	}
	swapped = v.foreCompare(old, new)
	if e := foreEnter(unsafe.Pointer(v)); e != nil && swapped {
		foreLeave(e, foreValueSwap)
	} else if e != nil {
		foreLeave(e, foreValueLoad)
	}
	return
}

func (v *Value) foreCompare(old, new any) bool {
	foreQuiet(1)
	defer foreQuiet(0)
	return v.foreCompareAndSwap0(old, new)
}
