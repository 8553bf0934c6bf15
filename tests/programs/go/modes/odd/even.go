//go:build !odd

package odd

// Start does nothing.
func Start() {}
