package opencode

import "time"

// stored is a session as a storage holds it: the database, or a tree of JSON
// files. Both hold the same objects (FORMAT.md §3).
type stored struct {
	id, parent, directory, title, version string
	folder                                string // of the project, where directory is empty
	created, archived                     int64  // ms since 1970
	revert                                string
	messages                              []*storedMessage // in the order of the conversation
	// Of a fork: the session that it was copied from, and, by the ids of the
	// copies, those of the messages that they are copies of.
	forkedFrom string
	originals  map[string]string
}

// storedMessage is a message and its parts, as JSON.
type storedMessage struct {
	id      string
	created int64 // ms since 1970; 0 where only data says so
	data    []byte
	parts   []*storedPart // in order
	removed bool          // by an undo: only the events still hold it
	line    int64         // of the log; 0 where it has none
}

type storedPart struct {
	id   string
	data []byte
}

// lastMS is the end of the year 2099, in ms since 1970: no later time is one.
const lastMS = 4102444799999

// instant is a time in ms since 1970; zero for what can be none.
func instant(ms int64) time.Time {
	if ms < 1 || ms > lastMS {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
