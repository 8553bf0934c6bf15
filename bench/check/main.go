// Traffic of a given length for the analysis: traffic KIND ROUNDS.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
)

const workers = 4

// each shares the rounds among the workers and waits for them.
func each(rounds int, f func(worker, round int)) {
	var wg sync.WaitGroup
	for w := 0; w < workers; w++ {
		wg.Add(1)
		go func(w int) {
			defer wg.Done()
			for i := 0; i < rounds/workers; i++ {
				f(w, i)
			}
		}(w)
	}
	wg.Wait()
}

// counts: a table under locks, as a server has it.
func counts(rounds int) {
	var locks [8]sync.Mutex
	var table [8]map[int]int
	for i := range table {
		table[i] = map[int]int{}
	}
	each(rounds, func(w, i int) {
		k := (w*7 + i*13) % 8
		locks[k].Lock()
		table[k][i%100]++
		locks[k].Unlock()
	})
}

// pool: jobs and results through buffers.
func pool(rounds int) {
	jobs, results := make(chan int, 16), make(chan int, 16)
	var wg sync.WaitGroup
	for w := 0; w < workers; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				results <- j * 2
			}
		}()
	}
	go func() {
		for i := 0; i < rounds; i++ {
			jobs <- i
		}
		close(jobs)
		wg.Wait()
		close(results)
	}()
	sum := 0
	for r := range results {
		sum += r
	}
	if sum != rounds*(rounds-1) {
		fmt.Println("the pool is wrong")
		os.Exit(1)
	}
}

// cycle: one lock, and once in a while two others in either order, but never at once; in the end
// they could be.
func cycle(rounds int) {
	var a, b, m sync.Mutex
	pair := func(x, y *sync.Mutex) {
		x.Lock()
		y.Lock()
		y.Unlock()
		x.Unlock()
	}
	turn := make(chan int, 1)
	each(rounds, func(w, i int) {
		m.Lock()
		m.Unlock()
		if i%1000 == 0 && w < 2 {
			turn <- w
			if w == 0 {
				pair(&a, &b)
			} else {
				pair(&b, &a)
			}
			<-turn
		}
	})
	done := make(chan bool)
	go func() {
		time.Sleep(50 * time.Millisecond)
		pair(&b, &a)
		done <- true
	}()
	pair(&a, &b)
	<-done
}

func main() {
	kinds := map[string]func(int){"counts": counts, "pool": pool, "cycle": cycle}
	rounds := 0
	if len(os.Args) == 3 {
		rounds, _ = strconv.Atoi(os.Args[2])
	}
	if rounds < 1 || kinds[os.Args[1]] == nil {
		fmt.Println("usage: traffic counts|pool|cycle ROUNDS")
		os.Exit(2)
	}
	kinds[os.Args[1]](rounds)
}
