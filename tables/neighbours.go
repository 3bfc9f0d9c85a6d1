package tables

import "time"

// Neighbour is another file that a log's reader opened or looked for. The log's rows
// may depend on the neighbour, so a change of the neighbour counts as a change of the
// log.
type Neighbour struct {
	Path       string // absolute
	WasRead    bool   // true if the reader read the content; false if only existence matters
	Exists     bool
	Size       int64     // bytes; zero if missing
	ModifiedAt time.Time // zero if missing
}

var neighbours = newSheet(Table{
	Name:     "neighbours",
	Doc:      "One row per log file and other file that was opened, or looked for, to read it, as that file was just before. A log is read again when one of its neighbours changed.",
	Internal: true,
}, []column[inFile[Neighbour]]{
	text("agent", "which agent wrote the log", func(n *inFile[Neighbour]) string { return n.f.Agent }),
	text("path", "where it lies, or would", func(n *inFile[Neighbour]) string { return n.e.Path }),
	boolean("existed", "whether it was there", func(n *inFile[Neighbour]) bool { return n.e.Exists }),
	maybeBigint("size", "bytes; null when it wasn't there, or only its existence was asked for", func(n *inFile[Neighbour]) Maybe[int64] {
		return Maybe[int64]{n.e.Size, n.e.Exists && n.e.WasRead}
	}),
	instant("modified_at", "its time of modification; null likewise", func(n *inFile[Neighbour]) time.Time {
		if !n.e.WasRead {
			return time.Time{}
		}
		return n.e.ModifiedAt
	}),
	bigint("source_id", "the log file, see sources", func(n *inFile[Neighbour]) int64 { return n.f.id }),
})

// Neighbour records a neighbour of the file. Of several records for a path the first
// counts: a change between two looks is a change since the load.
func (f *File) Neighbour(n Neighbour) {
	if known := f.byPath[n.Path]; known != nil {
		known.WasRead = known.WasRead || n.WasRead
		return
	}
	if f.byPath == nil {
		f.byPath = map[string]*Neighbour{}
	}
	f.byPath[n.Path] = &n
	f.neighbours = append(f.neighbours, &n)
}
