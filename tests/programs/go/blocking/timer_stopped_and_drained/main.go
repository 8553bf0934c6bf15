// Stop says that the timer has fired, so its channel is drained; but another goroutine may have
// taken the message.
package main

import "time"

func main() {
	fired := make(chan time.Time, 1)
	quit := make(chan struct{})
	t := time.AfterFunc(60*time.Millisecond, func() { fired <- time.Now() })
	go func() {
		select {
		case <-fired:
		case <-quit:
		}
	}()
	time.Sleep(5 * time.Millisecond)
	close(quit)
	time.Sleep(120 * time.Millisecond)
	if !t.Stop() {
		<-fired
	}
}
