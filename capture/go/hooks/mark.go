
// Appended by foresee: operations that the program marks (the file that `foresee new go-mark` writes). Their
// real time is the order of their object's tickets.

//go:linkname foreMark
var foreMark func(what int, call uint64, object, text, args string, kind, bits uint64) uint64

var foreMarks struct {
	lock, calls uint32
	count       int
	objects     [64]struct {
		name string
		id   uint32
		seq  uint32
	}
}

// foreMarkObject is the index of the object of this name, made if there is none; -1: there are too many.
func foreMarkObject(w *foreG, name string) int {
	foreStripeLock(&foreMarks.lock)
	i := 0
	for i < foreMarks.count && foreMarks.objects[i].name != name {
		i++
	}
	if i == len(foreMarks.objects) {
		i = -1
	} else if i == foreMarks.count {
		o := &foreMarks.objects[i]
		o.name = name
		o.id = atomic.Xadd(&foreFile.objects, 1)
		units := uintptr(len(name)+15) / 16
		if p := foreRoom(w, 2+units); p != 0 {
			*fore64(p + 16) = 10
			*fore64(p + 24) = 0
			foreMarkBytes(p+32, units, name)
			*fore64(p) = uint64(o.id) << 32
			*fore64(p + 8) = foreDefObject | foreFlagDone | uint64(1+units)<<foreExtra | uint64(len(name))<<foreTicket
		}
		foreMarks.count++
	}
	atomic.Store(&foreMarks.lock, 0)
	return i
}

func foreMarkBytes(p, units uintptr, text string) {
	for i := uintptr(0); i < units*16; i++ {
		b := byte(0)
		if int(i) < len(text) {
			b = text[i]
		}
		*(*byte)(unsafe.Pointer(p + i)) = b
	}
}

// foreMarkText defines a string.
func foreMarkText(w *foreG, text string) uint64 {
	if text == "" {
		return 0
	}
	if len(text) > 2048 {
		text = text[:2048]
	}
	id := atomic.Xadd(&foreMem.strs, 1)
	units := uintptr(len(text)+15) / 16
	if p := foreRoom(w, 1+units); p != 0 {
		foreMarkBytes(p+16, units, text)
		*fore64(p) = uint64(id) << 32
		*fore64(p + 8) = foreStringKind | foreFlagDone | uint64(units)<<foreExtra | uint64(len(text))<<foreTicket
	}
	return uint64(id)
}

// foreMarked records the beginning of an operation (1), its end (2), or that it failed (3).
//
//go:noinline
func foreMarked(what int, call uint64, object, text, args string, kind, bits uint64) uint64 {
	gp := getg()
	w := &gp.fore
	if gp != gp.m.curg || foreOn == 0 {
		return 0
	}
	pc := foreReturn(gp, *(*uintptr)(unsafe.Pointer(foreBP())))
	mp := acquirem()
	if what == 1 {
		if o := foreMarkObject(w, object); o >= 0 {
			call = uint64(atomic.Xadd(&foreMarks.calls, 1)) | uint64(o)<<32
			foreMarkPut(w, 40, pc, call, foreMarkText(w, text)|foreMarkText(w, args)<<32, 0)
		}
	} else if call != 0 {
		if kind == 5 {
			bits = foreMarkText(w, text)
		}
		foreMarkPut(w, 39+uint64(what), pc, call, bits, kind)
	}
	releasem(mp)
	return call
}

// foreMarkPut draws the ticket last, when everything else that the record needs is there.
func foreMarkPut(w *foreG, record uint64, pc uintptr, call, a, kind uint64) {
	p := foreRoom(w, 3)
	if p == 0 {
		return
	}
	o := &foreMarks.objects[call>>32]
	*fore64(p + 16) = a
	*fore64(p + 24) = uint64(uint32(call))
	*fore64(p + 32) = kind << 6
	*fore64(p + 40) = 0
	*fore64(p) = foreWhere(pc, o.id)
	*fore64(p + 8) = record | foreFlagDone | foreFlagStack | 2<<foreExtra | uint64(atomic.Xadd(&o.seq, 1))<<foreTicket
}
