// A panic that nobody recovers, in a goroutine.
package main

import "time"

func boom(m map[string]int) { m["x"] = 1 }

func main() {
	go boom(nil)
	time.Sleep(time.Second)
}
