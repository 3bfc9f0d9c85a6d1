package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// one run of a side.
type single = func(context.Context, *side) (usage, error)

func version(ctx context.Context, s *side) (usage, error) {
	return finish(ctx, exec.CommandContext(ctx, s.binary, "version"))
}

// runs measures a command in a store that has the tree.
func runs(tree string, args ...string) single {
	return func(ctx context.Context, s *side) (usage, error) {
		st, err := s.loaded(ctx, tree)
		if err != nil {
			return usage{}, err
		}
		return st.run(ctx, args...)
	}
}

func finds(tree, text string) single { return runs(tree, "--no-sync", "find", text) }

func grew(tree, name string) single {
	return func(ctx context.Context, s *side) (usage, error) {
		st, err := s.loaded(ctx, tree)
		if err != nil {
			return usage{}, err
		}
		if err := st.grow(name, 1); err != nil {
			return usage{}, err
		}
		return st.run(ctx, often)
	}
}

// grewOpen measures a process that refreshes its rows and asks, after a log grew: the
// median of three times after a first.
func grewOpen(tree, name string) single {
	return func(ctx context.Context, s *side) (usage, error) {
		st, err := s.loaded(ctx, tree)
		if err != nil {
			return usage{}, err
		}
		next := step{sql: ".refresh\n" + often + ";", before: func() error {
			time.Sleep(pause)
			return st.grow(name, 1)
		}}
		laps, err := st.steps(ctx, nil, []step{next, next, next, next})
		if err != nil {
			return usage{}, err
		}
		return middle(laps[1:]), nil
	}
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
	return func(ctx context.Context, s *side) (usage, error) {
		st, err := s.loaded(ctx, tree)
		if err != nil {
			return usage{}, err
		}
		if err := os.Remove(filepath.Join(st.home, ".config", "hindsql", "machine.toml")); err != nil {
			return usage{}, err
		}
		return st.run(ctx, "sync")
	}
}

func pushed(tree string, flags ...string) single {
	return into(tree, append([]string{"push"}, flags...))
}

func exported(tree string) single { return into(tree, []string{"export"}) }

// into measures a command that writes into a new folder.
func into(tree string, args []string) single {
	return func(ctx context.Context, s *side) (usage, error) {
		st, err := s.loaded(ctx, tree)
		if err != nil {
			return usage{}, err
		}
		target, err := os.MkdirTemp(s.work, "target-")
		if err != nil {
			return usage{}, err
		}
		used, err := st.run(ctx, append(args, filepath.Join(target, "new"))...)
		if err == nil {
			err = os.RemoveAll(target)
		}
		return used, err
	}
}

// beside is a third program, which runs beside both builds.
type beside struct {
	name string
	once func(context.Context, *bench) (usage, error)
}

// bare is the start of a program with DuckDB.
var bare = &beside{"bare DuckDB", func(ctx context.Context, b *bench) (usage, error) {
	program, err := b.linker(ctx)
	if err != nil {
		return usage{}, err
	}
	return finish(ctx, exec.CommandContext(ctx, program))
}}

// walking only reads the sizes of 10,000 files.
var walking = &beside{"bare walk", func(ctx context.Context, b *bench) (usage, error) {
	roots, err := b.tree(ctx, "10,000 files")
	if err != nil {
		return usage{}, err
	}
	program, err := b.walker(ctx)
	if err != nil {
		return usage{}, err
	}
	out, err := exec.CommandContext(ctx, program, roots[0]).Output()
	if err != nil {
		return usage{}, err
	}
	var list []usage
	for _, field := range strings.Fields(string(out)) {
		ms, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return usage{}, fmt.Errorf("the walk printed %q", field)
		}
		cpu := time.Duration(ms * float64(time.Millisecond))
		list = append(list, usage{cpu: cpu, wall: cpu})
	}
	return middle(list), nil
}}

// summing has ccusage sum the tokens of a tree.
func summing(tree string) *beside {
	return &beside{"ccusage", func(ctx context.Context, b *bench) (usage, error) {
		if b.ccusage == "" {
			return usage{}, errAbsent
		}
		roots, err := b.tree(ctx, tree)
		if err != nil {
			return usage{}, err
		}
		cmd := exec.CommandContext(ctx, b.ccusage, "daily", "--offline")
		cmd.Env = []string{"HOME=" + b.work, "PATH=" + os.Getenv("PATH"), "CLAUDE_CONFIG_DIR=" + strings.Join(roots, ",")}
		return finish(ctx, cmd)
	}}
}
