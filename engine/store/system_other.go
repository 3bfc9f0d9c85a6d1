//go:build !windows

package store

// sharesByMode is false: a file may be opened by any number of programs.
const sharesByMode = false

var diskRefusals []refusal

func isDevice(string) bool { return false }

// IsOpenToOthers returns false: hindsql makes the store's files readable for the user
// only.
func (File) IsOpenToOthers() bool { return false }
