
// Appended by foresee: what comes in and goes out by system calls. A thing is what its reader and its writer
// have in common: a pipe, a file or a device, known by its numbers; a connection, if both of its ends are the
// program's own; all other sockets as one thing, because it is not known what comes back from where; or the
// descriptor, if there is no file. Once there is a child, a pipe or a socket may lead to it, and what goes in
// may come back from anywhere: output is then recorded for the children, too. The names of files are one
// thing: a goroutine that looks for a file learns what was made, renamed and removed.

const (
	foreInKind     = 45
	foreOutKind    = 46
	foreDefUnseen  = 206
	foreDefChild   = 211
	foreIsOutside  = 11
	foreHeadSees   = 1168
	foreHeadEnded  = 1172

	// what a system call does with its first argument
	foreFdOut      = 1
	foreFdIn       = 2
	foreChildOut   = 4
	foreChildIn    = 8
	foreSignalOut  = 16
	foreNobodyIn   = 32
	foreNobodyOut  = 64
	foreFileLock   = 128
	foreNameOut    = 256
	foreNameIn     = 512

	foreThingPipe     = 1
	foreThingFile     = 2
	foreThingDevice   = 3
	foreThingSockets  = 4
	foreThingOther    = 5
	foreThingSignals  = 6
	foreThingChildren = 7
	foreThingNamed    = 8
	foreThingLink     = 9  // a connection
	foreThingEnd      = 10 // for a socket: the connection of which it is an end

	foreFstat       = 5*goarch.IsAmd64 + 80*goarch.IsArm64
	foreGetsockname = 51*goarch.IsAmd64 + 204*goarch.IsArm64
	foreGetpeername = 52*goarch.IsAmd64 + 205*goarch.IsArm64
	foreGetsockopt  = 55*goarch.IsAmd64 + 209*goarch.IsArm64
)

type foreThing struct {
	key     uint64
	link    uint64 // for a socket: see foreLinkOf
	id, seq uint32
	ends    uint32 // for a connection: the ends that the program has used, 1 and 2
}

// foreThings are the things that were used, by kind and number. They stay.
var foreThings [1 << foreThingBits]foreThing

const foreThingBits = 13

var foreThingNames = [...]string{"", "pipe", "file", "device", "sockets", "descriptor", "signals", "children", "file names", "connection"}
var foreThingCount [len(foreThingNames)]uint32

// foreCalls says what each system call does; foreOutput is where the program's output goes, which no
// goroutine of it reads.
var foreCalls [512]uint16
var foreOutput [2][2]uint64
var foreHasChildren, foreToldC uint32

// foreCallTable has {amd64, arm64, what}.
var foreCallTable = [...][3]uint16{
	{0, 63, foreFdIn}, {1, 64, foreFdOut}, {3, 57, foreFdOut}, {17, 67, foreFdIn}, {18, 68, foreFdOut}, // read write close pread pwrite
	{19, 65, foreFdIn}, {20, 66, foreFdOut}, {295, 69, foreFdIn}, {296, 70, foreFdOut}, // readv writev preadv pwritev
	{40, 71, foreFdOut | foreNobodyIn}, {42, 203, foreFdOut | foreFdIn}, {43, 202, foreFdIn}, {288, 242, foreFdIn}, // sendfile connect accept accept4
	{44, 206, foreFdOut}, {45, 207, foreFdIn}, {46, 211, foreFdOut}, {47, 212, foreFdIn}, // sendto recvfrom sendmsg recvmsg
	{48, 210, foreFdOut}, {299, 243, foreFdIn}, {307, 269, foreFdOut}, // shutdown recvmmsg sendmmsg
	{72, 25, foreFileLock}, {73, 32, foreFdOut | foreFdIn}, {77, 46, foreFdOut}, // fcntl flock ftruncate
	{275, 76, foreNobodyIn | foreNobodyOut}, {276, 77, foreNobodyIn | foreNobodyOut}, {326, 285, foreNobodyIn | foreNobodyOut}, // splice tee copy_file_range
	{62, 129, foreSignalOut}, {200, 130, foreSignalOut}, {234, 131, foreSignalOut}, {424, 424, foreSignalOut}, // kill tkill tgkill pidfd_send_signal
	{61, 260, foreChildIn}, {247, 95, foreChildIn}, // wait4 waitid
	{232, 22, foreNobodyIn}, {281, 22, foreNobodyIn}, {7, 73, foreNobodyIn}, {271, 73, foreNobodyIn}, {23, 72, foreNobodyIn}, {270, 72, foreNobodyIn}, // epoll poll select
	{69, 189, foreNobodyOut}, {70, 188, foreNobodyIn}, {65, 193, foreNobodyOut | foreNobodyIn}, // msgsnd msgrcv semop
	{242, 182, foreFdOut}, {243, 183, foreFdIn}, // mq_timedsend mq_timedreceive
	{257, 56, foreNameOut | foreNameIn}, {262, 79, foreNameIn}, {269, 48, foreNameIn}, {439, 439, foreNameIn}, // openat newfstatat faccessat faccessat2
	{267, 78, foreNameIn}, {217, 61, foreNameIn}, {263, 35, foreNameOut | foreNameIn}, {258, 34, foreNameOut | foreNameIn}, // readlinkat getdents64 unlinkat mkdirat
	{264, 38, foreNameOut | foreNameIn}, {316, 276, foreNameOut | foreNameIn}, {265, 37, foreNameOut | foreNameIn}, {266, 36, foreNameOut | foreNameIn}, // renameat renameat2 linkat symlinkat
}

func foreOutsideInit() {
	for _, c := range foreCallTable {
		foreCalls[c[0]*goarch.IsAmd64+c[1]*goarch.IsArm64] = c[2]
	}
	for i := range foreOutput {
		_, device, inode, _, ok := foreStat(uintptr(i + 1))
		if ok {
			foreOutput[i] = [2]uint64{device, inode}
		}
	}
}

// foreStat returns the mode, the device and the number of an open file, and which device it is.
func foreStat(fd uintptr) (mode uint32, device, inode, special uint64, ok bool) {
	var s [32]uint64
	if _, errno := foreCall(foreFstat, fd, uintptr(unsafe.Pointer(&s)), 0, 0, 0); errno != 0 {
		return 0, 0, 0, 0, false
	}
	if goarch.IsAmd64 == 1 {
		return uint32(s[3]), s[0], s[1], s[5], true
	}
	return uint32(s[2]), s[0], s[1], s[4], true
}

// foreThingOf is the thing behind a descriptor, 0 for none.
func foreThingOf(fd uintptr, out bool) (kind, which uint64) {
	mode, device, inode, special, ok := foreStat(fd)
	if !ok || out && (foreOutput[0] == [2]uint64{device, inode} || foreOutput[1] == [2]uint64{device, inode}) {
		return 0, 0
	}
	switch mode & 0xf000 {
	case 0x1000:
		return foreThingPipe, inode
	case 0xc000:
		return foreThingSockets, inode
	case 0x8000, 0x4000:
		return foreThingFile, inode
	case 0:
		return foreThingOther, uint64(fd)
	}
	return foreThingDevice, special
}

// foreThingAt finds a thing, or makes room for it; nil: there are too many.
func foreThingAt(kind, which uint64) *foreThing {
	key := kind<<56 | which&(1<<56-1)
	for i := uint64(0); i < uint64(len(foreThings)); i++ {
		t := &foreThings[(key*0x9e3779b97f4a7c15>>(64-foreThingBits)+i)%uint64(len(foreThings))]
		if atomic.Load64(&t.key) == key || atomic.Cas64(&t.key, 0, key) || atomic.Load64(&t.key) == key {
			return t
		}
	}
	return nil
}

// foreThingID names a thing when it is used first: "pipe 2", in that order.
func foreThingID(gp *g, kind, which uint64) (id, ticket uint32) {
	const underWay = ^uint32(0)
	t := foreThingAt(kind, which)
	if t == nil {
		return 0, 0
	}
	for id = atomic.Load(&t.id); id == 0 || id == underWay; id = atomic.Load(&t.id) {
		if id == 0 && atomic.Cas(&t.id, 0, underWay) {
			atomic.Store(&t.id, foreThingDefine(gp, kind, which))
		} else if id == underWay {
			procyield(10)
		}
	}
	return id, atomic.Xadd(&t.seq, 1)
}

func foreThingDefine(gp *g, kind, which uint64) uint32 {
	id := atomic.Xadd(&foreFile.objects, 1)
	var name [32]byte
	n := copy(name[:], foreThingNames[kind])
	if which != 0 {
		name[n] = ' '
		n = foreNumber(name[:], n+1, int(atomic.Xadd(&foreThingCount[kind], 1)))
	}
	var text [16 + len(name)]byte // its kind before its name
	text[0] = foreIsOutside
	copy(text[16:], name[:n])
	foreKeep(0, id, foreDefObject|uint64(n)<<foreTicket, slicebytetostringtmp((*byte)(noescape(unsafe.Pointer(&text))), 16+n))
	return id
}

func foreOutsideOne(gp *g, pc uintptr, word, kind, which uint64) {
	id, ticket := uint32(0), uint32(0)
	forePresent(&gp.fore)
	if kind != 0 {
		id, ticket = foreThingID(gp, kind, which)
	}
	foreOp(&gp.fore, pc, id, word|foreFlagDone|uint64(ticket)<<foreTicket)
}

// foreAddress is a number for the address of a stream's end, 0 if it has none, or one without a port.
func foreAddress(call, fd uintptr) uint64 {
	var a [16]uint64 // family, port, address, in the order of the network
	n := uint64(unsafe.Sizeof(a))
	if _, errno := foreCall(call, fd, uintptr(unsafe.Pointer(&a)), uintptr(unsafe.Pointer(&n)), 0, 0); errno != 0 {
		return 0
	}
	high, low := a[1], a[2]
	switch uint16(a[0]) {
	case 2: // as IPv6 has it
		high, low = 0, a[0]&^(1<<32-1)|0xffff0000
	case 10: // port, flow, address
	default:
		return 0
	}
	port := a[0] >> 16 & 0xffff
	return (high*0x9e3779b97f4a7c15^low)*0xff51afd7ed558ccd ^ port*0xc4ceb9fe1a85ec53 | 1
}

// foreAskLink asks for the connection of a stream: a number that both ends have, and below it which of
// them this is. 0: it has no other end yet, or none with an address.
func foreAskLink(fd uintptr) uint64 {
	var kind, n uint64 = 0, 4
	_, errno := foreCall(foreGetsockopt, fd, 1, 3, uintptr(unsafe.Pointer(&kind)), uintptr(unsafe.Pointer(&n)))
	if errno != 0 || uint32(kind) != 1 {
		return 0
	}
	from, to := foreAddress(foreGetsockname, fd), foreAddress(foreGetpeername, fd)
	if from == 0 || to == 0 || from == to {
		return 0
	}
	end := uint64(0)
	if from > to {
		from, to, end = to, from, 1
	}
	which := (from*0x9e3779b97f4a7c15 ^ to) * 0xff51afd7ed558ccd >> 9
	return which<<1 | end | 1<<56
}

// foreLinkOf is the connection of a socket, 0 if it is not known, and its end. It is looked up once, because
// it cannot be found any more when the other end has gone.
func foreLinkOf(fd uintptr, inode uint64) (which uint64, end uint32) {
	s := foreThingAt(foreThingEnd, inode)
	if s == nil {
		return 0, 0
	}
	link := atomic.Load64(&s.link)
	if link == 0 {
		link = foreAskLink(fd)
		atomic.Store64(&s.link, link)
	}
	return link >> 1, 1 << (link & 1)
}

// foreOutsideLink notes what goes through a connection, and returns whether nothing else can have to do with
// it, since both ends are the program's own. A goroutine announces the use of an end before: the other end's
// operations rely on that.
func foreOutsideLink(gp *g, pc uintptr, word uint64, fd uintptr, inode uint64) bool {
	which, end := foreLinkOf(fd, inode)
	if which == 0 {
		return false
	}
	t := foreThingAt(foreThingLink, which)
	if t == nil {
		return false
	}
	atomic.Or(&t.ends, end)
	foreOutsideOne(gp, pc, word, foreThingLink, which)
	return atomic.Load(&t.ends) == 3 && atomic.Load(&foreHasChildren) == 0
}

func foreOutsideFile(gp *g, pc uintptr, word uint64, fd uintptr) {
	kind, which := foreThingOf(fd, word == foreOutKind)
	if kind == 0 {
		return
	}
	if kind == foreThingSockets {
		if foreOutsideLink(gp, pc, word, fd, which) {
			return
		}
		which = 0
	}
	foreOutsideOne(gp, pc, word, kind, which)
	if (kind == foreThingPipe || kind == foreThingSockets) && atomic.Load(&foreHasChildren) != 0 {
		foreOutsideOne(gp, pc, word, foreThingChildren, 0)
	}
}

// foreFar is the innermost caller that is the program's own, however many of Go's are below.
func foreFar(gp *g, fp uintptr) uintptr {
	first := uintptr(0)
	for i := 0; i < 24; i++ {
		pc := foreReturn(gp, fp)
		if pc == 0 {
			break
		}
		if first == 0 {
			first = pc
		}
		if foreWhose(pc) == foreOfUser {
			return pc
		}
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	if gp.fore.site != 0 {
		return gp.fore.site + foreFile.text
	}
	return first
}

// foreSyscall is called before a system call, which it knows or not, and after it. It runs on the
// system's stack: the arguments may be addresses on the goroutine's, which must not move.
//
//go:linkname foreSyscall syscall.foreSyscall
//go:nosplit
func foreSyscall(trap, a1, a2 uintptr, done bool) bool {
	if foreOn == 0 || trap >= uintptr(len(foreCalls)) || foreCalls[trap] == 0 {
		return false
	}
	gp := getg()
	if gp == gp.m.g0 || gp == gp.m.gsignal {
		return false
	}
	fp := foreBP()
	systemstack(func() {
		foreAround(gp, fp, foreCalls[trap], a1, a2, done)
	})
	return true
}

func foreAround(gp *g, fp uintptr, what uint16, a1, a2 uintptr, done bool) {
	pc := foreFar(gp, fp)
	if what == foreFileLock { // F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW
		if a2 != 6 && a2 != 7 && a2 != 37 && a2 != 38 {
			return
		}
		what = foreFdOut | foreFdIn
	}
	if done {
		if what&foreFdIn != 0 {
			foreOutsideFile(gp, pc, foreInKind, a1)
		}
		if what&foreChildIn != 0 {
			foreOutsideOne(gp, pc, foreInKind, foreThingChildren, 0)
		}
		if what&foreNameIn != 0 {
			foreOutsideOne(gp, pc, foreInKind, foreThingNamed, 0)
		}
		if what&foreNobodyIn != 0 {
			foreOutsideOne(gp, pc, foreInKind, 0, 0)
		}
		return
	}
	if what&foreFdOut != 0 {
		foreOutsideFile(gp, pc, foreOutKind, a1)
	}
	if what&foreSignalOut != 0 {
		foreOutsideOne(gp, pc, foreOutKind, foreThingSignals, 0)
		if atomic.Load(&foreHasChildren) != 0 { // one may end by it
			foreOutsideOne(gp, pc, foreOutKind, foreThingChildren, 0)
		}
	}
	if what&foreNameOut != 0 {
		foreOutsideOne(gp, pc, foreOutKind, foreThingNamed, 0)
	}
	if what&foreNobodyOut != 0 {
		foreOutsideOne(gp, pc, foreOutKind, 0, 0)
	}
}

// foreForks notes that a child is started.
//
//go:linkname foreForks syscall.foreForks
//go:noinline
func foreForks() {
	if foreOn == 0 {
		return
	}
	gp := getg()
	atomic.Store(&foreHasChildren, 1)
	foreOutsideOne(gp, foreFar(gp, foreBP()), foreOutKind, foreThingChildren, 0)
}

// foreForked notes which test the child belongs to: the child's findings are reported under that test.
//
//go:linkname foreForked syscall.foreForked
func foreForked(pid *int) {
	gp := getg()
	if foreOn != 0 && *pid > 0 && gp.fore.group != 0 {
		foreKeep(0, uint32(*pid), foreDefChild|uint64(gp.fore.group)<<foreTicket, "")
	}
}

// foreSignalled notes that a signal has come.
//
//go:linkname foreSignalled os/signal.foreSignalled
func foreSignalled() {
	if foreOn != 0 {
		foreOutsideOne(getg(), foreFile.text, foreInKind, foreThingSignals, 0)
	}
}

// foreForeign says once that C is called: what it does to memory cannot be seen.
//
//go:nosplit
func foreForeign() {
	if !atomic.Cas(&foreToldC, 0, 1) {
		return
	}
	gp := getg()
	fp := foreBP()
	systemstack(func() {
		const text = "calls of C (cgo)"
		foreKeep(uint32(foreFar(gp, fp)-foreFile.text), 0, foreDefUnseen|uint64(len(text))<<foreTicket, text)
	})
}

// foreEnded says how the process ends, once: 1 main returned, 2 exit, 5 panic.
func foreEnded(how uint32) {
	atomic.Cas(fore32(foreFile.head+foreHeadEnded), 0, how)
}

func foreEndsIn(text, end string) bool {
	return len(text) >= len(end) && text[len(text)-len(end):] == end
}

// foreHow tells whether the tests are over (1: TestMain, or the main function that go test makes, ends the
// process) or some code calls exit (2).
//
//go:noinline
func foreHow() uint32 {
	gp := getg()
	fp := foreBP()
	for i := 0; gp.goid == 1 && i < 16; i++ {
		pc := foreReturn(gp, fp)
		if pc == 0 {
			break
		}
		name, file := "", ""
		if f := findfunc(pc); f.valid() {
			name = funcname(f)
			file, _ = funcline(f, pc)
		}
		if foreEndsIn(name, ".TestMain") || name == "main.main" && foreEndsIn(file, "_testmain.go") {
			return 1
		}
		if !foreIn(name, "runtime.") && !foreIn(name, "os.") && !foreIn(name, "syscall.") {
			break
		}
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return 2
}
