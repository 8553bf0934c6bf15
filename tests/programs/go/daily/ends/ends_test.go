package ends

import (
	"net"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"
)

// What is left here is left on purpose, or could still be woken: none of it is a leak.

func TestSignals(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR2)
	go func() { <-signals }()
}

func TestNetwork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	done := make(chan bool)
	go func() {
		_, err := l.Accept()
		done <- err == nil
	}()
	go func() { <-done }()
}

func TestTimers(t *testing.T) {
	late := make(chan int)
	go func() { <-late }()
	time.AfterFunc(time.Hour, func() { close(late) })
}

func TestRecovers(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	c := make(chan int)
	close(c)
	c <- 1
}

func TestChildPanics(t *testing.T) {
	if os.Getenv("ENDS_CHILD") != "" {
		panic("as the parent expects")
	}
	child := exec.Command(os.Args[0], "-test.run=^TestChildPanics$")
	child.Env = append(os.Environ(), "ENDS_CHILD=1")
	if child.Run() == nil {
		t.Error("the child lived")
	}
}

var work = make(chan int)

func init() {
	go func() {
		for range work {
		}
	}()
}

// Work that does not end, and who waits for it.
func TestEndless(t *testing.T) {
	var work sync.WaitGroup
	work.Add(1)
	go func() {
		defer work.Done()
		select {}
	}()
	go work.Wait()
	time.Sleep(time.Millisecond)
}
