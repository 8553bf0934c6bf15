//go:build odd

package odd

// Start leaves a goroutine, if the tag is given.
func Start() {
	odd := make(chan int)
	go func() { odd <- 1 }()
}
