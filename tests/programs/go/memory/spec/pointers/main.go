// Variables that are written by their names and by pointers, which come about in as many ways as there are.
package main

type tank struct {
	before int
	level  int
}

func (t *tank) fill(n int) { t.level = n }

var (
	plain    int
	passed   int
	kept     int
	keeper   = &kept
	held     tank
	copied   tank
	sliced   [3]int
	indexed  [3]int
	captured int
)

//go:noinline
func set(p *int, n int) { *p = n }

//go:noinline
func at(i, n int) { indexed[i] = n }

func main() {
	done := make(chan bool)
	go func() {
		plain = 1
		set(&passed, 2)
		*keeper = 3
		held.fill(4)
		copied = tank{1, 5}
		s := sliced[:]
		s[1] = 6
		at(1, 7)
		p := &captured
		func() { *p = 8 }()
		done <- true
	}()
	<-done
	println(plain, passed, kept, held.level, copied.level, sliced[1], indexed[1], captured)
}
