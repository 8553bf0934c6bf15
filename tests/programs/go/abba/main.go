// Classic: two locks in opposite order, and both goroutines get their first one.
package main

import "sync"

func both(first, second *sync.Mutex, have, go_on chan bool) {
	first.Lock()
	have <- true
	<-go_on
	second.Lock()
	second.Unlock()
	first.Unlock()
}

func main() {
	var a, b sync.Mutex
	have, go_on := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); both(&a, &b, have, go_on) }()
	go func() { defer wg.Done(); both(&b, &a, have, go_on) }()
	<-have
	<-have
	close(go_on)
	wg.Wait()
}
