//go:build !linux && !darwin && !freebsd

package readers

import "path/filepath"

// devices gives a function that names the device of a path: its volume on Windows,
// and all the same one elsewhere.
func devices() func(path string) string { return filepath.VolumeName }

// OfKernel is empty: no file system is known whose files the kernel makes up.
func OfKernel(string) string { return "" }
