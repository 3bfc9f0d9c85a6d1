//go:build !windows

package atomicfile

// IsBusy returns false: these systems rename and remove open files.
func IsBusy(error) bool { return false }

// IsOpen returns false: these systems open files that are open elsewhere.
func IsOpen(error) bool { return false }
