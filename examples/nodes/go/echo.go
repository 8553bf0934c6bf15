// Answers with what it is asked. With --wrong it answers what it was asked first, always.
//
//	foresee explore --nodes 1 --workload echo -- go run echo.go node.go
package main

import (
	"os"
	"slices"
)

func main() {
	n := &node{}
	wrong := slices.Contains(os.Args, "--wrong")
	var first any
	n.on = map[string]func(message){"echo": func(m message) {
		if first == nil || !wrong {
			first = m.Body["echo"]
		}
		n.reply(m, body{"type": "echo_ok", "echo": first})
	}}
	n.run()
}
