package main

import (
	"context"
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
	pairs      int
	try        bool
	say        func(format string, args ...any)
}

// side is one of the compared builds.
type side struct {
	bench  *bench
	commit string // whose sources have the saved queries
	name   string // of the build
	binary string
	work   string
	stores map[string]*store // by name of the tree
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
		{commit: hash, name: hash, binary: filepath.Join(folder, "hindsql-"+hash)},
		{commit: "HEAD", name: today, binary: filepath.Join(b.repository, "bin", "hindsql")},
	}
	for i, s := range b.sides {
		s.bench, s.work, s.stores = b, filepath.Join(b.work, fmt.Sprint(i)), map[string]*store{}
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
