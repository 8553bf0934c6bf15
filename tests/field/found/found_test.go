// What docs/found.md describes: each test shows a bug of the module that it uses.
package found

import (
	"context"
	"testing"
	"time"

	"github.com/alitto/pond"
	"github.com/cskr/pubsub"
)

// A Pub that comes after Shutdown has ended the goroutine of the PubSub waits for ever.
func TestPubAndShutdown(t *testing.T) {
	ps := pubsub.New(0)
	go ps.Pub("news", "topic")
	ps.Shutdown()
	time.Sleep(10 * time.Millisecond)
}

// A group whose context is cancelled leaves the goroutine behind that waits for its tasks.
func TestGroupAndCancel(t *testing.T) {
	pool := pond.New(1, 1)
	ctx, cancel := context.WithCancel(context.Background())
	group, _ := pool.GroupContext(ctx)
	group.Submit(func() error {
		cancel()
		time.Sleep(5 * time.Millisecond)
		return nil
	})
	group.Wait()
	pool.StopAndWait()
	time.Sleep(10 * time.Millisecond)
}

// The same, in an order that hides it: the Pub comes first. `foresee explore -- go test -run InOrder .` finds it.
func TestPubAndShutdownInOrder(t *testing.T) {
	ps := pubsub.New(0)
	go ps.Pub("news", "topic")
	time.Sleep(5 * time.Millisecond)
	ps.Shutdown()
}
