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

// byFolder lists ways of packing by a part of the program's path.
var byFolder = []struct{ part, how, upgrade string }{
	{"/_npx/", "npx", "npx hindsql@latest"},
	{"/node_modules/hindsql-", "npm", "npm install -g hindsql@latest"},
	{"/uv/archive-v0/", "uvx", "uvx hindsql@latest"},
	{"/uv/cache/archive-v0/", "uvx", "uvx hindsql@latest"},
	{"/uv/tools/hindsql/", "uv", "uv tool upgrade hindsql"},
	{"/pipx/venvs/hindsql/", "pipx", "pipx upgrade hindsql"},
}

// byFile lists ways of packing by a file beside the program: a pattern from the folder
// above the program's. Debian's Python has dist-packages, Fedora's lib64, and Apple's
// and Windows' no version in the path. On Windows, uv and pipx copy the program.
var byFile = []struct{ pattern, how, upgrade string }{
	{"../AppData/Roaming/uv/tools/hindsql", "uv", "uv tool upgrade hindsql"},
	{"../pipx/venvs/hindsql", "pipx", "pipx upgrade hindsql"},
	{"lib*/python*/*-packages/hindsql-*.dist-info", wheel, upgradeWheel},
	{"Lib/site-packages/hindsql-*.dist-info", wheel, upgradeWheel},
	{"site-packages/hindsql-*.dist-info", wheel, upgradeWheel},
}

const wheel, upgradeWheel = "a wheel of Python", "pip install --upgrade hindsql"

// packed is ThisPacked for a path. exists reports whether a file of a pattern exists.
func packed(path, released string, exists func(pattern string) bool) Packed {
	at := strings.ReplaceAll(path, `\`, "/")
	for _, w := range byFolder {
		if strings.Contains(at, w.part) {
			return Packed{w.how, w.upgrade, path}
		}
	}
	prefix := filepath.Dir(filepath.Dir(path))
	for _, w := range byFile {
		if exists(filepath.Join(prefix, filepath.FromSlash(w.pattern))) {
			return Packed{w.how, w.upgrade, path}
		}
	}
	switch {
	case path == "/usr/bin/hindsql" && exists("/var/lib/dpkg/info/hindsql.list"):
		return Packed{"a .deb", "sudo dpkg -i hindsql_*.deb", path}
	case path == "/usr/bin/hindsql" && released != "":
		return Packed{"an .rpm", "sudo rpm -U hindsql-*.rpm", path}
	case released != "" && strings.HasSuffix(at, "/bin/hindsql"):
		return Packed{"an archive", "tar -C " + prefix + " --strip-components=1 -xf hindsql-*.tar.gz", path}
	case released != "":
		return Packed{"an archive", "", path}
	}
	return Packed{"source", "git pull && make install", path}
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
