// What control has to do with, one function each. The first argument names it.
package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// abba locks in opposite orders.
func abba() {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	}()
	go func() {
		defer wg.Done()
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	}()
	wg.Wait()
}

// shutdown: the worker may still send when the queue is closed.
func shutdown() {
	queue := make(chan int, 1)
	done := make(chan bool)
	go func() {
		for range queue {
		}
		close(done)
	}()
	stop := make(chan bool)
	go func() {
		select {
		case <-stop:
		default:
			queue <- 1
		}
	}()
	close(stop)
	close(queue)
	<-done
}

// leak leaves a goroutine that nobody receives from.
func leak() {
	result := make(chan int)
	go func() { result <- 1 }()
	select {
	case <-result:
	case <-time.After(time.Second):
	}
	go func() { result <- 2 }()
}

// clock has everything that waits for time.
func clock() {
	begin := time.Now()
	time.Sleep(time.Hour)
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Second)
	defer tick.Stop()
	ticks := 0
	for ctx.Err() == nil {
		select {
		case <-tick.C:
			ticks++
		case <-ctx.Done():
		}
	}
	after := make(chan bool)
	time.AfterFunc(time.Minute, func() { close(after) })
	<-after
	for spin := time.Now(); time.Since(spin) < time.Millisecond; {
	}
	fmt.Println("ticks", ticks, "hours", int(time.Since(begin).Hours()))
}

// many is a thousand goroutines.
func many() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	sum := 0
	ch := make(chan int, 10)
	for i := 0; i < 500; i++ {
		wg.Add(2)
		go func(i int) { defer wg.Done(); ch <- i }(i)
		go func() {
			defer wg.Done()
			v := <-ch
			mu.Lock()
			sum += v
			mu.Unlock()
		}()
	}
	wg.Wait()
	fmt.Println("sum", sum)
}

// everything that is random, or that locks.
func everything() {
	m := map[int]int{}
	for i := 0; i < 20; i++ {
		m[i] = i
	}
	for k := range m {
		fmt.Print(k, " ")
	}
	fmt.Println(rand.Int63(), runtime.GOMAXPROCS(3) > 0, runtime.GOMAXPROCS(0))
	a, b := make(chan int, 9), make(chan int, 9)
	for i := 0; i < 9; i++ {
		a <- i
		b <- i
		select {
		case v := <-a:
			fmt.Print("a", v)
		case v := <-b:
			fmt.Print("b", v)
		}
	}
	fmt.Println()
	var rw sync.RWMutex
	var once sync.Once
	var mu sync.Mutex
	var wg sync.WaitGroup
	cond := sync.NewCond(&mu)
	pool := sync.Pool{New: func() interface{} { return new(int) }}
	turns, shared := 0, 0
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			once.Do(func() { shared++ })
			rw.RLock()
			_ = shared
			rw.RUnlock()
			rw.Lock()
			shared++
			rw.Unlock()
			p := pool.Get().(*int)
			pool.Put(p)
			mu.Lock()
			for turns != i {
				cond.Wait()
			}
			turns++
			fmt.Print("turn ", i, " ")
			cond.Broadcast()
			mu.Unlock()
			runtime.Gosched()
		}(i)
	}
	wg.Wait()
	fmt.Println("shared", shared)
}

type block struct {
	bytes [1 << 15]byte
	next  *block
}

// collect makes garbage, with finalizers.
func collect() {
	var wg sync.WaitGroup
	var finals atomic.Value
	finals.Store(0)
	for w := 0; w < 3; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var keep *block
			for i := 0; i < 300; i++ {
				x := &block{}
				if i%7 == 0 {
					keep = x
				}
				if i%50 == 0 {
					runtime.SetFinalizer(x, func(*block) { finals.Store(finals.Load().(int) + 1) })
				}
				if i%150 == 149 {
					runtime.GC()
				}
			}
			runtime.KeepAlive(keep)
		}()
	}
	wg.Wait()
	fmt.Println("collected", finals.Load().(int) > 0)
}

// network talks to itself.
func network() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		os.Exit(77)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				s, _ := bufio.NewReader(c).ReadString('\n')
				fmt.Fprint(c, "echo ", s)
				c.Close()
			}()
		}
	}()
	for i := 0; i < 3; i++ {
		d := net.Dialer{Timeout: 5 * time.Second}
		c, err := d.Dial("tcp", l.Addr().String())
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		c.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprintln(c, "hello", i)
		s, err := bufio.NewReader(c).ReadString('\n')
		fmt.Print(s)
		c.Close()
	}
	l.Close()
}

// spin waits for another goroutine in a loop that has no points.
func spin() {
	var flag int32
	go func() { *(&flag) = 1 }()
	for n := 0; flag == 0; n++ {
	}
	fmt.Println("seen")
}

// lost updates, with --memory.
func lost() {
	var wg sync.WaitGroup
	count := 0
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			count++
		}()
	}
	wg.Wait()
	fmt.Println("count", count)
}

// stress works until a timer says that it is enough.
func stress() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	enough := make(chan bool)
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-enough:
					return
				default:
				}
				mu.Lock()
				mu.Unlock()
			}
		}()
	}
	time.AfterFunc(150*time.Millisecond, func() { close(enough) })
	wg.Wait()
	fmt.Println("enough")
}

// suffices takes it that 20 ms are enough for another goroutine.
func suffices() {
	result := make(chan int, 1)
	go func() { result <- 1 }()
	select {
	case <-result:
	case <-time.After(20 * time.Millisecond):
		os.Exit(3)
	}
}

// point is run for its cost: two goroutines and more that lock.
func point() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	goroutines, rounds := 1, 1000000
	fmt.Sscan(os.Args[2], &goroutines)
	begin := time.Now()
	for i := 0; i < goroutines; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < rounds/goroutines; n++ {
				mu.Lock()
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	fmt.Println(time.Since(begin))
}

func main() {
	all := map[string]func(){"abba": abba, "shutdown": shutdown, "leak": leak, "clock": clock, "many": many,
		"everything": everything, "collect": collect, "network": network, "spin": spin, "lost": lost, "point": point,
		"stress": stress, "suffices": suffices,
		"panic": func() { panic("as asked") }, "exit": func() { os.Exit(7) },
		"deadlock": func() { <-make(chan int) }, "nothing": func() {}}
	all[os.Args[1]]()
}
