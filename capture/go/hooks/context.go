
// Appended by foresee. The channel of a context that has a deadline, its own or one above it, is
// made in a function of its own: that is how a trace tells that it may be closed by a timer.

//go:noinline
func foreTimed() chan struct{} {
	return make(chan struct{})
}

func foreDone(above Context) chan struct{} {
	for {
		switch c := above.(type) {
		case *timerCtx:
			return foreTimed()
		case *cancelCtx:
			above = c.Context
		case *valueCtx:
			above = c.Context
		default:
			return make(chan struct{})
		}
	}
}

func (c *timerCtx) Done() <-chan struct{} {
	if d := c.done.Load(); d != nil {
		return d.(chan struct{})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done.Load() == nil {
		c.done.Store(foreTimed())
	}
	return c.done.Load().(chan struct{})
}
