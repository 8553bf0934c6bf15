// Five kernels that are bound by memory, each with two goroutines: kernels NAME TIMES.
package main

import (
	"os"
	"sort"
	"strconv"
	"sync"
)

func par(n int, f func(k int)) {
	var wg sync.WaitGroup
	for k := 0; k < n; k++ {
		wg.Add(1)
		go func(k int) { defer wg.Done(); f(k) }(k)
	}
	wg.Wait()
}

func matrix() {
	n := 400
	a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i], b[i] = float64(i%7), float64(i%5)
	}
	par(2, func(k int) {
		for i := k; i < n; i += 2 {
			for j := 0; j < n; j++ {
				s := 0.0
				for x := 0; x < n; x++ {
					s += a[i*n+x] * b[x*n+j]
				}
				c[i*n+j] = s
			}
		}
	})
}

func words() {
	par(2, func(k int) {
		m := map[string]int{}
		for i := 0; i < 600000; i++ {
			m["w"+strconv.Itoa(i%5000)]++
		}
	})
}

type tree struct {
	l, r *tree
	key  int
}

func (t *tree) put(k int) *tree {
	if t == nil {
		return &tree{key: k}
	}
	if k < t.key {
		t.l = t.l.put(k)
	} else {
		t.r = t.r.put(k)
	}
	return t
}

func trees() {
	par(2, func(k int) {
		var t *tree
		x := uint32(k + 1)
		for i := 0; i < 120000; i++ {
			x = x*1664525 + 1013904223
			t = t.put(int(x >> 8))
		}
	})
}

func sorts() {
	par(2, func(k int) {
		for round := 0; round < 6; round++ {
			s := make([]int, 100000)
			x := uint32(k + 1)
			for i := range s {
				x = x*1664525 + 1013904223
				s[i] = int(x >> 8)
			}
			sort.Slice(s, func(i, j int) bool { return s[i] < s[j] })
		}
	})
}

func counters() {
	var mu [8]sync.Mutex
	var n [8]int
	par(2, func(k int) {
		for i := 0; i < 3000000; i++ {
			mu[i%8].Lock()
			n[i%8]++
			mu[i%8].Unlock()
		}
	})
}

// A specification over these costs what the rest of the program pays for being watched.
var started, ended int

func main() {
	started = 1
	times, _ := strconv.Atoi(os.Args[2])
	for i := 0; i < times; i++ {
		map[string]func(){"matrix": matrix, "words": words, "trees": trees, "sorts": sorts, "counters": counters}[os.Args[1]]()
	}
	ended = 1
}
