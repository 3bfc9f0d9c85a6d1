//go:build !unix

package main

// hangupIgnored: there is no such signal here.
func hangupIgnored() bool { return false }
