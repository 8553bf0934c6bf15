
// Appended by foresee: package sync/atomic, whose functions are here so that they can be recorded
// (see atomic_pointer.go). With -race they are the race detector's.

//go:linkname foreLoadInt32 sync/atomic.LoadInt32
func foreLoadInt32(p *int32) int32 {
	v, _ := foreAtomic(unsafe.Pointer(p), foreLoad|fore32Bits|foreSigned, 0, 0, foreBP())
	return int32(v)
}

//go:linkname foreStoreInt32 sync/atomic.StoreInt32
func foreStoreInt32(p *int32, v int32) {
	foreAtomic(unsafe.Pointer(p), foreStore|fore32Bits|foreSigned, uint64(v), 0, foreBP())
}

//go:linkname foreSwapInt32 sync/atomic.SwapInt32
func foreSwapInt32(p *int32, v int32) int32 {
	old, _ := foreAtomic(unsafe.Pointer(p), foreSwap|fore32Bits|foreSigned, uint64(v), 0, foreBP())
	return int32(old)
}

//go:linkname foreAddInt32 sync/atomic.AddInt32
func foreAddInt32(p *int32, v int32) int32 {
	_, now := foreAtomic(unsafe.Pointer(p), foreAdd|fore32Bits|foreSigned, uint64(v), 0, foreBP())
	return int32(now)
}

//go:linkname foreAndInt32 sync/atomic.AndInt32
func foreAndInt32(p *int32, v int32) int32 {
	old, _ := foreAtomic(unsafe.Pointer(p), foreAnd|fore32Bits|foreSigned, uint64(v), 0, foreBP())
	return int32(old)
}

//go:linkname foreOrInt32 sync/atomic.OrInt32
func foreOrInt32(p *int32, v int32) int32 {
	old, _ := foreAtomic(unsafe.Pointer(p), foreOr|fore32Bits|foreSigned, uint64(v), 0, foreBP())
	return int32(old)
}

//go:linkname foreCompareAndSwapInt32 sync/atomic.CompareAndSwapInt32
func foreCompareAndSwapInt32(p *int32, old, v int32) bool {
	was, _ := foreAtomic(unsafe.Pointer(p), foreCas|fore32Bits|foreSigned, uint64(v), uint64(old), foreBP())
	return int32(was) == old
}

//go:linkname foreLoadUint32 sync/atomic.LoadUint32
func foreLoadUint32(p *uint32) uint32 {
	v, _ := foreAtomic(unsafe.Pointer(p), foreLoad|fore32Bits, 0, 0, foreBP())
	return uint32(v)
}

//go:linkname foreStoreUint32 sync/atomic.StoreUint32
func foreStoreUint32(p *uint32, v uint32) {
	foreAtomic(unsafe.Pointer(p), foreStore|fore32Bits, uint64(v), 0, foreBP())
}

//go:linkname foreSwapUint32 sync/atomic.SwapUint32
func foreSwapUint32(p *uint32, v uint32) uint32 {
	old, _ := foreAtomic(unsafe.Pointer(p), foreSwap|fore32Bits, uint64(v), 0, foreBP())
	return uint32(old)
}

//go:linkname foreAddUint32 sync/atomic.AddUint32
func foreAddUint32(p *uint32, v uint32) uint32 {
	_, now := foreAtomic(unsafe.Pointer(p), foreAdd|fore32Bits, uint64(v), 0, foreBP())
	return uint32(now)
}

//go:linkname foreAndUint32 sync/atomic.AndUint32
func foreAndUint32(p *uint32, v uint32) uint32 {
	old, _ := foreAtomic(unsafe.Pointer(p), foreAnd|fore32Bits, uint64(v), 0, foreBP())
	return uint32(old)
}

//go:linkname foreOrUint32 sync/atomic.OrUint32
func foreOrUint32(p *uint32, v uint32) uint32 {
	old, _ := foreAtomic(unsafe.Pointer(p), foreOr|fore32Bits, uint64(v), 0, foreBP())
	return uint32(old)
}

//go:linkname foreCompareAndSwapUint32 sync/atomic.CompareAndSwapUint32
func foreCompareAndSwapUint32(p *uint32, old, v uint32) bool {
	was, _ := foreAtomic(unsafe.Pointer(p), foreCas|fore32Bits, uint64(v), uint64(old), foreBP())
	return uint32(was) == old
}

//go:linkname foreLoadInt64 sync/atomic.LoadInt64
func foreLoadInt64(p *int64) int64 {
	v, _ := foreAtomic(unsafe.Pointer(p), foreLoad|foreSigned, 0, 0, foreBP())
	return int64(v)
}

//go:linkname foreStoreInt64 sync/atomic.StoreInt64
func foreStoreInt64(p *int64, v int64) {
	foreAtomic(unsafe.Pointer(p), foreStore|foreSigned, uint64(v), 0, foreBP())
}

//go:linkname foreSwapInt64 sync/atomic.SwapInt64
func foreSwapInt64(p *int64, v int64) int64 {
	old, _ := foreAtomic(unsafe.Pointer(p), foreSwap|foreSigned, uint64(v), 0, foreBP())
	return int64(old)
}

//go:linkname foreAddInt64 sync/atomic.AddInt64
func foreAddInt64(p *int64, v int64) int64 {
	_, now := foreAtomic(unsafe.Pointer(p), foreAdd|foreSigned, uint64(v), 0, foreBP())
	return int64(now)
}

//go:linkname foreAndInt64 sync/atomic.AndInt64
func foreAndInt64(p *int64, v int64) int64 {
	old, _ := foreAtomic(unsafe.Pointer(p), foreAnd|foreSigned, uint64(v), 0, foreBP())
	return int64(old)
}

//go:linkname foreOrInt64 sync/atomic.OrInt64
func foreOrInt64(p *int64, v int64) int64 {
	old, _ := foreAtomic(unsafe.Pointer(p), foreOr|foreSigned, uint64(v), 0, foreBP())
	return int64(old)
}

//go:linkname foreCompareAndSwapInt64 sync/atomic.CompareAndSwapInt64
func foreCompareAndSwapInt64(p *int64, old, v int64) bool {
	was, _ := foreAtomic(unsafe.Pointer(p), foreCas|foreSigned, uint64(v), uint64(old), foreBP())
	return int64(was) == old
}

//go:linkname foreLoadUint64 sync/atomic.LoadUint64
func foreLoadUint64(p *uint64) uint64 {
	v, _ := foreAtomic(unsafe.Pointer(p), foreLoad, 0, 0, foreBP())
	return uint64(v)
}

//go:linkname foreStoreUint64 sync/atomic.StoreUint64
func foreStoreUint64(p *uint64, v uint64) {
	foreAtomic(unsafe.Pointer(p), foreStore, uint64(v), 0, foreBP())
}

//go:linkname foreSwapUint64 sync/atomic.SwapUint64
func foreSwapUint64(p *uint64, v uint64) uint64 {
	old, _ := foreAtomic(unsafe.Pointer(p), foreSwap, uint64(v), 0, foreBP())
	return uint64(old)
}

//go:linkname foreAddUint64 sync/atomic.AddUint64
func foreAddUint64(p *uint64, v uint64) uint64 {
	_, now := foreAtomic(unsafe.Pointer(p), foreAdd, uint64(v), 0, foreBP())
	return uint64(now)
}

//go:linkname foreAndUint64 sync/atomic.AndUint64
func foreAndUint64(p *uint64, v uint64) uint64 {
	old, _ := foreAtomic(unsafe.Pointer(p), foreAnd, uint64(v), 0, foreBP())
	return uint64(old)
}

//go:linkname foreOrUint64 sync/atomic.OrUint64
func foreOrUint64(p *uint64, v uint64) uint64 {
	old, _ := foreAtomic(unsafe.Pointer(p), foreOr, uint64(v), 0, foreBP())
	return uint64(old)
}

//go:linkname foreCompareAndSwapUint64 sync/atomic.CompareAndSwapUint64
func foreCompareAndSwapUint64(p *uint64, old, v uint64) bool {
	was, _ := foreAtomic(unsafe.Pointer(p), foreCas, uint64(v), uint64(old), foreBP())
	return uint64(was) == old
}

//go:linkname foreLoadUintptr sync/atomic.LoadUintptr
func foreLoadUintptr(p *uintptr) uintptr {
	v, _ := foreAtomic(unsafe.Pointer(p), foreLoad, 0, 0, foreBP())
	return uintptr(v)
}

//go:linkname foreStoreUintptr sync/atomic.StoreUintptr
func foreStoreUintptr(p *uintptr, v uintptr) {
	foreAtomic(unsafe.Pointer(p), foreStore, uint64(v), 0, foreBP())
}

//go:linkname foreSwapUintptr sync/atomic.SwapUintptr
func foreSwapUintptr(p *uintptr, v uintptr) uintptr {
	old, _ := foreAtomic(unsafe.Pointer(p), foreSwap, uint64(v), 0, foreBP())
	return uintptr(old)
}

//go:linkname foreAddUintptr sync/atomic.AddUintptr
func foreAddUintptr(p *uintptr, v uintptr) uintptr {
	_, now := foreAtomic(unsafe.Pointer(p), foreAdd, uint64(v), 0, foreBP())
	return uintptr(now)
}

//go:linkname foreAndUintptr sync/atomic.AndUintptr
func foreAndUintptr(p *uintptr, v uintptr) uintptr {
	old, _ := foreAtomic(unsafe.Pointer(p), foreAnd, uint64(v), 0, foreBP())
	return uintptr(old)
}

//go:linkname foreOrUintptr sync/atomic.OrUintptr
func foreOrUintptr(p *uintptr, v uintptr) uintptr {
	old, _ := foreAtomic(unsafe.Pointer(p), foreOr, uint64(v), 0, foreBP())
	return uintptr(old)
}

//go:linkname foreCompareAndSwapUintptr sync/atomic.CompareAndSwapUintptr
func foreCompareAndSwapUintptr(p *uintptr, old, v uintptr) bool {
	was, _ := foreAtomic(unsafe.Pointer(p), foreCas, uint64(v), uint64(old), foreBP())
	return uintptr(was) == old
}

//go:linkname foreLoadPointer sync/atomic.LoadPointer
func foreLoadPointer(p *unsafe.Pointer) unsafe.Pointer {
	v, _ := foreAtomic(unsafe.Pointer(p), foreLoad|forePointer, 0, 0, foreBP())
	return unsafe.Pointer(uintptr(v))
}
