// What choices.c does, with the strategies that go into Go's runtime (capture/go/hooks/strategy.go).
package main

import (
	"bufio"
	"fmt"
	"os"
	"unsafe"
)

const threads, steps, seeds = 12, 9000, 40

func run(out *bufio.Writer, kind uint32, seed uint64) {
	var s foreStrategy
	world := seed * 977
	goers := new([threads]foreGoer)
	running := uint32(0)
	s.start(kind, uint32(seed%5), seed, seed%3*50)
	fmt.Fprintf(out, "%d %d:", kind, seed)
	for i := 0; i < steps; i++ {
		var c []uintptr
		for t := range goers {
			r := foreMix(&world)
			if r&1 == 0 {
				continue
			}
			g := &goers[t]
			g.thread, g.object, g.writes, g.yields = uint32(t), r>>8&3, r>>16&1 != 0, r>>24&7 == 0
			c = append(c, uintptr(unsafe.Pointer(g)))
		}
		if len(c) == 0 {
			continue
		}
		running = foreGoerAt(c[s.pick(c, running)]).thread
		fmt.Fprint(out, " ", running)
	}
	fmt.Fprintln(out, "", s.choices, s.state)
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for kind := range foreStrategyNames {
		for seed := uint64(1); seed <= seeds; seed++ {
			run(out, uint32(kind), seed)
		}
	}
}
