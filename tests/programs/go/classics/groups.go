package main

import "sync"

func addInside() {
	var wg sync.WaitGroup
	go func() {
		wg.Add(1)
		defer wg.Done()
	}()
	pause()
	wg.Wait()
}

func addBefore() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
	}()
	pause()
	wg.Wait()
}

// The parent is done before its child is counted.
func addAfterDone() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		wg.Done()
		wg.Add(1)
		go wg.Done()
	}()
	pause()
	wg.Wait()
}

func addBeforeDone() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		wg.Add(1)
		go wg.Done()
		wg.Done()
	}()
	pause()
	wg.Wait()
}

type server struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

func (s *server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *server) shutdown() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.wg.Wait()
}

// Asks, and then acts: the server may be closed in between.
func addWhileClosing() {
	var s server
	go func() {
		if !s.isClosed() {
			s.wg.Add(1)
			defer s.wg.Done()
		}
	}()
	pause()
	s.shutdown()
}

func addUnderLock() {
	var s server
	go func() {
		s.mu.Lock()
		if !s.closed {
			s.wg.Add(1)
			defer s.wg.Done()
		}
		s.mu.Unlock()
	}()
	pause()
	s.shutdown()
}

// The worker counts down another group than the one that is waited for.
func waitForCopy() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func(wg *sync.WaitGroup) {
		var own sync.WaitGroup
		own.Add(1)
		own.Done()
	}(&wg)
	go func() { wg.Wait() }()
	pause()
}

func waitForPointer() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func(wg *sync.WaitGroup) {
		wg.Done()
	}(&wg)
	wg.Wait()
}
