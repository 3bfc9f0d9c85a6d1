// Command benchpair, run by make bench-pair, compares the speed of an earlier commit
// with that of this tree. It builds the commit in a folder of its own, runs both builds
// alternately on the same logs, and prints the medians of the ratios of processor time,
// elapsed time and peak memory, as a Markdown table. docs/bench.md has the marks.
//
// A ratio is today's figure divided by the commit's figure of the same pair: on a busy
// machine both suffer alike. "–" stands for a figure that a commit lacks, or that isn't
// measured.
//
//	benchpair -base aac7496                     every row, nine pairs
//	benchpair -base aac7496 -rows first-load    the rows whose names begin so
//	benchpair -base aac7496 -big                the rows of ten gigabytes only
//	benchpair -base aac7496 -try                every row on tiny logs: tries the rows
//
// The program needs Linux, whose clocks tell the processor time of other processes.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "benchpair:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	b := &bench{say: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }}
	flags := flag.NewFlagSet("benchpair", flag.ContinueOnError)
	flags.StringVar(&b.repository, "C", ".", "`folder` of the repository, built already in bin/hindsql")
	base := flags.String("base", "", "the `commit` to compare with")
	rows := flags.String("rows", "", "only rows whose names begin with one of these `names`, with commas between them")
	flags.IntVar(&b.pairs, "pairs", 9, "how often each program runs")
	big := flags.Bool("big", false, "the rows of ten gigabytes, and no others")
	flags.BoolVar(&b.try, "try", false, "put a few copies of the sample in place of each history: tries the rows, measures nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *base == "" {
		return errors.New("no commit to compare with: make bench-pair BASE=aac7496")
	}
	var err error
	if b.repository, err = filepath.Abs(b.repository); err != nil {
		return err
	}
	chosen, err := choose(measurements(*big), *rows)
	if err != nil {
		return err
	}
	if err := b.prepare(ctx, *base); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.work) }()
	fmt.Print(b.heading())
	for _, m := range chosen {
		pairs, err := b.measure(ctx, m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		fmt.Print(markdown(m, pairs))
	}
	return nil
}

// choose returns the measurements whose names begin with one of the names; all of them
// if names is empty.
func choose(list []measurement, names string) ([]measurement, error) {
	var chosen []measurement
	var known []string
	for _, m := range list {
		known = append(known, m.name)
		if slices.ContainsFunc(strings.Split(names, ","), func(name string) bool { return strings.HasPrefix(m.name, name) }) {
			chosen = append(chosen, m)
		}
	}
	if chosen == nil {
		return nil, fmt.Errorf("rows %s: the rows are %s", names, strings.Join(known, ", "))
	}
	return chosen, nil
}

// pair is a run of each side: the commit, and this tree.
type pair [2]figures

// measure runs both builds alternately. Each second pair begins with today's. A failed
// run of the base has no figures.
func (b *bench) measure(ctx context.Context, m measurement) ([]pair, error) {
	pairs := make([]pair, b.pairs)
	for i := range pairs {
		b.say("%s, pair %d of %d", m.name, i+1, b.pairs)
		for k := range b.sides {
			at := (k + i) % 2
			var err error
			pairs[i][at], err = m.once(ctx, b.sides[at])
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil && at == 1:
				return nil, fmt.Errorf("%s: %w", b.sides[at].name, err)
			case err != nil:
				b.say("%s, without %s: %v", m.name, b.sides[at].name, err)
			}
		}
	}
	return pairs, nil
}

// heading returns the table's first lines. A cell of figures has processor time and
// elapsed time in milliseconds, and memory in megabytes.
func (b *bench) heading() string {
	return fmt.Sprintf("%s, %d pairs, %d processors; cpu ms / elapsed ms / MB\n\n| | %s | %[1]s | cpu × | elapsed × | MB × |\n|---|---|---|---|---|---|\n",
		b.sides[1].name, b.pairs, runtime.NumCPU(), b.sides[0].name)
}

// markdown returns the rows of a measurement: one for each part.
func markdown(m measurement, pairs []pair) string {
	parts := map[string]bool{}
	for _, p := range pairs {
		for _, side := range p {
			for part := range side {
				parts[part] = true
			}
		}
	}
	var b strings.Builder
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		title := strings.TrimSuffix(m.title+", "+part, ", ")
		base, today := usages(pairs, 0, part), usages(pairs, 1, part)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", title, cell(base), cell(today), times(today, base, cpu), times(today, base, wall), times(today, base, memory))
	}
	return b.String()
}

// usages returns the figures of a part on a side, one a pair; nil if one is absent.
func usages(pairs []pair, side int, part string) (list []usage) {
	for _, p := range pairs {
		used, ok := p[side][part]
		if !ok {
			return nil
		}
		list = append(list, used)
	}
	return list
}

// medianOf returns the median of a figure.
func medianOf(list []usage, of func(usage) float64) float64 {
	var all []float64
	for _, u := range list {
		all = append(all, of(u))
	}
	return median(all)
}

// ratio returns the median of the ratios of a's figures to b's of the same pair. ok is
// false if one of them is absent, or wasn't measured.
func ratio(a, b []usage, of func(usage) float64) (q float64, ok bool) {
	if len(a) == 0 || len(a) != len(b) {
		return 0, false
	}
	var all []float64
	for i := range a {
		if of(b[i]) == 0 {
			return 0, false
		}
		all = append(all, of(a[i])/of(b[i]))
	}
	return median(all), true
}

func times(a, b []usage, of func(usage) float64) string {
	q, ok := ratio(a, b, of)
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%.2f", q)
}

func cell(list []usage) string {
	if list == nil {
		return "–"
	}
	text := amount(medianOf(list, cpu)) + " / " + amount(medianOf(list, wall)) + " / "
	if mb := medianOf(list, memory); mb > 0 {
		return text + amount(mb)
	}
	return text + "–"
}

// amount has three digits at least.
func amount(x float64) string {
	switch {
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// The figures of a usage, in milliseconds and megabytes.
func cpu(u usage) float64 { return milliseconds(u.cpu) }

func wall(u usage) float64 { return milliseconds(u.wall) }

func memory(u usage) float64 { return float64(u.memory) / 1e6 }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// usage is the cost of a run, or of a part of one.
type usage struct {
	cpu    time.Duration // of all processors, user and system
	wall   time.Duration
	memory int64 // bytes, at the peak; 0 if it isn't measured
}

// finish runs a program to its end.
func finish(ctx context.Context, cmd *exec.Cmd) (usage, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	if cmd.Stdout == nil {
		cmd.Stdout = &said
	}
	begin := time.Now()
	err := cmd.Run()
	wall := time.Since(begin)
	if ctx.Err() != nil {
		return usage{}, ctx.Err()
	}
	if err != nil {
		return usage{}, fmt.Errorf("%v: %w\n%s", cmd.Args, err, tail(said.Bytes(), 2000))
	}
	return usage{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall, peak(cmd.ProcessState)}, nil
}

// tail returns the last bytes of a text, at most n.
func tail(text []byte, n int) []byte { return text[max(0, len(text)-n):] }

// process is a running program and the programs that it started.
type process struct {
	pid   int
	cpu   time.Duration
	begin time.Time
}

// watch begins to count.
func watch(pid int) (*process, error) {
	used, err := clocks(pid)
	return &process{pid, used.cpu, time.Now()}, err
}

// lap returns the usage since the last lap, and begins the next one.
func (p *process) lap() (usage, error) {
	now := time.Now()
	used, err := clocks(p.pid)
	lap := usage{used.cpu - p.cpu, now.Sub(p.begin), used.memory}
	p.cpu, p.begin = used.cpu, time.Now()
	return lap, err
}

// during returns the usage of a running program while work runs.
func during(pid int, work func() error) (usage, error) {
	p, err := watch(pid)
	if err != nil {
		return usage{}, err
	}
	if err := work(); err != nil {
		return usage{}, err
	}
	return p.lap()
}
