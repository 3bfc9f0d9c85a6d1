package opencode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/pattern"
)

// A fork is a separate session with new ids and without a reference to its origin.
// Copied messages keep their original times, before the fork's creation (FORMAT.md §7).

// moment identifies a message within a session, by role and time. A fork's copy of a
// message has the same moment, but another id.
type moment struct {
	role    string
	created int64 // ms since 1970
}

// candidate is a session that may be the origin of a fork.
type candidate struct {
	id, title string
	created   int64             // ms since 1970
	messages  map[moment]string // message ids
}

// maxOrigins is the highest number of sessions that a fork is compared with.
const maxOrigins = 100

// isOrigin reports whether a session may be the origin of a fork: it has all early
// messages of the fork (messages older than the fork), and a fork of it would get this
// title.
func (o *candidate) isOrigin(title string, early []moment) bool {
	return forkTitle(o.title) == title && !slices.ContainsFunc(early, func(at moment) bool { return o.messages[at] == "" })
}

// earlyMoments returns the moments of the messages that are older than their session.
func (s *stored) earlyMoments(moments map[string]moment) []moment {
	var early []moment
	for _, m := range s.messages {
		if at := moments[m.id]; !m.removed && at.created > 0 && at.created < s.created {
			early = append(early, at)
		}
	}
	return early
}

// setOrigin finds the original of each message that a fork copied, and the session that
// was forked. If several sessions hold the message, the oldest session has the
// original.
func (s *stored) setOrigin(moments map[string]moment, from []candidate) {
	slices.SortFunc(from, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.created, b.created), strings.Compare(a.id, b.id))
	})
	shared := make([]int, len(from))
	for _, m := range s.messages {
		at := moments[m.id]
		if m.removed || at.created == 0 || at.created >= s.created {
			continue
		}
		for i, o := range from {
			original := o.messages[at]
			if original == "" {
				continue
			}
			shared[i]++
			if s.originals == nil {
				s.originals = map[string]string{}
			}
			s.originals[m.id] = cmp.Or(s.originals[m.id], original)
		}
	}
	s.forkedFrom = s.bestOrigin(from, shared)
}

// bestOrigin returns the session that shares the most messages with the fork; empty if
// none shares any. Among equals it prefers a session whose fork would get this fork's
// title, then the first.
func (s *stored) bestOrigin(from []candidate, shared []int) string {
	best, most, named := "", 0, false
	for i, o := range from {
		isNamed := forkTitle(o.title) == s.title
		if shared[i] > most || shared[i] == most && most > 0 && isNamed && !named {
			best, most, named = o.id, shared[i], isNamed
		}
	}
	return best
}

var forkNumber = pattern.Lazy(`^(.+) \(fork #(\d{1,9})\)$`)

// forkTitle returns the title that opencode gives a fork of a session: "TITLE (fork
// #1)", or the next number.
func forkTitle(title string) string {
	if m := forkNumber.FindStringSubmatch(title); m != nil {
		n := 0
		_, _ = fmt.Sscan(m[2], &n)
		return fmt.Sprintf("%s (fork #%d)", m[1], n+1)
	}
	return title + " (fork #1)"
}
