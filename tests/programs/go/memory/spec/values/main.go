// Variables of every kind that a specification may name, written once by each of two goroutines in turn.
package main

type tank struct {
	level int32
	small uint8
	open  bool
	ratio float64
	inner struct{ depth int16 }
	next  *tank
}

var (
	t     tank
	array [3]int
	other int
)

func fill(k int) {
	t.level = int32(-5 * k)
	t.small = uint8(200 + k)
	t.open = k == 1
	t.ratio = 0.5 * float64(k)
	t.inner.depth = int16(-k)
	t.next = nil
	array[1] = 7 * k
	other = k
}

func main() {
	done := make(chan bool)
	go func() { fill(1); done <- true }()
	<-done
	go func() { fill(2); done <- true }()
	<-done
	if t.level != -10 {
		panic("level")
	}
}
