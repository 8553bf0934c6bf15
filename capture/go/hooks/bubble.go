
// Appended by foresee: bubbles of package testing/synctest. When all goroutines of a bubble rest, Wait
// returns or time goes on: what they did until then comes before what follows. A goroutine notes that as a
// write to a place of its own before it may come to rest, and at its end as an exchange on the place of the
// bubble's root. A goroutine that goes on then reads the places of those that have rested since the last such
// moment, and makes an exchange, too.

// foreBubbleRoot is the goroutine that made gp's bubble, or nil.
func foreBubbleRoot(gp *g) *g {
	b := $BUBBLE
	if b == nil {
		return nil
	}
	return b.root
}

func foreBubbleEdge(at *g, how uint32) {
	mp := acquirem()
	e := foreEnter(uintptr(unsafe.Pointer(at)))
	foreNote(e, foreOpaque|how, 0, 0, 0, foreFile.text, 0)
	foreLeave(e)
	releasem(mp)
}

// foreBubbleRests: gp may come to rest.
func foreBubbleRests(gp *g) {
	root := foreBubbleRoot(gp)
	if root == nil || root == gp || gp != gp.m.curg || gp.fore.id == 0 {
		return
	}
	foreBubbleEdge(gp, foreStore)
	if !atomic.Cas(&gp.fore.rests, 0, 1) {
		return // it is in the list
	}
	for {
		first := atomic.Loaduintptr(&root.fore.rested)
		gp.fore.rested = first
		if atomic.Casuintptr(&root.fore.rested, first, uintptr(unsafe.Pointer(gp))) {
			return
		}
	}
}

// foreBubbleGoes: gp goes on after all have come to rest.
func foreBubbleGoes(gp *g) {
	root := foreBubbleRoot(gp)
	if root == nil || gp.fore.id == 0 {
		return
	}
	next := atomic.Xchguintptr(&root.fore.rested, 0)
	for next != 0 {
		rested := (*g)(unsafe.Pointer(next))
		next = rested.fore.rested
		atomic.Store(&rested.fore.rests, 0)
		if rested != gp {
			foreBubbleEdge(rested, foreLoad)
		}
	}
	foreBubbleEdge(root, foreSwap)
}

// foreBubbleEnds: gp is about to end.
func foreBubbleEnds(gp *g) {
	if root := foreBubbleRoot(gp); root != nil && gp.fore.id != 0 {
		foreBubbleEdge(root, foreSwap)
	}
}
