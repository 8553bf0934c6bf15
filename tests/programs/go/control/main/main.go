// Programs that end well in most orders, the last in all; the first argument is the name of one.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Each needs two of two slots.
func semaphore() {
	slots, over := make(chan bool, 2), make(chan bool, 2)
	for i := 0; i < 2; i++ {
		go func() {
			slots <- true
			slots <- true
			<-slots
			<-slots
			over <- true
		}()
	}
	<-over
	<-over
}

func group() {
	var wg sync.WaitGroup
	go func() {
		wg.Add(1)
		defer wg.Done()
	}()
	time.Sleep(10 * time.Millisecond)
	wg.Wait()
}

func timeout() {
	result := make(chan int)
	go func() { result <- 1 }()
	select {
	case <-result:
	case <-time.After(time.Minute):
	}
}

// The last one closes, but counts down before it sends.
func countdown() {
	out, over := make(chan int, 2), make(chan bool, 2)
	var left atomic.Int32
	left.Store(2)
	for i := 0; i < 2; i++ {
		go func() {
			last := left.Add(-1) == 0
			out <- 1
			if last {
				close(out)
			}
			over <- true
		}()
		time.Sleep(10 * time.Millisecond)
	}
	<-over
	<-over
}

// Two take what is offered to them, and leave; nobody waits for them.
func offers() {
	var mu sync.Mutex
	takers := map[chan int]bool{}
	for i := 0; i < 2; i++ {
		taker := make(chan int, 1)
		takers[taker] = true
		go func() {
			<-taker
			<-taker
			mu.Lock()
			delete(takers, taker)
			mu.Unlock()
		}()
	}
	for left := 1; left > 0; runtime.Gosched() {
		mu.Lock()
		for taker := range takers {
			select {
			case taker <- 1:
			default:
			}
		}
		left = len(takers)
		mu.Unlock()
	}
}

type account struct {
	mu      sync.Mutex
	balance int
}

func (from *account) pay(to *account) {
	from.mu.Lock()
	from.balance--
	to.mu.Lock()
	to.balance++
	to.mu.Unlock()
	from.mu.Unlock()
}

// What is read and written before the others begin, or by one alone, is in no order.
func transfers() {
	accounts := []*account{{balance: 3}, {balance: 5}}
	log := make([]byte, 16)
	for i := range log {
		log[i] = byte(i)
	}
	over := make(chan bool, 2)
	for i := 0; i < 2; i++ {
		from, to := accounts[i], accounts[1-i]
		go func() {
			from.pay(to)
			over <- true
		}()
		time.Sleep(10 * time.Millisecond)
	}
	<-over
	<-over
}

// Signals that it sends to itself.
func signals() {
	self, _ := os.FindProcess(os.Getpid())
	for i := 0; i < 3; i++ {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGUSR1)
		time.AfterFunc(time.Millisecond, func() { self.Signal(syscall.SIGUSR1) })
		<-ctx.Done()
		stop()
	}
}

func main() {
	if len(os.Args) > 1 {
		map[string]func(){"semaphore": semaphore, "group": group, "timeout": timeout, "countdown": countdown, "transfers": transfers, "offers": offers, "signals": signals}[os.Args[1]]()
	}
}
