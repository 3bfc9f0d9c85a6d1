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
	Doc:      "One row per log file and neighbour: a file opened or looked for to read the log, with the state just before. A log is read again after a change of a neighbour.",
	Internal: true,
}, []column[inFile[Neighbour]]{
	text("agent", "agent that wrote the log", func(n *inFile[Neighbour]) string { return n.f.Agent }),
	text("path", "path of the neighbour", func(n *inFile[Neighbour]) string { return n.e.Path }),
	boolean("existed", "true if the neighbour existed", func(n *inFile[Neighbour]) bool { return n.e.Exists }),
	maybeBigint("size", "bytes; null if the neighbour didn't exist, or if only its existence mattered", func(n *inFile[Neighbour]) Maybe[int64] {
		return Maybe[int64]{n.e.Size, n.e.Exists && n.e.WasRead}
	}),
	instant("modified_at", "modification time; null in the same cases", func(n *inFile[Neighbour]) time.Time {
		if !n.e.WasRead {
			return time.Time{}
		}
		return n.e.ModifiedAt
	}),
	bigint("source_id", "the log file, see sources", func(n *inFile[Neighbour]) int64 { return n.f.id }),
})

// Neighbour records a file that the reader opened or looked for. If the reader looked
// several times, the first record is kept. If the file changed between two looks, a
// later sync then sees the change.
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
