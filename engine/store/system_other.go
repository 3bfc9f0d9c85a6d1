//go:build !windows

package store

// sharesByMode is false: a file may be opened by any number of programs.
const sharesByMode = false

var diskRefusals []refusal
