package main

func asks() {
	mu.Lock() // a line of `raw { text` and "a { quotation"
	for !ready {
		c.Wait()
	}
	mu.Unlock()
	for i := 0; i < 3; i++ {
		c.Wait()
	}
}
