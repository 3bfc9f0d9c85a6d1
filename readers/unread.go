package readers

import (
	"path"
	"slices"
	"strings"

	"hindsql/internal/pattern"
)

// UnreadFiles is a kind of file that lies in a folder of logs, looks like a log, and isn't read.
type UnreadFiles struct {
	Pattern string // path below the root; * stands for what differs
	Files   int
	Known   bool // in Reader.Unread
}

// Why says why the files aren't read.
func (u *UnreadFiles) Why() string {
	if u.Known {
		return "known, and not read"
	}
	return "not known to hindsql: these files lie beside logs, and are not read"
}

// Survey is [Watchdog.Search], but instead of unreadable entries it lists what lies in
// the folders of logs and isn't read, sorted.
func (w *Watchdog) Survey(r *Reader, in []Place) (logs []Log, unread []UnreadFiles, err error) {
	s := newWalk(r, w)
	s.unread = map[string]*UnreadFiles{}
	logs, _, err = s.search(in)
	for _, u := range s.unread {
		unread = append(unread, *u)
	}
	slices.SortFunc(unread, func(a, b UnreadFiles) int { return strings.Compare(a.Pattern, b.Pattern) })
	return logs, unread, err
}

// Parts of a path that differ from file to file.
var (
	variedFolder = pattern.Lazy(`[^/]*[\d-][^/]*/`)
	variedName   = pattern.Lazy(`\w*\d\w*([-_](\w*\d\w*|[0-9a-f]{4,}))*`)
)

// countUnread counts a file that is no log, if a survey asks for it.
func (w *walk) countUnread(rel string) {
	ext := path.Ext(rel)
	if w.unread == nil || ext != ".json" && ext != ".jsonl" && ext != ".db" {
		return
	}
	name := findPattern(w.reader.Unread, rel)
	known := name != ""
	if !known {
		if findPattern(w.reader.Companions, rel) != "" {
			return
		}
		folder, base := path.Split(rel)
		top := strings.Index(folder, "/") + 1
		name = folder[:top] + variedFolder.ReplaceAllString(folder[top:], "*/") + variedName.ReplaceAllString(base, "*")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unread[name] == nil {
		w.unread[name] = &UnreadFiles{Pattern: name, Known: known}
	}
	w.unread[name].Files++
}

// findPattern returns the first of some patterns that matches a path; empty if none does. *
// stands for a part of a name, and a slash at the end for all files below.
func findPattern(patterns, rel string) string {
	names := strings.Split(rel, "/")
	for p := range strings.FieldsSeq(patterns) {
		folder, below := strings.CutSuffix(p, "/")
		n := strings.Count(folder, "/") + 1
		if len(names) < n || len(names) > n != below {
			continue
		}
		if ok, _ := path.Match(folder, strings.Join(names[:n], "/")); ok {
			return p
		}
	}
	return ""
}
