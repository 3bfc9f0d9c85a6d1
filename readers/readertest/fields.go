package readertest

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/tables"
)

var updateFields = flag.Bool("update-fields", false, "add the fields of samples and real logs to fields.txt; read the difference: each of them is then known")

const (
	fieldsFile = "fields.txt"
	lineWidth  = 110 // of fields.txt
)

// Fields checks that no record in a sample or in an available real log has a field
// missing from the list fields.txt in the test's folder. A sample with new fields has a
// section want/file_fields. more are patterns of paths below a home, for logs outside
// the default roots.
func Fields(t *testing.T, r *readers.Reader, dir string, more ...string) {
	t.Helper()
	FieldsOf(t, r, dir, Options{}, more...)
}

// FieldsOf is Fields for a reader whose samples need options.
func FieldsOf(t *testing.T, r *readers.Reader, dir string, opts Options, more ...string) {
	t.Helper()
	unknown := &newFields{}
	for _, s := range readSamples(t, dir, r, opts) {
		if s.expects("file_fields") {
			continue
		}
		for _, l := range s.logs {
			unknown.of(l)
		}
	}
	for _, home := range corpora(t) {
		for _, found := range realLogs(t, r, home, more) {
			unknown.of(&log{sample: &sample{reader: r, root: found.Root}, found: found, rel: found.Rel})
		}
	}
	if *updateFields {
		addFields(t, unknown.paths)
		return
	}
	for _, f := range unknown.order {
		t.Errorf("%s: %s: unknown field %s (%s): what does it say? go test -update-fields makes it known", f.in, f.Kind, f.Field, f.Example)
	}
}

// expects reports whether the sample has a section with rows of a table.
func (s *sample) expects(table string) bool {
	return slices.ContainsFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == wantPrefix+table })
}

// newFields lists unknown fields once, each with the first log that has the field.
type newFields struct {
	log   string
	paths map[string][]string // by kind
	order []newField
}

type newField struct {
	*tables.RecordField
	in string
}

// of notes the unknown fields of a log and of its parts.
func (n *newFields) of(l *log) {
	n.log = l.found.Path
	open := func() (io.ReadCloser, error) { return l.reader.OpenFile(l.found.Path) }
	if l.reader.Parts != nil {
		l.loadParts(open, n.note)
		return
	}
	l.reader.LoadFrom(l.input(open, n.note), l.source())
}

func (n *newFields) note(e tables.Event) {
	if n.paths == nil {
		n.paths = map[string][]string{}
	}
	if kind, ok := e.(*tables.RecordKind); ok && kind.Known {
		n.paths[kind.Kind] = append(n.paths[kind.Kind], []string{}...)
	}
	f, ok := e.(*tables.RecordField)
	if !ok || f.Kind == tables.FieldNewerVersion || slices.Contains(n.paths[f.Kind], f.Field) {
		return
	}
	n.paths[f.Kind] = append(n.paths[f.Kind], f.Field)
	n.order = append(n.order, newField{f, n.log})
}

// corpora returns the available collections of real logs, and the sample home.
func corpora(t testing.TB) []string {
	t.Helper()
	var homes []string
	for _, name := range []string{"home", "recent", "labelled", "new-agents"} {
		if home, ok := corpus.Find(t, name); ok {
			homes = append(homes, home)
		}
	}
	if len(homes) == 0 {
		t.Log("no real logs: only the fields of made-up ones are looked at")
	}
	return append(homes, corpus.Sample(t))
}

// realLogs returns the reader's logs below a home.
func realLogs(t testing.TB, r *readers.Reader, home string, more []string) []readers.Log {
	t.Helper()
	places := r.Places(readers.Host{OS: "linux", Home: home, Getenv: func(string) string { return "" }}, nil)
	for _, pattern := range more {
		paths, err := filepath.Glob(filepath.Join(home, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			places = append(places, readers.Place{Path: p})
		}
	}
	logs, err := r.Find(places)
	if err != nil {
		t.Fatal(err)
	}
	return logs
}

// addFields adds paths to fields.txt.
func addFields(t testing.TB, more map[string][]string) {
	t.Helper()
	text, err := os.ReadFile(fieldsFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	all := more
	if all == nil {
		all = map[string][]string{}
	}
	kind := ""
	for line := range strings.Lines(string(text)) {
		if paths, ok := strings.CutPrefix(line, "\t"); ok {
			all[kind] = append(all[kind], strings.Fields(paths)...)
		} else {
			kind = strings.TrimSpace(line)
			all[kind] = append([]string{}, all[kind]...) // keep a kind without fields
		}
	}
	common := all["*"]
	for kind, paths := range all {
		if kind != "*" {
			all[kind] = slices.DeleteFunc(paths, func(p string) bool { return slices.Contains(common, p) || slices.Contains(common, p+"/") })
		}
	}
	var out strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&out, "%s\n%s", kind, wrapped(slices.Compact(slices.Sorted(slices.Values(all[kind])))))
	}
	if err := os.WriteFile(fieldsFile, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wrapped formats paths as lines that begin with a tab.
func wrapped(paths []string) string {
	var out strings.Builder
	width := lineWidth
	if len(paths) == 0 {
		return ""
	}
	for _, path := range paths {
		if width+1+len(path) > lineWidth {
			if out.Len() > 0 {
				out.WriteString("\n")
			}
			out.WriteString("\t" + path)
			width = len(path)
			continue
		}
		out.WriteString(" " + path)
		width += 1 + len(path)
	}
	return out.String() + "\n"
}
