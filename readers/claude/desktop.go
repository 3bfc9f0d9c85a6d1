package claude

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// coworkFolder is the folder in which Claude Desktop keeps Cowork's sessions. Each has
// a ~/.claude of its own (FORMAT.md §1.3).
const coworkFolder = "local-agent-mode-sessions"

// desktopRoots returns Claude Desktop's data folders.
func desktopRoots(host readers.Host) []string {
	list := []string{filepath.Join(host.ConfigFolder(), "Claude")}
	if host.OS == "windows" {
		local := cmp.Or(host.Getenv("LOCALAPPDATA"), filepath.Join(host.Home, "AppData", "Local"))
		list = append(list, filepath.Join(local, "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude")) // from the Store
	}
	return list
}

// coworkProjects returns patterns of the folders with Cowork's transcripts, relative to
// Claude Desktop's data folder. The patterns match no folders of plugins, and no files
// that the user gave to a session or that a session made.
func coworkProjects() []string {
	return []string{
		coworkFolder + "/*/*/local_*/.claude/projects",
		coworkFolder + "/*/*/agent/local_*/.claude/projects",
	}
}

// notOfCowork lists names below coworkFolder that hold no transcripts. audit.jsonl
// repeats a session in the form in which a calling program receives it.
var notOfCowork = []string{"skills-plugin", "uploads", "outputs", "audit.jsonl"}

// isCoworkLog reports whether a file lies below a session's own projects/ folder.
func isCoworkLog(rel string) bool {
	_, below, ok := strings.Cut(rel, "/.claude/projects/")
	if !ok || path.Base(below) == "audit.jsonl" {
		return false
	}
	parts := strings.Split(strings.TrimSuffix(rel, below), "/")
	return !slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(notOfCowork, part) })
}

// readDesktop reads local_<id>.json beside the folder of a Cowork session: the title,
// and the folder that the user chose. The transcript's lines only have paths inside the
// virtual machine.
func (t *transcript) readDesktop() {
	local, _, ok := strings.Cut(t.in.Rel, "/.claude/projects/")
	if !ok || !strings.HasPrefix(path.Base(local), "local_") {
		return
	}
	data, err := t.in.Beside(local + ".json")
	if err != nil {
		t.besideProblem(err)
		return
	}
	v, err := fastjson.ParseBytes(data)
	if err != nil {
		t.emit(&tables.Problem{What: path.Base(local) + ".json: bad JSON"})
		return
	}
	folder := readers.Text(v, "cwd")
	if folders := v.GetArray("userSelectedFolders"); len(folders) > 0 {
		folder = cmp.Or(readers.Text(folders[0]), folder)
	}
	t.facts.project = cmp.Or(readers.Folder(folder), t.facts.project)
	if !t.agent {
		t.facts.localTitle = readers.Text(v, "title")
	}
	t.facts.extra.Text("local_session_id", readers.Text(v, "sessionId"))
}
