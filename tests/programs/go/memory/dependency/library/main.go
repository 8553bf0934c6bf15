// Two goroutines write to one buffer; all accesses to it are in Go's own library.
package main

import "bytes"

var text bytes.Buffer

func main() {
	done := make(chan bool)
	go func() {
		text.WriteString("x")
		done <- true
	}()
	text.WriteString("y")
	<-done
}
