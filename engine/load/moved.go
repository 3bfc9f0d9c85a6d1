package load

import (
	"context"
	"io"
	"slices"

	"hindsql/engine/duck"
	"hindsql/engine/load/moves"
)

// Agents and people move logs. A log that moved keeps its source_id and its rows: a sync
// finds out which log of the store each found file is, first by the path, then by the
// log's beginning. So the id of a log need not follow from its path.

// match relates the found files to the store's record of logs. Of logs that may have moved
// it reads the marks.
func (l *ledger) match(ctx context.Context, s *state, found []foundLog) error {
	files, logs := make([]moves.File, len(found)), make([]moves.Log, len(s.loaded))
	for i := range found {
		f := &found[i]
		files[i] = moves.File{Source: &f.source, ID: f.id, Odd: f.log.Err != nil, Packed: f.reader.Packed, Open: func() (io.ReadCloser, error) { return f.dog.Open(f.reader, f.log.Path) }}
	}
	machine := l.db.Config().Machine
	for i := range s.loaded {
		of := &s.loaded[i]
		logs[i] = moves.Log{ID: of.id, Agent: of.agent, Path: of.path, Size: of.size, Elsewhere: of.machine != machine || of.part != ""}
	}
	if s.match = moves.Compare(files, logs); !s.match.MayHaveMoves() {
		return nil
	}
	marks := map[int64]string{}
	err := l.db.Each(ctx, "SELECT source_id, beginning FROM "+duck.StoreSchema+".sources WHERE beginning IS NOT NULL", func(scan func(...any) error) error {
		var id int64
		var mark string
		err := scan(&id, &mark)
		marks[id] = mark
		return err
	})
	if s.match.SetMarks(marks); !s.isComparable() {
		return nil // a store of before the marks
	}
	return err
}

// identify returns the found files with the ids of their logs in the store, and the store's
// record with the paths of the files.
func (s *state) identify(found []foundLog, disk diskState) (files []foundLog, logs []storedLog, moved []moves.Move) {
	if len(s.loaded) == 0 {
		return found, nil, nil
	}
	is := s.match.Resolve(func(at int) bool { return !disk.mayHide(s.loaded[at].path) && !disk.exists(s.loaded[at].path) })
	files, logs = slices.Clone(found), slices.Clone(s.loaded)
	for i, id := range is.IDs {
		if f := &files[i]; f.id != id {
			f.id, f.source.KeptID = id, id
		}
	}
	for _, at := range is.Unpacked {
		logs[at].unpacked = true
	}
	for _, m := range is.Moves {
		logs[m.Log].move(&m, &found[m.File])
	}
	return files, logs, is.Moves
}

// move gives the log its new path, and also its neighbours that lay in a folder that moved.
func (l *storedLog) move(m *moves.Move, f *foundLog) {
	end := f.log.Rel
	if f.reader.NamedBy != nil {
		end = f.reader.NamedBy(end)
	}
	l.path, l.renamed, l.neighbours = m.Path, !m.Keeps(end), slices.Clone(l.neighbours)
	for i := range l.neighbours {
		l.neighbours[i].Path = m.Moved(l.neighbours[i].Path)
	}
}
