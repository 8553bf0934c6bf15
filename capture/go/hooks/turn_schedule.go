
// Appended by foresee: the file with the schedule, foresee-schedule 2 (docs/formats/schedule.5 of foresee),
// read before the runtime has a heap.

// foreStep is a step, as struct fore_schedule_step of foresee.
type foreStep struct {
	path, before uint32
	kind, how    uint16
	choice       int32
	count, line  uint32
	file         string
}

const (
	foreDoes   = 0
	foreWaits  = 1
	foreStands = 2
	foreGoes   = 3
)

var foreOpWords = [...]struct {
	word string
	kind uint16
}{
	{"create", 1}, {"begin", 2}, {"join", 6}, {"select", 7}, {"send", 8}, {"receive", 9}, {"close", 11},
	{"lock", 12}, {"trylock", 13}, {"unlock", 14}, {"rlock", 15}, {"tryrlock", 16}, {"runlock", 17},
	{"cwait", 18}, {"cwoken", 19}, {"csignal", 20}, {"cbroadcast", 21}, {"acquire", 22}, {"release", 23},
	{"barrier", 24}, {"once", 25}, {"wgadd", 26}, {"wgdone", 27}, {"wgwait", 28},
	{"read", 31}, {"write", 32}, {"rmw", 33}, {"sleep", 64}, {"input", 65}, {"output", 66}, {"back", 67},
	{"yield", 68}, {"arrive", 69}, {"woken", 70},
}

func foreOpWord(kind uint16) string {
	for i := range foreOpWords {
		if foreOpWords[i].kind == kind {
			return foreOpWords[i].word
		}
	}
	return "something"
}

func foreOpKind(word string) uint16 {
	for i := range foreOpWords {
		if foreOpWords[i].word == word {
			return foreOpWords[i].kind
		}
	}
	return 0
}

// foreNextWord takes the next word off a line.
func foreNextWord(line *string) string {
	s := *line
	for len(s) > 0 && s[0] == ' ' {
		s = s[1:]
	}
	n := 0
	for n < len(s) && s[n] != ' ' {
		n++
	}
	*line = s[n:]
	return s[:n]
}

func foreNumberIn(word string) (uint64, bool) {
	n := uint64(0)
	for i := 0; i < len(word); i++ {
		d := uint64(word[i]) - '0'
		if d > 9 || n > (1<<64-1-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, len(word) > 0
}

func foreMap(n uintptr) uintptr {
	p, err := mmap(nil, n, _PROT_READ|_PROT_WRITE, foreMapFlags, -1, 0)
	if err != 0 {
		throw("foresee: no memory for the schedule")
	}
	return uintptr(p)
}

func forePathAt(i uint32) *string {
	return (*string)(unsafe.Pointer(foreTurn.paths + uintptr(i)*unsafe.Sizeof("")))
}

func foreStepAt(i uint32) *foreStep {
	return (*foreStep)(unsafe.Pointer(foreTurn.list + uintptr(i)*unsafe.Sizeof(foreStep{})))
}

func forePlanAt(i uint32) *uint32 { return fore32(foreTurn.plans + uintptr(i)*4) }

// foreIsPath tells whether the word is a path: numbers with dots between them, the first of which is 1.
func foreIsPath(s string) bool {
	if len(s) == 0 || s[0] != '1' || len(s) > 1 && s[1] != '.' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '.' && (s[i] < '0' || s[i] > '9') || s[i] == '.' && (i+1 == len(s) || s[i+1] == '.') {
			return false
		}
	}
	return true
}

func forePathNumber(path string) uint32 {
	for i := foreTurn.npaths; i > 0; i-- {
		if *forePathAt(i - 1) == path {
			return i - 1
		}
	}
	foreTurn.npaths++
	*forePathAt(foreTurn.npaths - 1) = path
	return foreTurn.npaths - 1
}

// foreSiteIn reads file:line:column; the column does not matter.
func foreSiteIn(s *foreStep, word string) bool {
	end := len(word)
	for part := 0; part < 2; part++ {
		i := end
		for i > 0 && word[i-1] != ':' {
			i--
		}
		n, ok := foreNumberIn(word[i:end])
		if i == 0 || !ok {
			return false
		}
		s.line = uint32(n)
		end = i - 1
	}
	s.file = word[:end]
	return end > 0
}

func foreReadStep(path, line string) bool {
	s := foreStepAt(foreTurn.nlist)
	*s = foreStep{choice: -1, count: 1}
	second := foreNextWord(&line)
	third := foreNextWord(&line)
	if third == "" || !foreIsPath(path) {
		return false
	}
	s.path = forePathNumber(path)
	if second == "goes" {
		n, ok := foreNumberIn(third)
		s.how, s.count = foreGoes, uint32(n)
		foreTurn.nlist++
		return ok && n > 0
	}
	n, ok := foreNumberIn(second)
	s.before, s.kind = uint32(n), foreOpKind(third)
	if !ok || s.kind == 0 {
		return false
	}
	for w := foreNextWord(&line); w != ""; w = foreNextWord(&line) {
		n, number := foreNumberIn(w)
		switch {
		case w == "waits":
			s.how = foreWaits
		case w == "stands":
			s.how = foreStands
		case w == "of": // which memory: places are enough here
			if _, ok := foreNumberIn(foreNextWord(&line)); !ok {
				return false
			}
		case number && s.kind == forePre:
			s.choice = int32(n)
		case number && n > 0:
			s.count = uint32(n)
		case s.file != "" || !foreSiteIn(s, w):
			return false
		}
	}
	foreTurn.nlist++
	return s.file != "" || s.kind < foreReadKind || s.kind > foreRMWKind
}

func foreReadThen(line string, seed *uint64) bool {
	name := foreNextWord(&line)
	for k := range foreStrategyNames {
		if foreStrategyNames[k] != name {
			continue
		}
		depth, length, ok := uint64(0), uint64(0), true
		if k == foreStrategyFree {
			foreTurn.strategy.start(foreStrategyFree, 0, 0, 0)
			return true
		}
		if k == foreStrategyPct || k == foreStrategyDelay {
			if depth, ok = foreNumberIn(foreNextWord(&line)); !ok {
				return false
			}
		}
		if *seed, ok = foreNumberIn(foreNextWord(&line)); !ok {
			return false
		}
		if w := foreNextWord(&line); w != "" {
			if length, ok = foreNumberIn(w); !ok {
				return false
			}
		}
		foreTurn.strategy.start(uint32(k), uint32(depth), *seed, length)
		foreAddStrategy(uint32(k), uint32(depth))
		return true
	}
	return false
}

// foreOptions is what a schedule says besides its steps.
type foreOptions struct {
	real       bool
	seed, then uint64
	seeded     bool
}

func foreReadOption(word, line string, o *foreOptions) bool {
	value := foreNextWord(&line)
	ok := true
	switch word {
	case "spurious", "object":
	case "starts":
		ok = foreReadStarts(value)
	case "repeats":
		ok = foreReadRepeats(value, line)
	case "stops":
		foreTurn.stops = true
	case "points":
		foreTurn.syncOnly = value == "sync"
		ok = foreTurn.syncOnly || value == "memory"
	case "timers":
		n := uint64(0)
		n, ok = foreNumberIn(value)
		ok = ok && n <= foreMostEarly
		foreTurn.horizon = int64(n) * foreMillisecond
	case "counts":
		foreTurn.atLeast = value == "recorded"
		ok = foreTurn.atLeast || value == "all"
	case "seed":
		o.seed, ok = foreNumberIn(value)
		o.seeded = true
	case "clock":
		if o.real = value == "real"; !o.real {
			n := uint64(0)
			n, ok = foreNumberIn(foreNextWord(&line))
			ok = ok && value == "virtual"
			foreTurn.base = int64(n)
		}
	default:
		ok = false
	}
	return ok
}

func foreReadLine(line string, o *foreOptions) bool {
	word := foreNextWord(&line)
	switch {
	case word == "" || word[0] == '#':
		return true
	case word[0] >= '0' && word[0] <= '9':
		return foreReadStep(word, line)
	case word == "then":
		return foreReadThen(line, &o.then)
	}
	return foreReadOption(word, line, o)
}

// foreRefuse says what is wrong with the schedule, and ends the program.
func foreRefuse(path string, line int, why string) {
	print("foresee: ", path)
	if line > 0 {
		print(":", line)
	}
	print(": ", why, "\n")
	exit(2)
}

// foreReadFile maps a file's text.
func foreReadFile(path *byte) string {
	fd := open(path, 0x80000, 0)
	if fd < 0 {
		foreRefuse(gostringnocopy(path), 0, "cannot be read")
	}
	room, n := uintptr(1<<16), uintptr(0)
	at := foreMap(room)
	for {
		got := read(fd, unsafe.Pointer(at+n), int32(room-n))
		if got <= 0 {
			break
		}
		if n += uintptr(got); n == room {
			more := foreMap(room * 4)
			memmove(unsafe.Pointer(more), unsafe.Pointer(at), n)
			munmap(unsafe.Pointer(at), room)
			at, room = more, room*4
		}
	}
	closefd(fd)
	text := stringStruct{unsafe.Pointer(at), int(n)}
	return *(*string)(unsafe.Pointer(&text))
}

func foreReadSchedule(path *byte, o *foreOptions) {
	text := foreReadFile(path)
	lines := uintptr(2)
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			lines++
		}
	}
	f := &foreTurn
	f.base = 1700000000
	f.list = foreMap(lines * unsafe.Sizeof(foreStep{}))
	f.paths = foreMap(lines * unsafe.Sizeof(""))
	f.plans = foreMap(lines * 4)
	for number := 1; len(text) > 0 || number == 1; number++ {
		n := 0
		for n < len(text) && text[n] != '\n' {
			n++
		}
		line := text[:n]
		if text = text[n:]; len(text) > 0 {
			text = text[1:]
		}
		if number == 1 && line != "foresee-schedule 2" || number > 1 && !foreReadLine(line, o) {
			foreRefuse(gostringnocopy(path), number, "not a line of a schedule")
		}
	}
}

// foreTakeVariable takes a variable out of the environment, as the kernel gave it: nil if there is none.
func foreTakeVariable(name string) *byte {
	for i := int32(argc) + 1; ; i++ {
		p := argv_index(argv, i)
		if p == nil {
			return nil
		}
		s := gostringnocopy(p)
		if len(s) <= len(name) || s[:len(name)] != name || s[len(name)] != '=' {
			continue
		}
		for ; ; i++ { // children are programs of their own
			to := (*uintptr)(unsafe.Pointer(uintptr(unsafe.Pointer(argv)) + uintptr(i)*8))
			*to = uintptr(unsafe.Pointer(argv_index(argv, i+1)))
			if *to == 0 {
				return (*byte)(unsafe.Pointer(uintptr(unsafe.Pointer(p)) + uintptr(len(name)+1)))
			}
		}
	}
}

// foreTurnStart is called before anything is random.
func foreTurnStart() {
	f := &foreTurn
	path := foreTakeVariable("FORESEE_SCHEDULE")
	outcome := foreTakeVariable("FORESEE_OUTCOME")
	o := foreOptions{}
	f.horizon = foreHorizon
	if foreNodeStart() {
		o.seed = *fore64(foreNode + foreNodeSeed)
	} else if path == nil || *path == 0 {
		return
	} else {
		foreReadSchedule(path, &o)
		if !o.seeded {
			o.seed = o.then
		}
	}
	if foreRuns.repeats && foreRuns.n == 0 || foreRuns.starts && o.real {
		foreRefuse(gostringnocopy(path), 0, "tests are repeated by a strategy, and on the virtual clock")
	}
	f.random = o.seed
	for i := range $STARTRAND {
		$STARTRAND[i] = byte(foreMix(&f.random)>>8) | 1
	}
	f.table = foreMap(foreMostThreads * unsafe.Sizeof(foreThread{}))
	f.ready = foreMap(foreMostThreads * 8)
	if !o.real && foreNode == 0 {
		f.began = 1000 * foreSecond
		foreVirtual = f.began
	}
	foreMapOutcome(outcome)
	foreTurnOn = 1
}

// foreTurnPoints is called when the runtime is ready for the program.
func foreTurnPoints() {
	if foreTurnOn == 0 {
		return
	}
	debug.gcstoptheworld = 1 // collecting is one step, of the goroutine that needs it
	t := &getg().turn
	t.ops = 0
	foreTurn.steps = 0
	foreTurn.strategy.choices = 0
	if foreRuns.starts {
		foreTurn.later = foreTurn.strategy
		foreTurn.strategy.start(foreStrategyFree, 0, 0, 0)
	}
	if foreOn == 0 && !raceenabled {
		foreAtomics = foreAtomicCalls // they are points, too
	}
	foreTurn.follows = foreTurn.nlist > 0
	foreOutBegin()
	foreTurns = 1
}
