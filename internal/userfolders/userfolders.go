// Package userfolders finds the folders of a user's files on each kind of system.
//
// In: the system, the home folder, and variables of the environment, mainly XDG's. Out:
// paths of folders, which may not exist.
package userfolders

import "path/filepath"

// User is the owner of the files. Without a home folder, a path is empty unless a
// variable gives it.
type User struct {
	OS     string // value of runtime.GOOS
	Home   string // empty if unknown
	Getenv func(string) string
}

// Data returns the folder for programs' data: $XDG_DATA_HOME on every system.
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

// State returns the folder for programs' state.
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

// Config returns the folder for a user's settings.
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

// ConfigName names the folder of [User.Config] for people, without this user's
// variables and home folder.
func (u User) ConfigName() string {
	if u.OS == "windows" {
		return "%APPDATA%"
	}
	return "~/.config"
}
