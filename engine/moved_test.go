package engine_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/readers/sample"
	"hindsql/tables"
)

// move renames a file or folder of the home.
func move(t *testing.T, h *home, from, to string) {
	t.Helper()
	to = filepath.Join(h.Dir, filepath.FromSlash(to))
	must(t, os.MkdirAll(filepath.Dir(to), 0o755))
	must(t, os.Rename(filepath.Join(h.Dir, filepath.FromSlash(from)), to))
}

// shownWithoutIDs returns the rows that users see, without the ids of logs and the times
// of loads.
func shownWithoutIDs(t *testing.T, h *home) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, table := range tables.Views() {
		if table.ShowsCopies() {
			continue
		}
		var names []string
		for _, c := range table.Columns {
			if c.Name != "source_id" && c.Name != "loaded_at" {
				names = append(names, fmt.Sprintf("%q", c.Name))
			}
		}
		all[table.Name] = h.Rows(fmt.Sprintf("SELECT CAST(t AS VARCHAR) FROM (SELECT %s FROM %s) t ORDER BY ALL", strings.Join(names, ", "), table.Name))
	}
	return all
}

// wantLikeClean compares the rows that users see with those of a new store, in which the
// logs have the ids of their paths.
func wantLikeClean(t *testing.T, h *home) {
	t.Helper()
	clean := h.Clean()
	clean.Sync()
	if diff := cmp.Diff(shownWithoutIDs(t, clean), shownWithoutIDs(t, h)); diff != "" {
		t.Errorf("the rows differ from those of a new store (-want +got)\n%.4000s", diff)
	}
}

const idsByName = `SELECT parse_filename(path) || ' ' || source_id FROM sources WHERE part IS NULL ORDER BY ALL`

// TestMovedFolders: a sync reads no log of a moved folder, and all rows stay. The same holds
// for archived logs.
func TestMovedFolders(t *testing.T) {
	whole.Test(t, "loads the sample's logs in several stores")
	t.Parallel()
	h := newHome(t)
	h.Reader = nil
	var err error
	h.Dir, err = sample.Write(h.Dir)
	must(t, err)
	first := h.Sync()
	before, rows, ids := h.Dump(), shownWithoutIDs(t, h), h.Rows(idsByName)
	wantMoved := func(n string) {
		t.Helper()
		report := h.Sync()
		if fmt.Sprint(report.Moved) != n || report.Loaded != 0 || report.Gone != 0 || report.Found != first.Found {
			t.Errorf("after a move: %+v, want %s moved", report, n)
		}
		if diff := cmp.Diff(ids, h.Rows(idsByName)); diff != "" {
			t.Errorf("the ids changed (-want +got)\n%s", diff)
		}
		now := shownWithoutIDs(t, h)
		for _, name := range []string{"sessions", "messages", "tool_calls", "rejections", "interruptions", "compactions", "clears", "prompts", "projects"} {
			if diff := cmp.Diff(rows[name], now[name]); diff != "" {
				t.Errorf("%s changed (-want +got)\n%.2000s", name, diff)
			}
		}
	}
	claude := h.Rows("SELECT count(*) FROM sources WHERE agent = 'claude'")[0]
	move(t, h, ".claude", ".config/claude")
	wantMoved(claude)
	h.Want("SELECT count(*) FROM sources WHERE agent = 'claude' AND (NOT contains(path, '/.config/claude/') OR gone_at IS NOT NULL)", "0")
	wantLikeClean(t, h)
	if report := h.Sync(); report.Unchanged != first.Found || report.Moved != 0 {
		t.Errorf("at rest: %+v", report)
	}
	move(t, h, ".config/claude/projects/-home-ada-work-site", ".config/claude/projects/-home-ada-work-shop")
	wantMoved(h.Rows("SELECT count(*) FROM sources WHERE agent = 'claude' AND contains(path, '-work-site')")[0])
	wantLikeClean(t, h)
	move(t, h, ".codex/sessions/2026/10/14/rollout-2026-10-14T11-40-02-019fa3c8-90d2-7e41-8b17-3fd20a6c4402.jsonl",
		".codex/archived_sessions/rollout-2026-10-14T11-40-02-019fa3c8-90d2-7e41-8b17-3fd20a6c4402.jsonl")
	wantMoved("1")
	wantLikeClean(t, h)

	if report := h.SyncWith(true); report.Loaded == 0 || report.Moved != 0 {
		t.Errorf("full: %+v", report)
	}
	if diff := cmp.Diff(ids, h.Rows(idsByName)); diff != "" {
		t.Errorf("a full sync changed the ids (-want +got)\n%s", diff)
	}
	wantLikeClean(t, h)

	move(t, h, ".codex/archived_sessions/rollout-2026-10-14T11-40-02-019fa3c8-90d2-7e41-8b17-3fd20a6c4402.jsonl",
		".codex/sessions/2026/10/14/rollout-2026-10-14T11-40-02-019fa3c8-90d2-7e41-8b17-3fd20a6c4402.jsonl")
	move(t, h, ".config/claude/projects/-home-ada-work-shop", ".config/claude/projects/-home-ada-work-site")
	move(t, h, ".config/claude", ".claude")
	h.Sync()
	h.WantSame(before)
}

// namedHome is a home whose logs give the same rows in any folder.
func namedHome(t *testing.T) *home {
	h := newHome(t)
	h.Reader.NamedBy = path.Base
	return h
}

// TestMovedLogs: a log is found again by its beginning, and keeps its id.
func TestMovedLogs(t *testing.T) {
	whole.Test(t, "loads many stores")
	t.Parallel()
	type sync = engine.SyncReport
	const ids = "SELECT session_id || ' ' || source_id FROM sessions ORDER BY ALL"
	for name, c := range map[string]struct {
		then []func(t *testing.T, h *home)
		want []sync
		now  []string // sessions; not compared if nil
		gone string   // number of logs that are gone
		new  int      // sessions with another id, or in another log, than before
	}{
		"moved": {
			then: []func(*testing.T, *home){func(t *testing.T, h *home) { move(t, h, "logs/a.jsonl", "logs/x/a.jsonl") }},
			want: []sync{{Found: 2, Unchanged: 2, Moved: 1}}, now: []string{"a", "b"}, gone: "0",
		},
		"moved, and grown": {
			then: []func(*testing.T, *home){func(t *testing.T, h *home) {
				move(t, h, "logs/a.jsonl", "logs/x/a.jsonl")
				h.Append("x/a.jsonl", line(7, ""))
			}},
			want: []sync{{Found: 2, Unchanged: 1, Loaded: 1, Moved: 1}}, now: []string{"a", "b"}, gone: "0",
		},
		"renamed": {
			then: []func(*testing.T, *home){func(t *testing.T, h *home) { move(t, h, "logs/a.jsonl", "logs/c.jsonl") }},
			want: []sync{{Found: 2, Unchanged: 1, Loaded: 1, Moved: 1}}, now: []string{"b", "c"}, gone: "0", new: 1,
		},
		"there and back": {
			then: []func(*testing.T, *home){
				func(t *testing.T, h *home) { move(t, h, "logs/a.jsonl", "logs/x/a.jsonl") },
				func(t *testing.T, h *home) { move(t, h, "logs/x/a.jsonl", "logs/a.jsonl") },
			},
			want: []sync{{Found: 2, Unchanged: 2, Moved: 1}, {Found: 2, Unchanged: 2, Moved: 1}}, now: []string{"a", "b"}, gone: "0",
		},
		"gone, and back elsewhere": {
			then: []func(*testing.T, *home){
				func(t *testing.T, h *home) { move(t, h, "logs/a.jsonl", "away/a.jsonl") },
				func(*testing.T, *home) {},
				func(t *testing.T, h *home) { move(t, h, "away/a.jsonl", "logs/x/a.jsonl") },
			},
			want: []sync{{Found: 1, Unchanged: 1, Gone: 1}, {Found: 1, Unchanged: 1}, {Found: 2, Unchanged: 2, Moved: 1}}, now: []string{"a", "b"}, gone: "0",
		},
		"another in its place": {
			then: []func(*testing.T, *home){
				func(t *testing.T, h *home) { move(t, h, "logs/a.jsonl", "logs/x/a.jsonl") },
				func(t *testing.T, h *home) { h.Write("a.jsonl", `{"session":"c"}`+"\n", line(8, "")) },
				func(t *testing.T, h *home) { h.Append("a.jsonl", line(9, "")) },
				func(t *testing.T, h *home) { move(t, h, "logs/a.jsonl", "logs/y/a.jsonl") },
			},
			want: []sync{{Found: 2, Unchanged: 2, Moved: 1}, {Found: 3, Unchanged: 2, Loaded: 1}, {Found: 3, Unchanged: 2, Loaded: 1}, {Found: 3, Unchanged: 3, Moved: 1}},
			now:  []string{"a", "b", "c"}, gone: "0", new: 1,
		},
		"copied": {
			then: []func(*testing.T, *home){func(t *testing.T, h *home) {
				text, err := os.ReadFile(h.Path("a.jsonl"))
				must(t, err)
				h.Write("x/a.jsonl", string(text))
			}},
			want: []sync{{Found: 3, Unchanged: 2, Loaded: 1}}, now: []string{"a", "b"}, gone: "0",
		},
		"shorter": {
			then: []func(*testing.T, *home){func(t *testing.T, h *home) {
				h.Remove("a.jsonl")
				h.Write("x/a.jsonl", line(1, ""))
			}},
			want: []sync{{Found: 2, Unchanged: 1, Loaded: 1, Gone: 1}}, now: []string{"a", "b"}, gone: "1",
		},
		"swapped": {
			then: []func(*testing.T, *home){func(t *testing.T, h *home) {
				move(t, h, "logs/a.jsonl", "c")
				move(t, h, "logs/b.jsonl", "logs/a.jsonl")
				move(t, h, "c", "logs/b.jsonl")
			}},
			want: []sync{{Found: 2, Loaded: 2}}, now: []string{"a", "b"}, gone: "0",
		},
	} {
		h := namedHome(t)
		h.Write("a.jsonl", line(1, ""), line(2, ""))
		h.Write("b.jsonl", line(3, ""))
		h.Sync()
		before := h.Rows(ids)
		for i, then := range c.then {
			then(t, h)
			report := h.Sync()
			report.Elapsed, report.Bytes = 0, 0
			if diff := cmp.Diff(c.want[i], report); diff != "" {
				t.Errorf("%s: sync %d (-want +got)\n%s", name, i, diff)
			}
		}
		if report := h.Sync(); report.Loaded+report.Moved+report.Gone > 0 {
			t.Errorf("%s: at rest %+v", name, report)
		}
		after := h.Rows(ids)
		added := slices.DeleteFunc(slices.Clone(after), func(id string) bool { return slices.Contains(before, id) })
		if len(added) != c.new {
			t.Errorf("%s: sessions and logs are %q, and were %q", name, after, before)
		}
		if got := h.Rows("SELECT session_id FROM sessions ORDER BY 1"); c.now != nil && !slices.Equal(got, c.now) {
			t.Errorf("%s: sessions %q, want %q", name, got, c.now)
		}
		h.Want("SELECT count(*) FROM sources WHERE gone_at IS NOT NULL", c.gone)
		if len(c.then) == 1 {
			continue
		}
		wantLikeClean(t, h)
		before = h.Rows(ids)
		h.SyncWith(true)
		if diff := cmp.Diff(before, h.Rows(ids)); diff != "" {
			t.Errorf("%s: a full sync changed the ids (-want +got)\n%s", name, diff)
		}
	}
}

// TestMovedNeighbours: files beside a log are looked for where the log is now.
func TestMovedNeighbours(t *testing.T) {
	whole.Test(t, "loads several stores")
	t.Parallel()
	h := namedHome(t)
	h.Put("logs/one/near", "near")
	h.Put("aside", "aside")
	h.Write("one/a.jsonl", `{"beside":"logs/one/near"}`+"\n", `{"beside":"aside"}`+"\n", line(1, ""))
	h.Sync()
	const near = "SELECT DISTINCT regexp_extract(path, '[^/]*/[^/]*$') FROM store.hindsql_internal.neighbours ORDER BY 1"
	move(t, h, "logs/one", "logs/two")
	if report := h.Sync(); report.Moved != 1 || report.Loaded != 0 {
		t.Errorf("with the file beside: %+v", report)
	}
	h.Want(near, path.Base(filepath.ToSlash(h.Dir))+"/aside", "two/near")
	move(t, h, "logs/two/a.jsonl", "logs/three/a.jsonl")
	if report := h.Sync(); report.Moved != 1 || report.Loaded != 1 {
		t.Errorf("without the file beside: %+v", report)
	}
	move(t, h, "logs/three", "logs/one")
	h.Put("logs/one/near", "again")
	if report := h.Sync(); report.Moved != 1 || report.Loaded != 1 {
		t.Errorf("with another file beside: %+v", report)
	}
	h.Put("logs/one/near", "changed")
	if report := h.Sync(); report.Moved != 0 || report.Loaded != 1 {
		t.Errorf("the file beside changed: %+v", report)
	}
}

// TestMovedFromSharedFile: a title in a file of the old folder is no title any more.
func TestMovedFromSharedFile(t *testing.T) {
	whole.Test(t, "loads several stores")
	t.Parallel()
	h := namedHome(t)
	h.Write("one/titles.jsonl", `{"shared":"title","of":"a","text":"The title"}`+"\n")
	h.Write("one/a.jsonl", line(1, ""))
	h.Write("b.jsonl", line(2, ""))
	h.Sync()
	const titles = "SELECT session_id, title FROM sessions WHERE session_id IN ('a', 'b') ORDER BY 1"
	for _, step := range []struct{ from, to, want string }{
		{"logs/one", "logs/two", "a|The title"},
		{"logs/two/a.jsonl", "logs/a.jsonl", "a|NULL"},
		{"logs/two/titles.jsonl", "logs/titles.jsonl", "a|The title"},
		{"logs/titles.jsonl", "logs/two/titles.jsonl", "a|NULL"},
		{"logs/a.jsonl", "logs/two/deep/a.jsonl", "a|The title"},
	} {
		move(t, h, step.from, step.to)
		if report := h.Sync(); report.Moved == 0 || report.Loaded != 0 {
			t.Errorf("%s to %s: %+v", step.from, step.to, report)
		}
		if got := h.Rows(titles)[0]; got != step.want {
			t.Errorf("%s to %s: %s, want %s", step.from, step.to, got, step.want)
		}
		wantLikeClean(t, h)
	}
}

// TestMovedBeforeAnUpgrade: a store that is made anew keeps the ids of its logs if it can
// read them, and counts no log twice if it can't.
func TestMovedBeforeAnUpgrade(t *testing.T) {
	whole.Test(t, "loads several stores")
	t.Parallel()
	for name, statements := range map[string][]string{
		"another build's":     {"UPDATE store_info SET schema_hash = 'other'"},
		"of before the marks": {"ALTER TABLE sources DROP COLUMN beginning", "UPDATE store_info SET schema_hash = 'other'"},
		"tampered with":       {"DELETE FROM messages WHERE session_id = 'b'", "UPDATE store_info SET rows = '1 ' || rows"},
	} {
		h := namedHome(t)
		h.Write("a.jsonl", line(1, ""), line(2, ""))
		h.Write("b.jsonl", line(3, ""))
		h.Write("gone.jsonl", line(4, ""))
		h.Sync()
		move(t, h, "logs/a.jsonl", "logs/x/a.jsonl")
		h.Remove("gone.jsonl")
		h.Sync()
		h.Write("a.jsonl", `{"session":"c"}`+"\n", line(5, ""))
		h.Sync()
		ids := h.Rows(idsByName)
		tamper(t, h.Store, statements...)
		move(t, h, "logs/b.jsonl", "logs/x/b.jsonl")
		h.Sync()
		h.Sync()
		h.Want("SELECT session_id, count(*) FROM messages GROUP BY 1 ORDER BY 1", "a|2", "b|1", "c|1", "gone|1")
		h.Want("SELECT count(*) FROM sources WHERE gone_at IS NOT NULL", "1")
		if same := slices.Equal(ids, h.Rows(idsByName)); same != (name != "of before the marks") {
			t.Errorf("%s: the ids are\n%q, and were\n%q", name, h.Rows(idsByName), ids)
		}
	}
}

// TestCompressedLog: a compressed log keeps its source, also when unpacked again. While both
// files exist, the uncompressed file counts.
func TestCompressedLog(t *testing.T) {
	whole.Test(t, "loads several stores")
	t.Parallel()
	const log = ".codex/sessions/2026/03/18/rollout-2026-03-18T11-00-00-019d021f-1244-77d2-b5aa-ba1d70f11e87.jsonl"
	const one = `{"timestamp":"2026-03-18T10:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"one"}]}}` + "\n"
	const two = `{"timestamp":"2026-03-18T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"two"}]}}` + "\n"
	pack := func(text string) string {
		var packed strings.Builder
		w, err := zstd.NewWriter(&packed)
		must(t, err)
		_, err = w.Write([]byte(text))
		must(t, err)
		must(t, w.Close())
		return packed.String()
	}
	h := newHome(t)
	h.Reader = nil
	h.Put(log, one)
	h.Sync()
	id := h.Rows("SELECT source_id FROM sources")
	want := func(name string, loaded, moved int, messages string) {
		t.Helper()
		if report := h.Sync(); report.Found != 1 || report.Loaded != loaded || report.Moved != moved || report.Gone != 0 {
			t.Errorf("%+v, want %d loaded and %d moved", report, loaded, moved)
		}
		h.Want("SELECT regexp_extract(path, '[^.]*(.zst)?$'), gone_at, source_id FROM sources", name+"|NULL|"+id[0])
		h.Want("SELECT session_id, message_count FROM sessions", "019d021f-1244-77d2-b5aa-ba1d70f11e87|"+messages)
		wantLikeClean(t, h)
	}
	remove := func(rel string) { must(t, os.Remove(filepath.Join(h.Dir, filepath.FromSlash(rel)))) }
	h.Put(log+".zst", pack(one))
	want("jsonl", 0, 0, "1")
	remove(log)
	want("jsonl.zst", 1, 1, "1")
	h.Put(log, one+two)
	want("jsonl", 1, 1, "2")
	remove(log + ".zst")
	want("jsonl", 0, 0, "2")
	h.Put(log+".zst", pack(one+two))
	remove(log)
	want("jsonl.zst", 1, 1, "2")
	h.Put(log, two) // not the same log
	h.Sync()
	h.Want("SELECT count(*), count(gone_at) FROM sources", "1|0")
	h.Want("SELECT text FROM messages", "two")
}
