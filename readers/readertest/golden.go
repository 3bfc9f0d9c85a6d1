package readertest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"hindsql/tables"
)

var update = flag.Bool("update", false, "rewrite the want/ sections of the samples")

// omittedColumns lists columns that golden rows leave out. Their values are the same in
// every row, or depend on the folder or the time of the test.
var omittedColumns = []string{"agent", "machine", "user", "host", "source_id", "size", "modified_at", "loaded_at", "reader_version", "beginning", "is_copy", "is_inferred"}

// usualValues lists the most frequent value of some columns. Golden rows leave these values
// out.
var usualValues = tables.Row{
	"is_sidechain": false, "is_active": true, "segment": int64(0), "cascaded": false, "paired_rejection": false,
	"typed_by": tables.TypedByHuman, "decision_confidence": 1.0,
	"batch_index": int64(0), "batch_size": int64(1), "trigger_inferred": false, "tokens_estimated": false, "known": true,
}

// withoutProject lists tables whose golden rows have no project, because the row of the
// session has it.
var withoutProject = []string{"messages", "tool_calls", "rejections", "interruptions", "compactions"}

// omittedTables lists tables that get no section by themselves. A section for unknown
// fields excuses the sample from the check of [Fields], so a person writes its first
// line.
var omittedTables = []string{"sources", "neighbours", fieldsTable}

// golden compares the sample's rows with the want/ sections, or rewrites the sections.
func (s *sample) golden(t *testing.T) {
	rows := s.rows()
	if *update {
		s.rewrite(t, rows)
		return
	}
	compared := 0
	for _, f := range s.archive.Files {
		name, ok := strings.CutPrefix(f.Name, wantPrefix)
		if !ok {
			continue
		}
		compared++
		table := tableOf(name)
		if table == nil {
			t.Errorf("%s: no table has rows in a file: %s", s.path, f.Name)
			continue
		}
		if diff := cmp.Diff(lines(string(f.Data)), lines(format(table, rows[name]))); diff != "" {
			t.Errorf("%s: %s (-want +got), go test -update rewrites it:\n%s", s.path, f.Name, diff)
		}
	}
	if compared == 0 {
		t.Errorf("%s: no want/ sections; go test -update adds them", s.path)
	}
}

func lines(s string) []string { return strings.Split(s, "\n") }

func tableOf(name string) *tables.Table {
	for _, t := range tables.All() {
		if t.Name == name && t.Loaded() {
			return t
		}
	}
	return nil
}

func (s *sample) rewrite(t *testing.T, rows map[string][]tables.Row) {
	wanted := func(f txtar.File) bool { return strings.HasPrefix(f.Name, wantPrefix) }
	filled := func(f txtar.File) bool { return wanted(f) && (f.Name != wantPrefix+fieldsTable || len(f.Data) > 0) }
	if !slices.ContainsFunc(s.archive.Files, filled) {
		for _, table := range tables.All() {
			if len(rows[table.Name]) > 0 && !slices.Contains(omittedTables, table.Name) {
				s.archive.Files = append(s.archive.Files, txtar.File{Name: wantPrefix + table.Name})
			}
		}
	}
	for i, f := range s.archive.Files {
		if table := tableOf(strings.TrimPrefix(f.Name, wantPrefix)); wanted(f) && table != nil {
			s.archive.Files[i].Data = []byte(format(table, rows[table.Name]))
		}
	}
	if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// format prints rows for people: one block per row, one line per column, and further
// lines of a value indented.
func format(t *tables.Table, rows []tables.Row) string {
	var out strings.Builder
	for i, row := range rows {
		if i > 0 {
			out.WriteString("\n")
		}
		for _, c := range t.Columns {
			v, ok := row[c.Name]
			if c.Name == "project" && slices.Contains(withoutProject, t.Name) {
				continue
			}
			if ok && !slices.Contains(omittedColumns, c.Name) && (usualValues[c.Name] == nil || usualValues[c.Name] != v) {
				fmt.Fprintf(&out, "%s: %s\n", c.Name, formatValue(v))
			}
		}
	}
	return out.String()
}

func formatValue(v any) string {
	switch v := v.(type) {
	case string:
		v = strings.NewReplacer("\r", `\r`, "\x00", `\0`).Replace(v)
		if strings.Contains(v, "\n") {
			return "|\n    " + strings.ReplaceAll(v, "\n", "\n    ")
		}
		return v
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case []tables.Row:
		text, _ := json.Marshal(v) // texts and lists always marshal
		return string(text)
	}
	return fmt.Sprint(v)
}
