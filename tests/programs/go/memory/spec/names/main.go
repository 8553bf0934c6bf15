// Names accesses variables in every way that their names allow; whatever else is called alike is no access.
package main

import (
	"fmt"
	"os"

	other "names/pool"
)

type state int

type node struct {
	level int
	next  *node
}

var (
	level, depth int
	ready        bool
	ratio        float64 = 0.5
	phase                = state(2)
	head         *node
	table        []int
	call         func(int) int
)

type holder struct{ level int }

func (h *holder) ready() int { return h.level }

func twice(level int) int { return 2 * level }

func get() int { return level }

func set(x int) (old int) {
	old, x = level, x+1
	level = x
	return
}

func statements() {
	level = 1
	level++
	level--
	level += 2
	level <<= 1 + 1
	level =
		level +
			1
	depth = level * 2
	if level = 7; level > 6 && !ready {
		ready = level == 7
	}
	for depth = 0; depth < 2; depth++ {
	}
	switch phase = 3; phase {
	case state(level):
	default:
		phase |= 4
	}
	switch level {
	case depth, level:
	}
	ready = false
}

func expressions() {
	ratio *= float64(level)
	a := []int{level, depth}
	m := map[int]int{level: depth}
	a[level%2], m[depth] = level, 1
	x := holder{level: level}
	fmt.Fprintln(os.Stderr, x.ready(), twice(depth), level, a[level%2:], -level, m)
	table = append(table, level)
	table[0] = level
	call = twice
	level = call(level) + set(level) + get()
	func() { level = depth }()
	defer func(level int) { depth = level }(level)
	go func() {}()
	var nothing interface{} = level
	if level, is := nothing.(int); is {
		level++
		_ = level
	}
}

func pointers() {
	head = &node{level: level}
	head.next = head
	head.next.level = 3
	if head != nil && head.level == 3 {
		head = nil
	}
}

func channels() {
	c := make(chan int, 1)
	c <- level
	select {
	case c <- depth:
	default:
		depth = <-c
	}
	for i := range make([]int, depth-depth+1) {
		level = i
	}
level:
	for {
		break level
	}
}

func packages() {
	other.Add()
	other.Hits = other.Limit - 1
	other.Hits++
	fmt.Fprintln(os.Stderr, other.Hits)
}

func main() {
	statements()
	expressions()
	pointers()
	channels()
	packages()
	fmt.Fprintln(os.Stderr, ready, ratio, phase)
}
