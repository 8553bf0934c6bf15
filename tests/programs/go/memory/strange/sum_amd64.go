package main

//go:noescape
func sum(s []int64) int64
