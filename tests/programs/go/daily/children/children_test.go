package children

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// A test runs its own binary again, which leaves somebody behind there.

func TestParent(t *testing.T) {
	t.Run("one", func(t *testing.T) {
		child := exec.Command(os.Args[0], "-test.run=^TestHelper$")
		child.Env = append(os.Environ(), "HELPER=1")
		if err := child.Run(); err != nil {
			t.Error(err)
		}
	})
}

func TestHelper(t *testing.T) {
	if os.Getenv("HELPER") == "" {
		t.Skip("for TestParent")
	}
	left := make(chan int)
	go func() { left <- 1 }()
	time.Sleep(time.Millisecond)
}
