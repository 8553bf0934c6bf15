// Functions that the compiler alone knows the body of, in a program whose atomics are seen.
package main

import (
	"crypto/subtle"
	"fmt"
)

func main() {
	same := make(chan int)
	go func() { same <- subtle.ConstantTimeCompare([]byte("secret"), []byte("secret")) }()
	fmt.Println(<-same, subtle.ConstantTimeSelect(1, 5, 6))
}
