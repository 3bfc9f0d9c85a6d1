package prompt

import "strings"

// recall is a walk through the history by Up and Down. It visits only entries that
// begin with prefix, the text before the cursor at the start of the walk.
type recall struct {
	prefix string
	typed  string // the text at the start of the walk, which comes back after the newest entry
	shown  string // the entry shown last; if the user changes the text, the walk ends
	at     int    // index of shown
}

// up returns the next older entry, or false if none matches. text is the editor's text,
// and before is its part before the cursor.
func (r *recall) up(entries []string, text, before string) (string, bool) {
	if r.shown == "" || text != r.shown {
		*r = recall{prefix: before, typed: text, at: len(entries)}
	}
	for i := r.at - 1; i >= 0; i-- {
		if entry := entries[i]; entry != text && strings.HasPrefix(entry, r.prefix) {
			r.at, r.shown = i, entry
			return entry, true
		}
	}
	return "", false
}

// down returns the next newer entry. After the newest entry it returns the text typed
// before the walk. It returns false outside of a walk.
func (r *recall) down(entries []string, text string) (string, bool) {
	if r.shown == "" || text != r.shown {
		return "", false
	}
	for i := r.at + 1; i < len(entries); i++ {
		if strings.HasPrefix(entries[i], r.prefix) {
			r.at, r.shown = i, entries[i]
			return entries[i], true
		}
	}
	r.shown = ""
	return r.typed, true
}
