package main

// shared are the flags that all commands take.
type shared struct {
	where *where
	out   *output
}
