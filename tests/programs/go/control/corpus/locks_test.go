package corpus

import (
	"sync"
	"testing"
)

// Whoever finds the store empty fills it, under the lock that filling takes, too.
func TestLockTwice(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		items := 0
		fill := func() {
			mu.Lock()
			items++
			mu.Unlock()
		}
		take := func() {
			mu.Lock()
			if items == 0 {
				if fixed {
					items++
				} else {
					fill()
				}
			}
			items--
			mu.Unlock()
		}
		together(fill, take)
	})
}

func TestAbBa(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var a, b sync.Mutex
		locks := func(x, y *sync.Mutex) func() {
			return func() {
				x.Lock()
				y.Lock()
				y.Unlock()
				x.Unlock()
			}
		}
		second := locks(&b, &a)
		if fixed {
			second = locks(&a, &b)
		}
		together(locks(&a, &b), second)
	})
}

func TestThreeInCircle(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var forks [3]sync.Mutex
		eats := func(i, j int) func() {
			if fixed && i > j {
				i, j = j, i
			}
			return func() {
				forks[i].Lock()
				forks[j].Lock()
				forks[j].Unlock()
				forks[i].Unlock()
			}
		}
		together(eats(0, 1), eats(1, 2), eats(2, 0))
	})
}

// A reader reads again while a writer waits.
func TestReadLockTwice(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.RWMutex
		n := 0
		get := func() int {
			if !fixed {
				mu.RLock()
				defer mu.RUnlock()
			}
			return n
		}
		sum := func() {
			mu.RLock()
			defer mu.RUnlock()
			if get()+get() < 0 {
				t.Error("less than nothing")
			}
		}
		put := func() {
			mu.Lock()
			n++
			mu.Unlock()
		}
		together(sum, put)
	})
}

// A reader that misses what it looks for becomes a writer, without ceasing to read.
func TestUpgradeReadLock(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.RWMutex
		known := false
		learn := func() {
			mu.Lock()
			known = true
			mu.Unlock()
		}
		look := func() {
			mu.RLock()
			if known {
				mu.RUnlock()
				return
			}
			if fixed {
				mu.RUnlock()
			}
			mu.Lock()
			known = true
			mu.Unlock()
			if !fixed {
				mu.RUnlock()
			}
		}
		together(learn, look)
	})
}

// The way out of a closed box forgets the lock.
func TestEarlyReturn(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		closed, n := false, 0
		put := func() {
			mu.Lock()
			if closed {
				if fixed {
					mu.Unlock()
				}
				return
			}
			n++
			mu.Unlock()
		}
		shut := func() {
			mu.Lock()
			closed = true
			mu.Unlock()
		}
		together(put, shut)
		mu.Lock()
		mu.Unlock()
	})
}

// Observers are called under the lock that they take to leave.
func TestCallback(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		var observers []func()
		leave := func() {
			mu.Lock()
			observers = nil
			mu.Unlock()
		}
		join := func() {
			mu.Lock()
			observers = append(observers, leave)
			mu.Unlock()
		}
		tell := func() {
			mu.Lock()
			all := observers
			if fixed {
				mu.Unlock()
			}
			for _, f := range all {
				f()
			}
			if !fixed {
				mu.Unlock()
			}
		}
		together(tell, join)
	})
}

type account struct {
	sync.Mutex
	id, money int
}

func TestTransfers(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		accounts := []*account{{id: 0, money: 10}, {id: 1, money: 10}, {id: 2, money: 10}}
		move := func(from, to *account) func() {
			return func() {
				x, y := from, to
				if fixed && x.id > y.id {
					x, y = y, x
				}
				x.Lock()
				y.Lock()
				from.money--
				to.money++
				y.Unlock()
				x.Unlock()
			}
		}
		together(move(accounts[0], accounts[1]), move(accounts[1], accounts[2]),
			move(accounts[1], accounts[0]))
	})
}

// Waits for a worker under the lock that the worker takes.
func TestJoinUnderLock(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		var group sync.WaitGroup
		n := 0
		group.Add(1)
		go func() {
			defer group.Done()
			mu.Lock()
			n++
			mu.Unlock()
		}()
		mu.Lock()
		n++
		if fixed {
			mu.Unlock()
		}
		group.Wait()
		if !fixed {
			mu.Unlock()
		}
	})
}

// A reader waits for another reader, and a writer comes between them.
func TestReaderWaitsForReader(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.RWMutex
		ready := make(chan bool, 1)
		first := func() {
			mu.RLock()
			if fixed {
				mu.RUnlock()
			}
			<-ready
			if !fixed {
				mu.RUnlock()
			}
		}
		second := func() {
			mu.RLock()
			ready <- true
			mu.RUnlock()
		}
		writer := func() {
			mu.Lock()
			mu.Unlock()
		}
		together(first, second, writer)
	})
}
