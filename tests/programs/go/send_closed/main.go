// Classic: the receiver closes the channel and a sender is still at it.
package main

func main() {
	c := make(chan int)
	done := make(chan bool)
	go func() {
		<-c
		close(c)
		done <- true
	}()
	c <- 1
	<-done
	c <- 2
}
