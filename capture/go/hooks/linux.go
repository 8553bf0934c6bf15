
// Appended by foresee: the file that chan.go's hooks write to.

const (
	foreStepMax = 8 << 20 / foreChunk

	foreCreate = 0x2 | 0x40 | 0x80 | 0x80000 // O_RDWR O_CREAT O_EXCL O_CLOEXEC

	foreFtruncate  = 77*goarch.IsAmd64 + 46*goarch.IsArm64
	foreFallocate  = 285*goarch.IsAmd64 + 47*goarch.IsArm64
	foreMadvise    = 28*goarch.IsAmd64 + 233*goarch.IsArm64
	foreReadlinkat = 267*goarch.IsAmd64 + 78*goarch.IsArm64
	foreLinkat     = 265*goarch.IsAmd64 + 37*goarch.IsArm64
	foreSendfile   = 40*goarch.IsAmd64 + 71*goarch.IsArm64
	forePrlimit    = 302*goarch.IsAmd64 + 261*goarch.IsArm64
	foreGetppid    = 110*goarch.IsAmd64 + 173*goarch.IsArm64
)

func foreCall(nr uintptr, a, b, c, d, e uintptr) (uintptr, uintptr) {
	r, _, errno := $SYSCALL.Syscall6(nr, a, b, c, d, e, 0)
	return r, errno
}

// foreOption finds key=number in the environment's FORESEE.
func foreOption(options, key string, otherwise int64) int64 {
	for i := 0; i+len(key) < len(options); i++ {
		if options[i:i+len(key)] != key || options[i+len(key)] != '=' ||
			i > 0 && options[i-1] != ' ' && options[i-1] != ',' && options[i-1] != ':' {
			continue
		}
		n := int64(0)
		for j := i + len(key) + 1; j < len(options) && options[j] >= '0' && options[j] <= '9'; j++ {
			n = n*10 + int64(options[j]-'0')
		}
		return n
	}
	return otherwise
}

// foreName writes dir/<pid>[-k]<ext> and a zero.
func foreName(into []byte, dir, ext string, k int) bool {
	if len(dir)+len(ext)+32 > len(into) {
		return false
	}
	n := copy(into, dir)
	into[n] = '/'
	n++
	n = foreNumber(into, n, getpid())
	if k > 0 {
		into[n] = '-'
		n = foreNumber(into, n+1, k)
	}
	n += copy(into[n:], ext)
	into[n] = 0
	return true
}

func foreNumber(into []byte, n, v int) int {
	if v >= 10 {
		n = foreNumber(into, n, v/10)
	}
	into[n] = byte('0' + v%10)
	return n + 1
}

// foreInit begins to record if the environment names a directory for it.
func foreInit() {
	dir := gogetenv("FORESEE_RING")
	if dir == "" {
		return
	}
	options := gogetenv("FORESEE")
	size := uint64(foreOption(options, "max_trace", 1<<30))
	var limit [2]uint64
	if _, errno := foreCall(forePrlimit, 0, 1, 0, uintptr(unsafe.Pointer(&limit)), 0); errno == 0 && limit[0] < size {
		size = limit[0] // RLIMIT_FSIZE, whose signal would end the program
	}
	if size < 1<<16 {
		return
	}
	var name [1024]byte
	fd := int32(-1)
	k := 0
	for ; fd < 0 && k < 100; k++ {
		if !foreName(name[:], dir, ".fsr", k) {
			return
		}
		fd = open(&name[0], foreCreate, 0600)
	}
	if fd < 0 {
		return
	}
	if _, errno := foreCall(foreFtruncate, uintptr(fd), uintptr(size), 0, 0, 0); errno != 0 {
		closefd(fd)
		return
	}
	foreFile.fd = fd
	foreFile.room = (size - 4096) / foreChunk
	foreFile.step = 512 << 10 / foreChunk
	if !foreReserve(1) {
		closefd(fd)
		return
	}
	p, err := mmap(nil, uintptr(size), _PROT_READ|_PROT_WRITE, 1, fd, 0)
	if err != 0 {
		closefd(fd)
		return
	}
	foreBegin(uintptr(p), options)
	foreRingOpen(foreOption(options, "newest", 0) != 0 && !foreWantsMemory(options) && gogetenv("FORESEE_VARS") == "")
	foreKeepExecutable(k - 1)
	foreOutsideInit()
	getg().fore.id = 1
	getg().fore.part = 1
	foreOn = 1
	foreMark = foreMarked
	foreBegins("init")
	if !raceenabled {
		// Unless the environment says otherwise, it is as the program was built (foreAtomicCalls).
		foreAtomics = uint32(foreOption(options, "atomics", foreAtomicCalls))
		if vars := gogetenv("FORESEE_VARS"); vars != "" {
			foreAtomics = 1
			foreExactOpen(vars)
		} else if foreWantsMemory(options) {
			foreAtomics = 1
			foreMemoryOpen(options)
		}
	}
	sees := uint32(1<<15 | 1 | 2 | 4 | 64) // threads, channels, locks, outside
	if foreAtomics != 0 {
		sees |= 8
	}
	if foreMemory != 0 && foreSeesAll() {
		sees |= foreSeesMemory
	}
	*fore32(foreFile.head + foreHeadSees) = sees
	// Another process may read while the program runs: what is above does not change any more.
	atomic.Store64(fore64(foreFile.head), 0x5245455345524f46) // FORESEER
}

// foreWantsMemory tells whether reads and writes are to be recorded: unless the environment says otherwise, as the program was built.
func foreWantsMemory(options string) bool {
	return !foreIsNamedBuild() && foreOption(options, "memory", int64(len(foreBuilt))) != 0
}

func foreBegin(head uintptr, options string) {
	foreFile.head = head
	foreFile.data = head + 4096
	foreFile.text = firstmoduledata.text
	foreTextAt = foreFile.text
	foreFile.threads = 1
	foreFile.linger = foreOption(options, "linger_ms", 500) * 1000000
	*fore64(head + 8) = 1 | 4096<<32
	*fore64(head + 16) = foreChunk | 2<<32
	*fore64(head + 24) = foreFile.room
	*fore64(head + 32) = uint64(foreOption(options, "run_id", 0))
	ppid, _ := foreCall(foreGetppid, 0, 0, 0, 0, 0)
	*fore64(head + 40) = uint64(getpid()) | uint64(ppid)<<32
	*fore64(head + 56) = uint64(nanotime())
	*fore64(head + 64) = uint64(foreFile.text)
	*fore64(head + 1128) = uint64(firstmoduledata.gofunc - uintptr(unsafe.Pointer(firstmoduledata.pcHeader)))
	exe := "/proc/self/exe\x00"
	at := -100 // AT_FDCWD
	foreCall(foreReadlinkat, uintptr(at), uintptr(stringStructOf(&exe).str), head+96, 1023, 0)
	cwd := "/proc/self/cwd\x00"
	foreCall(foreReadlinkat, uintptr(at), uintptr(stringStructOf(&cwd).str), head+1180, 1023, 0)
}

// foreKeepExecutable links the executable beside the trace, since `go run` and `go test`
// remove theirs, and locations are read from it.
func foreKeepExecutable(k int) {
	dir := gogetenv("FORESEE_KEEP")
	var name [1024]byte
	if dir == "" || !foreName(name[:], dir, ".exe", k) {
		return
	}
	exe := "/proc/self/exe\x00"
	path := uintptr(stringStructOf(&exe).str)
	at := -100
	if _, errno := foreCall(foreLinkat, uintptr(at), path, uintptr(at), uintptr(unsafe.Pointer(&name[0])), 0x400); errno == 0 {
		return
	}
	from := open((*byte)(stringStructOf(&exe).str), 0, 0)
	to := open(&name[0], foreCreate, 0600)
	if from >= 0 && to >= 0 {
		for {
			n, errno := foreCall(foreSendfile, uintptr(to), uintptr(from), 0, 1<<24, 0)
			if errno != 0 || n == 0 {
				break
			}
		}
	}
	if from >= 0 {
		closefd(from)
	}
	if to >= 0 {
		closefd(to)
	}
}

// foreReserve gives the file space on the disk for the chunks below k and some more: a
// mapped page without space would kill the program.
func foreReserve(k uint64) bool {
	step := foreFile.step
	if step < foreStepMax {
		foreFile.step = step * 2
	}
	upto := k + step
	if upto > foreFile.room {
		upto = foreFile.room
	}
	from := atomic.Load64(&foreFile.reserved)
	if k <= from {
		return true
	}
	at := uintptr(from) * foreChunk
	n := uintptr(upto-from)*foreChunk + 4096
	_, errno := foreCall(foreFallocate, uintptr(foreFile.fd), 0, at, n, 0)
	if errno != 0 && errno != 95 { // EOPNOTSUPP: a file system that cannot promise
		return false
	}
	if foreFile.head != 0 {
		start := (foreFile.data + at) &^ (physPageSize - 1)
		foreCall(foreMadvise, start, foreFile.data+at+n-4096-start, 23, 0, 0)
	}
	for {
		old := atomic.Load64(&foreFile.reserved)
		if upto <= old || atomic.Cas64(&foreFile.reserved, old, upto) {
			return true
		}
	}
}
