package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// bench is a comparison of two builds.
type bench struct {
	repository string
	work       string   // stores, and logs that grow; removed at the end
	sides      [2]*side // the commit, and this tree
	ccusage    string   // its native program; empty if there is none
	pairs      int
	big, try   bool
	say        func(format string, args ...any)
}

// side is one of the compared builds.
type side struct {
	bench  *bench
	name   string // of the commit
	binary string
	files  map[string]bool // of the sources
	work   string
	stores map[string]*store // by name of the tree
}

// read returns a file of the side's sources.
func (s *side) read(ctx context.Context, file string) (string, error) {
	if s == s.bench.sides[0] {
		return s.bench.git(ctx, "show", s.name+":"+file)
	}
	text, err := os.ReadFile(filepath.Join(s.bench.repository, file))
	return string(text), err
}

// prepare builds the commit, unless a former run built it, and makes both sides.
func (b *bench) prepare(ctx context.Context, base string) error {
	hash, err := b.git(ctx, "rev-parse", "--verify", "--short=8", base+"^{commit}")
	if err != nil {
		return fmt.Errorf("BASE=%s: no commit of this repository; git log lists the commits: %w", base, err)
	}
	today, err := b.git(ctx, "describe", "--always", "--dirty", "--exclude=*", "--abbrev=8")
	if err != nil {
		return err
	}
	folder := filepath.Join(b.repository, "bin", "pair")
	b.work = filepath.Join(folder, fmt.Sprint("work-", os.Getpid()))
	b.sides = [2]*side{
		{name: hash, binary: filepath.Join(folder, "hindsql-"+hash)},
		{name: today, binary: filepath.Join(b.repository, "bin", "hindsql")},
	}
	lists := [2][]string{{"ls-tree", "-r", "--name-only", hash}, {"ls-files"}}
	for i, s := range b.sides {
		s.bench, s.work, s.stores, s.files = b, filepath.Join(b.work, fmt.Sprint(i)), map[string]*store{}, map[string]bool{}
		list, err := b.git(ctx, lists[i]...)
		if err != nil {
			return err
		}
		for _, file := range strings.Fields(list) {
			s.files[file] = true
		}
		if err := os.MkdirAll(s.work, 0o755); err != nil {
			return err
		}
	}
	return b.build(ctx, b.sides[0])
}

// build builds a commit in a folder of its own. The sources aren't kept: searches in the
// repository would find them.
func (b *bench) build(ctx context.Context, s *side) error {
	if _, err := os.Stat(s.binary); err == nil {
		return nil
	}
	b.say("building %s", s.name)
	source := filepath.Join(b.work, "source")
	if err := os.MkdirAll(source, 0o755); err != nil {
		return err
	}
	if err := b.do(ctx, b.repository, "sh", "-c", `git archive "$0" | tar -x -C "$1"`, s.name, source); err != nil {
		return err
	}
	if err := b.do(ctx, source, "go", "build", "-tags", "duckdb_arrow", "-o", s.binary, "./cmd/hindsql"); err != nil {
		return err
	}
	return os.RemoveAll(source)
}

func (b *bench) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = b.repository
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// do runs a program that isn't measured.
func (b *bench) do(ctx context.Context, folder, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return nil
}

//go:embed testdata/walk.c
var walkSource []byte

// linkSource is a program that only links DuckDB.
var linkSource = []byte("package main\n\nimport _ \"github.com/duckdb/duckdb-go/v2\"\n\nfunc main() {}\n")

// walker returns the program that walks a folder, and reads each file's size.
func (b *bench) walker(ctx context.Context) (string, error) {
	return b.tiny(ctx, "walk", "walk.c", walkSource, "cc", "-O2")
}

// linker returns the program that only links DuckDB: the least that a start can cost.
func (b *bench) linker(ctx context.Context) (string, error) {
	return b.tiny(ctx, "link", "link.go", linkSource, "go", "build")
}

// tiny compiles a program of one file with the module's libraries, once a run.
func (b *bench) tiny(ctx context.Context, name, file string, source []byte, compiler ...string) (string, error) {
	program, path := filepath.Join(b.work, name), filepath.Join(b.work, file)
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.WriteFile(path, source, 0o644); err != nil {
		return "", err
	}
	return program, b.do(ctx, b.repository, compiler[0], append(compiler[1:], "-o", program, path)...)
}
