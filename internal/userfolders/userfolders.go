// Package userfolders says where a user's files lie on each kind of system.
//
// In: the system, the home folder, and variables of the environment, XDG's above
// all. Out: paths of folders, which need not be there.
package userfolders

import "path/filepath"

// User is whose files they are. A path of a user without a home folder is empty,
// unless a variable gives it.
type User struct {
	OS     string // as runtime.GOOS
	Home   string // empty when there is none
	Getenv func(string) string
}

// Data is the folder of what programs keep: $XDG_DATA_HOME on every system.
func (u User) Data() string {
	if folder := u.Getenv("XDG_DATA_HOME"); filepath.IsAbs(folder) {
		return folder
	}
	return u.usualData()
}

func (u User) usualData() string {
	switch {
	case u.OS == "windows" && u.Getenv("LOCALAPPDATA") != "":
		return u.Getenv("LOCALAPPDATA")
	case u.Home == "":
		return ""
	case u.OS == "darwin":
		return filepath.Join(u.Home, "Library", "Application Support")
	}
	return filepath.Join(u.Home, ".local", "share")
}

// State is the folder of what programs remember.
func (u User) State() string {
	folder := u.Getenv("XDG_STATE_HOME")
	switch {
	case filepath.IsAbs(folder):
		return folder
	case u.OS == "windows" || u.OS == "darwin":
		return u.usualData()
	case u.Home != "":
		return filepath.Join(u.Home, ".local", "state")
	}
	return ""
}

// Config is the folder of what a user sets.
func (u User) Config() string {
	folder := u.Getenv("XDG_CONFIG_HOME")
	switch {
	case filepath.IsAbs(folder):
		return folder
	case u.OS == "windows" && u.Getenv("APPDATA") != "":
		return u.Getenv("APPDATA")
	case u.Home == "":
		return ""
	}
	return filepath.Join(u.Home, ".config")
}
