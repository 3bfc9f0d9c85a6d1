package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// pause is the least time between two looks of an open process at the logs, and more.
const pause = 1100 * time.Millisecond

// scope is a project of the made histories, and of the logs that grow.
const scope = "/home/dev/work/proj-00"

// searches lists texts by their frequency in the made histories.
var searches = map[string]string{
	"none": "FROM search('zzqxw');",
	"rare": "FROM search('tailwindcss');",
	"half": "FROM search('the') LIMIT 50;",
}

// single is a run of a side, without parts.
type single = func(context.Context, *side) (usage, error)

func version(ctx context.Context, s *side) (usage, error) {
	return finish(ctx, exec.CommandContext(ctx, s.binary, "version"))
}

// runs measures a command in a store that has the tree.
func runs(tree string, args ...string) single {
	return inStore(tree, func(ctx context.Context, st *store) (usage, error) { return st.run(ctx, args...) })
}

// inStore returns a measurement in a store that has the tree.
func inStore[T usage | figures](tree string, measure func(context.Context, *store) (T, error)) func(context.Context, *side) (T, error) {
	return func(ctx context.Context, s *side) (used T, err error) {
		st, err := s.loaded(ctx, tree)
		if err != nil {
			return used, err
		}
		return measure(ctx, st)
	}
}

func grew(tree, name string) single {
	return inStore(tree, func(ctx context.Context, st *store) (usage, error) {
		if err := st.grow(name, 1); err != nil {
			return usage{}, err
		}
		return st.run(ctx, often)
	})
}

// grewOpen measures a process that refreshes its rows and asks, after a log grew: the
// median of three times after a first.
func grewOpen(tree, name string) single {
	return inStore(tree, func(ctx context.Context, st *store) (usage, error) {
		next := step{sql: ".refresh\n" + often + ";", before: func() error {
			time.Sleep(pause)
			return st.grow(name, 1)
		}}
		laps, err := st.steps(ctx, nil, []step{next, next, next, next})
		if err != nil {
			return usage{}, err
		}
		return middle(laps[1:]), nil
	})
}

func firstLoad(tree string) single {
	return func(ctx context.Context, s *side) (usage, error) {
		st, err := s.fresh(ctx, tree)
		if err != nil {
			return usage{}, err
		}
		used, err := st.run(ctx, "sync")
		if err == nil {
			err = st.remove()
		}
		return used, err
	}
}

// otherMachine measures a sync with another machine's id.
func otherMachine(tree string) single {
	return inStore(tree, func(ctx context.Context, st *store) (usage, error) {
		if err := os.Remove(filepath.Join(st.home, ".config", "hindsql", "machine.toml")); err != nil {
			return usage{}, err
		}
		return st.run(ctx, "sync")
	})
}

// into measures a command that writes into a new folder.
func into(tree string, args ...string) single {
	return inStore(tree, func(ctx context.Context, st *store) (usage, error) {
		target, err := os.MkdirTemp(st.side.work, "target-")
		if err != nil {
			return usage{}, err
		}
		used, err := st.run(ctx, append(args, filepath.Join(target, "new"))...)
		if err == nil {
			err = os.RemoveAll(target)
		}
		return used, err
	})
}

// saved measures the saved queries of a side's sources whose text matches; all of them if
// which is nil.
func saved(tree string, which *regexp.Regexp, args string) func(context.Context, *side) (figures, error) {
	return func(ctx context.Context, s *side) (figures, error) {
		list, err := s.bench.git(ctx, "ls-tree", "--name-only", s.commit, "queries/")
		if err != nil {
			return nil, err
		}
		statements := map[string]string{}
		for _, file := range strings.Fields(list) {
			if path.Ext(file) != ".sql" {
				continue
			}
			text, err := s.bench.git(ctx, "show", s.commit+":"+file)
			if err != nil {
				return nil, err
			}
			if name := strings.TrimSuffix(path.Base(file), ".sql"); which == nil || which.MatchString(text) {
				statements[name] = ".run " + name + args
			}
		}
		return asked(tree, statements)(ctx, s)
	}
}

// asked runs each statement twice in one process that doesn't sync, and returns the
// second usages by name.
func asked(tree string, statements map[string]string) func(context.Context, *side) (figures, error) {
	return inStore(tree, func(ctx context.Context, st *store) (figures, error) {
		names := slices.Sorted(maps.Keys(statements))
		var list []step
		for _, name := range names {
			list = append(list, step{sql: statements[name]}, step{sql: statements[name]})
		}
		laps, err := st.steps(ctx, []string{"--no-sync"}, list)
		if err != nil {
			return nil, err
		}
		found := figures{}
		for i, name := range names {
			found[name] = laps[2*i+1]
		}
		return found, nil
	})
}

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
