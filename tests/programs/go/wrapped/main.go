// The compiler makes functions of methods: they are no places of the program.
package main

import "sync"

type box struct{ sync.Mutex }

func take(l sync.Locker) {
	l.Lock()
}

func main() {
	var b box
	lock := b.Mutex.Lock
	lock()
	take(&b)
}
