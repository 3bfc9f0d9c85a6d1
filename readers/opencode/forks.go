package opencode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hindsql/readers"
)

// A fork is a session of its own, with new ids and no word of where it came
// from; its copied messages keep the times at which the first ones were
// written, which is before the session was made (FORMAT.md §7).

// moment tells a message within a session.
type moment struct {
	role    string
	created int64 // ms since 1970
}

// older is a session that a fork may have been made of.
type older struct {
	id, title string
	created   int64             // ms since 1970
	messages  map[moment]string // their ids
}

// mostOrigins is how many sessions a fork is compared with at most.
const mostOrigins = 100

// isOrigin says whether a session has all of the early messages of one with the
// title, which is that of its fork.
func (o *older) isOrigin(title string, early []moment) bool {
	return forkTitle(o.title) == title && !slices.ContainsFunc(early, func(at moment) bool { return o.messages[at] == "" })
}

// early are the moments of the messages that are older than their session.
func (s *stored) early(moments map[string]moment) []moment {
	var early []moment
	for _, m := range s.messages {
		if at := moments[m.id]; !m.removed && at.created > 0 && at.created < s.created {
			early = append(early, at)
		}
	}
	return early
}

// forked settles which session the early messages were copied from. The first
// that has a message has the original.
func (s *stored) forked(moments map[string]moment, from []older) {
	slices.SortFunc(from, func(a, b older) int {
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
			if s.originals[m.id] == "" {
				s.originals[m.id] = original
			}
		}
	}
	s.forkedFrom = s.forkOf(from, shared)
}

// forkOf is the session that shares most; of several that share as much, the
// one whose title the fork's was made of, and then the first.
func (s *stored) forkOf(from []older, shared []int) string {
	best, most, named := "", 0, false
	for i, o := range from {
		isNamed := forkTitle(o.title) == s.title
		if shared[i] > most || shared[i] == most && most > 0 && isNamed && !named {
			best, most, named = o.id, shared[i], isNamed
		}
	}
	return best
}

var forkNumber = readers.Lazy(`^(.+) \(fork #(\d{1,9})\)$`)

// forkTitle is the title that a fork of a session with the title gets.
func forkTitle(title string) string {
	if m := forkNumber.FindStringSubmatch(title); m != nil {
		n := 0
		_, _ = fmt.Sscan(m[2], &n)
		return fmt.Sprintf("%s (fork #%d)", m[1], n+1)
	}
	return title + " (fork #1)"
}
