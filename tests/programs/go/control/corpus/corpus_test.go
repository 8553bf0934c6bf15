package corpus

import "testing"

// both has the two: TestX/bug and TestX/fixed.
func both(t *testing.T, run func(t *testing.T, fixed bool)) {
	t.Run("bug", func(t *testing.T) { run(t, false) })
	t.Run("fixed", func(t *testing.T) { run(t, true) })
}

// together runs all of them, and waits for their ends.
func together(all ...func()) {
	over := make(chan bool, len(all))
	for _, f := range all {
		f := f
		go func() {
			f()
			over <- true
		}()
	}
	for range all {
		<-over
	}
}
