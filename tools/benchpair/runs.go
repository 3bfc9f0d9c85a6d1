package main

import (
	"context"
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

// into measures a command that writes into a new folder.
func into(tree string, args ...string) single {
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
	return func(ctx context.Context, s *side) (figures, error) {
		st, err := s.loaded(ctx, tree)
		if err != nil {
			return nil, err
		}
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
	}
}
