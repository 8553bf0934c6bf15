// Package corpus has small tests, each of which is wrong in some order of its goroutines, and each
// with a twin, one edit away, which is right in every order. `expected` says what they show.
package corpus
