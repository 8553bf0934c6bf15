
// Appended by foresee: records of operations on channels: send, receive, close, select.

func foreNil(kind uint64, block bool, pc uintptr) {
	gp := getg()
	forePresent(&gp.fore)
	word := kind | foreTry(block)
	if block {
		foreBubbleRests(gp)
	} else {
		word |= foreFlagDone | foreFlagDefault
	}
	if kind == forePre {
		foreOp(&gp.fore, pc, 0, word)
		gp.fore.rec = 0
	} else {
		gp.fore.rec = foreChanOp(&gp.fore, pc, 0, word)
	}
}

// foreDefault notes that a select took its default; a loop that polls leaves one record.
func foreDefault(c *hchan, kind, seen uint64, pc uintptr) {
	foreID(c)
	foreDefaultFast(c, kind, seen, pc)
}

// foreDefaultFast is foreDefault of a channel that is known in this part.
func foreDefaultFast(c *hchan, kind, seen uint64, pc uintptr) {
	w := &getg().fore
	where := foreWhere(pc, c.fore.id)
	word := kind | foreFlagTry | foreFlagDone | foreFlagDefault | (seen+1)<<foreTicket
	if last := w.pos - 16; w.pos != 0 && where-*fore64(last) < 4 && *fore64(last+8) == word {
		return
	}
	foreBase(w, where, word)
}

func foreClosed(c *hchan, kind uint64, block bool, pc uintptr) {
	foreID(c)
	foreClosedFast(c, kind, block, pc)
}

// foreClosedFast is foreClosed of a channel that is known in this part.
func foreClosedFast(c *hchan, kind uint64, block bool, pc uintptr) {
	foreChanOp(&getg().fore, pc, c.fore.id, kind|foreFlagDone|foreFlagClosed|foreTry(block))
}

func foreSendTo(c *hchan, to *g, block bool, pc uintptr) {
	id := foreID(c)
	c.fore.sends++
	c.fore.recvs++
	foreChanOp(&getg().fore, pc, id, foreSend|foreFlagDone|foreTry(block)|c.fore.sends<<foreTicket)
	forePatch(to, id, c.fore.recvs<<foreTicket)
}

func foreRecvFrom(c *hchan, from *g, block bool, pc uintptr) {
	id := foreID(c)
	c.fore.sends++
	c.fore.recvs++
	forePatch(from, id, foreFlagSend|c.fore.sends<<foreTicket)
	foreChanOp(&getg().fore, pc, id, foreRecv|foreFlagDone|foreTry(block)|c.fore.recvs<<foreTicket)
}

func foreBufferSend(c *hchan, block bool, pc uintptr) {
	id := foreID(c)
	c.fore.sends++
	foreChanOp(&getg().fore, pc, id, foreSend|foreFlagDone|foreTry(block)|c.fore.sends<<foreTicket)
}

func foreBufferRecv(c *hchan, block bool, pc uintptr) {
	id := foreID(c)
	c.fore.recvs++
	foreChanOp(&getg().fore, pc, id, foreRecv|foreFlagDone|foreTry(block)|c.fore.recvs<<foreTicket)
}

// foreTakeBack is called when Stop or Reset empties the channel of a timer. A thread of its own receives the
// message, as one sent it, because the goroutine that stops the timer does not learn whether the channel was
// empty.
func foreTakeBack(c *hchan, t *foreTimer, pc uintptr) {
	if t.id == 0 { // it was started before the recording
		c.fore.recvs++
		return
	}
	systemstack(func() {
		gp := getg()
		saved := gp.fore
		foreFire(t)
		foreBufferRecv(c, false, pc)
		foreLeft(&gp.fore)
		gp.fore = saved
	})
}

func foreWait(c *hchan, kind uint64, pc uintptr) {
	gp := getg()
	foreBubbleRests(gp)
	gp.fore.rec = foreChanOp(&gp.fore, pc, foreID(c), kind)
}

//go:noinline
func foreClose(c *hchan, flags uint64, pc uintptr) {
	if !foreUsers(pc) { // package context closes it for the program
		pc = foreUser(getg(), pc, *(*uintptr)(unsafe.Pointer(foreBP())))
	}
	w := &getg().fore
	forePresent(w)
	if c.fore.part != w.part {
		foreChanAgain(w, c, flags != 0)
	}
	foreUnit(w, pc, c.fore.id, foreCloseKind|foreFlagDone|flags, c.fore.sends, c.fore.recvs)
}

func foreCloseNil(pc uintptr) {
	foreUnit(&getg().fore, pc, 0, foreCloseKind|foreFlagDone|foreFlagClosed, 0, 0)
}

// foreSelect writes a select with its cases: sends and receives, each in the order of the
// source, then default.
func foreSelect(cases []scase, nsends int, block bool, object uint32, flags, ticket uint64, pc uintptr) {
	n := len(cases)
	if !block {
		n++
	}
	units := (n + 1) / 2
	if units > 255 {
		units = 255
	}
	gp := getg()
	if flags == 0 {
		foreBubbleRests(gp)
	}
	if ticket == 0 { // otherwise the channel that was counted has been brought here
		forePresent(&gp.fore)
	}
	for _, k := range cases {
		if k.c != nil {
			foreHereID(&gp.fore, k.c)
		}
	}
	p := foreRoom(&gp.fore, 1+uintptr(units))
	gp.fore.rec = 0
	if p == 0 {
		return
	}
	gp.fore.rec = p + 8
	for i := 0; i < 2*units; i++ {
		*fore64(p + 16 + uintptr(i)*8) = foreCase(cases, nsends, i, block)
	}
	*fore64(p) = foreWhere(pc, object)
	*fore64(p + 8) = forePre | flags | uint64(units)<<foreExtra | ticket<<foreTicket
}

func foreCase(cases []scase, nsends, i int, block bool) uint64 {
	if i >= len(cases) {
		if i == len(cases) && !block {
			return 2 << 32
		}
		return 0xff << 32
	}
	kind := uint64(1)
	if i >= nsends {
		kind = 0
		i = len(cases) - 1 - (i - nsends)
	}
	if c := cases[i].c; c != nil {
		return uint64(c.fore.id) | kind<<32
	}
	return kind << 32
}

func foreSelectSend(cases []scase, nsends int, block bool, c *hchan, to *g, pc uintptr) {
	id := foreID(c)
	c.fore.sends++
	foreSelect(cases, nsends, block, id, foreFlagDone|foreFlagSend, c.fore.sends, pc)
	if to != nil {
		c.fore.recvs++
		forePatch(to, c.fore.id, c.fore.recvs<<foreTicket)
	}
}

func foreSelectRecv(cases []scase, nsends int, block bool, c *hchan, from *g, pc uintptr) {
	id := foreID(c)
	c.fore.recvs++
	if from != nil {
		c.fore.sends++
		forePatch(from, id, foreFlagSend|c.fore.sends<<foreTicket)
	}
	foreSelect(cases, nsends, block, id, foreFlagDone, c.fore.recvs, pc)
}

func foreSelectClosed(cases []scase, nsends int, block bool, c *hchan, flags uint64, pc uintptr) {
	foreSelect(cases, nsends, block, foreID(c), foreFlagDone|foreFlagClosed|flags, 0, pc)
}
