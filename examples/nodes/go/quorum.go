// A key-value store on majorities: a write is stored by most, a read takes the newest of most. With
// --no-write-back a read does not store what it has found: then a later read may find less.
//
//	foresee explore --nodes 3 -- go run quorum.go node.go --no-write-back
package main

import (
	"os"
	"slices"
	"sync"
)

type version struct {
	Number float64
	By     string
	Value  any
}

func (a version) newer(b version) bool {
	return a.Number > b.Number || a.Number == b.Number && a.By > b.By
}

func (a version) body(kind string, key any) body {
	return body{"type": kind, "key": key, "number": a.Number, "by": a.By, "value": a.Value}
}

func versionIn(b body) version {
	return version{b["number"].(float64), b["by"].(string), b["value"]}
}

var (
	n         = &node{}
	writeBack = !slices.Contains(os.Args, "--no-write-back")
	lock      sync.Mutex
	stored    = map[any]version{}
	asked     = map[float64]chan version{}
	next      float64
)

// local stores what is newer, and returns what this node has then.
func local(key any, v version) version {
	lock.Lock()
	defer lock.Unlock()
	if v.newer(stored[key]) {
		stored[key] = v
	}
	return stored[key]
}

// askMost sends a version to all and waits for the answers of most; the newest of them.
func askMost(kind string, key any, v version) version {
	lock.Lock()
	next++
	number, answers := next, make(chan version, len(n.others))
	asked[number] = answers
	lock.Unlock()
	best := local(key, v)
	for _, other := range n.others {
		b := v.body(kind, key)
		b["msg_id"] = number
		n.send(other, b)
	}
	for range (len(n.others) + 1) / 2 {
		if a := <-answers; a.newer(best) {
			best = a
		}
	}
	return best
}

func onInternal(m message) {
	b := local(m.Body["key"], versionIn(m.Body)).body("answer", m.Body["key"])
	b["to"] = m.Body["msg_id"]
	n.send(m.Src, b)
}

func onAnswer(m message) {
	lock.Lock()
	defer lock.Unlock()
	asked[m.Body["to"].(float64)] <- versionIn(m.Body)
}

func onWrite(m message) {
	key := m.Body["key"]
	found := askMost("fetch", key, version{})
	askMost("store", key, version{found.Number + 1, n.id, m.Body["value"]})
	n.reply(m, body{"type": "write_ok"})
}

func onRead(m message) {
	key := m.Body["key"]
	found := askMost("fetch", key, version{})
	if found.Number == 0 {
		n.reply(m, body{"type": "error", "code": 20, "text": "no such key"})
		return
	}
	if writeBack {
		askMost("store", key, found)
	}
	n.reply(m, body{"type": "read_ok", "value": found.Value})
}

func main() {
	n.on = map[string]func(message){"read": onRead, "write": onWrite, "fetch": onInternal,
		"store": onInternal, "answer": onAnswer}
	n.run()
}
