// Package dep is what the program depends on.
package dep

// Count counts.
type Count struct{ n int }

// Next counts one more.
//
//go:noinline
func (c *Count) Next() int { c.n++; return c.n }

// Now is how many there were.
//
//go:noinline
func (c *Count) Now() int { return c.n }
