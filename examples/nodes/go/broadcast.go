// Tells everybody what it is told, and tells again every second, until it hears that it was heard.
// With --lossy it tells only one other; with --once it does not tell again.
//
//	foresee explore --nodes 3 --workload broadcast -- go run broadcast.go node.go --once
package main

import (
	"os"
	"slices"
	"sync"
	"time"
)

var (
	n     = &node{}
	lock  sync.Mutex
	known = map[any]bool{}
	lossy = slices.Contains(os.Args, "--lossy")
	once  = lossy || slices.Contains(os.Args, "--once")
)

// tell goes on until the other has heard it.
func tell(to string, value any, heard chan bool) {
	for {
		n.send(to, body{"type": "gossip", "value": value})
		if once {
			return
		}
		select {
		case <-heard:
			return
		case <-time.After(time.Second):
		}
	}
}

var waiting = map[string]map[any]chan bool{}

func learn(value any, source string) {
	lock.Lock()
	defer lock.Unlock()
	if known[value] {
		return
	}
	known[value] = true
	to := n.others
	if lossy {
		to = to[:1]
	}
	for _, other := range to {
		if other == source {
			continue
		}
		if waiting[other] == nil {
			waiting[other] = map[any]chan bool{}
		}
		waiting[other][value] = make(chan bool, 1)
		go tell(other, value, waiting[other][value])
	}
}

func onHeard(m message) {
	lock.Lock()
	defer lock.Unlock()
	select {
	case waiting[m.Src][m.Body["value"]] <- true:
	default:
	}
}

func main() {
	n.on = map[string]func(message){
		"broadcast": func(m message) {
			learn(m.Body["message"], "")
			n.reply(m, body{"type": "broadcast_ok"})
		},
		"gossip": func(m message) {
			learn(m.Body["value"], m.Src)
			if !once {
				n.send(m.Src, body{"type": "heard", "value": m.Body["value"]})
			}
		},
		"heard": onHeard,
		"read": func(m message) {
			lock.Lock()
			defer lock.Unlock()
			all := []float64{}
			for v := range known {
				all = append(all, v.(float64))
			}
			slices.Sort(all)
			n.reply(m, body{"type": "read_ok", "messages": all})
		},
	}
	n.run()
}
