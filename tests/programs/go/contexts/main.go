// Context: cancellation and a deadline reach the goroutines through channels.
package main

import (
	"context"
	"fmt"
	"time"
)

func work(ctx context.Context, out chan<- error) {
	select {
	case <-ctx.Done():
		out <- ctx.Err()
	case <-time.After(time.Minute):
		out <- nil
	}
}

func main() {
	out := make(chan error)
	ctx, cancel := context.WithCancel(context.Background())
	go work(ctx, out)
	cancel()
	fmt.Println(<-out)
	ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	go work(ctx, out)
	fmt.Println(<-out)
}
