// A plugin that counts into what its host gives it.
package main

func Count(p *int) { *p++ }

func main() {}
