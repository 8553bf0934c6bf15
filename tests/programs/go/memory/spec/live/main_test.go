package main

import (
	"os"
	"testing"
)

// The same in a test, which fails unless somebody hears of the violation before it has ended.
func TestTold(t *testing.T) {
	level = 7
	if !isMade(os.Getenv("TOLD")) {
		t.Error("nobody was told")
	}
}

func TestAfterwards(t *testing.T) {
	mu.Lock()
	level = 8
	mu.Unlock()
}
