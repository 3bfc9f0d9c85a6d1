package lake

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
)

// dayField is the id of the partition field. Iceberg numbers partition fields from
// 1000.
const dayField = 1000

// spec returns a table's partition spec: by day of the column, or unpartitioned.
func spec(schema *iceberg.Schema, column string) *iceberg.PartitionSpec {
	f, ok := schema.FindFieldByName(column)
	if !ok {
		return iceberg.UnpartitionedSpec
	}
	s := iceberg.NewPartitionSpec(iceberg.PartitionField{SourceIDs: []int{f.ID}, FieldID: dayField, Name: column + "_day", Transform: iceberg.DayTransform{}})
	return &s
}

// dayColumn returns the column by whose days the table is partitioned; empty if the
// table is unpartitioned. Partitions unlike hindsql-lake's are an error.
func dayColumn(t *table.Table) (string, error) {
	s := t.Spec()
	if s.IsUnpartitioned() {
		return "", nil
	}
	if s.NumFields() == 1 && s.Field(0).Transform.Equals(iceberg.DayTransform{}) {
		if f, ok := t.Schema().FindFieldByID(s.Field(0).SourceID()); ok {
			return f.Name, nil
		}
	}
	return "", fmt.Errorf("table %s: is divided by %s, not by days; hindsql-lake commits to tables that it made", t.Identifier()[1], s)
}

// dataFile returns a file's entry, built from the manifest without opening the file.
// The bounds of column machine let engines skip other machines' files, and let a delete
// by machine drop whole files.
func dataFile(t *table.Table, url string, f file) (iceberg.DataFile, error) {
	s := t.Spec()
	days, logical := map[int]any{}, map[int]string{}
	if !s.IsUnpartitioned() {
		id := s.Field(0).FieldID
		days[id], logical[id] = any(nil), "date"
		if f.day != landing.Undated {
			day, err := time.Parse(time.DateOnly, f.day)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", url, err)
			}
			days[id] = int32(day.Unix() / 86400)
		}
	}
	b, err := iceberg.NewDataFileBuilder(s, iceberg.EntryContentData, url, iceberg.ParquetFile, days, logical, nil, f.rows, f.bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	if m, ok := t.Schema().FindFieldByName("machine"); ok {
		b.ValueCounts(map[int]int64{m.ID: f.rows}).NullValueCounts(map[int]int64{m.ID: 0})
		b.LowerBoundValues(map[int][]byte{m.ID: []byte(f.machine)}).UpperBoundValues(map[int][]byte{m.ID: []byte(f.machine)})
	}
	return b.Build(), nil
}

// origin returns the machine and the day of a landed file. ok is false for a file
// written by another engine.
func (l *Lake) origin(url string) (machine, day string, ok bool) {
	rest, ok := strings.CutPrefix(url, l.place(landing.Root)+"/")
	if !ok {
		return "", "", false
	}
	machine, name, ok := strings.Cut(rest, "/")
	if !ok || !landing.IsFile(name) {
		return "", "", false
	}
	day, _, _ = strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	return machine, day, true
}

// filesOf yields a snapshot's data files and delete files. It yields none if s is nil.
func filesOf(ctx context.Context, files io.IO, s *table.Snapshot) iter.Seq2[iceberg.DataFile, error] {
	return func(yield func(iceberg.DataFile, error) bool) {
		if s == nil {
			return
		}
		list, err := s.Manifests(files)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, m := range list {
			for e, err := range m.Entries(files, true) {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					yield(nil, fmt.Errorf("%s: %w", m.FilePath(), err))
					return
				}
				if !yield(e.DataFile(), nil) {
					return
				}
			}
		}
	}
}

// tableFiles holds the files of a table's current snapshot.
type tableFiles struct {
	files   map[string]iceberg.DataFile // landed files, by URL
	foreign []iceberg.DataFile          // data files written by other engines
}

func (l *Lake) tableFiles(ctx context.Context, t *table.Table) (*tableFiles, error) {
	files, err := t.FS(ctx)
	if err != nil {
		return nil, err
	}
	h := &tableFiles{files: map[string]iceberg.DataFile{}}
	for f, err := range filesOf(ctx, files, t.CurrentSnapshot()) {
		switch _, _, own := l.origin(url(f)); {
		case err != nil:
			return nil, err
		case own:
			h.files[f.FilePath()] = f
		case f.ContentType() == iceberg.EntryContentData:
			h.foreign = append(h.foreign, f)
		}
	}
	return h, nil
}

func url(f iceberg.DataFile) string {
	if f == nil {
		return ""
	}
	return f.FilePath()
}

// dayOf returns the day of a file written by another engine. ok is false if the file's
// partition spec isn't the table's: the file may have rows of any day.
func dayOf(t *table.Table, f iceberg.DataFile) (day string, ok bool) {
	s := t.Spec()
	if int(f.SpecID()) != s.ID() {
		return "", false
	}
	if s.IsUnpartitioned() {
		return landing.Undated, true
	}
	switch v := f.Partition()[s.Field(0).FieldID].(type) {
	case nil:
		return landing.Undated, true
	case int32:
		return time.Unix(int64(v)*86400, 0).UTC().Format(time.DateOnly), true
	case iceberg.Date:
		return time.Unix(int64(v)*86400, 0).UTC().Format(time.DateOnly), true
	}
	return "", false
}

// sorted returns a map's keys, here URLs, in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
