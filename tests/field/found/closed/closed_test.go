// What docs/found.md describes: this test panics.
package closed

import (
	"testing"
	"time"

	"github.com/dgraph-io/ristretto"
)

// A Set that has seen an open cache sends on the channel that Close has closed.
func TestSetAndClose(t *testing.T) {
	for i := 0; i < 50; i++ {
		cache, err := ristretto.NewCache(&ristretto.Config{NumCounters: 100, MaxCost: 10, BufferItems: 64})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan bool)
		go func() {
			defer close(done)
			for n := 0; n < 100000; n++ {
				cache.Set(n, n, 1)
			}
		}()
		cache.Close()
		<-done
	}
}

// One Set, which comes first: `foresee explore -- go test -run InOrder ./closed` looks for the order that panics.
func TestSetAndCloseInOrder(t *testing.T) {
	cache, err := ristretto.NewCache(&ristretto.Config{NumCounters: 100, MaxCost: 10, BufferItems: 64})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		cache.Set("key", "value", 1)
	}()
	time.Sleep(5 * time.Millisecond)
	cache.Close()
	<-done
}
