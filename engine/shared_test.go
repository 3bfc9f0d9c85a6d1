package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/internal/whole"
	"hindsql/readers"
	"hindsql/readers/all"
	"hindsql/readers/sample"
)

// rollout returns a session with one prompt, and with a title unless title is empty.
func rollout(n int, title string) (rel, text string) {
	id := fmt.Sprintf("%08d-0000-7000-8000-000000000000", n)
	text = fmt.Sprintf(`{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"%s","cwd":"/w","cli_version":"0.150.0"}}`+"\n"+
		`{"timestamp":"2026-01-01T00:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"prompt %d"}]}}`+"\n", id, n)
	if title != "" {
		text += fmt.Sprintf(`{"timestamp":"2026-01-01T00:00:02.000Z","type":"event_msg","payload":{"type":"thread_name_updated","thread_name":"%s"}}`+"\n", title)
	}
	return ".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-" + id + ".jsonl", text
}

func indexLine(n int, title string) string {
	return fmt.Sprintf(`{"id":"%08d-0000-7000-8000-000000000000","thread_name":"%s","updated_at":"2026-01-01T00:00:03Z"}`+"\n", n, title)
}

// TestARenameReadsNoSessionAnew: one file holds the names of 1,000 sessions. If a name
// in the file changes, a sync loads only this file.
func TestARenameReadsNoSessionAnew(t *testing.T) {
	whole.Test(t, "loads stores again and again, 4.2 s of processor time")
	t.Parallel()
	const sessions = 1000
	h := &home{T: t, Dir: t.TempDir(), Store: filepath.Join(t.TempDir(), "h.duckdb")}
	var index strings.Builder
	for i := range sessions {
		title := ""
		if i == 7 {
			title = "its own"
		}
		h.Put(rollout(i, title))
		if i%2 == 1 {
			index.WriteString(indexLine(i, fmt.Sprint("name ", i)))
		}
	}
	h.Sync()
	h.Want("SELECT title, about, count(*) FROM sessions WHERE title IS NOT NULL GROUP BY ALL", "its own|its own|1")
	step := func(text string, want ...string) {
		t.Helper()
		h.Put(".codex/session_index.jsonl", text)
		wantReport(t, h.Sync(), engine.SyncReport{Found: sessions + 1, Loaded: 1, Unchanged: sessions})
		h.Want("SELECT title, about FROM sessions WHERE starts_with(session_id, '0000000') ORDER BY session_id", want...)
		h.LikeClean()
	}
	names := func(three, seven string) (list []string) {
		for i := range 10 {
			title := fmt.Sprintf("name %d|name %d", i, i)
			switch {
			case i == 3:
				title = three
			case i == 7:
				title = seven
			case i%2 == 0:
				title = fmt.Sprintf("NULL|prompt %d", i)
			}
			list = append(list, title)
		}
		return list
	}
	step(index.String(), names("name 3|name 3", "name 7|name 7")...)
	step(index.String()+indexLine(3, "renamed"), names("renamed|renamed", "name 7|name 7")...)
	step(strings.Replace(index.String(), indexLine(7, "name 7"), "", 1), names("name 3|name 3", "its own|its own")...)
	h.Want("SELECT count(*), count(title) FROM sessions", fmt.Sprintf("%d|%d", sessions, sessions/2))

	// A session keeps the name from the index only if its own log is gone when the
	// index goes.
	rel, _ := rollout(3, "")
	must(t, os.Remove(filepath.Join(h.Dir, filepath.FromSlash(rel))))
	h.Sync()
	must(t, os.Remove(filepath.Join(h.Dir, ".codex", "session_index.jsonl")))
	h.Sync()
	h.Want("SELECT title FROM sessions WHERE title IS NOT NULL ORDER BY 1", "its own", "name 3")
	h.SyncWith(true)
	h.Want("SELECT title FROM sessions WHERE title IS NOT NULL ORDER BY 1", "its own", "name 3")
}

// TestASharedFileSpeaksOfItsOwnFolder: the index of one root names no sessions of
// another root, even with equal ids.
func TestASharedFileSpeaksOfItsOwnFolder(t *testing.T) {
	t.Parallel()
	h := &home{T: t, Dir: t.TempDir(), Store: filepath.Join(t.TempDir(), "h.duckdb")}
	for _, root := range []string{"one/", "two/"} {
		rel, text := rollout(1, "")
		h.Put(root+rel, text)
		h.Put(root+".codex/session_index.jsonl", indexLine(1, "in "+root))
	}
	c := realConfig(h.Dir, h.Store)
	c.Roots = map[string][]string{"codex": {filepath.Join(h.Dir, "one", ".codex"), filepath.Join(h.Dir, "two", ".codex")}}
	s := open(t, c)
	_, err := s.Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	got := rows(t, s, "SELECT title, native_id IS NULL FROM with_copies.sessions ORDER BY 1")
	if fmt.Sprint(got) != "[in one/|true in two/|false]" {
		t.Errorf("titles: %v", got)
	}
}

// TestAfterAnyFileBesideALogChanged: a sync makes the same store as a clean load, with
// each agent's samples and the made-up home. Agents are independent, so each step
// changes a file of every agent.
func TestAfterAnyFileBesideALogChanged(t *testing.T) {
	whole.Test(t, "loads the samples of all agents a dozen times")
	t.Parallel()
	made, err := sample.Write(t.TempDir())
	must(t, err)
	u := &units{t: t, dir: t.TempDir()}
	u.config = realConfig(u.dir, filepath.Join(t.TempDir(), "h.duckdb"))
	for _, r := range all.Readers() {
		for i, place := range r.Places(readers.Host{OS: "linux", Home: made, Getenv: func(string) string { return "" }}, nil) {
			if _, err := os.Stat(place.Path); err == nil {
				must(t, os.CopyFS(u.root(r.Agent, fmt.Sprint("made", i)), os.DirFS(place.Path)))
			}
		}
		u.addSamples(r.Agent)
	}
	u.age()
	u.removeUnread()
	files := u.files()
	if agents := len(all.Readers()); len(files) < agents/2 { // some have no samples, or all in their logs
		t.Fatalf("files beside the logs of %d agents only, of %d", len(files), agents)
	}
	u.untouched = u.clean()
	for i := range filesChanged {
		var changed []*changedFile
		for _, list := range files {
			if n := min(len(list), filesChanged); i < n {
				changed = append(changed, u.changed(list[i*len(list)/n]))
			}
		}
		u.change(changed)
	}
}

// filesChanged is how many files of an agent are changed, spread over its files: each
// change costs half a dozen syncs. $HINDSQL_FILES_CHANGED sets another number.
var filesChanged = func() int {
	if n, err := strconv.Atoi(os.Getenv("HINDSQL_FILES_CHANGED")); err == nil {
		return n
	}
	return 3
}()

// units holds the logs of the agents with all files beside the logs.
type units struct {
	t         *testing.T
	dir       string
	config    engine.Config
	untouched map[string][]string // a clean load's dump, before any file was changed
}

// root adds a root for an agent.
func (u *units) root(agent, name string) string {
	root := filepath.Join(u.dir, agent, name)
	if u.config.Roots == nil {
		u.config.Roots = map[string][]string{}
	}
	u.config.Roots[agent] = append(u.config.Roots[agent], root)
	return root
}

func (u *units) addSamples(agent string) {
	u.t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "readers", agent, "testdata", "*.txtar"))
	must(u.t, err)
	for _, p := range paths {
		archive, err := txtar.ParseFile(p)
		must(u.t, err)
		root := u.root(agent, strings.TrimSuffix(filepath.Base(p), ".txtar"))
		for _, f := range archive.Files {
			if name := strings.TrimSuffix(f.Name, " (no final newline)"); !strings.HasPrefix(name, "want/") {
				must(u.t, appendFile(filepath.Join(root, filepath.FromSlash(name)), f.Data))
			}
		}
	}
}

// age makes all files an hour old. A reader may treat a file changed within the last
// minute in another way: other files may not have mentioned it yet. The test may take
// longer than a minute.
func (u *units) age() {
	u.t.Helper()
	then := time.Now().Add(-time.Hour)
	must(u.t, filepath.WalkDir(u.dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, then, then))
	}))
}

// in syncs a store and runs work in a new session.
func (u *units) in(store string, work func(face)) {
	u.t.Helper()
	c := u.config
	c.Store = store
	s, err := tryOpen(c)
	must(u.t, err)
	defer s.Close()
	_, err = s.Sync(context.Background(), engine.SyncOptions{})
	must(u.t, err)
	work(s)
}

// files lists, by agent, the files that readers opened or looked for beside logs, and
// the logs with notes about other sessions.
func (u *units) files() map[string][]string {
	u.t.Helper()
	byAgent := map[string][]string{}
	u.in(u.config.Store, func(s face) {
		for _, path := range rows(u.t, s, `SELECT DISTINCT path FROM store.hindsql_internal.neighbours
			UNION SELECT path FROM sources SEMI JOIN (SELECT source_id FROM store.hindsql_internal.session_notes UNION SELECT source_id FROM store.hindsql_internal.project_notes) USING (source_id)
			ORDER BY 1`) {
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				continue
			}
			rel, err := filepath.Rel(u.dir, path)
			must(u.t, err)
			agent, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
			byAgent[agent] = append(byAgent[agent], path)
		}
	})
	return byAgent
}

// changedFile is a file with its state before a test changed the file.
type changedFile struct {
	path string
	was  []byte // nil if the file did not exist
	at   time.Time

	folderAt time.Time // of the folder, because a log may depend on the folder's names; zero if none
}

func (u *units) changed(path string) *changedFile {
	u.t.Helper()
	f := &changedFile{path: path}
	if folder, err := os.Stat(filepath.Dir(path)); err == nil {
		f.folderAt = folder.ModTime()
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f
	}
	must(u.t, err)
	f.was, err = os.ReadFile(path)
	must(u.t, err)
	f.at = info.ModTime()
	return f
}

func (f *changedFile) restore() error {
	err := f.write(f.was)
	if err == nil && f.was != nil {
		err = os.Chtimes(f.path, f.at, f.at)
	}
	if err == nil && !f.folderAt.IsZero() {
		err = os.Chtimes(filepath.Dir(f.path), f.folderAt, f.folderAt)
	}
	return err
}

// write replaces the file's text, or removes the file if text is nil.
func (f *changedFile) write(text []byte) error {
	if text == nil {
		err := os.Remove(f.path)
		if os.IsNotExist(err) {
			return nil
		}
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(f.path, text, 0o644); err != nil {
		return err
	}
	return touch(f.path)
}

// otherWords returns the file's text with some words changed.
func (f *changedFile) otherWords() []byte {
	if f.was == nil {
		return []byte("{}\n")
	}
	return []byte(strings.NewReplacer("work", "play", "/w", "/v", "the", "that", "List", "Lost", `"state":2`, `"state":1`, `"state": 2`, `"state": 1`).Replace(string(f.was)))
}

// change rewrites files, removes them, and restores them, and compares the stores each
// time.
func (u *units) change(list []*changedFile) {
	u.t.Helper()
	var paths []string
	for _, f := range list {
		paths = append(paths, f.path)
	}
	step := func(what string, change func(*changedFile) error, want func() map[string][]string) {
		u.t.Helper()
		for _, f := range list {
			must(u.t, change(f))
		}
		u.wantLike(want(), fmt.Sprintf("%s: %s", what, strings.Join(paths, ", ")))
	}
	step("other words", func(f *changedFile) error { return f.write(f.otherWords()) }, u.clean)
	step("gone", func(f *changedFile) error { return f.write(nil) }, u.clean)
	step("as they were", (*changedFile).restore, func() map[string][]string { return u.untouched })
}

// removeUnread removes logs that count as not read, such as one that ends in the middle
// of a write. Their rows depend on what a store had of them before.
func (u *units) removeUnread() {
	u.t.Helper()
	u.in(filepath.Join(u.t.TempDir(), "unread.duckdb"), func(s face) {
		for _, path := range enginetest.Rows(u.t, s, "SELECT path FROM store.sources WHERE unread_since IS NOT NULL") {
			must(u.t, os.Remove(path))
		}
	})
}

// clean is the dump of a new store.
func (u *units) clean() (rows map[string][]string) {
	u.t.Helper()
	u.in(filepath.Join(u.t.TempDir(), "clean.duckdb"), func(s face) { rows = dump(u.t, s) })
	return rows
}

// wantLike compares the synced store with the dump of a new store. It prunes first,
// because rows of a gone file stay until a prune.
func (u *units) wantLike(want map[string][]string, when string) {
	u.t.Helper()
	var got map[string][]string
	u.in(u.config.Store, func(s face) {
		_, _, err := s.Prune(context.Background(), "")
		must(u.t, err)
		got = dump(u.t, s)
	})
	if diff := cmp.Diff(want, got); diff != "" {
		u.t.Fatalf("%s: the stores differ (-want +got)\n%.6000s", when, diff)
	}
}
