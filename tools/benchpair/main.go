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
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
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
