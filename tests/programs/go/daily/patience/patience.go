package patience

import "time"

// Ask leaves who answers behind when the answer comes too late: a bug.
func Ask() bool {
	answer := make(chan bool)
	go func() { answer <- true }()
	select {
	case <-answer:
		return true
	case <-time.After(time.Minute):
		return false
	}
}
