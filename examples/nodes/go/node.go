// What a node is, in Go: messages from standard input, messages to standard output.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
)

type body = map[string]any

type message struct {
	Src  string `json:"src"`
	Dest string `json:"dest"`
	Body body   `json:"body"`
}

type node struct {
	id     string
	others []string
	on     map[string]func(message)
	out    sync.Mutex
}

func (n *node) send(dest string, b body) {
	line, err := json.Marshal(message{n.id, dest, b})
	if err != nil {
		panic(err)
	}
	n.out.Lock()
	defer n.out.Unlock()
	fmt.Println(string(line))
}

func (n *node) reply(m message, b body) {
	b["in_reply_to"] = m.Body["msg_id"]
	n.send(m.Src, b)
}

func (n *node) start(m message) {
	n.id = m.Body["node_id"].(string)
	for _, x := range m.Body["node_ids"].([]any) {
		if x != n.id {
			n.others = append(n.others, x.(string))
		}
	}
	slices.Sort(n.others)
	n.reply(m, body{"type": "init_ok"})
}

// run handles messages, each in a goroutine of its own.
func (n *node) run() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m message
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		switch kind := m.Body["type"].(string); kind {
		case "init":
			n.start(m)
		case "topology":
			n.reply(m, body{"type": "topology_ok"})
		default:
			go n.on[kind](m)
		}
	}
}
