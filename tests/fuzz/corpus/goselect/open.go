select {
case <-c: s := `
case d <- 1:
`
case c <- "}\"" /* } */:
