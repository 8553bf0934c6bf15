// A program that starts itself: one trace per process.
package main

import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	if len(os.Args) > 1 {
		c := make(chan string)
		go func() { c <- os.Args[1] }()
		fmt.Println("child", <-c)
		return
	}
	out, err := exec.Command(os.Args[0], "hello").Output()
	fmt.Print(string(out), err, "\n")
}
