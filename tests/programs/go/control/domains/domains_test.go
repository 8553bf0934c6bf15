// Bugs as they are in services: each needs a certain order, and has a twin that is one edit away.
package domains

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

func both(t *testing.T, run func(t *testing.T, fixed bool)) {
	t.Run("bug", func(t *testing.T) { run(t, false) })
	t.Run("fixed", func(t *testing.T) { run(t, true) })
}

// ---- a rate limiter: its tokens are closed while the refill sends one ----

type limiter struct {
	tokens chan struct{}
	stop   chan struct{}
	over   chan struct{}
}

func newLimiter() *limiter {
	l := &limiter{make(chan struct{}, 2), make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(l.over)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-l.stop:
				return
			case <-tick.C:
				select {
				case l.tokens <- struct{}{}:
				default:
				}
			}
		}
	}()
	return l
}

func (l *limiter) Stop(fixed bool) {
	close(l.stop)
	if fixed {
		<-l.over
	}
	close(l.tokens)
}

func TestRateLimiter(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		l := newLimiter()
		<-l.tokens
		l.Stop(fixed)
	})
}

// ---- a pool of connections: one that is handed to somebody who has given up is lost ----

type pool struct {
	mu      sync.Mutex
	idle    []int
	waiters []chan int
}

func (p *pool) Get(ctx context.Context, fixed bool) (int, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	w := make(chan int, 1)
	p.waiters = append(p.waiters, w)
	p.mu.Unlock()
	select {
	case c := <-w:
		return c, nil
	case <-ctx.Done():
		if fixed {
			p.mu.Lock()
			for i := range p.waiters {
				if p.waiters[i] == w {
					p.waiters = append(p.waiters[:i], p.waiters[i+1:]...)
					break
				}
			}
			p.mu.Unlock()
			select {
			case c := <-w:
				p.Put(c)
			default:
			}
		}
		return 0, ctx.Err()
	}
}

func (p *pool) Put(c int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiters) > 0 {
		w := p.waiters[0]
		p.waiters = p.waiters[1:]
		w <- c
		return
	}
	p.idle = append(p.idle, c)
}

func TestConnectionPool(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		p := &pool{idle: []int{1}}
		c, _ := p.Get(context.Background(), fixed)
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		wg.Add(2)
		go func() {
			defer wg.Done()
			if c, err := p.Get(ctx, fixed); err == nil {
				p.Put(c)
			}
		}()
		go func() {
			defer wg.Done()
			cancel()
		}()
		p.Put(c)
		wg.Wait()
		if len(p.idle) != 1 {
			t.Fatalf("%d idle connections instead of 1", len(p.idle))
		}
	})
}

// ---- a cache: who comes second may see the entry before it is filled ----

type call struct {
	done  chan struct{}
	value string
}

type cache struct {
	mu    sync.Mutex
	calls map[string]*call
	loads int
}

func (c *cache) Get(key string, fixed bool) string {
	c.mu.Lock()
	if x, ok := c.calls[key]; ok {
		c.mu.Unlock()
		<-x.done
		return x.value
	}
	if !fixed { // so that loading does not hold the lock; but somebody else may load meanwhile
		c.mu.Unlock()
		c.mu.Lock()
	}
	x := &call{done: make(chan struct{})}
	c.calls[key] = x
	c.loads++
	c.mu.Unlock()
	x.value = "value of " + key
	close(x.done)
	return x.value
}

func TestCache(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		c := &cache{calls: map[string]*call{}}
		var wg sync.WaitGroup
		for i := 0; i < 3; i++ {
			wg.Add(1)
			go func() { defer wg.Done(); c.Get("a", fixed) }()
		}
		wg.Wait()
		if c.loads != 1 {
			t.Fatalf("loaded %d times", c.loads)
		}
	})
}

// ---- an event bus: it publishes under its lock, and a subscriber that leaves wants the lock ----

type bus struct {
	mu   sync.Mutex
	subs map[chan int]bool
}

func (b *bus) Publish(e int, fixed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.subs {
		if fixed {
			select {
			case s <- e:
			default:
			}
		} else {
			s <- e
		}
	}
}

func (b *bus) Leave(s chan int) {
	b.mu.Lock()
	delete(b.subs, s)
	b.mu.Unlock()
}

func TestEventBus(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		s := make(chan int, 1)
		b := &bus{subs: map[chan int]bool{s: true}}
		over := make(chan bool)
		go func() {
			<-s
			b.Leave(s)
			close(over)
		}()
		for i := 0; i < 3; i++ {
			b.Publish(i, fixed)
		}
		if !fixed {
			<-over
		}
	})
}

// ---- a pipeline: the first error ends it, and a stage goes on sending ----

func TestPipeline(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		items, errs := make(chan int), make(chan error, 2)
		go func() {
			defer close(items)
			for i := 0; i < 4; i++ {
				if fixed {
					select {
					case items <- i:
					case <-ctx.Done():
						return
					}
				} else {
					items <- i
				}
			}
		}()
		var wg sync.WaitGroup
		for w := 0; w < 2; w++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range items {
					if i == 2 && ctx.Err() == nil {
						errs <- errors.New("no twos")
						cancel()
						return
					}
					if ctx.Err() != nil {
						return
					}
				}
			}()
		}
		wg.Wait()
	})
}

// ---- a batcher: the size and the timer flush the same batch ----

type batcher struct {
	mu      sync.Mutex
	batch   []int
	timer   *time.Timer
	flushed [][]int
}

func (b *batcher) Add(i int, fixed bool) {
	b.mu.Lock()
	b.batch = append(b.batch, i)
	n := len(b.batch)
	if n == 1 {
		b.timer = time.AfterFunc(time.Millisecond, func() { b.flush(fixed) })
	}
	timer := b.timer
	b.mu.Unlock()
	if n == 2 {
		timer.Stop()
		b.flush(fixed)
	}
}

func (b *batcher) flush(fixed bool) {
	b.mu.Lock()
	batch := b.batch
	if !fixed {
		b.mu.Unlock()
		b.mu.Lock()
	}
	b.batch = nil
	if len(batch) > 0 {
		b.flushed = append(b.flushed, batch)
	}
	b.mu.Unlock()
}

func TestBatcher(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var b batcher
		for i := 0; i < 4; i++ {
			b.Add(i, fixed)
		}
		time.Sleep(5 * time.Millisecond)
		b.mu.Lock()
		defer b.mu.Unlock()
		n := 0
		for _, x := range b.flushed {
			n += len(x)
		}
		if n != 4 {
			t.Fatalf("%d items were flushed instead of 4: %v", n, b.flushed)
		}
	})
}

// ---- a lease: who checks it and then works may work when it is somebody else's ----

type lease struct {
	mu     sync.Mutex
	holder int
	until  time.Time
}

func (l *lease) Take(who int, d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder != 0 && time.Now().Before(l.until) {
		return false
	}
	l.holder, l.until = who, time.Now().Add(d)
	return true
}

func (l *lease) Do(who int, work func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder != who || !time.Now().Before(l.until) {
		return false
	}
	work()
	return true
}

func TestLease(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var l lease
		var mu sync.Mutex
		writes := []int{}
		var wg sync.WaitGroup
		for who := 1; who <= 2; who++ {
			wg.Add(1)
			go func(who int) {
				defer wg.Done()
				for !l.Take(who, 10*time.Millisecond) {
					time.Sleep(3 * time.Millisecond)
				}
				time.Sleep(9 * time.Millisecond) // it prepares what it writes
				write := func() { mu.Lock(); writes = append(writes, who); mu.Unlock() }
				if fixed {
					l.Do(who, write)
				} else if l.isMine(who) {
					time.Sleep(2 * time.Millisecond)
					l.mu.Lock()
					late := l.holder != who
					l.mu.Unlock()
					if late {
						t.Errorf("%d writes, and the lease is another's", who)
					}
					write()
				}
			}(who)
		}
		wg.Wait()
	})
}

func (l *lease) isMine(who int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holder == who && time.Now().Before(l.until)
}

// ---- shutting down a server: what a handler left to a goroutine is told too late ----

func TestShutdownServer(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		audit := make(chan string, 4)
		var background sync.WaitGroup
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			background.Add(1)
			go func() {
				defer background.Done()
				audit <- r.URL.Path
			}()
			io.WriteString(w, "ok")
		}))
		for i := 0; i < 2; i++ {
			if answer, err := s.Client().Get(s.URL + "/x"); err == nil {
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		}
		s.Close()
		if fixed {
			background.Wait()
		}
		close(audit)
		for range audit {
		}
	})
}

// ---- workers that are scaled: two scale down at once, and stop one that is not there ----

func TestAutoscaler(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var mu sync.Mutex
		workers, stop := 2, make(chan bool)
		var wg, scalers sync.WaitGroup
		for i := 0; i < 2; i++ {
			wg.Add(1)
			go func() { defer wg.Done(); <-stop }()
		}
		for i := 0; i < 3; i++ {
			scalers.Add(1)
			go func() {
				defer scalers.Done()
				mu.Lock()
				enough := workers > 0
				if fixed && enough {
					workers--
				}
				mu.Unlock()
				if !enough {
					return
				}
				if !fixed {
					mu.Lock()
					workers--
					mu.Unlock()
				}
				stop <- true
			}()
		}
		scalers.Wait()
		wg.Wait()
	})
}

// ---- retries: who gives up leaves the last attempt behind ----

func TestRetry(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		room := 0
		if fixed {
			room = 1
		}
		for attempt := 0; attempt < 3; attempt++ {
			answer := make(chan error, room)
			go func() {
				time.Sleep(7 * time.Millisecond)
				answer <- errors.New("not yet")
			}()
			select {
			case <-answer:
			case <-ctx.Done():
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
}
