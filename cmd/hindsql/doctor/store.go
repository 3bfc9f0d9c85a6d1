package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/internal/atomicfile"
	"hindsql/internal/words"
	"hindsql/readers"
)

// Loaded checks the store and its rows. It syncs first unless noSync is set.
func Loaded(ctx context.Context, v *term.View, list []*readers.Reader, noSync bool) (found []Finding, err error) {
	var report engine.SyncReport
	if !noSync {
		if report, err = v.Sync(ctx, false); err != nil {
			return nil, err
		}
	}
	found = append(found, lookAtStore(v, &report))
	places := v.Places()
	found = append(found, lookAtPlaces(v, list, places)...)
	for _, check := range []func(context.Context, *term.View) ([]Finding, error){
		func(ctx context.Context, v *term.View) ([]Finding, error) {
			return lookAtRetention(ctx, v, list, places)
		},
		lookAtMoves,
		lookAtLogs,
		func(ctx context.Context, v *term.View) ([]Finding, error) { return lookAtChanges(ctx, v, list) },
		lookAtRuns,
	} {
		more, err := check(ctx, v)
		if err != nil {
			return found, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// lookAtStore reports the store's size and age, a process with the store open, and
// whether other users can read the file.
func lookAtStore(v *term.View, report *engine.SyncReport) Finding {
	f := Finding{OK, "store", atomicfile.Short(v.Home, v.Store), ""}
	info, err := os.Stat(v.Store)
	if err != nil {
		return Finding{Look, "store", f.What + ": not there yet", "hindsql sync loads the logs"}
	}
	f.What += ", " + words.Size(info.Size())
	if at := v.Session.Store().SyncedAt(); !at.IsZero() {
		f.What += ", brought up to date at " + words.Moment(at)
	}
	switch {
	case report.Held != nil:
		f = Finding{Look, "store", f.What + "; " + report.Held.Error(), "close it there; until then answers are of that time"}
	case report.Unwritable != nil:
		f = Finding{Broken, "store", f.What + "; " + report.Unwritable.Error(), "make room or a folder that can be written to, or name another store with --store"}
	case report.Busy:
		f = Finding{Look, "store", f.What + "; another process is loading", "ask again when it is done"}
	case engine.IsOpenToOthers(v.Store):
		f = Finding{Look, "store", f.What + "; other users may change the files of its folder", "name another with --store, or change the folder's rights"}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		f = Finding{Look, "store", f.What + "; others on this machine can read it", "chmod 600 " + atomicfile.Short(v.Home, v.Store)}
	}
	return f
}

// lookAtPlaces lists the log folders of each agent. For an agent without folders it
// lists the first possible folder.
func lookAtPlaces(v *term.View, list []*readers.Reader, places []engine.PlaceReport) (found []Finding) {
	var missing []string
	for _, r := range list {
		var there []string
		var logs int
		first, silent := "", false
		for _, p := range places {
			switch {
			case p.Agent != r.Agent:
			case p.Silent != nil:
				what, do, _ := strings.Cut(p.Silent.Error(), "; look ")
				found = append(found, Finding{Look, r.Agent, atomicfile.Short(v.Home, what), "look " + do})
				silent = true
			case p.Exists:
				for _, u := range p.Unread {
					state := map[bool]State{true: OK, false: Look}[u.Known]
					found = append(found, Finding{state, r.Agent, fmt.Sprintf("%s %s: %s", words.Quantity(int64(u.Files), "file"), atomicfile.Short(v.Home, filepath.Join(p.Path, filepath.FromSlash(u.Pattern))), u.Why), ""})
				}
				logs += p.Files
				there = append(there, fmt.Sprintf("%s (%s, %s)", atomicfile.Short(v.Home, p.Path), words.Quantity(int64(p.Files), "log"), words.Size(p.Bytes)))
			case first == "":
				first = atomicfile.Short(v.Home, p.Path)
			}
		}
		switch {
		case there == nil && silent:
		case there == nil:
			missing = append(missing, r.Agent+" ("+first+")")
		case logs == 0:
			found = append(found, Finding{Look, r.Agent, "no logs in " + strings.Join(there, ", "), "--root " + r.Agent + "=FOLDER names another folder"})
		default:
			found = append(found, Finding{OK, r.Agent, strings.Join(there, ", "), ""})
		}
	}
	if missing != nil {
		f := Finding{OK, "not here", strings.Join(missing, ", "), ""}
		if len(missing) == len(list) {
			f = Finding{Look, "no logs", "none of these folders is there: " + strings.Join(missing, ", "), "--root AGENT=FOLDER names one; hindsql --sample shows made-up logs"}
		}
		found = append(found, f)
	}
	return found
}

// Packed says how a copy of hindsql came to this machine.
type Packed struct {
	How     string // npm, a wheel of Python, source …
	Upgrade string // command that installs the newest version; empty if unknown
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
