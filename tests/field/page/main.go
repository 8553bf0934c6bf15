// Porcupine's picture of the register's history in ../page-peers, beside which the page of foresee is shown.
package main

import (
	"fmt"
	"os"

	"github.com/anishathalye/porcupine"
)

type call struct {
	write bool
	value int
}

var register = porcupine.Model{
	Init: func() interface{} { return 0 },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		in := input.(call)
		if in.write {
			return true, in.value
		}
		return output.(int) == state.(int), state
	},
	DescribeOperation: func(input, output interface{}) string {
		if in := input.(call); in.write {
			return fmt.Sprintf("write %d", in.value)
		}
		return fmt.Sprintf("read %d", output.(int))
	},
}

// The history of page-peers: {client, call, return, write?, value}.
func main() {
	var history []porcupine.Operation
	for {
		var client, from, to, value int
		var word string
		if n, _ := fmt.Scan(&client, &from, &to, &word, &value); n != 5 {
			break
		}
		history = append(history, porcupine.Operation{ClientId: client, Input: call{word == "write", value}, Call: int64(from), Output: value, Return: int64(to)})
	}
	verdict, info := porcupine.CheckOperationsVerbose(register, history, 0)
	if err := porcupine.VisualizePath(register, info, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Println(len(history), "operations:", verdict)
}
