// Small programs with odd synchronisation, in one binary: the first argument is the name of one.
// Those of `sound` are correct in every interleaving: nothing may be reported of them. Those of
// `bugs` are not, although the run passes.
package main

import (
	"fmt"
	"os"
	"sort"
	"time"
)

// pause lets the others go first; the machine may be busy.
func pause() {
	time.Sleep(5 * time.Millisecond)
}

// must says that the program is not what it was meant to be.
func must(good bool) {
	if !good {
		fmt.Println("the program is wrong")
		os.Exit(9)
	}
}

func main() {
	if len(os.Args) < 2 {
		names := []string{}
		for name := range sound {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			fmt.Println(name)
		}
		return
	}
	program := sound[os.Args[1]]
	if program == nil {
		program = bugs[os.Args[1]]
	}
	if program == nil {
		fmt.Println("there is no", os.Args[1])
		os.Exit(2)
	}
	program()
}

var sound = map[string]func(){
	// Data that a mutex guards decides who takes which locks.
	"order-in-a-map":      orderInAMap,
	"order-by-generation": orderByGeneration,
	"order-behind-rwlock": orderBehindRWLock,
	// What happens only after a flag was seen.
	"stage-by-condition": stageByCondition,
	"stage-by-channel":   stageByChannel,
	"stage-by-atomic":    stageByAtomic,
	// Whoever comes first starts the other side.
	"lazy-consumer": lazyConsumer,
	"lazy-once":     lazyOnce,
	"lazy-answer":   lazyAnswer,
	// The last one closes.
	"last-by-atomic":  lastByAtomic,
	"last-by-channel": lastByChannel,
	"last-by-group":   lastByGroup,
	// The loop around a wait is elsewhere.
	"wait-in-closure":   waitInClosure,
	"wait-in-predicate": waitInPredicate,
	"wait-in-interface": waitInInterface,
	// Something outside orders them.
	"outside-socket": outsideSocket,
	"outside-file":   outsideFile,
	"outside-fifo":   outsideFifo,
	"child-output":   childOutput,
	"child-status":   childStatus,
	"child-signal":   childSignal,
	// The program ends in the middle of things.
	"cut-in-send":      cutInSend,
	"cut-in-read-lock": cutInReadLock,
	"cut-in-semaphore": cutInSemaphore,
	"exit-in-range":    exitInRange,
	"exit-in-lock":     exitInLock,
	"exit-in-select":   exitInSelect,
	"exit-in-own-lock": exitInOwnLock,
	"exit-in-upgrade":  exitInUpgrade,
	// Hand-made locks and other oddities.
	"cas-lock":            casLock,
	"ticket-lock":         ticketLock,
	"peterson":            peterson,
	"channel-mutex":       channelMutex,
	"channel-try-lock":    channelTryLock,
	"sequence-lock":       sequenceLock,
	"published-pointer":   publishedPointer,
	"copied-map":          copiedMap,
	"event-counter":       eventCounter,
	"sync-map":            syncMap,
	"sync-pool":           syncPool,
	"context-tree":        contextTree,
	"error-group":         errorGroup,
	"after-func":          afterFunc,
	"ticker-stopped":      tickerStopped,
	"double-checked":      doubleChecked,
	"future":              future,
	"broadcast-by-close":  broadcastByClose,
	"ping-pong":           pingPong,
	"bounded-workers":     boundedWorkers,
	"single-flight":       singleFlight,
	"try-lock-back-off":   tryLockBackOff,
	"locks-by-address":    locksByAddress,
	"upgrade-and-recheck": upgradeAndRecheck,
	"reusable-barrier":    reusableBarrier,
	"actor":               actor,
	"drain-then-close":    drainThenClose,
	"stop-and-stopped":    stopAndStopped,
	"pipe-of-stages":      pipeOfStages,
	"timer-reset":         timerReset,
	"timer-taken-back":    timerTakenBack,
	"timer-set-again":     timerSetAgain,
	"signal-notify":       signalNotify,
	// Waits made of others.
	"phases":          phases,
	"request-reply":   requestReply,
	"nil-merge":       nilMerge,
	"cond-of-readers": condOfReaders,
	"cond-of-spin":    condOfSpin,
}

var bugs = map[string]func(){
	"bug-close-after-add":    bugCloseAfterAdd,
	"bug-close-after-count":  bugCloseAfterCount,
	"bug-close-after-unlock": bugCloseAfterUnlock,
	"bug-timer-stopped":      bugTimerStopped,
	"bug-timer-drained":      bugTimerDrained,
}
