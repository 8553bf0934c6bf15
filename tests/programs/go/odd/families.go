package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var first, second sync.Mutex

func forwards() {
	first.Lock()
	second.Lock()
	second.Unlock()
	first.Unlock()
}

func backwards() {
	second.Lock()
	first.Lock()
	first.Unlock()
	second.Unlock()
}

// both runs the two at once and waits for them.
func both(f, g func()) {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); f() }()
	go func() { defer wg.Done(); g() }()
	wg.Wait()
}

// ---- data that a mutex guards decides ----

func orderInAMap() {
	var mu sync.Mutex
	state := map[string]bool{}
	both(func() {
		forwards()
		mu.Lock()
		state["moved"] = true
		mu.Unlock()
	}, func() {
		pause()
		mu.Lock()
		moved := state["moved"]
		mu.Unlock()
		if moved {
			backwards()
		}
	})
}

func orderByGeneration() {
	var mu sync.Mutex
	generation := 0
	both(func() {
		forwards()
		mu.Lock()
		generation++
		mu.Unlock()
	}, func() {
		for i := 0; i < 3; i++ {
			pause()
			mu.Lock()
			g := generation
			mu.Unlock()
			if g > 0 {
				backwards()
				return
			}
		}
	})
}

func orderBehindRWLock() {
	var mu sync.RWMutex
	var config struct{ reversed bool }
	both(func() {
		forwards()
		mu.Lock()
		config.reversed = true
		mu.Unlock()
	}, func() {
		pause()
		mu.RLock()
		c := config
		mu.RUnlock()
		if c.reversed {
			backwards()
		}
	})
}

// ---- what happens only after a flag was seen ----

func stageByCondition() {
	var mu sync.Mutex
	ready := sync.NewCond(&mu)
	done := false
	both(func() {
		forwards()
		mu.Lock()
		done = true
		mu.Unlock()
		ready.Broadcast()
	}, func() {
		mu.Lock()
		for !done {
			ready.Wait()
		}
		mu.Unlock()
		backwards()
	})
}

func stageByChannel() {
	done := make(chan struct{})
	both(func() {
		forwards()
		close(done)
	}, func() {
		for {
			select {
			case <-done:
				backwards()
				return
			default:
				time.Sleep(time.Millisecond)
			}
		}
	})
}

func stageByAtomic() {
	var stage atomic.Int32
	both(func() {
		forwards()
		stage.Store(2)
	}, func() {
		for stage.Load() < 2 {
			time.Sleep(time.Millisecond)
		}
		backwards()
	})
}

// ---- whoever comes first starts the other side ----

func lazyConsumer() {
	var mu sync.Mutex
	var queue chan int
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			if queue == nil {
				queue = make(chan int)
				go func(q chan int) {
					for range q {
					}
				}(queue)
			}
			queue <- i
		}(i)
	}
	wg.Wait()
	close(queue)
	pause()
}

func lazyOnce() {
	var once sync.Once
	requests := make(chan chan int)
	ask := func() int {
		once.Do(func() {
			go func() {
				for r := range requests {
					r <- 7
				}
			}()
		})
		r := make(chan int)
		requests <- r
		return <-r
	}
	both(func() { must(ask() == 7) }, func() { must(ask() == 7) })
	close(requests)
	pause()
}

func lazyAnswer() {
	var started atomic.Bool
	result := make(chan int, 1)
	get := func() int {
		if started.CompareAndSwap(false, true) {
			go func() { result <- 3 }()
		}
		v := <-result
		result <- v
		return v
	}
	both(func() { must(get() == 3) }, func() { must(get() == 3) })
}

// ---- the last one closes ----

func lastByAtomic() {
	out := make(chan int, 3)
	var left atomic.Int32
	left.Store(3)
	for i := 0; i < 3; i++ {
		go func(i int) {
			time.Sleep(time.Duration(i) * time.Millisecond)
			out <- i
			if left.Add(-1) == 0 {
				close(out)
			}
		}(i)
	}
	n := 0
	for range out {
		n++
	}
	must(n == 3)
}

func lastByChannel() {
	out := make(chan int, 3)
	tokens := make(chan int, 1)
	tokens <- 3
	for i := 0; i < 3; i++ {
		go func(i int) {
			time.Sleep(time.Duration(i) * time.Millisecond)
			out <- i
			left := <-tokens - 1
			if left == 0 {
				close(out)
			}
			tokens <- left
		}(i)
	}
	n := 0
	for range out {
		n++
	}
	must(n == 3)
}

func lastByGroup() {
	out := make(chan int)
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			out <- i
		}(i)
	}
	go func() {
		wg.Wait()
		close(out)
	}()
	n := 0
	for range out {
		n++
	}
	must(n == 3)
}

// ---- the loop around a wait is elsewhere ----

func waitInClosure() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	ready := false
	step := func() { c.Wait() }
	both(func() {
		mu.Lock()
		for !ready {
			step()
		}
		mu.Unlock()
	}, func() {
		pause()
		mu.Lock()
		ready = true
		c.Signal()
		mu.Unlock()
	})
}

type box struct {
	mu   sync.Mutex
	cond *sync.Cond
	full bool
}

func (b *box) waitUntil(holds func() bool) {
	for !holds() {
		b.cond.Wait()
	}
}

func waitInPredicate() {
	b := &box{}
	b.cond = sync.NewCond(&b.mu)
	both(func() {
		b.mu.Lock()
		b.waitUntil(func() bool { return b.full })
		b.full = false
		b.mu.Unlock()
	}, func() {
		pause()
		b.mu.Lock()
		b.full = true
		b.mu.Unlock()
		b.cond.Signal()
	})
}

type waiter interface{ Wait() }

func waitInInterface() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	var w waiter = cond
	turn := 0
	round := func(me int) {
		for i := 0; i < 2; i++ {
			mu.Lock()
			for turn != me {
				w.Wait()
			}
			turn = 1 - me
			cond.Broadcast()
			mu.Unlock()
		}
	}
	both(func() { round(0) }, func() { round(1) })
}

// ---- something outside orders them ----

func outsideSocket() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return
	}
	both(func() {
		forwards()
		c, err := net.Dial("tcp", l.Addr().String())
		must(err == nil)
		c.Write([]byte("x"))
		c.Close()
	}, func() {
		c, err := l.Accept()
		must(err == nil)
		var x [1]byte
		c.Read(x[:])
		backwards()
		c.Close()
	})
	l.Close()
}

func outsideFile() {
	name := filepath.Join(os.TempDir(), "foresee-odd-"+time.Now().Format("150405.000000000"))
	defer os.Remove(name)
	both(func() {
		forwards()
		os.WriteFile(name, []byte("x"), 0o600)
	}, func() {
		for {
			if _, err := os.Stat(name); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		backwards()
	})
}

func outsideFifo() {
	fds := [2]int{}
	must(syscall.Pipe(fds[:]) == nil)
	both(func() {
		forwards()
		syscall.Write(fds[1], []byte{1})
	}, func() {
		var x [1]byte
		syscall.Read(fds[0], x[:])
		backwards()
	})
}

func childOutput() {
	c := exec.Command("cat")
	in, _ := c.StdinPipe()
	out, _ := c.StdoutPipe()
	must(c.Start() == nil)
	both(func() {
		forwards()
		in.Write([]byte("x"))
		in.Close()
	}, func() {
		var x [1]byte
		out.Read(x[:])
		backwards()
	})
	c.Wait()
}

func childStatus() {
	c := exec.Command("cat")
	in, _ := c.StdinPipe()
	must(c.Start() == nil)
	both(func() {
		forwards()
		in.Close()
	}, func() {
		state, _ := c.Process.Wait()
		if state.Success() {
			backwards()
		}
	})
}

func childSignal() {
	c := exec.Command("sleep", "60")
	must(c.Start() == nil)
	both(func() {
		forwards()
		c.Process.Kill()
	}, func() {
		c.Wait()
		backwards()
	})
}

// ---- the program ends in the middle of things ----

func cutInSend() {
	out := make(chan int, 1000)
	go func() {
		for i := 0; ; i++ {
			out <- i
			time.Sleep(time.Millisecond)
		}
	}()
	for i := 0; i < 3; i++ {
		must(<-out == i)
	}
}

func cutInReadLock() {
	var mu sync.RWMutex
	n := 0
	go func() {
		for {
			mu.RLock()
			time.Sleep(time.Millisecond)
			_ = n
			mu.RUnlock()
		}
	}()
	for i := 0; i < 3; i++ {
		mu.Lock()
		n++
		mu.Unlock()
		time.Sleep(2 * time.Millisecond)
	}
}

func cutInSemaphore() {
	slots := make(chan struct{}, 2)
	for i := 0; i < 3; i++ {
		go func() {
			for {
				slots <- struct{}{}
				time.Sleep(time.Millisecond)
				<-slots
			}
		}()
	}
	time.Sleep(5 * time.Millisecond)
	slots <- struct{}{}
	<-slots
}

func exitInRange() {
	never := make(chan int)
	go func() {
		pause()
		os.Exit(0)
	}()
	for range never {
	}
}

// exitInOwnLock and exitInUpgrade stop where they are until another one ends the program.
func exitInOwnLock() {
	var mu sync.Mutex
	mu.Lock()
	go func() {
		pause()
		os.Exit(0)
	}()
	mu.Lock()
}

func exitInUpgrade() {
	var mu sync.RWMutex
	mu.RLock()
	go func() {
		pause()
		os.Exit(0)
	}()
	mu.Lock()
}

func exitInLock() {
	var mu sync.Mutex
	taken := make(chan bool)
	go func() {
		mu.Lock()
		taken <- true
		pause()
		os.Exit(0)
	}()
	<-taken
	mu.Lock()
}

func exitInSelect() {
	a, b := make(chan int), make(chan int)
	go func() {
		pause()
		os.Exit(0)
	}()
	select {
	case <-a:
	case b <- 1:
	}
}

// ---- bugs: to count down orders nothing between those who count down ----

func bugCloseAfterAdd() {
	var wg sync.WaitGroup
	out := make(chan int, 1)
	ended := make(chan bool)
	wg.Add(2)
	go func() {
		out <- 1
		wg.Add(-1)
	}()
	go func() {
		pause()
		wg.Add(-1)
		close(out)
		close(ended)
	}()
	<-ended
	wg.Wait()
}

func bugCloseAfterCount() {
	var wg sync.WaitGroup
	out := make(chan int, 3)
	ended := make(chan bool)
	wg.Add(3)
	for i := 0; i < 2; i++ {
		go func(i int) {
			defer wg.Done()
			out <- i
		}(i)
	}
	go func() {
		pause()
		wg.Done()
		close(out)
		close(ended)
	}()
	<-ended
}

func bugCloseAfterUnlock() {
	var started sync.WaitGroup
	out := make(chan int, 2)
	ended := make(chan bool)
	started.Add(2)
	go func() {
		started.Done()
		out <- 1
	}()
	go func() {
		started.Done()
		pause()
		close(out)
		close(ended)
	}()
	started.Wait()
	<-ended
}
