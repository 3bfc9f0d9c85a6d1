package readers

import (
	"maps"
	"path"
	"slices"
	"strings"

	"hindsql/internal/pattern"
)

// UnreadFiles are files that lie in a folder of logs, look like logs, and aren't read.
type UnreadFiles struct {
	Pattern string // path below the root; * stands for what differs
	Files   int
	Known   bool   // in Reader.Unread
	Why     string // why they aren't read
}

// Survey is [Watchdog.Search], but instead of unreadable entries it lists what isn't read.
func (w *Watchdog) Survey(r *Reader, in []Place) (logs []Log, unread []UnreadFiles, err error) {
	s := newWalk(r, w)
	s.unread = map[string]UnreadFiles{}
	logs, _, err = s.search(in)
	for _, name := range slices.Sorted(maps.Keys(s.unread)) {
		unread = append(unread, s.unread[name])
	}
	return logs, unread, err
}

// Parts of a path that differ from file to file.
var (
	variedFolder = pattern.Lazy(`/[^/]*[\d-][^/]*`)
	variedName   = pattern.Lazy(`\w*\d\w*([-_](\w*\d\w*|[0-9a-f]{4,}))*`)
)

var logSuffixes = SetOf(".json .jsonl .db")

// countUnread counts a file that is no log, if a survey asks for it. It returns false:
// nobody opens the file.
func (w *walk) countUnread(rel string) bool {
	if w.unread == nil || !logSuffixes[path.Ext(rel)] {
		return false
	}
	folder, base := path.Split(rel)
	u := UnreadFiles{Why: "known, and not read", Known: true}
	name := findName(w.reader.Unread, rel)
	if name == "" {
		if findName(w.reader.Companions, rel) != "" {
			return false
		}
		u = UnreadFiles{Why: "not known to hindsql: these files lie beside logs, and are not read"}
	}
	if name == "" || strings.HasSuffix(name, "/") {
		name = variedName.ReplaceAllString(base, "*")
	}
	u.Pattern = variedFolder.ReplaceAllString(folder, "/*") + name
	w.mu.Lock()
	defer w.mu.Unlock()
	u.Files = w.unread[u.Pattern].Files + 1
	w.unread[u.Pattern] = u
	return false
}

// findName returns the first of some patterns that matches the file's name, or with a
// slash at its end the name of a folder on the path; empty if none does.
func findName(patterns, rel string) string {
	for p := range strings.FieldsSeq(patterns) {
		names := strings.SplitAfter(rel, "/")
		if slices.ContainsFunc(names, func(name string) bool { ok, _ := path.Match(p, name); return ok }) {
			return p
		}
	}
	return ""
}
