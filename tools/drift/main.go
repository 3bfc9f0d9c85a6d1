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
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
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
	w := &watch{limit: 5 * time.Minute, patience: time.Minute, log: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }}
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

// A watch compares agents of today with what hindsql makes of their logs.
type watch struct {
	repository string
	fetcher    fetcher
	binary     string // hindsql
	folder     string // recordings: AGENT/SCENARIO/home
	from       string // folder of kept recordings, compared in place of new recordings; empty for a run
	only       []string
	limit      time.Duration // of a scenario
	patience   time.Duration // of one wait for a text on the screen
	log        func(format string, args ...any)
}

// A verdict is an agent's row of the table.
type verdict struct {
	agent    *agent
	tested   string
	newest   string
	cannot   string // the whole agent can't be run: why, in the program's or npm's own words
	ran      int
	of       int
	right    int
	wanted   int
	extra    int
	unknown  map[fact]bool
	remarks  []string // lines below the table
	compared string   // of an agent without a terminal
}

// agent fetches an agent, runs its scenarios, and compares.
func (w *watch) agent(ctx context.Context, a *agent) *verdict {
	v := &verdict{agent: a, unknown: map[fact]bool{}, compared: a.compared, newest: a.newest}
	var err error
	if v.tested, err = tested(w.repository, a.title); err != nil {
		v.cannot = err.Error()
		return v
	}
	s := stage{agent: a, patience: w.patience}
	if w.from == "" {
		if err := w.prepare(ctx, &s, v); err != nil {
			v.cannot = err.Error()
			return v
		}
	} else if text, err := os.ReadFile(filepath.Join(w.from, a.name, versionFile)); err == nil {
		v.newest = string(text)
	}
	if a.compared != "" {
		return v
	}
	for _, name := range scenarios {
		if w.only != nil && !slices.Contains(w.only, name) {
			continue
		}
		s.folder = filepath.Join(w.folder, a.name, name)
		w.scenario(ctx, s, name, v)
	}
	return v
}

// prepare fetches the newest version of an agent, and Node.
func (w *watch) prepare(ctx context.Context, s *stage, v *verdict) error {
	if len(s.agent.packages) == 0 {
		return nil
	}
	r, err := newest(ctx, s.agent.packages)
	if err != nil {
		return err
	}
	v.newest = r.version
	if remark := r.moved(time.Now()); remark != "" {
		v.remarks = append(v.remarks, remark)
	}
	if s.agent.compared != "" {
		return nil
	}
	w.log("%s: %s %s", s.agent.name, r.name, r.version)
	if s.node, err = w.fetcher.node(ctx); err != nil {
		return err
	}
	if s.pack, err = w.fetcher.fetch(ctx, s.agent, r); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(w.folder, s.agent.name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.folder, s.agent.name, versionFile), []byte(r.version), 0o644)
}

// versionFile names the version of recordings, beside their folders.
const versionFile = "version.txt"

// scenario runs a scenario or takes the kept recording, and adds the comparison to v.
func (w *watch) scenario(ctx context.Context, s stage, name string, v *verdict) {
	v.of++
	note := func(format string, args ...any) {
		v.remarks = append(v.remarks, name+": "+fmt.Sprintf(format, args...))
	}
	wanted, err := readScenario(s.agent.name, name)
	if err != nil {
		note("%v", err)
		return
	}
	if wanted.cannot != "" {
		note("can't: %s", wanted.cannot)
		return
	}
	if w.from == "" {
		err = w.record(ctx, s, name)
	} else {
		s.folder = filepath.Join(w.from, s.agent.name, name)
		_, err = os.Stat(s.home())
	}
	if err != nil {
		note("%s", why(err, w.limit))
		return
	}
	got, err := loaded(ctx, w.binary, s.home())
	if err != nil {
		note("%v", err)
		return
	}
	v.add(name, wanted.facts, got)
}

// record plays a scenario within the limit of time.
func (w *watch) record(ctx context.Context, s stage, name string) error {
	begin := time.Now()
	if err := os.RemoveAll(s.folder); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	err := s.play(ctx, name)
	w.log("%s %s: %s (%.0fs)", s.agent.name, name, cmp.Or(errorText(err), "recorded"), time.Since(begin).Seconds())
	return err
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// why says why a scenario gave no recording.
func why(err error, limit time.Duration) string {
	var s *stuck
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("did not end in %s, and was killed", limit)
	case errors.As(err, &s):
		return fmt.Sprintf("can't: %v; it shows\n      %s", err, strings.ReplaceAll(s.shown, "\n", "\n      "))
	}
	return "can't: " + err.Error()
}

// add compares the facts of a recording with the wanted facts.
func (v *verdict) add(name string, wanted, got []fact) {
	o := compare(wanted, got)
	v.ran++
	v.right += o.right
	v.wanted += len(wanted)
	v.extra += len(o.extra)
	for _, f := range o.missing {
		remark := fmt.Sprintf("%s: no %s", name, f)
		for _, g := range got {
			if g.key == f.key && slices.Contains(numbers, f.key) {
				remark = fmt.Sprintf("%s: %s, not %s", name, g, f.value)
			}
		}
		v.remarks = append(v.remarks, remark)
	}
	for _, f := range o.extra {
		v.remarks = append(v.remarks, fmt.Sprintf("%s: %s isn't wanted", name, f))
	}
	for _, f := range o.unknown {
		if !v.unknown[f] {
			v.remarks = append(v.remarks, fmt.Sprintf("%s: %s", name, f))
		}
		v.unknown[f] = true
	}
}
