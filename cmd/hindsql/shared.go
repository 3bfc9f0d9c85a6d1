package main

// shared has the flags of all commands.
type shared struct {
	where *where
	out   *output
}
