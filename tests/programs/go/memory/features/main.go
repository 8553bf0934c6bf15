// What the compiler and the runtime do with memory, one feature of Go per function. Each is done by main
// and then by another goroutine, which main waits for: nothing races, everything is shared. The accesses
// that foresee records, on every version of Go, are in the file "expected".
package main

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

type pair struct {
	a, b int
}

type tank struct {
	level int
	name  string
	open  bool
	shut  bool
	in    pair
	parts [3]int32
	next  *tank
}

var (
	number int
	whole  tank
	text   string
	list   []int
	table  map[string]int
	face   interface{}
	array  [4]int
	copied pair
	code   func() int
	ptr    *int
	sink   int
	flags  [8]bool
	ratio  float64
)

// other does f in another goroutine and waits for it.
func other(f func()) {
	done := make(chan bool)
	go func() {
		f()
		close(done)
	}()
	<-done
}

func globals() {
	number = 1
	other(func() {
		sink = number
	})
}

func floats() {
	ratio = 1.5
	other(func() {
		if ratio > 1 {
			sink++
		}
	})
}

func fields() {
	whole.level = 1
	whole.open = true
	whole.shut = true
	whole.in.b = 2
	other(func() {
		sink = whole.level
		if whole.shut {
			sink++
		}
		sink = whole.in.b
		whole.open = false
	})
}

func arrays() {
	array[2] = 1
	whole.parts[1] = 3
	flags[5] = true
	other(func() {
		sink = array[2]
		sink = int(whole.parts[1])
		if flags[5] {
			sink++
		}
	})
}

func slices() {
	list = make([]int, 3)
	list[1] = 7
	other(func() {
		sink = list[1]
	})
}

func appends() {
	list = make([]int, 0, 4)
	list = append(list, 5)
	other(func() {
		list = append(list, 6)
		sink = list[0]
	})
}

func grows() {
	list = []int{1, 2}
	other(func() {
		list = append(list, 6)
	})
}

func heap() {
	t := &tank{}
	t.in.a = 4
	other(func() {
		sink = t.in.a
	})
}

func strings() {
	text = "a"
	other(func() {
		sink = len(text)
	})
}

func bytes() {
	b := []byte("abc")
	b[1] = 'x'
	other(func() {
		text = string(b)
	})
}

func interfaces() {
	face = 3
	other(func() {
		sink = face.(int)
	})
}

func closures() {
	n := 1
	n++
	other(func() {
		n++
	})
}

func maps() {
	table = map[string]int{}
	table["a"] = 1
	other(func() {
		sink = table["a"]
	})
}

func deletes() {
	table = map[string]int{"a": 1}
	other(func() {
		delete(table, "a")
	})
}

func iterates() {
	table = map[string]int{}
	table["a"] = 1
	other(func() {
		for _, v := range table {
			sink = v
		}
	})
}

func ranges() {
	array[0] = 1
	other(func() {
		for i := range array {
			sink += array[i]
		}
	})
}

func copies() {
	copied = pair{1, 2}
	other(func() {
		p := copied
		sink = p.a + p.b
	})
}

func copyFunction() {
	list = make([]int, 2)
	list[0] = 1
	other(func() {
		var to [2]int
		copy(to[:], list)
		sink = to[0]
	})
}

func pointersInChannels() {
	c := make(chan *pair, 1)
	p := &pair{}
	p.a = 1
	c <- p
	other(func() {
		q := <-c
		sink = q.a
		q.a = 2
	})
}

func defers() {
	number = 2
	other(func() {
		defer func() {
			number = 3
		}()
	})
}

func functions() {
	code = func() int { return 1 }
	other(func() {
		sink = code()
	})
}

func pointers() {
	ptr = new(int)
	*ptr = 1
	other(func() {
		sink = *ptr
	})
}

func atomics() {
	var n int64
	number = 4
	atomic.StoreInt64(&n, 1)
	other(func() {
		if atomic.LoadInt64(&n) == 1 {
			sink = number
		}
	})
}

func locked() {
	var mu sync.Mutex
	mu.Lock()
	number = 5
	mu.Unlock()
	other(func() {
		mu.Lock()
		number++
		mu.Unlock()
	})
}

func pools() {
	runtime.GOMAXPROCS(1) // another processor might not see what this one has put in
	var p sync.Pool
	t := &tank{}
	t.level = 1
	p.Put(t)
	other(func() {
		if t, ok := p.Get().(*tank); ok {
			sink = t.level
		}
	})
}

func main() {
	all := map[string]func(){"globals": globals, "floats": floats, "fields": fields, "arrays": arrays,
		"slices": slices, "appends": appends, "heap": heap, "strings": strings,
		"interfaces": interfaces, "maps": maps, "deletes": deletes, "iterates": iterates,
		"ranges": ranges, "copies": copies, "copyFunction": copyFunction,
		"pointersInChannels": pointersInChannels, "defers": defers, "functions": functions,
		"pointers": pointers, "atomics": atomics, "locked": locked, "pools": pools,
		"bytes": bytes, "closures": closures, "grows": grows}
	all[os.Args[1]]()
}
