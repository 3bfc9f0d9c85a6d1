package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

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
	say        func(format string, args ...any)
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
	w.say("%s: %s %s", s.agent.name, r.name, r.version)
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
	w.say("%s %s: %s (%.0fs)", s.agent.name, name, firstOf(said(err), "recorded"), time.Since(begin).Seconds())
	return err
}

func said(err error) string {
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
