package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

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
