package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// grown is a history that ../shared/bench/gen_claude.py makes.
type grown struct {
	folder string // in bin/trees
	cycles string
	seeds  []string // a folder each if there are several
	copies int      // of the sample, without the generator: about as many bytes
}

// trees lists the histories.
var trees = map[string]grown{
	"211MB": {"tree211", "95", []string{"1"}, 600},
	"1GB":   {"tree1g", "470", []string{"1"}, 3000},
	"10GB":  {"tree10g", "470", []string{"1001", "1002", "1003", "1004", "1005", "1006", "1007", "1008", "1009", "1010"}, 30_000},
}

// small lists the histories of small files, by their number.
var small = map[string]int{"10,000 files": 10_000, "100,000 files": 100_000}

// tree returns the roots of a history, made at the first call.
func (b *bench) tree(ctx context.Context, name string) ([]string, error) {
	if n, ok := small[name]; ok {
		return b.smallFiles(n)
	}
	g, ok := trees[name]
	if !ok {
		return nil, fmt.Errorf("history %s: there is no such history", name)
	}
	generator := filepath.Join(b.repository, "..", "shared", "bench", "gen_claude.py")
	folder := filepath.Join(b.repository, "bin", "trees", g.folder)
	if b.try {
		return b.copies(filepath.Join(b.work, g.folder), 2*len(g.seeds))
	}
	var roots []string
	for _, seed := range g.seeds {
		root := folder
		if len(g.seeds) > 1 {
			root = filepath.Join(folder, seed)
		}
		roots = append(roots, root)
		if _, err := os.Stat(filepath.Join(root, "projects")); err == nil {
			continue
		}
		if _, err := os.Stat(generator); err != nil {
			return b.copies(filepath.Join(b.repository, "bin", "trees", fmt.Sprint(g.copies, "-samples")), g.copies)
		}
		b.say("making %s", root)
		if err := b.do(ctx, b.repository, "python3", generator, root, g.cycles, seed); err != nil {
			return nil, err
		}
	}
	return roots, nil
}

// copies makes a root of n copies of the sample's logs, with ids of their own.
func (b *bench) copies(root string, n int) ([]string, error) {
	sample := os.DirFS(filepath.Join(b.repository, "readers", "sample", "home", ".claude"))
	if _, err := os.Stat(root); err == nil {
		return []string{root}, nil
	}
	err := fs.WalkDir(sample, "projects", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(sample, path)
		if err != nil {
			return err
		}
		session := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		for i := range n {
			id, key := session, fmt.Sprintf("%06x", i)
			if len(id) > len(key) {
				id = key + id[len(key):]
			}
			copied := bytes.ReplaceAll(text, []byte(session), []byte(id))
			for _, prefix := range []string{`"uuid":"`, `"parentUuid":"`, `"id":"msg_`, `"id":"toolu_`, `"tool_use_id":"toolu_`, `"requestId":"req_`} {
				copied = bytes.ReplaceAll(copied, []byte(prefix), []byte(prefix+key))
			}
			to := filepath.Join(root, filepath.FromSlash(strings.ReplaceAll(path, session, id)))
			if err := write(to, copied); err != nil {
				return err
			}
		}
		return nil
	})
	return []string{root}, err
}

// smallFiles makes a root of n logs of one line.
func (b *bench) smallFiles(n int) ([]string, error) {
	if b.try {
		n /= 500
	}
	root := filepath.Join(b.work, fmt.Sprint(n, "-files"))
	if _, err := os.Stat(root); err == nil {
		return []string{root}, nil
	}
	for i := range n {
		session := fmt.Sprintf("%08x-0000-4000-8000-000000000000", i)
		if err := write(filepath.Join(root, "projects", fmt.Sprint("p", i%100), session+".jsonl"), line(session, 0, 100)); err != nil {
			return nil, err
		}
	}
	return []string{root}, nil
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// line is the nth line of a session's log: a prompt of size bytes and 400 more.
func line(session string, n, size int) []byte {
	parent := "null"
	if n > 0 {
		parent = fmt.Sprintf(`"%s%08x"`, session[:28], n-1)
	}
	return fmt.Appendf(nil, `{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"/home/dev/work/proj-00","sessionId":"%s","version":"2.1.150","gitBranch":"main","type":"user","message":{"role":"user","content":"line %d %s"},"uuid":"%s%08x","timestamp":"2026-08-30T%02d:%02d:%02d.%03dZ"}`+"\n",
		parent, session, n, strings.Repeat("x", size), session[:28], n, n/3600000%24, n/60000%60, n/1000%60, n%1000)
}

// figures is the usage of a run, or of each of its parts, by the part's name.
type figures map[string]usage

// measurement is a run of both builds that fills one row, or a row for each part.
type measurement struct {
	name, title string // ROWS chooses by the name
	once        func(context.Context, *side) (figures, error)
}

const often = "SELECT count(*) FROM rejections"

// one is a measurement without parts.
func one(name, title string, once func(context.Context, *side) (usage, error)) measurement {
	return measurement{name, title, func(ctx context.Context, s *side) (figures, error) {
		used, err := once(ctx, s)
		return figures{"": used}, err
	}}
}

// measurements lists all rows, in the order of the table: of 1 GB and less, or of 10 GB.
func measurements(big bool) []measurement {
	if big {
		return ofTree("10GB")
	}
	return append([]measurement{
		one("version", "`hindsql version`", version),
		one("nothing-changed-817", "nothing changed, 817 files", runs("211MB", often)),
		one("nothing-changed-10000", "nothing changed, 10,000 files", runs("10,000 files", often)),
		one("first-load-211MB", "first load, 211 MB", firstLoad("211MB")),
		one("first-load-100000", "first load, 100,000 small files", firstLoad("100,000 files")),
		one("push-plain", "first push, plain, 211 MB", into("211MB", "push", "--plain-text")),
		one("push-redacted", "first push, redacted, 211 MB", into("211MB", "push")),
		one("mcp-scope", "`hindsql mcp`, first answer with scope, 211 MB", firstAnswer("211MB", "--project", scope)),
		one("mcp-all-211MB", "the same with --all, redacted", firstAnswer("211MB", "--all")),
		one("crowd", "eight clients while a log grows: a page, 95 % elapsed", crowded("1GB")),
	}, ofTree("1GB")...)
}

// ofTree lists the rows of a large history.
func ofTree(tree string) []measurement {
	return []measurement{
		one("nothing-changed-large", "nothing changed, "+tree, runs(tree, often)),
		one("grew-small", "a small file grew, "+tree, grew(tree, "small")),
		one("grew-20MB", "20 MB grew by a line, "+tree, grew(tree, "large")),
		one("grew-open", "the same in an open process", grewOpen(tree, "large")),
		one("first-load-"+tree, "first load, "+tree, firstLoad(tree)),
		one("machine", "another machine id, "+tree, otherMachine(tree)),
		one("export", "`hindsql export`, "+tree, into(tree, "export")),
		one("push-large", "first push, "+tree, into(tree, "push")),
		{"saved", "saved query, " + tree, saved(tree, nil, "")},
		{"since", "saved query of a month, " + tree, saved(tree, regexp.MustCompile(`(?m)^-- (takes .*\bsince\b|param since )`), " since=2026-08-01")},
		{"search", "search, " + tree, asked(tree, searches)},
		one("find-none", "`hindsql find`, in no row, "+tree, runs(tree, "--no-sync", "find", "zzqxw")),
		one("find-rare", "`hindsql find`, in 0.1 % of rows", runs(tree, "--no-sync", "find", "tailwindcss")),
		one("find-half", "`hindsql find`, in a third of rows", runs(tree, "--no-sync", "find", "the")),
		{"page", "page, " + tree, visited(tree)},
		one("safe", "`--safe`, first SQL, "+tree, runs(tree, "--safe", often)),
		one("mcp-all-"+tree, "`hindsql mcp --all`, first answer, redacted, "+tree, firstAnswer(tree, "--all")),
		one("mcp-grew", "open `hindsql mcp`, the asking session grew, "+tree, nextAnswer(tree, "--project", scope)),
	}
}

// store is a store of a side, with the logs in it.
type store struct {
	side  *side
	home  string // keeps the machine's id: with another id, a sync loads all logs again
	file  string
	roots []string
	grown map[string]int // lines of the logs that grow, by name
}

// fresh returns an empty store for a tree.
func (s *side) fresh(ctx context.Context, tree string) (*store, error) {
	roots, err := s.bench.tree(ctx, tree)
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp(s.work, tree+"-")
	return &store{side: s, home: home, file: filepath.Join(home, "store.duckdb"), roots: roots, grown: map[string]int{}}, err
}

// loaded returns the store with a tree, which is loaded once. Beside the tree there are
// two logs that may grow: "small" of one line, and "large" of 20 MB.
func (s *side) loaded(ctx context.Context, tree string) (*store, error) {
	if st := s.stores[tree]; st != nil {
		return st, nil
	}
	st, err := s.fresh(ctx, tree)
	if err != nil {
		return nil, err
	}
	lines := 20_000
	if s.bench.try {
		lines = 200
	}
	for name, n := range map[string]int{"small": 1, "large": lines} {
		if err := st.grow(name, n); err != nil {
			return nil, err
		}
		st.roots = append(st.roots, filepath.Join(st.home, name))
	}
	if _, err := st.run(ctx, "sync"); err != nil {
		return nil, err
	}
	s.stores[tree] = st
	return st, nil
}

// grow appends n lines of 1 kB to the log of this name.
func (st *store) grow(name string, n int) error {
	path := filepath.Join(st.home, name, "projects", "p", sessionOf(name)+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	var text []byte
	for range n {
		text = append(text, line(sessionOf(name), st.grown[name], 600)...)
		st.grown[name]++
	}
	_, err = f.Write(text)
	if end := f.Close(); err == nil {
		err = end
	}
	return err
}

func sessionOf(name string) string {
	return fmt.Sprintf("%08x-0000-4000-8000-00000000abcd", len(name)+int(name[0]))
}

// command returns hindsql with the store's flags.
func (st *store) command(ctx context.Context, args ...string) *exec.Cmd {
	all := []string{"--store", st.file, "--timezone", "UTC"}
	for _, root := range st.roots {
		all = append(all, "--root", "claude="+root)
	}
	cmd := exec.CommandContext(ctx, st.side.binary, append(all, args...)...)
	cmd.Env, cmd.Dir = []string{"HOME=" + st.home, "PATH=" + os.Getenv("PATH")}, st.home
	return cmd
}

func (st *store) run(ctx context.Context, args ...string) (usage, error) {
	return finish(ctx, st.command(ctx, args...))
}

// remove deletes the store's folder.
func (st *store) remove() error { return os.RemoveAll(st.home) }
