// The twin of wg_add_inside: whoever starts a worker adds it. Two rounds with one group.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	results := make([]int, 3)
	for round := 0; round < 2; round++ {
		for i := range results {
			wg.Add(1)
			go func(i int) {
				defer wg.Done()
				results[i] = i
			}(i)
		}
		wg.Wait()
	}
}
