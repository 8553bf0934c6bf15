package foreign

// static int twice(int n) { return 2 * n; }
import "C"

// Twice is C's.
func Twice(n int) int { return int(C.twice(C.int(n))) }
