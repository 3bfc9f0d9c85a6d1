package load

import (
	"context"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"slices"
	"time"

	"hindsql/engine/duck"
	"hindsql/internal/lists"
	"hindsql/readers"
	"hindsql/tables"
)

// withParts inserts each log's parts after the log. A part is a session, or another
// unit, in a file that holds several, such as a database. It lists the parts anew if
// the log changed, if the log could not be read at the last load, if a killed sync
// loaded only some of the parts, or if all is set. Otherwise the parts come from the
// store.
func withParts(logs []foundLog, inStore []storedLog, machine string, disk diskState, all bool) []foundLog {
	var list []foundLog
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

// addParts fills in the part name and the stamp (a text that changes with the content)
// of logs that are parts or have parts. Few logs are or have parts, so the query for
// all logs reads neither column.
func (l *ledger) addParts(ctx context.Context, logs []storedLog) error {
	byID := byID(logs)
	return l.db.Each(ctx, `SELECT source_id, coalesce(part, ''), coalesce(stamp, '') FROM `+duck.StoreSchema+`.sources WHERE part IS NOT NULL OR stamp IS NOT NULL`,
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

func byID(logs []storedLog) map[int64]*storedLog {
	m := make(map[int64]*storedLog, len(logs))
	for i := range logs {
		m[logs[i].id] = &logs[i]
	}
	return m
}

// partsInStore holds the files that the store knows, by id, and this machine's existing
// parts, by file.
type partsInStore struct {
	files map[int64]*storedLog
	parts map[partsOf][]*storedLog
}

// partsOf identifies a file that has parts.
type partsOf struct{ agent, path string }

func knownParts(inStore []storedLog, machine string) *partsInStore {
	k := &partsInStore{files: map[int64]*storedLog{}, parts: map[partsOf][]*storedLog{}}
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

// expand returns a log and its parts.
func (k *partsInStore) expand(f foundLog, disk diskState, all bool) []foundLog {
	parts := lists.Map(k.parts[partsOf{f.source.Agent, f.source.Path}], func(l *storedLog) readers.Part {
		return readers.Part{Name: l.part, Stamp: l.stamp, Size: l.size}
	})
	f.source.Stamp = stampOf(parts)
	if l := k.files[f.id]; !disk.unresponsive(&f) && (all || l == nil || l.unread || l.changed(&f.source) || l.neighbourChanged(disk)) {
		listed, near, err := f.dog.List(f.reader, f.log)
		f.near, f.err = near, err
		if err == nil {
			parts = listed
		} // on an error, the store's parts stay
		f.source.Stamp = stampOf(parts)
	}
	list := []foundLog{f}
	for _, p := range parts {
		list = append(list, f.part(p))
	}
	return list
}

// part returns part p of the log.
func (f foundLog) part(p readers.Part) foundLog {
	src := f.source
	src.Part, src.Stamp, src.Size, src.ModifiedAt, src.KeptID = p.Name, p.Stamp, p.Size, time.Time{}, 0
	return foundLog{reader: f.reader, log: f.log, source: src, id: src.ID(), dog: f.dog}
}

// stampOf returns a hash of the parts' names and stamps, whatever their order; empty if
// there are no parts.
func stampOf(parts []readers.Part) string {
	if len(parts) == 0 {
		return ""
	}
	all := lists.Map(parts, func(p readers.Part) string { return p.Name + "\x00" + p.Stamp })
	slices.Sort(all)
	h := fnv.New128a()
	for _, one := range all {
		h.Write([]byte(one))
		h.Write([]byte{0, 0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// bytes returns the number of bytes to read. A file with parts counts 0, because the
// parts hold all bytes.
func (f *foundLog) bytes() int64 {
	if f.source.Part == "" && f.source.Stamp != "" {
		return 0
	}
	return f.source.Size
}

// load reads the log. The rows are nil if the log or part no longer exists. The error
// is a [readers.Unread], a [readers.NoAnswer] or a *refused, or says why the file isn't
// a log.
func (f *foundLog) load() (*tables.File, error) {
	if f.log.Err != nil {
		return tables.NewFile(f.source), f.log.Err
	}
	if errors.As(f.err, new(*readers.NoAnswer)) {
		return f.guard.apply(f, nil, f.err)
	}
	rows, err := f.read()
	return f.guard.apply(f, rows, err)
}

// read is load with forgotten sessions.
func (f *foundLog) read() (*tables.File, error) {
	rows, err := f.dog.TryLoad(f.reader, f.log, f.source, f.near...)
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
