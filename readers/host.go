package readers

import (
	"cmp"
	"path/filepath"
)

// Host describes the machine, to find a reader's default roots.
type Host struct {
	OS     string // a runtime.GOOS value
	Home   string
	Getenv func(string) string
}

// ConfigFolder returns the folder that holds programs' settings on this OS.
func (h Host) ConfigFolder() string {
	switch h.OS {
	case "darwin":
		return filepath.Join(h.Home, "Library", "Application Support")
	case "windows":
		return cmp.Or(h.Getenv("APPDATA"), filepath.Join(h.Home, "AppData", "Roaming"))
	}
	return h.XDGConfig()
}

// XDGConfig returns the settings folder on Linux. Some programs use it on every OS.
func (h Host) XDGConfig() string {
	return cmp.Or(h.Getenv("XDG_CONFIG_HOME"), filepath.Join(h.Home, ".config"))
}
