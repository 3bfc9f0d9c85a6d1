package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
