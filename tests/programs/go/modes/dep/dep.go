// Package dep is another module: vendored, replaced, or of a workspace.
package dep

// Leave starts a goroutine that waits for ever.
func Leave() {
	left := make(chan int)
	go func() { left <- 1 }()
}
