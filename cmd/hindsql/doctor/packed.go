package doctor

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Packed says how a copy of hindsql came to this machine.
type Packed struct {
	How     string // npm, a wheel of Python, source …
	Upgrade string // the line that brings the newest version; empty if there is none
	Path    string // of the program; empty if unknown
}

// ThisPacked returns how this process's program was packed. released is the release's
// version, empty for a build from source. It looks at paths, and downloads nothing.
func ThisPacked(released string) Packed {
	path, _ := os.Executable()
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	p := packed(path, released, func(pattern string) bool {
		found, err := filepath.Glob(pattern)
		return err == nil && len(found) > 0
	})
	if info, ok := debug.ReadBuildInfo(); ok && released == "" {
		p.bySource(info)
	}
	return p
}

// bySource names go install, if it fetched the module: a build in a working tree has no
// checksum of the module.
func (p *Packed) bySource(info *debug.BuildInfo) {
	if info.Main.Sum != "" {
		p.How, p.Upgrade = "go install", "go install -tags duckdb_arrow "+info.Path+"@latest"
	}
}

// packed is ThisPacked for a path. exists reports whether a file of a pattern exists.
func packed(path, released string, exists func(pattern string) bool) Packed {
	at := strings.ReplaceAll(path, `\`, "/")
	prefix := filepath.Dir(filepath.Dir(path))
	is := func(part string) bool { return strings.Contains(at, part) }
	switch {
	case is("/node_modules/hindsql-"):
		return Packed{"npm", "npm install -g hindsql@latest", path}
	case is("/uv/tools/hindsql/"):
		return Packed{"uv", "uv tool upgrade hindsql", path}
	case is("/pipx/venvs/hindsql/"):
		return Packed{"pipx", "pipx upgrade hindsql", path}
	case is("/Cellar/hindsql/"):
		return Packed{"Homebrew", "brew upgrade hindsql", path}
	case is("/scoop/apps/hindsql/"):
		return Packed{"Scoop", "scoop update hindsql", path}
	case is("/WinGet/Packages/"):
		return Packed{"winget", "winget upgrade hindsql", path}
	case exists(filepath.Join(prefix, "lib", "python3*", "site-packages", "hindsql-*.dist-info")), exists(filepath.Join(prefix, "Lib", "site-packages", "hindsql-*.dist-info")):
		return Packed{"a wheel of Python", "pip install --upgrade hindsql", path}
	case path == "/usr/bin/hindsql" && exists("/var/lib/dpkg/info/hindsql.list"):
		return Packed{"a .deb", "", path}
	case path == "/usr/bin/hindsql" && released != "":
		return Packed{"an .rpm", "", path}
	case released != "":
		return Packed{"an archive", "", path}
	}
	return Packed{"source", "", path}
}

// Program reports the program's version, and how the program was packed. system is a
// runtime.GOOS.
func Program(version, released, system string) Finding {
	p := ThisPacked(released)
	f := Finding{OK, "hindsql", version + ", from " + p.How, p.Upgrade}
	if f.Do != "" {
		f.Do += " brings the newest version"
	}
	if system == "darwin" {
		f.Do = strings.TrimPrefix(f.Do+"; hindsql's makers haven't run it on macOS: if something fails, report it with the output of hindsql version --verbose and hindsql doctor", "; ")
	}
	return f
}
