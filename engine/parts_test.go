package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/readers"
	"hindsql/tables"
)

// many reads a made-up database: each line "part: text" is a message. More lines are in
// the file's -wal. many notes the parts that it read.
type many struct{ lists, reads []string }

func (m *many) reader() *readers.Reader {
	return &readers.Reader{
		Agent:    "many",
		Title:    "Many",
		Version:  1,
		Roots:    func(h readers.Host) []string { return []string{h.Home} },
		Under:    []string{"logs"},
		IsLog:    func(rel string) bool { return strings.HasSuffix(rel, ".db") },
		Suffixes: []string{"-wal"},
		Parts:    m.parts,
		Read:     m.read,
	}
}

func contents(in *readers.Input) (order []string, texts map[string][]string, err error) {
	f, err := in.Open()
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, err
	}
	wal, err := in.ReadFile(in.Rel + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	texts = map[string][]string{}
	for line := range bytes.Lines(append(data, wal...)) {
		part, text, ok := strings.Cut(strings.TrimSpace(string(line)), ": ")
		switch {
		case !ok:
			return nil, nil, fmt.Errorf("bad row %q", line)
		case text == "panic":
			panic("ouch")
		case texts[part] == nil:
			order = append(order, part)
		}
		texts[part] = append(texts[part], text)
	}
	return order, texts, nil
}

func (m *many) parts(in *readers.Input) (list []readers.Part, err error) {
	m.lists = append(m.lists, in.Rel)
	order, texts, err := contents(in)
	for _, name := range order {
		h := fnv.New64a()
		fmt.Fprint(h, texts[name])
		list = append(list, readers.Part{Name: name, Stamp: fmt.Sprint(h.Sum64()), Size: int64(len(fmt.Sprint(texts[name])))})
	}
	return list, err
}

func (m *many) read(in *readers.Input) error {
	var kinds readers.Kinds
	defer func() { kinds.Emit(in.Emit) }()
	if in.Part == "" {
		return nil
	}
	m.reads = append(m.reads, in.Part)
	_, texts, err := contents(in)
	if err != nil {
		return err
	}
	if texts[in.Part] == nil {
		return fs.ErrNotExist
	}
	in.Emit(&tables.Session{SessionID: in.Part, Kind: tables.SessionMain})
	for i, text := range texts[in.Part] {
		kinds.Count("row", true, "", time.Time{})
		in.Emit(&tables.Message{UUID: in.Part + fmt.Sprint(i), Role: tables.RoleUser, Kind: tables.KindPrompt, Text: text, Line: int64(i + 1)})
	}
	return nil
}

// manyHome returns a home with one made-up database.
func manyHome(t *testing.T) (*home, *many) {
	m := &many{}
	h := newHome(t)
	h.Reader = m.reader()
	h.Write("x.db", "a: one\n", "b: two\n", "a: three\n")
	return h, m
}

func (m *many) want(t *testing.T, lists int, reads ...string) {
	t.Helper()
	slices.Sort(m.reads)
	if len(m.lists) != lists || fmt.Sprint(m.reads) != fmt.Sprint(reads) {
		t.Errorf("%d lists, read %v; want %d, %v", len(m.lists), m.reads, lists, reads)
	}
	m.lists, m.reads = nil, nil
}

const allTexts = "SELECT session_id, string_agg(text, ' ' ORDER BY message_index) FROM messages GROUP BY ALL ORDER BY 1"

// TestPartsAreSources: only a changed part is read. Parts are not listed while the file
// and its -wal stay the same.
func TestPartsAreSources(t *testing.T) {
	whole.Test(t, "loads several stores, 2.1 s of processor time")
	t.Parallel()
	h, m := manyHome(t)
	report := h.Sync()
	wantReport(t, report, engine.SyncReport{Found: 3, Loaded: 3})
	if report.Bytes != 11+5 {
		t.Errorf("%d bytes loaded, want those of the parts, and not those of the file again", report.Bytes)
	}
	m.want(t, 1, "a", "b")
	h.Want(allTexts, "a|one three", "b|two")
	h.Want("SELECT part, messages, size, modified_at IS NULL FROM sources ORDER BY ALL", "a|2|11|true", "b|1|5|true", "NULL|0|23|false")
	h.Want("SELECT kind, lines FROM record_kinds", "row|3")
	h.Want("SELECT count(raw(source_id, line)) FROM messages", "0")
	wantReport(t, h.Sync(), engine.SyncReport{Found: 3, Unchanged: 3})
	m.want(t, 0)

	h.Write("x.db-wal", "b: four\n", "c: five\n")
	wantReport(t, h.Sync(), engine.SyncReport{Found: 4, Loaded: 3, Unchanged: 1})
	m.want(t, 1, "b", "c")
	h.Want(allTexts, "a|one three", "b|two four", "c|five")
	h.LikeClean()
	h.Write("x.db", "a: one\n", "b: two\n", "a: three\n", "b: four\n", "c: five\n")
	h.Remove("x.db-wal")
	m.lists, m.reads = nil, nil
	wantReport(t, h.Sync(), engine.SyncReport{Found: 4, Loaded: 1, Unchanged: 3}) // the file itself
	m.want(t, 1)
	h.LikeClean()
	h.Reader.Version = 2
	wantReport(t, h.Sync(), engine.SyncReport{Found: 4, Loaded: 4})
	h.LikeClean()
}

// TestAPartThatIsGone: a part that vanished from its database is treated like a
// vanished file. Its rows stay until a prune. gone_at is null again when the part comes
// back.
func TestAPartThatIsGone(t *testing.T) {
	whole.Test(t, "syncs eight times and loads anew twice")
	t.Parallel()
	h, m := manyHome(t)
	h.Sync()
	h.Write("x.db", "b: two\n")
	wantReport(t, h.Sync(), engine.SyncReport{Found: 2, Loaded: 1, Unchanged: 1, Gone: 1})
	gone := func(want string) {
		t.Helper()
		h.Want("SELECT string_agg(coalesce(part, 'file'), ' ' ORDER BY part) FROM sources WHERE gone_at IS NOT NULL", want)
	}
	gone("a")
	wantReport(t, h.Sync(), engine.SyncReport{Found: 2, Unchanged: 2})
	h.Want(allTexts, "a|one three", "b|two")

	// A change of the tables, a full load and a load that was cut off keep the rows.
	h.Tamper("UPDATE store_info SET schema_hash = 'older'")
	h.Sync()
	gone("a")
	h.SyncWith(true)
	gone("a")
	h.Want(allTexts, "a|one three", "b|two")
	h.Tamper("UPDATE store_info SET files = NULL", "DELETE FROM sources WHERE part = 'b'", "DELETE FROM messages WHERE session_id = 'b'", "DELETE FROM sessions WHERE session_id = 'b'")
	m.lists, m.reads = nil, nil
	wantReport(t, h.Sync(), engine.SyncReport{Found: 2, Loaded: 1, Unchanged: 1})
	m.want(t, 1, "b")

	h.Write("x.db", "b: two\n", "a: one\n", "a: three\n")
	wantReport(t, h.Sync(), engine.SyncReport{Found: 3, Loaded: 1, Unchanged: 2})
	gone("NULL")
	h.LikeClean()

	h.Remove("x.db")
	wantReport(t, h.Sync(), engine.SyncReport{Gone: 3})
	h.Want(allTexts, "a|one three", "b|two")
	_, _, err := h.Open().Prune(context.Background(), "")
	must(t, err)
	h.LikeClean()
}

// TestAPartThatVanishesWithItsOldTables: a part vanishes just before a new build
// rebuilds the store. The part is marked as gone, and its rows stay.
func TestAPartThatVanishesWithItsOldTables(t *testing.T) {
	whole.Test(t, "loads several stores, 0.8 s of processor time")
	t.Parallel()
	h, _ := manyHome(t)
	h.Sync()
	h.Tamper("UPDATE store_info SET schema_hash = 'older'")
	h.Write("x.db", "b: two\n")
	h.Sync()
	h.Sync()
	h.Want("SELECT part FROM sources WHERE gone_at IS NOT NULL", "a")
	h.Want(allTexts, "a|one three", "b|two")
}

// TestAListThatFailsCostsNoRow: if listing the parts of a file fails, the file gets one
// problem, and all rows stay.
func TestAListThatFailsCostsNoRow(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.5 s of processor time")
	t.Parallel()
	for _, bad := range []string{"no row\n", "a: panic\n"} {
		h, _ := manyHome(t)
		h.Sync()
		h.Write("x.db", "a: other\n", bad)
		wantReport(t, h.Sync(), engine.SyncReport{Found: 3, Loaded: 1, Unchanged: 2, Problems: 1})
		wantReport(t, h.Sync(), engine.SyncReport{Found: 3, Unchanged: 3})
		h.Want(allTexts, "a|one three", "b|two")
		h.Want("SELECT count(*) FROM sources WHERE gone_at IS NOT NULL", "0")
		h.Want("SELECT what[:3] FROM problems", map[string]string{"no row\n": "bad", "a: panic\n": "rea"}[bad])
		h.Write("x.db", "a: other\n")
		h.Sync()
		h.Want(allTexts, "a|other", "b|two")
		h.Want("SELECT count(*) FROM problems", "0")
	}
}

// TestAPartThatGoesWhileItIsRead: a part vanishes between the listing and the reading.
// The store keeps its rows.
func TestAPartThatGoesWhileItIsRead(t *testing.T) {
	whole.Test(t, "loads several stores, 0.7 s of processor time")
	t.Parallel()
	h, m := manyHome(t)
	h.Sync()
	h.Write("x.db", "a: one\n", "a: other\n", "b: two\n")
	h.Reader.Read = func(in *readers.Input) error {
		must(t, os.WriteFile(h.Path("x.db"), []byte("b: two\n"), 0o644))
		return m.read(in)
	}
	h.Sync()
	h.Want(allTexts, "a|one three", "b|two")
	h.Sync()
	h.Want("SELECT part FROM sources WHERE gone_at IS NOT NULL", "a")
}
