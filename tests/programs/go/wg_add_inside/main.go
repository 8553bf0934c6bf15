// Classic: each worker adds itself to the group. When it comes too late, nobody waits for it.
package main

import (
	"sync"
	"time"
)

func main() {
	var wg sync.WaitGroup
	results := make([]int, 3)
	for i := range results {
		go func(i int) {
			wg.Add(1)
			defer wg.Done()
			results[i] = i
		}(i)
	}
	defer wg.Wait()
	time.Sleep(20 * time.Millisecond)
}
