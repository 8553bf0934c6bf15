package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// several runs the function so many times at once and waits.
func several(n int, f func(i int)) {
	var wg sync.WaitGroup
	wg.Add(n)
	for i := 0; i < n; i++ {
		go func(i int) {
			defer wg.Done()
			f(i)
		}(i)
	}
	wg.Wait()
}

// ---- locks made by hand ----

type spin struct{ taken atomic.Int32 }

func (s *spin) lock() {
	for !s.taken.CompareAndSwap(0, 1) {
		runtime.Gosched()
	}
}

func (s *spin) unlock() { s.taken.Store(0) }

func casLock() {
	var outer, inner spin
	n, out := 0, make(chan int, 4)
	several(4, func(i int) {
		outer.lock()
		inner.lock()
		n++
		if n == 4 {
			close(out)
		} else {
			out <- i
		}
		inner.unlock()
		outer.unlock()
	})
	must(n == 4)
}

func ticketLock() {
	var next, serving atomic.Uint32
	n := 0
	out := make(chan int, 3)
	several(3, func(i int) {
		mine := next.Add(1) - 1
		for serving.Load() != mine {
			runtime.Gosched()
		}
		n++
		if n == 3 {
			close(out)
		} else {
			out <- i
		}
		serving.Add(1)
	})
}

func peterson() {
	var wants [2]atomic.Bool
	var turn atomic.Int32
	done := false
	var d = make(chan int, 1)
	several(2, func(i int) {
		wants[i].Store(true)
		turn.Store(int32(1 - i))
		for wants[1-i].Load() && turn.Load() == int32(1-i) {
			runtime.Gosched()
		}
		if !done {
			done = true
			close(d)
		}
		wants[i].Store(false)
	})
}

func channelMutex() {
	m := make(chan struct{}, 1)
	closed := false
	d := make(chan int, 3)
	several(3, func(i int) {
		m <- struct{}{}
		if i == 0 {
			closed = true
			close(d)
		} else if !closed {
			d <- i
		}
		<-m
	})
}

func channelTryLock() {
	m := make(chan struct{}, 1)
	var count atomic.Int32
	several(3, func(i int) {
		select {
		case m <- struct{}{}:
			forwards()
			count.Add(1)
			<-m
		default:
			m <- struct{}{}
			backwards()
			<-m
		}
	})
}

func sequenceLock() {
	var seq, a, b atomic.Uint64
	both(func() {
		for i := uint64(1); i <= 5; i++ {
			seq.Add(1)
			a.Store(i)
			b.Store(i)
			seq.Add(1)
		}
	}, func() {
		for i := 0; i < 5; i++ {
			s := seq.Load()
			x, y := a.Load(), b.Load()
			if s%2 == 0 && seq.Load() == s {
				must(x == y)
			}
		}
	})
}

// ---- publication ----

type config struct {
	version int
	order   func()
}

func publishedPointer() {
	var current atomic.Pointer[config]
	current.Store(&config{1, forwards})
	var mu sync.Mutex
	both(func() {
		for i := 0; i < 3; i++ {
			c := current.Load()
			mu.Lock()
			c.order()
			mu.Unlock()
		}
	}, func() {
		pause()
		mu.Lock()
		current.Store(&config{2, backwards})
		mu.Unlock()
	})
}

func copiedMap() {
	var shared atomic.Value
	shared.Store(map[int]int{})
	var mu sync.Mutex
	several(3, func(i int) {
		mu.Lock()
		defer mu.Unlock()
		old := shared.Load().(map[int]int)
		fresh := map[int]int{i: i}
		for k, v := range old {
			fresh[k] = v
		}
		shared.Store(fresh)
	})
	must(len(shared.Load().(map[int]int)) == 3)
}

func eventCounter() {
	var events atomic.Int64
	result := make(chan int, 2)
	both(func() {
		result <- 1
		events.Add(1)
		result <- 2
		events.Add(1)
	}, func() {
		for events.Load() < 2 {
			runtime.Gosched()
		}
		close(result)
	})
}

func syncMap() {
	var m sync.Map
	made := make(chan chan int, 4)
	several(4, func(i int) {
		c := make(chan int, 1)
		got, loaded := m.LoadOrStore("key", c)
		if !loaded {
			made <- c
			return
		}
		must(got != nil)
	})
	close(made)
	must(len(made) == 1)
}

func syncPool() {
	pool := sync.Pool{New: func() any { return new(sync.Mutex) }}
	several(4, func(i int) {
		a := pool.Get().(*sync.Mutex)
		b := pool.Get().(*sync.Mutex)
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
		pool.Put(b)
		pool.Put(a)
	})
}

func doubleChecked() {
	var ready atomic.Bool
	var mu sync.Mutex
	var c chan int
	get := func() chan int {
		if !ready.Load() {
			mu.Lock()
			defer mu.Unlock()
			if !ready.Load() {
				c = make(chan int, 3)
				ready.Store(true)
			}
		}
		return c
	}
	several(3, func(i int) { get() <- i })
	must(len(get()) == 3)
}

// ---- the library's ways ----

func contextTree() {
	root, cancel := context.WithCancel(context.Background())
	defer cancel()
	child, stop := context.WithTimeout(root, time.Hour)
	defer stop()
	grandchild := context.WithValue(child, key{}, 1)
	both(func() {
		<-grandchild.Done()
	}, func() {
		pause()
		cancel()
	})
	must(errors.Is(grandchild.Err(), context.Canceled))
}

type key struct{}

type group struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
	stop context.CancelFunc
}

func (g *group) run(f func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		if err := f(); err != nil {
			g.once.Do(func() {
				g.err = err
				g.stop()
			})
		}
	}()
}

func errorGroup() {
	ctx, stop := context.WithCancel(context.Background())
	g := &group{stop: stop}
	work := make(chan int)
	g.run(func() error {
		defer close(work)
		for i := 0; ; i++ {
			select {
			case work <- i:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	for i := 0; i < 2; i++ {
		g.run(func() error {
			for v := range work {
				if v == 3 {
					return errors.New("enough")
				}
			}
			return nil
		})
	}
	g.wg.Wait()
	stop()
	must(g.err != nil)
}

func afterFunc() {
	var mu sync.Mutex
	fired := false
	done := make(chan struct{})
	t := time.AfterFunc(time.Millisecond, func() {
		mu.Lock()
		fired = true
		mu.Unlock()
		close(done)
	})
	pause()
	if t.Stop() {
		close(done)
	}
	<-done
	mu.Lock()
	_ = fired
	mu.Unlock()
}

func tickerStopped() {
	t := time.NewTicker(time.Millisecond)
	for i := 0; i < 3; i++ {
		<-t.C
	}
	t.Stop()
	select {
	case <-t.C:
	default:
	}
}

func timerReset() {
	t := time.NewTimer(time.Hour)
	both(func() { <-t.C }, func() {
		pause()
		if !t.Stop() {
			return
		}
		t.Reset(time.Millisecond)
	})
}

// Whoever waits is woken by the work, and the timer fires before it goes on: Stop and Reset take back what the timer
// sent (since Go 1.23).
func timerTakenBack() {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	timer := time.NewTimer(time.Hour)
	ticker := time.NewTicker(time.Hour)
	work := make(chan int, 1)
	for i := 0; i < 50; i++ {
		timer.Reset(time.Microsecond)
		ticker.Reset(time.Microsecond)
		go func() {
			for now := time.Now(); time.Since(now) < 10*time.Microsecond; {
			}
			work <- i
		}()
		select {
		case <-timer.C:
			<-work
		case <-ticker.C:
			<-work
		case <-work:
			timer.Stop()
		}
	}
}

// Who waits for a timer that has fired is not left behind: the other goroutine would set it again.
func timerSetAgain() {
	t := time.NewTimer(time.Millisecond)
	go func() {
		<-t.C
		<-t.C
	}()
	go func() {
		time.Sleep(time.Hour)
		t.Reset(time.Millisecond)
	}()
	pause()
}

// The ticker is stopped, and the goroutine that waits for it is not told.
func bugTimerStopped() {
	ticks, quit := time.NewTicker(time.Millisecond), make(chan bool)
	go func() {
		for {
			select {
			case <-ticks.C:
			case <-quit:
				return
			}
		}
	}()
	pause()
	ticks.Stop()
	pause()
}

// The timer has fired and its message was received, so there is nothing to drain.
func bugTimerDrained() {
	t := time.NewTimer(time.Millisecond)
	go func() {
		<-t.C
		if !t.Stop() {
			<-t.C
		}
	}()
	pause()
	pause()
}

func signalNotify() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	both(func() {
		forwards()
		syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	}, func() {
		<-c
		backwards()
	})
	signal.Stop(c)
}

// ---- channels ----

func future() {
	result := make(chan int, 1)
	go func() { result <- 5 }()
	several(3, func(i int) {
		v := <-result
		must(v == 5)
		result <- v
	})
}

func broadcastByClose() {
	start := make(chan struct{})
	out := make(chan int, 4)
	both(func() {
		several(4, func(i int) {
			<-start
			out <- i
		})
		close(out)
	}, func() {
		pause()
		close(start)
	})
}

func pingPong() {
	ping, pong := make(chan int), make(chan int)
	both(func() {
		for i := 0; i < 3; i++ {
			ping <- i
			<-pong
		}
		close(ping)
	}, func() {
		for v := range ping {
			pong <- v
		}
	})
}

func boundedWorkers() {
	slots := make(chan struct{}, 2)
	results := make(chan int, 5)
	several(5, func(i int) {
		slots <- struct{}{}
		defer func() { <-slots }()
		results <- i
	})
	close(results)
}

func singleFlight() {
	var mu sync.Mutex
	var call chan struct{}
	value := 0
	several(3, func(i int) {
		mu.Lock()
		if c := call; c != nil {
			mu.Unlock()
			<-c
			return
		}
		call = make(chan struct{})
		c := call
		mu.Unlock()
		value = 9
		close(c)
	})
	must(value == 9)
}

func actor() {
	inbox := make(chan func(), 2)
	stopped := make(chan struct{})
	go func() {
		for f := range inbox {
			f()
		}
		close(stopped)
	}()
	total := 0
	several(3, func(i int) {
		reply := make(chan int, 1)
		inbox <- func() {
			total += i
			reply <- total
		}
		<-reply
	})
	close(inbox)
	<-stopped
	must(total == 3)
}

func drainThenClose() {
	var mu sync.RWMutex
	closed := false
	out := make(chan int, 8)
	both(func() {
		several(3, func(i int) {
			mu.RLock()
			defer mu.RUnlock()
			if !closed {
				out <- i
			}
		})
	}, func() {
		pause()
		mu.Lock()
		closed = true
		close(out)
		mu.Unlock()
	})
}

func stopAndStopped() {
	stop, stopped := make(chan struct{}), make(chan struct{})
	work := make(chan int)
	go func() {
		defer close(stopped)
		defer close(work)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case work <- i:
			}
		}
	}()
	<-work
	<-work
	close(stop)
	<-stopped
}

func pipeOfStages() {
	source := make(chan int)
	go func() {
		defer close(source)
		for i := 1; i <= 4; i++ {
			source <- i
		}
	}()
	stage := func(in <-chan int) <-chan int {
		out := make(chan int, 1)
		go func() {
			defer close(out)
			for v := range in {
				out <- v + 1
			}
		}()
		return out
	}
	sum := 0
	for v := range stage(stage(source)) {
		sum += v
	}
	must(sum == 18)
}

// ---- several locks ----

func tryLockBackOff() {
	var a, b sync.Mutex
	take := func(x, y *sync.Mutex) {
		for {
			x.Lock()
			if y.TryLock() {
				y.Unlock()
				x.Unlock()
				return
			}
			x.Unlock()
			runtime.Gosched()
		}
	}
	both(func() { take(&a, &b) }, func() { take(&b, &a) })
}

type account struct {
	id int
	mu sync.Mutex
}

func locksByAddress() {
	accounts := [3]account{{id: 0}, {id: 1}, {id: 2}}
	move := func(x, y *account) {
		if x.id > y.id {
			x, y = y, x
		}
		x.mu.Lock()
		y.mu.Lock()
		y.mu.Unlock()
		x.mu.Unlock()
	}
	several(3, func(i int) { move(&accounts[i], &accounts[(i+1)%3]) })
}

func upgradeAndRecheck() {
	var mu sync.RWMutex
	var c chan int
	several(3, func(i int) {
		mu.RLock()
		have := c != nil
		mu.RUnlock()
		if have {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if c == nil {
			c = make(chan int)
			close(c)
		}
	})
}

type barrier struct {
	mu         sync.Mutex
	cond       *sync.Cond
	here, turn int
}

func (b *barrier) wait(of int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	turn := b.turn
	if b.here++; b.here == of {
		b.here = 0
		b.turn++
		b.cond.Broadcast()
		return
	}
	for turn == b.turn {
		b.cond.Wait()
	}
}

func reusableBarrier() {
	b := &barrier{}
	b.cond = sync.NewCond(&b.mu)
	several(3, func(i int) {
		if i == 0 {
			forwards()
		}
		b.wait(3)
		if i == 1 {
			backwards()
		}
		b.wait(3)
		if i == 2 {
			forwards()
		}
	})
}
