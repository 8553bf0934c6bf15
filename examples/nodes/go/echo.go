// A node in Go: answers what it is asked, each request in a goroutine of its own.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

type message struct {
	Src  string         `json:"src"`
	Dest string         `json:"dest"`
	Body map[string]any `json:"body"`
}

func main() {
	var me string
	var lock sync.Mutex
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m message
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if m.Body["type"] == "init" {
			me = m.Body["node_id"].(string)
		}
		go func() {
			body := map[string]any{"type": m.Body["type"].(string) + "_ok", "in_reply_to": m.Body["msg_id"]}
			if m.Body["echo"] != nil {
				body["echo"] = m.Body["echo"]
			}
			line, _ := json.Marshal(message{Src: me, Dest: m.Src, Body: body})
			lock.Lock()
			defer lock.Unlock()
			fmt.Println(string(line))
		}()
	}
}
