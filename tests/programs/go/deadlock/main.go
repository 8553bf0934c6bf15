// Everybody waits: Go's runtime notices and ends the program.
package main

func main() {
	a, b := make(chan int), make(chan int)
	go func() {
		<-a
		b <- 1
	}()
	<-b
}
