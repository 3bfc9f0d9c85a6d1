//go:build unix

package readers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mostLinks is how many symbolic links are followed on the way to one file, as
// [filepath.EvalSymlinks] does.
const mostLinks = 255

// resolve is [filepath.EvalSymlinks] for an absolute path, one name after the other:
// no name on a silent device is looked at, and no link is followed onto a file
// system whose files the kernel makes up. The error is an [*onKernel] then.
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
		target, err := l.follow(next, links)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			real = "/"
		}
		rest = target + "/" + rest
	}
	if links > 0 {
		err = l.mayLead(real)
	}
	return real, err
}

// follow gives what a link holds. One to which another link led may be the kernel's.
func (l *lane) follow(link string, links int) (target string, err error) {
	var kernels *onKernel
	if links > 1 {
		err := l.mayLead(filepath.Dir(link))
		if errors.As(err, &kernels) {
			kernels.isFolder = false // the link's own folder is
		}
		if err != nil {
			return "", err
		}
	}
	return call(l, link, os.Readlink)
}

// mayLead says whether a link may lead to a path. What is neither a file nor a
// folder is no log wherever it lies.
func (l *lane) mayLead(path string) error {
	if err := l.enter(path); err != nil {
		return err
	}
	defer l.leave()
	if system := OfKernel(path); system != "" {
		info, err := os.Lstat(path)
		if err != nil || info.IsDir() || info.Mode().IsRegular() {
			return &onKernel{path, system, err == nil && info.IsDir()}
		}
	}
	return nil
}
