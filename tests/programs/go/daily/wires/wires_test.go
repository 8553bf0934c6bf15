// A server and its clients in one process: a connection orders what its two ends do, and nothing else.
package wires

import (
	"net"
	"sync"
	"testing"
	"time"
)

func serve(t *testing.T, answer func(byte)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				var b [1]byte
				for {
					if _, err := c.Read(b[:]); err != nil {
						return
					}
					answer(b[0])
					c.Write(b[:])
				}
			}()
		}
	}()
	return l.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func ask(c net.Conn, what byte) {
	b := [1]byte{what}
	c.Write(b[:])
	c.Read(b[:])
}

// Whoever asks has the answer before the next one does.
func TestOneByOne(t *testing.T) {
	count := 0
	address := serve(t, func(byte) { count++ })
	one, two := dial(t, address), dial(t, address)
	ask(one, 1)
	ask(two, 1)
	ask(one, 1)
	if count != 3 {
		t.Error(count)
	}
}

// Two requests on two connections take two locks in opposite orders.
func TestBothWays(t *testing.T) {
	var a, b sync.Mutex
	address := serve(t, func(what byte) {
		if what == 0 {
			return
		}
		from, to := &a, &b
		if what == 2 {
			from, to = to, from
		}
		from.Lock()
		to.Lock()
		to.Unlock()
		from.Unlock()
	})
	one, two := dial(t, address), dial(t, address)
	ask(one, 0)
	ask(two, 0)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		ask(one, 1)
	}()
	go func() {
		defer wg.Done()
		time.Sleep(100 * time.Millisecond)
		ask(two, 2)
	}()
	wg.Wait()
}
