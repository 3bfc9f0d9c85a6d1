package readers

import (
	"fmt"
	"runtime/debug"
	"slices"

	"hindsql/tables"
)

// Part is one of the sessions, or whatever else, that a log file holds side by
// side, as a database does. Each is a source of its own, and is read when its
// stamp is another one.
type Part struct {
	Name  string // not empty; the same as long as the part is there
	Stamp string // another one whenever its rows may be others
	Size  int64  // bytes, roughly; the same while the stamp is
}

// List gives the parts of a log, and the files beside it that a later list may
// depend on, as they were just before. Of several parts with one name the
// first counts, and one without a name is none. The error is a [*Unread] where the
// list may be another once the disk can be read.
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

// ListFrom is List for an input that need not lie on a disk.
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

// belongs says whether a path is one of the files that a log is made of. A
// part's stamp speaks for those.
func (r *Reader) belongs(path string, log Log) bool {
	return slices.ContainsFunc(r.With, func(suffix string) bool { return path == log.Path+suffix })
}
