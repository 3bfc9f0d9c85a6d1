//go:build unix

package readers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mostLinks is the most symbolic links that resolve follows for one path, as
// [filepath.EvalSymlinks] does.
const mostLinks = 255

// resolve is [filepath.EvalSymlinks] for an absolute path, name by name. It doesn't
// stat names on an unresponsive device. It follows no link onto a file system whose
// files the kernel generates, and then returns a [*kernelLinkError].
func (l *lane) resolve(path string) (real string, err error) {
	if !filepath.IsAbs(path) {
		return call(l, path, filepath.EvalSymlinks)
	}
	real, rest, links := "/", path, 0
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(strings.TrimLeft(rest, "/"), "/")
		next := filepath.Join(real, name)
		info, err := call(l, next, os.Lstat)
		switch {
		case err != nil:
			return "", err
		case info.Mode()&os.ModeSymlink == 0:
			real = next
			continue
		}
		if links++; links > mostLinks {
			return "", fmt.Errorf("%s: too many symbolic links", path)
		}
		target, err := l.readLink(next, links)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			real = "/"
		}
		rest = target + "/" + rest
	}
	if links > 0 {
		err = l.checkTarget(real)
	}
	return real, err
}

// readLink returns the target of a link. The link may itself have been reached by a link
// and lie on a file system of the kernel, so readLink first checks the link's folder.
func (l *lane) readLink(link string, links int) (target string, err error) {
	var kernels *kernelLinkError
	if links > 1 {
		err := l.checkTarget(filepath.Dir(link))
		if errors.As(err, &kernels) {
			kernels.isFolder = false // isFolder describes the link's folder, not the target
		}
		if err != nil {
			return "", err
		}
	}
	return call(l, link, os.Readlink)
}

// checkTarget returns an error if hindsql must not follow a link to a path. It returns no
// error for a path that is neither file nor folder, because such a path is never a log.
func (l *lane) checkTarget(path string) error {
	if err := l.beginCall(path); err != nil {
		return err
	}
	defer l.endCall()
	if system := KernelFileSystem(path); system != "" {
		info, err := os.Lstat(path)
		if err != nil || info.IsDir() || info.Mode().IsRegular() {
			return &kernelLinkError{path, system, err == nil && info.IsDir()}
		}
	}
	return nil
}
