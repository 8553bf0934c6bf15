// Porcupine on the same histories as bench/lin/bench.c: reading and searching are timed
// apart. Prints one JSON object a line for each group: name, files, how many are linearizable,
// seconds to read, seconds to search; the median of REPEAT rounds.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"time"

	"github.com/anishathalye/porcupine"
)

type regInput struct {
	op        uint8 // 0 read, 1 write, 2 cas
	arg, arg2 int
}

type regOutput struct {
	ok, exists, unknown bool
	value               int
}

const absent = -1000

var register = porcupine.Model{
	Init: func() interface{} { return absent },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		st, in, out := state.(int), input.(regInput), output.(regOutput)
		switch in.op {
		case 0:
			return (!out.exists && st == absent) || (out.exists && st == out.value) || out.unknown, st
		case 1:
			return true, in.arg
		}
		ok := (in.arg == st && out.ok) || (in.arg != st && !out.ok) || out.unknown
		if in.arg == st {
			st = in.arg2
		}
		return ok, st
	},
}

var (
	invokeRead  = regexp.MustCompile(`jepsen\.util - (\d+)\s+:invoke\s+:read\s+nil$`)
	invokeWrite = regexp.MustCompile(`jepsen\.util - (\d+)\s+:invoke\s+:write\s+(\d+)$`)
	invokeCas   = regexp.MustCompile(`jepsen\.util - (\d+)\s+:invoke\s+:cas\s+\[(\d+)\s+(\d+)\]$`)
	returnRead  = regexp.MustCompile(`jepsen\.util - (\d+)\s+:ok\s+:read\s+(nil|\d+)$`)
	returnWrite = regexp.MustCompile(`jepsen\.util - (\d+)\s+:ok\s+:write\s+(\d+)$`)
	returnCas   = regexp.MustCompile(`jepsen\.util - (\d+)\s+:(ok|fail)\s+:cas\s+\[(\d+)\s+(\d+)\]$`)
	lostRead    = regexp.MustCompile(`jepsen\.util - (\d+)\s+:(fail|info)\s+:read\s+:timed-out$`)
	kvLine      = regexp.MustCompile(`{:process (\d+), :type :(invoke|ok), :f :(get|put|append), :key "(.*)", :value (nil|"(.*)")}`)
)

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

type reader struct {
	events []porcupine.Event
	open   map[int]int
	next   int
}

func (r *reader) call(process int, value interface{}) {
	r.open[process] = r.next
	r.events = append(r.events, porcupine.Event{ClientId: process, Kind: porcupine.CallEvent, Value: value, Id: r.next})
	r.next++
}

func (r *reader) answer(process int, value interface{}) {
	id, ok := r.open[process]
	if !ok {
		panic("answer without invocation")
	}
	delete(r.open, process)
	r.events = append(r.events, porcupine.Event{ClientId: process, Kind: porcupine.ReturnEvent, Value: value, Id: id})
}

func (r *reader) drop(process int) {
	id := r.open[process]
	delete(r.open, process)
	for i := range r.events {
		if r.events[i].Id == id {
			r.events = append(r.events[:i], r.events[i+1:]...)
			return
		}
	}
}

func lines(path string, each func(string)) {
	f, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		each(s.Text())
	}
}

func readEtcd(path string) []porcupine.Event {
	r := &reader{open: map[int]int{}}
	lines(path, func(l string) {
		if m := invokeRead.FindStringSubmatch(l); m != nil {
			r.call(number(m[1]), regInput{op: 0})
		} else if m := invokeWrite.FindStringSubmatch(l); m != nil {
			r.call(number(m[1]), regInput{op: 1, arg: number(m[2])})
		} else if m := invokeCas.FindStringSubmatch(l); m != nil {
			r.call(number(m[1]), regInput{op: 2, arg: number(m[2]), arg2: number(m[3])})
		} else if m := returnRead.FindStringSubmatch(l); m != nil {
			out := regOutput{exists: m[2] != "nil"}
			if out.exists {
				out.value = number(m[2])
			}
			r.answer(number(m[1]), out)
		} else if m := returnWrite.FindStringSubmatch(l); m != nil {
			r.answer(number(m[1]), regOutput{})
		} else if m := returnCas.FindStringSubmatch(l); m != nil {
			r.answer(number(m[1]), regOutput{ok: m[2] == "ok"})
		} else if m := lostRead.FindStringSubmatch(l); m != nil {
			r.drop(number(m[1]))
		}
	})
	for process := range r.open {
		r.answer(process, regOutput{unknown: true})
	}
	return r.events
}

type kvInput struct {
	op         uint8 // 0 get, 1 put, 2 append
	key, value string
}

var kv = porcupine.Model{
	PartitionEvent: func(history []porcupine.Event) [][]porcupine.Event {
		parts := map[string][]porcupine.Event{}
		key := map[int]string{}
		for _, e := range history {
			if e.Kind == porcupine.CallEvent {
				key[e.Id] = e.Value.(kvInput).key
			}
			parts[key[e.Id]] = append(parts[key[e.Id]], e)
		}
		var all [][]porcupine.Event
		for _, p := range parts {
			all = append(all, p)
		}
		return all
	},
	Init: func() interface{} { return "" },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		st, in := state.(string), input.(kvInput)
		switch in.op {
		case 0:
			return output.(string) == st, st
		case 1:
			return true, in.value
		}
		return true, st + in.value
	},
}

func readKv(path string) []porcupine.Event {
	r := &reader{open: map[int]int{}}
	op := map[string]uint8{"get": 0, "put": 1, "append": 2}
	lines(path, func(l string) {
		m := kvLine.FindStringSubmatch(l)
		if m == nil {
			return
		}
		if m[2] == "invoke" {
			r.call(number(m[1]), kvInput{op[m[3]], m[4], m[6]})
		} else {
			r.answer(number(m[1]), m[6])
		}
	})
	for process := range r.open {
		r.answer(process, "")
	}
	return r.events
}

// Porcupine starts with any of the keys, so its times vary far more than ours: the best of
// many rounds would be luck.
func median(times []float64) float64 {
	sort.Float64s(times)
	return times[len(times)/2]
}

func measure(name string, files []string, times int, model porcupine.Model, read func(string) []porcupine.Event) {
	var reading, searching []float64
	yes := 0
	for i := 0; i < times; i++ {
		var read1, search1 time.Duration
		yes = 0
		for _, f := range files {
			t := time.Now()
			events := read(f)
			read1 += time.Since(t)
			t = time.Now()
			if porcupine.CheckEvents(model, events) {
				yes++
			}
			search1 += time.Since(t)
		}
		reading = append(reading, read1.Seconds())
		searching = append(searching, search1.Seconds())
	}
	fmt.Printf(`{"name": "%s", "files": %d, "linearizable": %d, "read": %.9f, "search": %.9f}`+"\n",
		name, len(files), yes, median(reading), median(searching))
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: porcupine-bench DATA REPEAT")
		os.Exit(2)
	}
	data, times := os.Args[1], number(os.Args[2])
	etcd, _ := filepath.Glob(filepath.Join(data, "etcd", "*.log"))
	measure("etcd", etcd, times, register, readEtcd)
	for _, name := range []string{"c01-ok", "c01-bad", "c10-ok", "c10-bad", "c50-ok", "c50-bad"} {
		path := filepath.Join(data, "kv", name+".txt")
		rounds := times
		if name == "c50-ok" {
			rounds = 1 // it takes many seconds
		}
		if _, err := os.Stat(path); err == nil {
			measure("kv-"+name, []string{path}, rounds, kv, readKv)
		}
	}
}
