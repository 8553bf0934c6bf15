package main

import (
	"os"
	"syscall"
)

// A file that is mapped and shared by two goroutines: such memory is not seen, and that is said.
func file(fixed bool) { // -
	f, err := os.CreateTemp("", "strange")
	if err != nil {
		panic(err)
	}
	defer os.Remove(f.Name())
	if err := f.Truncate(4096); err != nil {
		panic(err)
	}
	page, err := syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	apart(fixed, func() { page[100]++ }, func() { page[100]++ })
	if err := syscall.Munmap(page); err != nil {
		panic(err)
	}
}
