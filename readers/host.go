package readers

import (
	"cmp"
	"path/filepath"
)

// Host is what a reader's default roots depend on.
type Host struct {
	OS     string // as runtime.GOOS
	Home   string
	Getenv func(string) string
}

// ConfigFolder is the folder below which programs keep their settings on this
// kind of machine.
func (h Host) ConfigFolder() string {
	switch h.OS {
	case "darwin":
		return filepath.Join(h.Home, "Library", "Application Support")
	case "windows":
		return cmp.Or(h.Getenv("APPDATA"), filepath.Join(h.Home, "AppData", "Roaming"))
	}
	return h.XDGConfig()
}

// XDGConfig is that folder on Linux. Some programs use it on every machine.
func (h Host) XDGConfig() string {
	return cmp.Or(h.Getenv("XDG_CONFIG_HOME"), filepath.Join(h.Home, ".config"))
}
