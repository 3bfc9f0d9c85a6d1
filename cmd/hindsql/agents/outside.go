package agents

import (
	"path/filepath"
	"strings"

	"hindsql/internal/atomicfile"
)

// Way is a link in a repository that leads out of it, and where the path with the link
// ends.
type Way struct{ Link, Target string }

// Outside returns the first link of a path that leads out of the current repository. It
// returns false for a path that stays in the repository, and for one that doesn't begin
// there.
func (h *Here) Outside(path string) (Way, bool) {
	below, err := filepath.Rel(h.Tree, path)
	if h.Tree == "" || err != nil || !filepath.IsLocal(below) {
		return Way{}, false
	}
	tree, link := atomicfile.Real(h.Tree), h.Tree
	for name := range strings.SplitSeq(below, string(filepath.Separator)) {
		link = filepath.Join(link, name)
		real := atomicfile.Real(link)
		inside, err := filepath.Rel(tree, real)
		if err == nil && filepath.IsLocal(inside) {
			continue
		}
		end := atomicfile.Real(path)
		if rest, _ := filepath.Rel(link, path); end == filepath.Join(real, rest) {
			end = real // the rest of the path has no link
		}
		return Way{link, end}, true
	}
	return Way{}, false
}

// Links decides whether links that lead out of the repository are followed. --yes
// doesn't decide, because other people make a repository's links.
type Links struct {
	Here  *Here
	Ask   func(question string) bool // nil without a terminal
	Warn  func(format string, args ...any)
	asked map[Way]bool
}

// May reports whether to write to a path. It asks only if a link of the path leads out
// of the repository, once for each link and target.
func (l *Links) May(path string) bool {
	way, leads := l.Here.Outside(path)
	if !leads {
		return true
	}
	if may, ok := l.asked[way]; ok {
		return may
	}
	if l.asked == nil {
		l.asked = map[Way]bool{}
	}
	says := l.Here.Short(way.Link) + " leads out of the repository, to " + l.Here.Short(way.Target)
	if l.Ask == nil {
		l.Warn("%s: not written; --yes doesn't cover such a link, rerun in a terminal to be asked", says)
	}
	l.asked[way] = l.Ask != nil && l.Ask("\n"+says+".\nWrite there? [y/N] ")
	return l.asked[way]
}
