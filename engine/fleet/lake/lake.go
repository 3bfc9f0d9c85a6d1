// Package lake finds the rows of many machines in the folder where machines land rows,
// or in a company's Iceberg tables.
//
// In: the URL of a lake. Out: an [engine.Lake] with the SQL of its relations, and
// warnings about unreadable machines. The package writes nothing and reads no log.
package lake

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Options tell how to reach a lake.
type Options struct {
	Getenv func(string) string
	Home   string // replaces ~, and contains DuckDB's extensions; empty if unknown
}

// Open returns the lake of a URL: a folder that machines push into, or the REST catalog
// of Iceberg tables, http://HOST/PATH?warehouse=NAME. Warnings name machines whose rows
// are left out.
func Open(ctx context.Context, url string, o Options) (l *engine.Lake, warnings []error, err error) {
	scheme, _, ok := strings.Cut(url, "://")
	switch {
	case scheme == "http" || scheme == "https":
		l, err = openCatalog(url, o)
		return l, nil, err
	case ok && scheme != "file":
		return nil, nil, fmt.Errorf("%s: no lake; a folder that machines push into, or the REST catalog of Iceberg tables, https://HOST/PATH?warehouse=NAME; hindsql pull takes the rows of a bucket", url)
	}
	return openFolder(ctx, url, o.Home)
}

// openFolder reads the manifests of a landing in a folder.
func openFolder(ctx context.Context, url, home string) (*engine.Lake, []error, error) {
	target, err := landing.Open(url, landing.Options{Home: home})
	if err != nil {
		return nil, nil, err
	}
	found, err := landing.Machines(ctx, target)
	if err != nil {
		return nil, nil, err
	}
	f := &folder{path: target.URL, files: map[string][]string{}, columns: map[string][]string{}, l: &engine.Lake{Name: target.URL, Tables: map[string]engine.Landed{}}}
	var warnings []error
	for _, m := range found {
		switch {
		case m.Err != nil:
			warnings = append(warnings, fmt.Errorf("machine %s: left out: %w", m.Machine, m.Err))
		case m.Manifest == nil || m.Refused():
		default:
			if err := f.add(m.Manifest); err != nil {
				warnings = append(warnings, fmt.Errorf("machine %s: left out: %w", cmp.Or(m.Manifest.Name, m.Machine), err))
			}
		}
	}
	if f.l.Machines == 0 {
		return nil, warnings, fmt.Errorf("%s: no machine has pushed into it; hindsql push %[1]s on each", url)
	}
	f.relations()
	return f.l, warnings, nil
}

// folder is a landing in a folder, while openFolder reads it.
type folder struct {
	path    string
	files   map[string][]string // by table
	columns map[string][]string // columns by table, from all machines' files
	l       *engine.Lake
}

// add adds a machine's live files. If a file is missing or incomplete, for example
// while the folder is synchronised, add adds none of the machine's files. A part would
// mix old and new rows.
func (f *folder) add(m *landing.Manifest) error {
	prefix, err := landing.Prefix(m.Machine)
	if err != nil {
		return err
	}
	var files []landing.File
	for _, file := range m.Files {
		if file.Beside {
			continue
		}
		info, err := os.Stat(f.place(prefix, file))
		if err != nil || info.Size() != file.Bytes {
			return fmt.Errorf("%s isn't there whole, as its manifest says it is", file.Path)
		}
		files = append(files, file)
	}
	for _, file := range files {
		f.files[file.Table] = append(f.files[file.Table], f.place(prefix, file))
	}
	for _, t := range m.Tables {
		for _, c := range t.Columns {
			if !t.Beside && !slices.Contains(f.columns[t.Name], c.Name) {
				f.columns[t.Name] = append(f.columns[t.Name], c.Name)
			}
		}
	}
	f.l.Machines++
	if at := m.WrittenAt; f.l.At.IsZero() || at.Before(f.l.At) {
		f.l.At = at.In(time.UTC)
	}
	return nil
}

func (f *folder) place(prefix string, file landing.File) string {
	return filepath.Join(f.path, filepath.FromSlash(prefix), filepath.FromSlash(file.Path))
}

// relations reads each table's files by column name, because machines may push with
// different versions.
func (f *folder) relations() {
	for _, t := range tables.Landed() {
		if len(f.files[t.Name]) == 0 {
			continue
		}
		f.l.Tables[t.Name] = engine.Landed{
			From:    "read_parquet([" + sqltext.Literals(f.files[t.Name]) + "], union_by_name = true, hive_partitioning = false)",
			Columns: f.columns[t.Name],
		}
	}
}
