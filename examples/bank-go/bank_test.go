package bank

import (
	"sync"
	"testing"
	"time"
)

type account struct {
	sync.Mutex
	balance int
}

func transfer(from, to *account, n int) {
	from.Lock()
	defer from.Unlock()
	to.Lock()
	defer to.Unlock()
	from.balance -= n
	to.balance += n
}

func TestTransfers(t *testing.T) {
	var alice, bob account
	done := make(chan bool, 2)
	go func() { transfer(&alice, &bob, 5); done <- true }()
	time.Sleep(10 * time.Millisecond)
	go func() { transfer(&bob, &alice, 3); done <- true }()
	<-done
	<-done
}
