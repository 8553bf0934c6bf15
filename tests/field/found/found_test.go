// What docs/found.md describes: each test shows a bug of the module that it uses.
package found

import (
	"context"
	"testing"
	"time"

	"github.com/alitto/pond"
	"github.com/cskr/pubsub"
	"github.com/dgraph-io/ristretto"
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

// A Set that has seen an open cache sends on the channel that Close closes.
func TestSetAndClose(t *testing.T) {
	cache, err := ristretto.NewCache(&ristretto.Config{NumCounters: 100, MaxCost: 10, BufferItems: 64})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		cache.Set("key", "value", 1)
	}()
	time.Sleep(2 * time.Millisecond)
	cache.Close()
	<-done
}
