package main

import (
	"errors"
	"net"

	"hindsql/cmd/hindsql/loopback"
)

// ownName returns the user's own NAME, for the second address NAME.localhost of the
// pages, and the additional listeners that the address needs. If NAME can't be made, it
// tells the user, and name is empty.
func ownName(w *world, l net.Listener) (name string, beside []net.Listener) {
	name, err := webName(w)
	if err == nil {
		beside, err = loopback.Beside(l)
	}
	if err != nil {
		w.notice("the pages stay at 127.0.0.1, whose cookies every port of this machine gets: %s", w.short(err.Error()))
		return "", nil
	}
	return name, beside
}

// webName returns a name known only to this user.
func webName(w *world) (string, error) {
	folder := w.stateFolder()
	if folder == "" {
		return "", errors.New("no home folder is known to keep a name for them in; set XDG_STATE_HOME")
	}
	return loopback.Name(folder)
}
