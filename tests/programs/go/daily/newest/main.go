// A long run whose beginning does not fit into the trace. What is found in the end rests on what was so long before:
// locks that were taken, messages that were sent, goroutines that were started.
//
//	newest quiet     nothing is wrong
//	newest deadlock  two goroutines each hold a lock since the beginning, and want the other's
//	newest leak      a goroutine waits since the beginning for a message that nobody sends
//	newest full      a goroutine sends into a buffer that was filled in the beginning
//	newest sleep     nobody is stuck: who waits since the beginning is waited for by one that sleeps since then
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

type job struct {
	n     int
	reply chan int
}

var (
	first, second, table sync.Mutex
	rw                   sync.RWMutex
	handled              int64
)

func serve(jobs chan job) {
	for j := range jobs {
		table.Lock()
		table.Unlock()
		rw.RLock()
		atomic.AddInt64(&handled, 1)
		rw.RUnlock()
		j.reply <- j.n
	}
}

// traffic is what the trace is full of.
func traffic() {
	jobs := make(chan job, 4)
	var workers sync.WaitGroup
	for i := 0; i < 3; i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			serve(jobs)
		}()
	}
	rounds, _ := strconv.Atoi(os.Args[2])
	for i := 0; i < rounds; i++ {
		reply := make(chan int, 1)
		jobs <- job{i, reply}
		<-reply
	}
	close(jobs)
	workers.Wait()
}

func main() {
	var old sync.WaitGroup // all that began before
	goes := make(chan struct{})
	woken, ready := sync.NewCond(&sync.Mutex{}), false
	old.Add(2)
	go func() {
		defer old.Done()
		woken.L.Lock()
		for !ready {
			woken.Wait()
		}
		woken.L.Unlock()
	}()
	first.Lock()
	go func() {
		defer old.Done()
		second.Lock()
		<-goes
		if os.Args[1] == "deadlock" {
			first.Lock()
			first.Unlock()
		}
		second.Unlock()
	}()
	never := make(chan int)
	full := make(chan int, 2)
	full <- 1
	full <- 2
	if os.Args[1] == "leak" || os.Args[1] == "sleep" {
		go func() { <-never }()
	}
	if os.Args[1] == "sleep" {
		go func() {
			time.Sleep(time.Hour)
			never <- 1
		}()
	}
	var warm sync.Once
	warm.Do(func() {})
	time.Sleep(5 * time.Millisecond) // all of them wait by now

	traffic()

	warm.Do(func() {})
	close(goes)
	if os.Args[1] == "deadlock" {
		time.Sleep(5 * time.Millisecond)
		second.Lock()
		second.Unlock()
	}
	first.Unlock()
	woken.L.Lock()
	ready = true
	woken.L.Unlock()
	woken.Broadcast()
	if os.Args[1] == "full" {
		go func() { full <- 3 }()
		time.Sleep(5 * time.Millisecond)
	} else {
		fmt.Println(<-full, <-full)
	}
	old.Wait()
	fmt.Println(handled)
}
