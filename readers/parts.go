package readers

import (
	"fmt"
	"runtime/debug"
	"slices"

	"hindsql/tables"
)

// Part is one session, or another unit, of a log file with several, for example a
// database. Each part is a separate source, and is read again when its stamp changes.
type Part struct {
	Name  string // not empty; constant while the part exists
	Stamp string // changes whenever the part's rows may change
	Size  int64  // rough bytes; constant while the stamp is
}

// List returns the parts of a log. near holds the files beside the log that a later
// list may depend on, as they were just before. If several parts have one name, the
// first counts. Parts without a name are dropped. The error is a [*Unread] if the list
// may change once the disk can be read.
func (r *Reader) List(log Log) (parts []Part, near []tables.Neighbour, err error) {
	return r.list(nil, log)
}

func (r *Reader) list(l *lane, log Log) (parts []Part, near []tables.Neighbour, err error) {
	own := disk{reader: r, lane: l}
	beside := neighbourhood{root: log.Root, disk: disk{reader: r, lane: l}}
	for _, suffix := range r.With {
		now, _ := look(l, log.Path+suffix)
		now.WasRead = true
		beside.met = append(beside.met, now)
	}
	parts, err = r.ListFrom(beside.input(log, &own))
	if unread := beside.unread(&own, err); unread != nil {
		err = unread
	}
	return parts, beside.met, err
}

// ListFrom is List for an input that may come from elsewhere than a disk.
func (r *Reader) ListFrom(in Input) (parts []Part, err error) {
	defer func() {
		if p := recover(); p != nil {
			parts, err = nil, fmt.Errorf("reader panicked: %v; please report it: %.600s", p, debug.Stack())
		}
	}()
	all, err := r.Parts(&in)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{"": true}
	for _, p := range all {
		if !seen[p.Name] {
			seen[p.Name] = true
			parts = append(parts, p)
		}
	}
	return parts, nil
}

// belongs reports whether a path is one of the log's own files, by a suffix in
// Reader.With. If such a file changes, the stamps of the parts change, too.
func (r *Reader) belongs(path string, log Log) bool {
	return slices.ContainsFunc(r.With, func(suffix string) bool { return path == log.Path+suffix })
}
