// Command drift runs the newest coding agents, loads their logs with hindsql, and
// compares the rows with the typed keys. It is make drift. docs/drift.md says how to add
// an agent.
//
// For each agent it fetches the newest version from npm into a folder of its own, starts
// the program in a terminal with an empty home folder and a mock model that answers by
// a script, types the keys of six scenarios, loads the logs with hindsql, and compares
// rows, unknown kinds and unknown fields with the scenario's file. It prints one table.
// The command never asks a real model, and reads no logs of the user.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// beside is how many agents run at the same time.
const beside = 2

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "drift:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	w := &watch{limit: 5 * time.Minute, patience: time.Minute, say: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }}
	flags := flag.NewFlagSet("drift", flag.ContinueOnError)
	flags.StringVar(&w.repository, "C", ".", "`folder` of the repository")
	names := flags.String("agent", "", "`names` of agents with commas between them; all if empty")
	only := flags.String("scenario", "", "`names` of scenarios with commas between them; all if empty")
	keep := flags.String("keep", "", "`folder` that keeps recordings, screens and requests")
	flags.StringVar(&w.from, "from", "", "compare the recordings kept in this `folder`; no agent is run")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if w.repository, err = filepath.Abs(w.repository); err != nil {
		return err
	}
	w.fetcher.folder = filepath.Join(w.repository, "bin", "drift")
	w.binary = filepath.Join(w.repository, "bin", "hindsql")
	if *only != "" {
		w.only = strings.Split(*only, ",")
	}
	list, err := chosen(*names)
	if err != nil {
		return err
	}
	if w.from == "" {
		done, err := w.place(*keep)
		if err != nil {
			return err
		}
		defer done()
	}
	verdicts := w.all(ctx, list)
	printTable(os.Stdout, verdicts)
	if len(list) == len(agents) && w.only == nil && w.from == "" && ctx.Err() == nil {
		if err := keepTable(filepath.Join(w.repository, "tools", "drift", lastFile), time.Now(), verdicts); err != nil {
			return err
		}
	}
	return summed(verdicts)
}

// place chooses the folder of recordings, and checks that the needed programs are
// installed. The returned function removes the folder, unless keep names one.
func (w *watch) place(keep string) (func(), error) {
	for _, program := range []string{"tmux", "npm", "tar", "ps"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("%s isn't installed: make drift needs it", program)
		}
	}
	var err error
	if keep != "" {
		w.folder, err = filepath.Abs(keep)
		return func() {}, err
	}
	if w.folder, err = os.MkdirTemp("", "hindsql-drift-"); err == nil {
		err = os.Chmod(w.folder, 0o755) // some agents run as nobody
	}
	return func() { _ = os.RemoveAll(w.folder) }, err
}

// chosen returns the agents of these names.
func chosen(names string) ([]*agent, error) {
	if names == "" {
		return agents, nil
	}
	var list []*agent
	for _, name := range strings.Split(names, ",") {
		a := find(name)
		if a == nil {
			var known []string
			for _, a := range agents {
				known = append(known, a.name)
			}
			return nil, fmt.Errorf("agent %s: the agents are %s", name, strings.Join(known, ", "))
		}
		list = append(list, a)
	}
	return list, nil
}

// all runs the agents, some at a time, and returns their verdicts in the same order.
func (w *watch) all(ctx context.Context, list []*agent) []*verdict {
	verdicts := make([]*verdict, len(list))
	free := make(chan struct{}, beside)
	var wait sync.WaitGroup
	for i, a := range list {
		wait.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			verdicts[i] = w.agent(ctx, a)
		})
	}
	wait.Wait()
	return verdicts
}

// summed returns an error if an agent drifted.
func summed(verdicts []*verdict) error {
	var names []string
	for _, v := range verdicts {
		if v.drifted() {
			names = append(names, v.agent.title)
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("not as wanted: %s", strings.Join(names, ", "))
}
