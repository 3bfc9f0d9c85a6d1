// Package moves finds out which log of a store each found file is, though the log may lie
// at another path now.
//
// In: the found files, and the store's record of its logs. Out: the files' ids, and the
// logs that moved, with the SQL that records their new paths. The package reads the
// beginning of files that the store doesn't know by their paths, and knows no store.
package moves

import (
	"io"
	"strings"

	"hindsql/internal/logstart"
	"hindsql/tables"
)

// File is a found file.
type File struct {
	*tables.Source
	ID     int64  // that follows from the path
	Odd    bool   // stands in a log's place, or can't be read: it is no log's file
	Packed string // suffix of compressed logs; empty if the agent compresses no logs
	Open   func() (io.ReadCloser, error)
}

// path returns the path as a store has it, in valid UTF-8.
func (f *File) path() string { return strings.ToValidUTF8(f.Path, "\uFFFD") }

// Log is the store's record of a log.
type Log struct {
	ID          int64
	Agent, Path string
	Size        int64 // bytes at the last load
	Elsewhere   bool  // another machine's log, or a part of a log: no file is this log
}

// Match relates the found files to the logs of a store by their paths.
type Match struct {
	files []File
	logs  []Log
	known []int                 // by file: index of the log; none if the store has no log at the path
	lost  []int                 // indexes of the logs at whose paths no file was found
	marks map[int]logstart.Mark // of lost logs, by index
}

const none = -1

// place identifies a log by its path.
type place struct{ agent, path string }

// Compare relates found files to the logs of a store.
func Compare(files []File, logs []Log) *Match {
	m := &Match{files: files, logs: logs, known: make([]int, len(files)), marks: map[int]logstart.Mark{}}
	ids, isFound := make(map[int64]int, len(logs)), make([]bool, len(logs))
	for at := range logs {
		isFound[at] = logs[at].Elsewhere
		if !isFound[at] {
			ids[logs[at].ID] = at
		}
	}
	var byPath map[place]int // made for the first file whose id isn't that of a log at its path
	for i := range files {
		at, ok := ids[files[i].ID]
		if !ok || logs[at].Path != files[i].Path && logs[at].Path != files[i].path() {
			if byPath == nil {
				byPath = placesOf(logs)
			}
			at, ok = byPath[place{files[i].Agent, files[i].path()}]
		}
		if m.known[i] = none; ok {
			m.known[i], isFound[at] = at, true
		}
	}
	for at := range logs {
		if !isFound[at] {
			m.lost = append(m.lost, at)
		}
	}
	return m
}

func placesOf(logs []Log) map[place]int {
	places := make(map[place]int, len(logs))
	for at := range logs {
		if l := &logs[at]; !l.Elsewhere {
			places[place{l.Agent, l.Path}] = at
		}
	}
	return places
}

// MayHaveMoves reports whether a log that was not found at its path may be a file that the
// store doesn't know.
func (m *Match) MayHaveMoves() bool {
	if len(m.lost) > 0 {
		for i, at := range m.known {
			if at == none && !m.files[i].Odd {
				return true
			}
		}
	}
	return false
}

// SetMarks sets the marks of the lost logs. texts has marks by the ids of their logs.
func (m *Match) SetMarks(texts map[int64]string) {
	for _, at := range m.lost {
		m.marks[at] = logstart.Parse(texts[m.logs[at].ID])
	}
}

// Move is a log of the store that lies at another path now.
type Move struct {
	File, Log int // indexes
	ID        int64
	Was, Path string
	folders
}

// Result is what the files are.
type Result struct {
	IDs      []int64 // by file: the id of its log, or of a new log
	Moves    []Move
	Unpacked []int // indexes of compressed logs that aren't found, because the uncompressed logs lie beside them
}

// Resolve finds out what the files are. isGone reports whether nothing lies at the path of
// a log any more.
func (m *Match) Resolve(isGone func(log int) bool) (r Result) {
	unpacked := m.unpacked()
	of := append([]int(nil), m.known...)
	if m.MayHaveMoves() {
		m.pair(of, func(at int) bool { return unpacked[at] || isGone(at) })
	}
	for i, at := range of {
		if at != none && m.known[i] == none {
			was, path := m.logs[at].Path, m.files[i].path()
			r.Moves = append(r.Moves, Move{i, at, m.logs[at].ID, was, path, foldersOf(was, path)})
			delete(unpacked, at)
		}
	}
	for at := range unpacked {
		r.Unpacked = append(r.Unpacked, at)
	}
	r.IDs = m.ids(of)
	return r
}

// unpacked returns the lost logs that are compressed, and whose uncompressed file was found.
func (m *Match) unpacked() map[int]bool {
	suffixes := map[string]string{}
	for i := range m.files {
		if f := &m.files[i]; f.Packed != "" {
			suffixes[f.Agent] = f.Packed
		}
	}
	packed, list := map[place]int{}, map[int]bool{}
	for _, at := range m.lost {
		l := &m.logs[at]
		if plain, is := strings.CutSuffix(l.Path, suffixes[l.Agent]); is && plain != l.Path {
			packed[place{l.Agent, plain}] = at
		}
	}
	for i := 0; i < len(m.files) && len(packed) > 0; i++ {
		if at, ok := packed[place{m.files[i].Agent, m.files[i].path()}]; ok {
			list[at] = true
		}
	}
	return list
}

// ids returns the ids of files. A new file gets the id that follows from its path, unless
// a log has it that lay at the path before.
func (m *Match) ids(of []int) []int64 {
	list := make([]int64, len(of))
	var taken map[int64]bool // made for the first new file
	for i, at := range of {
		if at != none {
			list[i] = m.logs[at].ID
			continue
		}
		if taken == nil {
			taken = make(map[int64]bool, len(m.logs))
			for at := range m.logs {
				taken[m.logs[at].ID] = !m.logs[at].Elsewhere
			}
		}
		list[i] = m.files[i].FreeID(func(id int64) bool { return taken[id] })
		taken[list[i]] = true
	}
	return list
}
