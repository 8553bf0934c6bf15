package router

import (
	"testing"
	"time"
)

// A router that nobody closes: one bug, although five goroutines wait, in different places.

type Router struct{ in, a, b, stop chan int }

func Run() *Router {
	r := &Router{make(chan int), make(chan int), make(chan int), make(chan int)}
	go r.route()
	go func() {
		for range r.a {
		}
	}()
	go func() { <-r.b }()
	go func() { <-r.stop }()
	go func() { <-r.stop }()
	return r
}

func (r *Router) route() {
	select {
	case v := <-r.in:
		r.a <- v
	case <-r.stop:
	}
}

func TestOne(t *testing.T) {
	Run()
	time.Sleep(time.Millisecond)
}

func TestTwo(t *testing.T) {
	Run()
	time.Sleep(time.Millisecond)
}
