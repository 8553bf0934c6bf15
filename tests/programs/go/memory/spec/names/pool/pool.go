// Package pool has variables that another package accesses.
package pool

var Hits int

var Limit = 3

func Add() { Hits++ }
