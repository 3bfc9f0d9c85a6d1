//go:build !unix

package readers

import "path/filepath"

// resolve is [filepath.EvalSymlinks], which knows the system's path rules.
func (l *lane) resolve(path string) (real string, err error) {
	return call(l, path, filepath.EvalSymlinks)
}
