//go:build !linux && !darwin && !freebsd

package readers

import "path/filepath"

// devices returns a function that names the device of a path: its volume on Windows,
// and the same device for all paths on other systems.
func devices() func(path string) string { return filepath.VolumeName }

// KernelFileSystem returns the empty string: on this system hindsql knows no file
// system whose files the kernel generates.
func KernelFileSystem(string) string { return "" }
