// Workers add while the group is not at zero: before they are done themselves, and under a lock
// that says whether one may still.
package main

import "sync"

func tree(wg *sync.WaitGroup, depth int) {
	defer wg.Done()
	if depth > 0 {
		wg.Add(2)
		go tree(wg, depth-1)
		go tree(wg, depth-1)
	}
}

type server struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

func (s *server) serve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.wg.Add(1)
		go s.wg.Done()
	}
}

func main() {
	var wg sync.WaitGroup
	wg.Add(1)
	go tree(&wg, 3)
	wg.Wait()

	var s server
	for i := 0; i < 4; i++ {
		go s.serve()
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.wg.Wait()
}
