package engine

import (
	"context"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"slices"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// withParts puts the parts of each log behind it. They are listed for a log
// that is another one than the store knows, or that could not be read then; of
// the others, the store's are taken. A list that a killed sync didn't load whole is another one, too.
func withParts(logs []found, inStore []loaded, machine string, disk looks, all bool) []found {
	var list []found
	var known *partsInStore
	for i, f := range logs {
		if f.reader.Parts == nil || f.log.Err != nil {
			if list != nil {
				list = append(list, f)
			}
			continue
		}
		if list == nil {
			list, known = slices.Clone(logs[:i]), knownParts(inStore, machine)
		}
		list = append(list, known.expand(f, disk, all)...)
	}
	if list == nil {
		return logs
	}
	return list
}

// addParts says which of the logs are parts, and what those and the files that
// have parts are known by. Few are, so that others pay for no column of theirs.
func (l *ledger) addParts(ctx context.Context, logs []loaded) error {
	byID := byID(logs)
	return l.in.each(ctx, `SELECT source_id, coalesce(part, ''), coalesce(stamp, '') FROM `+StoreSchema+`.sources WHERE part IS NOT NULL OR stamp IS NOT NULL`,
		func(scan func(...any) error) error {
			var id int64
			var part, stamp string
			if err := scan(&id, &part, &stamp); err != nil {
				return err
			}
			byID[id].part, byID[id].stamp = part, stamp
			return nil
		})
}

func byID(logs []loaded) map[int64]*loaded {
	m := make(map[int64]*loaded, len(logs))
	for i := range logs {
		m[logs[i].id] = &logs[i]
	}
	return m
}

// partsInStore are the files of this machine that the store knows, and their
// parts that are there.
type partsInStore struct {
	files map[int64]*loaded
	parts map[partsOf][]*loaded
}

// partsOf is a file that parts are of.
type partsOf struct{ agent, path string }

func knownParts(inStore []loaded, machine string) *partsInStore {
	k := &partsInStore{files: map[int64]*loaded{}, parts: map[partsOf][]*loaded{}}
	for i := range inStore {
		l := &inStore[i]
		switch {
		case l.part == "":
			k.files[l.id] = l
		case !l.gone && l.machine == machine:
			of := partsOf{l.agent, l.path}
			k.parts[of] = append(k.parts[of], l)
		}
	}
	return k
}

// expand gives a log and its parts.
func (k *partsInStore) expand(f found, disk looks, all bool) []found {
	var parts []readers.Part
	for _, l := range k.parts[partsOf{f.source.Agent, f.source.Path}] {
		parts = append(parts, readers.Part{Name: l.part, Stamp: l.stamp, Size: l.size})
	}
	f.source.Stamp = stampOf(parts)
	if l := k.files[f.id]; !disk.silent(&f) && (all || l == nil || l.unread || l.changed(&f.source) || l.neighbourChanged(disk)) {
		listed, near, err := f.dog.List(f.reader, f.log)
		f.near, f.err = near, err
		if err == nil {
			parts = listed
		} // else those that were there before stay as they are
		f.source.Stamp = stampOf(parts)
	}
	list := []found{f}
	for _, p := range parts {
		list = append(list, f.part(p))
	}
	return list
}

// part is a part of the log.
func (f found) part(p readers.Part) found {
	src := f.source
	src.Part, src.Stamp, src.Size, src.ModifiedAt = p.Name, p.Stamp, p.Size, time.Time{}
	return found{reader: f.reader, log: f.log, source: src, id: src.ID(), dog: f.dog}
}

// stampOf tells a list of parts from others, in whatever order they come;
// empty for none.
func stampOf(parts []readers.Part) string {
	if len(parts) == 0 {
		return ""
	}
	var all []string
	for _, p := range parts {
		all = append(all, p.Name+"\x00"+p.Stamp)
	}
	slices.Sort(all)
	h := fnv.New128a()
	for _, one := range all {
		h.Write([]byte(one))
		h.Write([]byte{0, 0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// bytes is how much there is to read: of a file with parts nothing, as its parts
// have it all.
func (f *found) bytes() int64 {
	if f.source.Part == "" && f.source.Stamp != "" {
		return 0
	}
	return f.source.Size
}

// load reads the log; nil for a log or part that is no longer there. The error is a
// [readers.Unread] or a [readers.NoAnswer], or says why it is no log.
func (f *found) load() (*tables.File, error) {
	if f.log.Err != nil {
		return tables.NewFile(f.source), f.log.Err
	}
	if errors.As(f.err, new(*readers.NoAnswer)) {
		return nil, f.err
	}
	rows, err := f.dog.Try(f.reader, f.log, f.source, f.near...)
	if rows != nil {
		if failed := rows.Join(); failed != nil && err == nil {
			return rows, &refused{failed}
		}
	}
	if f.err == nil || err != nil {
		return rows, err
	}
	if errors.As(f.err, new(*readers.Unread)) {
		return rows, f.err
	}
	if rows.Problems() == 0 {
		rows.Emit(&tables.Problem{What: f.err.Error()})
	}
	return rows, nil
}
