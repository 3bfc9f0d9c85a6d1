package opencode

// stored is a session as its storage holds it: the database or the tree of JSON files.
// Both hold the same objects (FORMAT.md §3).
type stored struct {
	id, parent, directory, title, version string
	folder                                string // the project's folder, read if directory is empty
	created, archived                     int64  // ms since 1970
	revert                                string
	messages                              []*storedMessage // in conversation order
	// For a fork: the session it was copied from, and the ids of the original messages
	// by the ids of the copies.
	forkedFrom string
	originals  map[string]string
}

// storedMessage is a message and its parts as JSON.
type storedMessage struct {
	id      string
	created int64 // ms since 1970; 0 if only data has the time
	data    []byte
	parts   []*storedPart // in order
	removed bool          // removed after an undo; only the events still hold the message
	line    int64         // line of the log; 0 without lines
}

type storedPart struct {
	id   string
	data []byte
}
