package odd

import (
	"testing"
	"time"
)

func TestStart(t *testing.T) {
	Start()
	time.Sleep(time.Millisecond)
}
