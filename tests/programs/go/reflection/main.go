// Channels by reflection: MakeChan, Send, Recv, TrySend, Select, Close.
package main

import (
	"fmt"
	"reflect"
)

func main() {
	c := reflect.MakeChan(reflect.TypeOf((chan int)(nil)), 1)
	c.Send(reflect.ValueOf(1))
	fmt.Println(c.TrySend(reflect.ValueOf(2)))
	v, ok := c.Recv()
	fmt.Println(v, ok)
	d := make(chan int)
	go func() { d <- 3 }()
	i, v, ok := reflect.Select([]reflect.SelectCase{
		{Dir: reflect.SelectRecv, Chan: c},
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(d)},
	})
	fmt.Println(i, v, ok)
	c.Close()
	_, ok = c.Recv()
	fmt.Println(ok)
}
