// Uses the recorder for Go: serializable, but the second transaction does not see the first.
package main

import (
	"fmt"
	"os"

	"marks/foreseetxn"
)

func main() {
	log, err := foreseetxn.Open(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	t := log.Begin()
	t.Append("x", 1)
	t.Write("y", "one")
	t.Prepare()
	t.Commit()
	stale := log.Begin()
	stale.ReadList("x", nil)
	stale.Read("y", nil)
	stale.Commit()
	gone := log.Begin()
	gone.Append("x", 2)
	gone.Abort()
	lost := log.Begin()
	lost.Append("x", 3)
	lost.Unknown()
	last := log.Begin()
	last.ReadList("x", []int64{1, 3})
	last.Read("y", "one")
	last.Commit()
	if err := log.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
