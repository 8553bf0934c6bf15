package killed

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// A test runs its own binary again, which waits until it is killed.

func TestParent(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.run=^TestHelper$")
	child.Env = append(os.Environ(), "HELPER=1")
	out, err := child.StdoutPipe()
	if err != nil || child.Start() != nil {
		t.Fatal(err)
	}
	bufio.NewReader(out).ReadString('\n')
	child.Process.Kill()
	child.Wait()
}

func TestHelper(t *testing.T) {
	if os.Getenv("HELPER") == "" {
		t.Skip("for TestParent")
	}
	go fmt.Println("up")
	<-make(chan int)
}
