// Package NAME records the transactions that a program runs against a database, so that
// `foresee txn` can judge whether the database isolated them as it promised. The package has no
// dependencies. Written by `foresee new go-txn`; it is yours.
//
//	log, err := NAME.Open("history.jsonl")
//	...in any goroutine, and in any process that opened the same file:
//	t := log.Begin()                  // before BEGIN is sent
//	t.Read("x", 7)                    // what a read answered; nil: nothing was there
//	t.Write("y", 8)                   // what a write wrote
//	t.Append("list", 9)               // what was put at the end of a list
//	t.ReadList("list", []int64{1, 9})
//	t.Commit()                        // after COMMIT has answered; or Abort, or Unknown
//	...
//	err = log.Close()
//
// and then `foresee txn history.jsonl --level snapshot-isolation`. Every element that is appended to a key must
// be another one; what is written to registers should be. A key is either written or appended to.
//
// What a transaction did is written when it ends, with one system call, behind what others wrote: the order of the
// lines is real time. If the program may be killed while a commit is under way, call Prepare before it: then it is
// known what the transaction wrote, even if not whether it committed.
package NAME

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Log is a file of transactions.
type Log struct {
	file *os.File
	next atomic.Uint32
	once sync.Mutex
	bad  error // the first
}

// Txn is one transaction; one goroutine uses it at a time. A nil Txn records nothing.
type Txn struct {
	log    *Log
	number uint32
	steps  [][]any
}

// Open appends to the file, which is made if there is none.
func Open(path string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	return &Log{file: f}, nil
}

// Close says whether everything was written.
func (l *Log) Close() error {
	if err := l.file.Close(); err != nil {
		l.note(err)
	}
	return l.bad
}

func (l *Log) note(err error) {
	l.once.Lock()
	defer l.once.Unlock()
	if l.bad == nil {
		l.bad = err
	}
}

// Begin is called before the database is asked to begin.
func (l *Log) Begin() *Txn {
	if l == nil {
		return nil
	}
	t := &Txn{log: l, number: l.next.Add(1)}
	t.write("invoke")
	return t
}

// One call, so that lines of several goroutines and processes do not mix.
func (t *Txn) write(kind string) {
	var value any
	if len(t.steps) > 0 || kind != "invoke" {
		value = append([][]any{}, t.steps...)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.log.note(err)
		return
	}
	line := fmt.Sprintf("{\"process\":%d,\"id\":%d,\"type\":%q,\"f\":\"txn\",\"value\":%s}\n",
		os.Getpid(), t.number, kind, text)
	if _, err := t.log.file.Write([]byte(line)); err != nil {
		t.log.note(err)
	}
}

func (t *Txn) step(act, key string, value any) {
	if t != nil {
		t.steps = append(t.steps, []any{act, key, value})
	}
}

// Read says what a register held: a number, a string, or nil.
func (t *Txn) Read(key string, value any) { t.step("r", key, value) }

// ReadList says what a list held.
func (t *Txn) ReadList(key string, items []int64) {
	t.step("r", key, append([]int64{}, items...))
}

// Write says what was written to a register.
func (t *Txn) Write(key string, value any) { t.step("w", key, value) }

// Append says what was put at the end of a list; each element of a key is another one.
func (t *Txn) Append(key string, value any) { t.step("append", key, value) }

// Prepare, before the commit, tells what the transaction wrote, should the program be killed.
func (t *Txn) Prepare() { t.end("invoke") }

// Commit is called after the database has answered.
func (t *Txn) Commit() { t.end("ok") }

// Abort says that it certainly did not happen.
func (t *Txn) Abort() { t.end("fail") }

// Unknown says that nobody knows: the connection broke, say.
func (t *Txn) Unknown() { t.end("info") }

func (t *Txn) end(kind string) {
	if t != nil {
		t.write(kind)
	}
}
