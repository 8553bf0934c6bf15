package pool

import "example.com/dep"

// Start leaves a goroutine here and one in the other module.
func Start() {
	jobs := make(chan int)
	go func() { <-jobs }()
	dep.Leave()
}
