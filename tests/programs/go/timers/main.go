// Timers and tickers: After, NewTimer, Stop, Reset, AfterFunc, Ticker.
package main

import (
	"fmt"
	"time"
)

func main() {
	done := make(chan string)
	time.AfterFunc(time.Millisecond, func() { done <- "func" })
	fmt.Println(<-done)
	<-time.After(time.Millisecond)
	t := time.NewTimer(time.Hour)
	t.Stop()
	t.Reset(time.Millisecond)
	<-t.C
	tick := time.NewTicker(time.Millisecond)
	for i := 0; i < 3; i++ {
		<-tick.C
	}
	tick.Stop()
	fmt.Println("ticked")
}
