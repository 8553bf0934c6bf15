
// Appended by foresee: which test, benchmark, example or initialisation a goroutine belongs to. It belongs to
// the one that created it; a test's own goroutine says so when it begins.

const foreDefGroup = 207

// foreGroups are names that were written lately: a benchmark begins many times.
var foreGroups struct {
	lock uint32
	next int
	all  [16]struct {
		name string
		id   uint32
	}
}

func foreGroup(name string) uint32 {
	foreStripeLock(&foreGroups.lock)
	i := 0
	for i < len(foreGroups.all) && foreGroups.all[i].name != name {
		i++
	}
	if i == len(foreGroups.all) {
		i = foreGroups.next
		foreGroups.next = (i + 1) % len(foreGroups.all)
		foreGroups.all[i].name = name
		foreGroups.all[i].id = foreGroupText(name)
	}
	id := foreGroups.all[i].id
	atomic.Store(&foreGroups.lock, 0)
	return id
}

// foreGroupText defines the name in a place that every part knows.
func foreGroupText(name string) uint32 {
	if len(name) > 2048 {
		name = name[:2048]
	}
	id := atomic.Xadd(&foreMem.strs, 1)
	foreKeep(0, id, foreStringKind|uint64(len(name))<<foreTicket, name)
	return id
}

// foreBegins says that what this goroutine does and creates from now on belongs to the test of this name; "": to none.
//
//go:linkname foreBegins testing.foreBegins
func foreBegins(name string) {
	if foreOn == 0 {
		return
	}
	gp := getg()
	mp := acquirem()
	gp.fore.group = 0
	if name != "" {
		gp.fore.group = foreGroup(name)
	}
	if gp.goid != 1 { // the first one is everybody's
		foreOp(&gp.fore, foreFile.text, gp.fore.id, foreDefGroup|foreFlagDone|uint64(gp.fore.group)<<foreTicket)
	}
	releasem(mp)
}
