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
	fieldsFile  = "fields.txt"
	fieldsTable = "file_fields"
	lineWidth   = 110 // of fields.txt
)

// Fields checks that the list fields.txt in the test's folder has every known kind of
// record, and every field of the records, in the samples and in available real logs. A
// sample about unknown fields has a section want/file_fields, which a person begins:
// Fields then skips the sample's fields. more are patterns of paths below a home, for
// logs outside the default roots.
func Fields(t *testing.T, r *readers.Reader, dir string, more ...string) {
	t.Helper()
	FieldsOf(t, r, dir, Options{}, more...)
}

// FieldsOf is Fields for a reader whose samples need options.
func FieldsOf(t *testing.T, r *readers.Reader, dir string, opts Options, more ...string) {
	t.Helper()
	var logs []*log
	for _, s := range readSamples(t, dir, r, opts) {
		logs = append(logs, s.logs...)
	}
	for _, home := range corpora(t) {
		for _, found := range realLogs(t, r, home, more) {
			logs = append(logs, &log{sample: &sample{reader: r, root: found.Root}, found: found, rel: found.Rel})
		}
	}
	switch {
	case *updateFields:
		if err := addFields(fieldsFile, logs); err != nil {
			t.Fatal(err)
		}
	case r.Fields == nil:
		t.Errorf("the reader of %s declares no Fields: embed %s", r.Agent, fieldsFile)
	default:
		for _, wrong := range unlistedIn(logs, r.Fields()).problems() {
			t.Error(wrong)
		}
	}
}

// hasSection reports whether the sample has a section with rows of a table. A real log
// belongs to no sample, and has no sections.
func (s *sample) hasSection(table string) bool {
	return s.archive != nil && slices.ContainsFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == wantPrefix+table })
}

// unlisted holds the known kinds and the fields missing from a list, each once, with
// the first log that has it.
type unlisted struct {
	list   *readers.FieldList
	log    string
	about  bool                // the log is of a sample about unknown fields
	paths  map[string][]string // by kind, without those of samples about unknown fields
	kinds  []newField          // their Field is empty
	fields []newField
}

type newField struct {
	*tables.RecordField
	in string
}

// unlistedIn returns what the list lacks for the logs.
func unlistedIn(logs []*log, list *readers.FieldList) *unlisted {
	u := &unlisted{list: list, paths: map[string][]string{}}
	for _, l := range logs {
		u.addLog(l)
	}
	return u
}

// addLog records what the list lacks for a log and the log's parts.
func (u *unlisted) addLog(l *log) {
	u.log, u.about = l.found.Path, l.hasSection(fieldsTable)
	own, reader := *l.sample, *l.reader
	reader.Fields = func() *readers.FieldList { return u.list }
	own.reader = &reader
	again := *l
	again.sample = &own
	open := func() (io.ReadCloser, error) { return reader.OpenFile(l.found.Path) }
	if reader.Parts != nil {
		again.loadParts(open, u.add)
		return
	}
	reader.LoadFrom(again.input(open, u.add), again.source())
}

func (u *unlisted) add(e tables.Event) {
	switch e := e.(type) {
	case *tables.RecordKind:
		if !e.Known || u.list.Lists(e.Kind) {
			return
		}
		if !u.about {
			u.paths[e.Kind] = append(u.paths[e.Kind], []string{}...)
		}
		if !slices.ContainsFunc(u.kinds, func(k newField) bool { return k.Kind == e.Kind }) {
			u.kinds = append(u.kinds, newField{&tables.RecordField{Kind: e.Kind}, u.log})
		}
	case *tables.RecordField:
		if u.about || e.Kind == tables.FieldNewerVersion || slices.Contains(u.paths[e.Kind], e.Field) {
			return
		}
		u.paths[e.Kind] = append(u.paths[e.Kind], e.Field)
		u.fields = append(u.fields, newField{e, u.log})
	}
}

// problems returns a sentence for each kind and field that the list lacks.
func (u *unlisted) problems() (list []string) {
	for _, k := range u.kinds {
		how := "go test -update-fields adds it"
		if _, ordinary := u.paths[k.Kind]; !ordinary {
			how = "show it in a sample without " + wantPrefix + fieldsTable + ", and run go test -update-fields"
		}
		list = append(list, fmt.Sprintf("%s: %s: a known kind that %s doesn't list, so its fields are not checked: %s", k.in, k.Kind, fieldsFile, how))
	}
	for _, f := range u.fields {
		list = append(list, fmt.Sprintf("%s: %s: unknown field %s (%s): what does it say? go test -update-fields makes it known; a sample about unknown fields has a section %s%s",
			f.in, f.Kind, f.Field, f.Example, wantPrefix, fieldsTable))
	}
	return list
}

// corpora returns the available collections of real logs, and the sample home.
func corpora(t testing.TB) []string {
	t.Helper()
	var homes []string
	for _, name := range []string{"home", "recent", "labelled", "new-agents", "agents-3"} {
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

// addFields adds the logs' missing kinds and fields to a list's file. The check sees a
// field only if the list has its kind and the keys above, so addFields reads the logs
// until nothing is missing.
func addFields(path string, logs []*log) error {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := string(data)
	for {
		next := withFields(text, unlistedIn(logs, readers.Fields(text)()).paths)
		if next == text {
			return os.WriteFile(path, []byte(text), 0o644)
		}
		text = next
	}
}

// withFields returns the text of a list with more paths by kind.
func withFields(text string, more map[string][]string) string {
	all := maps.Clone(more)
	kind := ""
	for line := range strings.Lines(text) {
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
	return out.String()
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
