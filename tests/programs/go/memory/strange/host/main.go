// Loads a plugin, or does without, and has two goroutines call it: host FILE racy|fixed.
package main

import (
	"fmt"
	"os"
	"plugin"
	"sync"
	"time"
)

var (
	mu    sync.Mutex
	count int
)

func main() {
	add := func(p *int) { *p++ }
	if p, err := plugin.Open(os.Args[1]); err != nil {
		fmt.Println(err)
	} else if f, err := p.Lookup("Count"); err == nil {
		add = f.(func(*int))
	}
	var wg sync.WaitGroup
	for k := 0; k < 2; k++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if os.Args[2] == "fixed" {
				mu.Lock()
				defer mu.Unlock()
			}
			add(&count)
		}()
		time.Sleep(3 * time.Millisecond)
	}
	wg.Wait()
}
