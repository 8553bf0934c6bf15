package p

func f(c, d chan int) {
	select { // waits
	case v := <-c:
		_ = v
	case d <- 1:
	case <-time.After(1):
		select {
		case <-d:
		default:
		}
	}
}
