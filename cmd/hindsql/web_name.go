package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"hindsql/cmd/hindsql/loopback"
	"hindsql/readers/files"
)

// ownName is the NAME of NAME.localhost under which pages answer, too, and what
// listens for it besides l; empty where that can't be, as is said.
func ownName(w *world, l net.Listener) (name string, beside []net.Listener) {
	name, err := webName(w)
	if err == nil {
		beside, err = loopback.Beside(l)
	}
	if err != nil {
		w.notice("the pages stay at 127.0.0.1, whose cookies every port of this machine gets: %v", err)
		return "", nil
	}
	return name, beside
}

// nameOfWeb is what a name is: as long as rand.Text makes it.
var nameOfWeb = regexp.MustCompile(`^[a-z2-7]{26,60}$`)

// webName is a name that only this user knows. It is made once, so that bookmarks
// last.
func webName(w *world) (string, error) {
	folder := w.stateFolder()
	if folder == "" {
		return "", errors.New("no home folder is known to keep a name for them in; set XDG_STATE_HOME")
	}
	path := filepath.Join(folder, "web-name")
	made := strings.ToLower(rand.Text())
	err := errors.Join(os.MkdirAll(folder, 0o700), files.WriteNew(path, []byte(made+"\n")))
	if err == nil {
		return made, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err = errors.Join(err, files.Tighten(path)); err != nil {
		return "", err
	}
	name := strings.TrimSpace(string(text))
	if !nameOfWeb.MatchString(name) {
		return "", fmt.Errorf("%s: holds no name; remove it, and one is made", w.short(path))
	}
	return name, nil
}
