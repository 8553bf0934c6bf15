// The newsreader of the first paper: two agencies, a reader that takes one message of each
// round; what the other sends has no receiver when the reader stops.
package main

import "fmt"

func reuters(ch chan string)   { ch <- "REUTERS" }
func bloomberg(ch chan string) { ch <- "BLOOMBERG" }

func newsReader(rCh, bCh chan string) {
	ch := make(chan string)
	go func() { ch <- (<-rCh) }()
	go func() { ch <- (<-bCh) }()
	x := <-ch
	fmt.Println("got news from", x)
}

func main() {
	rCh, bCh := make(chan string), make(chan string)
	go reuters(rCh)
	go bloomberg(bCh)
	go newsReader(rCh, bCh)
	newsReader(rCh, bCh)
}
