package corpus

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A channel as a lock: who gave up after a while gives back what somebody else has.
func TestTimeoutUnlocks(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		lock := make(chan bool, 1)
		inside := int32(0)
		work := func() {
			if atomic.AddInt32(&inside, 1) != 1 {
				t.Error("two are inside")
			}
			time.Sleep(time.Millisecond)
			atomic.AddInt32(&inside, -1)
		}
		patient := func() {
			lock <- true
			work()
			select {
			case <-lock:
			default:
			}
		}
		hasty := func() {
			timer := time.NewTimer(time.Millisecond)
			defer timer.Stop()
			select {
			case lock <- true:
				work()
			case <-timer.C:
				if fixed {
					return
				}
			}
			select {
			case <-lock:
			default:
			}
		}
		together(patient, patient, hasty)
	})
}

// The function of a timer that was stopped too late sends on what is closed meanwhile.
func TestStoppedTooLate(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		out, over := make(chan int, 1), make(chan bool)
		timer := time.AfterFunc(time.Millisecond, func() {
			out <- 1
			close(over)
		})
		together(func() {})
		if !timer.Stop() && fixed {
			<-over
		}
		close(out)
	})
}

// The loop has ended when the message comes. In an ordinary run it comes first: there is much time.
func TestMessageAfterStop(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		commands, ended := make(chan string), make(chan bool)
		go func() {
			for c := range commands {
				if c == "stop" {
					break
				}
			}
			close(ended)
		}()
		go func() {
			if !fixed {
				commands <- "news"
				return
			}
			select {
			case commands <- "news":
			case <-ended:
			}
		}()
		time.Sleep(5 * time.Millisecond)
		commands <- "stop"
	})
}

// What was looked at under the read lock is not so any more under the other one.
func TestUpgradeChecksOnce(t *testing.T) {
	both(t, func(t *testing.T, fixed bool) {
		var lock sync.RWMutex
		var value *int
		made := 0
		get := func() {
			lock.RLock()
			has := value != nil
			lock.RUnlock()
			if has {
				return
			}
			lock.Lock()
			if !fixed || value == nil {
				value, made = new(int), made+1
			}
			lock.Unlock()
		}
		together(get, get)
		if made != 1 {
			t.Errorf("made %d times", made)
		}
	})
}
