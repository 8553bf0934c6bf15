// The classic bugs of Go programs, each beside its corrected twin, in one program: the first
// argument is the name of one, a second one asks for the twin. Every run is one that passes, or
// that ends with somebody left behind; what foresee must say is in `expected`.
package main

import (
	"fmt"
	"os"
	"time"
)

type pair struct{ bug, fixed func() }

var programs = map[string]pair{
	"add-inside":          {addInside, addBefore},
	"add-for-child":       {addAfterDone, addBeforeDone},
	"add-while-closing":   {addWhileClosing, addUnderLock},
	"wait-group-passed":   {waitForCopy, waitForPointer},
	"timeout-leaves":      {timeoutLeaves, timeoutBuffered},
	"deadline-leaves":     {deadlineLeaves, deadlineBuffered},
	"first-answer":        {firstAnswer, firstAnswerBuffered},
	"close-twice":         {closeTwice, closeOnce},
	"stop-twice":          {stopTwice, stopOnce},
	"send-after-close":    {sendAfterClose, sendThenClose},
	"close-while-sending": {closeWhileSending, closeAfterSending},
	"range-without-close": {rangeWithoutClose, rangeWithClose},
	"consumer-leaves":     {consumerLeaves, consumerDrains},
	"read-lock-again":     {readLockAgain, readLockOnce},
	"read-locks-crossed":  {readLocksCrossed, readLocksOrdered},
	"error-keeps-lock":    {errorKeepsLock, errorUnlocks},
	"send-under-lock":     {sendUnderLock, sendAfterLock},
	"wait-under-lock":     {waitUnderLock, waitAfterLock},
	"once-and-lock":       {onceAndLock, onceThenLock},
	"callback-under-lock": {callbackUnderLock, callbackAfterLock},
	"missed-signal":       {missedSignal, signalInLoop},
	"one-for-two":         {oneForTwo, allForTwo},
	"nested-semaphore":    {nestedSemaphore, flatSemaphore},
	"cancel-forgotten":    {cancelForgotten, cancelDeferred},
	"pipe-left":           {pipeLeft, pipeClosed},
	"queue-for-itself":    {queueForItself, queueWithRoomForAll},
}

// pause lets the others go first; the machine may be busy.
func pause() {
	time.Sleep(10 * time.Millisecond)
}

func main() {
	if len(os.Args) < 2 {
		for name := range programs {
			fmt.Println(name)
		}
		return
	}
	p, ok := programs[os.Args[1]]
	if !ok {
		fmt.Fprintln(os.Stderr, "there is no", os.Args[1])
		os.Exit(2)
	}
	run := p.bug
	if len(os.Args) > 2 {
		run = p.fixed
	}
	run()
}
