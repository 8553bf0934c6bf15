package main

import "sync"

// A reader that reads again, and a writer that may come in between.
func readLockAgain() {
	var mu sync.RWMutex
	get := func() {
		mu.RLock()
		defer mu.RUnlock()
	}
	over := make(chan bool, 2)
	go func() {
		mu.RLock()
		get()
		mu.RUnlock()
		over <- true
	}()
	pause()
	go func() {
		mu.Lock()
		defer mu.Unlock()
		over <- true
	}()
	<-over
	<-over
}

func readLockOnce() {
	var mu sync.RWMutex
	over := make(chan bool, 2)
	go func() {
		mu.RLock()
		mu.RUnlock()
		mu.RLock()
		mu.RUnlock()
		over <- true
	}()
	go func() {
		mu.Lock()
		mu.Unlock()
		over <- true
	}()
	<-over
	<-over
}

// Readers of two locks in both orders block each other as soon as writers wait.
func crossed(second func(a, b *sync.RWMutex)) {
	var a, b sync.RWMutex
	over := make(chan bool, 4)
	reads := func(x, y *sync.RWMutex) {
		x.RLock()
		y.RLock()
		y.RUnlock()
		x.RUnlock()
		over <- true
	}
	writes := func(x *sync.RWMutex) {
		x.Lock()
		x.Unlock()
		over <- true
	}
	go reads(&a, &b)
	pause()
	go func() {
		second(&a, &b)
		over <- true
	}()
	pause()
	go writes(&a)
	go writes(&b)
	for i := 0; i < 4; i++ {
		<-over
	}
}

func readBoth(x, y *sync.RWMutex) {
	x.RLock()
	y.RLock()
	y.RUnlock()
	x.RUnlock()
}

func readLocksCrossed() { crossed(func(a, b *sync.RWMutex) { readBoth(b, a) }) }
func readLocksOrdered() { crossed(func(a, b *sync.RWMutex) { readBoth(a, b) }) }

func sendUnderLock() {
	var mu sync.Mutex
	events := make(chan int)
	over := make(chan bool, 2)
	go func() {
		mu.Lock()
		mu.Unlock()
		<-events
		over <- true
	}()
	pause()
	go func() {
		mu.Lock()
		events <- 1
		mu.Unlock()
		over <- true
	}()
	<-over
	<-over
}

func sendAfterLock() {
	var mu sync.Mutex
	events := make(chan int)
	over := make(chan bool, 2)
	go func() {
		mu.Lock()
		mu.Unlock()
		<-events
		over <- true
	}()
	go func() {
		mu.Lock()
		mu.Unlock()
		events <- 1
		over <- true
	}()
	<-over
	<-over
}

func waits(inside bool) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		mu.Lock()
		mu.Unlock()
	}()
	pause()
	mu.Lock()
	if inside {
		wg.Wait()
	}
	mu.Unlock()
	wg.Wait()
}

func waitUnderLock() { waits(true) }
func waitAfterLock() { waits(false) }

// Who holds the lock wants the Once, and what the Once runs wants the lock.
func onceAndLock() {
	var mu sync.Mutex
	var once sync.Once
	over := make(chan bool, 2)
	start := func() {
		mu.Lock()
		mu.Unlock()
	}
	go func() {
		once.Do(start)
		over <- true
	}()
	pause()
	go func() {
		mu.Lock()
		once.Do(start)
		mu.Unlock()
		over <- true
	}()
	<-over
	<-over
}

func onceThenLock() {
	var mu sync.Mutex
	var once sync.Once
	over := make(chan bool, 2)
	start := func() {
		mu.Lock()
		mu.Unlock()
	}
	for i := 0; i < 2; i++ {
		go func() {
			once.Do(start)
			mu.Lock()
			mu.Unlock()
			over <- true
		}()
	}
	<-over
	<-over
}

type registry struct {
	mu    sync.Mutex
	hooks []func()
}

// A callback is called under one lock and takes another; elsewhere it is the other way round.
func callback(held bool) {
	var r registry
	var state sync.Mutex
	over := make(chan bool, 2)
	r.hooks = append(r.hooks, func() {
		state.Lock()
		state.Unlock()
	})
	go func() {
		r.mu.Lock()
		hooks := r.hooks
		if !held {
			r.mu.Unlock()
		}
		for _, f := range hooks {
			f()
		}
		if held {
			r.mu.Unlock()
		}
		over <- true
	}()
	pause()
	go func() {
		state.Lock()
		r.mu.Lock()
		r.hooks = append(r.hooks, func() {})
		r.mu.Unlock()
		state.Unlock()
		over <- true
	}()
	<-over
	<-over
}

func callbackUnderLock() { callback(true) }
func callbackAfterLock() { callback(false) }

func missedSignal() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	over := make(chan bool)
	go func() {
		mu.Lock()
		cond.Wait()
		mu.Unlock()
		over <- true
	}()
	pause()
	mu.Lock()
	cond.Signal()
	mu.Unlock()
	<-over
}

func signalInLoop() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	ready := false
	over := make(chan bool)
	go func() {
		mu.Lock()
		for !ready {
			cond.Wait()
		}
		mu.Unlock()
		over <- true
	}()
	pause()
	mu.Lock()
	ready = true
	cond.Signal()
	mu.Unlock()
	<-over
}

// Two wait, one is woken, and then the other: unless the first signal comes before both wait.
func two(wake func(c *sync.Cond)) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	ready := false
	over := make(chan bool, 2)
	for i := 0; i < 2; i++ {
		go func() {
			mu.Lock()
			for !ready {
				cond.Wait()
			}
			mu.Unlock()
			over <- true
		}()
	}
	pause()
	mu.Lock()
	ready = true
	mu.Unlock()
	wake(cond)
	<-over
	pause()
}

func oneForTwo() { two((*sync.Cond).Signal) }
func allForTwo() { two((*sync.Cond).Broadcast) }

// Tasks take a second token while they have one.
func semaphore(depth int) {
	tokens := make(chan bool, 2)
	var task func(n int)
	task = func(n int) {
		tokens <- true
		if n > 1 {
			task(n - 1)
		}
		<-tokens
	}
	over := make(chan bool, 2)
	go func() {
		task(depth)
		over <- true
	}()
	pause()
	go func() {
		task(depth)
		over <- true
	}()
	<-over
	<-over
}

func nestedSemaphore() { semaphore(2) }
func flatSemaphore()   { semaphore(1) }

// Whoever finds nothing returns without unlocking; here it comes last.
func stock(unlocks bool) {
	var mu sync.Mutex
	left := map[string]int{"apples": 2}
	take := func(what string) {
		mu.Lock()
		if left[what] == 0 {
			if unlocks {
				mu.Unlock()
			}
			return
		}
		left[what]--
		mu.Unlock()
	}
	over := make(chan bool, 3)
	for _, what := range []string{"apples", "apples", "pears"} {
		what := what
		go func() {
			take(what)
			over <- true
		}()
		pause()
	}
	for i := 0; i < 3; i++ {
		<-over
	}
}

func errorKeepsLock() { stock(false) }
func errorUnlocks()   { stock(true) }
