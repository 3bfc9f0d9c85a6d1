package prompt

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/words"
)

// sendCommands returns the commands that act on the unfinished statement, or on the
// last one.
func sendCommands() []command {
	return []command{
		{name: ".go", args: "[FILE | |COMMAND]", help: "run what is written, or the last statement again; its result may go to a file, or to a program", aliases: []string{`\g`}, run: byRunner(send), complete: paths, ends: true},
		{name: ".goline", args: "[FILE | |COMMAND]", help: "the same, each value on a line of its own", aliases: []string{`\gx`}, run: byRunner(sendLines), complete: paths, ends: true},
		{name: ".watch", args: "[SECONDS] [c=TIMES]", help: "run what is written, or the last statement, every 2 seconds until Ctrl-C, with what the logs hold by then", aliases: []string{`\watch`}, run: byRunner(watch), ends: true},
	}
}

func send(ctx context.Context, r *runner, args string) error {
	sql, err := r.current(".go")
	if err != nil {
		return err
	}
	if args != "" {
		if err := acts(r.Config); err != "" {
			return fmt.Errorf("%s: %s", args, err)
		}
		if err := setOnce(ctx, r.sink, args); err != nil {
			return err
		}
		defer func() { r.sink.once = "" }()
	}
	return r.statement(ctx, sql)
}

func sendLines(ctx context.Context, r *runner, args string) error {
	defer func(format string) { r.Settings.Format = format }(r.Settings.Format)
	r.Settings.Format = "line"
	return send(ctx, r, args)
}

// watchPause is the default time between two runs of .watch.
const watchPause = 2 * time.Second

func watch(ctx context.Context, r *runner, args string) error {
	sql, err := r.current(".watch")
	pause, times, ok := watchArgs(args)
	switch {
	case err != nil:
		return err
	case !ok:
		return usage(".watch")
	}
	ctx, stop := r.interruptible(ctx)
	defer stop()
	r.watching = true
	defer r.sink.flow()()
	defer func() { r.watching = false }()
	for n := 1; ; n++ {
		fmt.Fprintf(r.Out, "%s (every %s)\n", time.Now().Format(time.DateTime), words.Duration(pause))
		if err := r.statement(ctx, sql); err != nil || n == times {
			return err
		}
		select {
		case <-ctx.Done():
			if r.Editor == nil {
				return ctx.Err()
			}
			return nil // Ctrl-C is the usual end
		case <-time.After(pause):
		}
	}
}

func watchArgs(args string) (pause time.Duration, times int, ok bool) {
	pause = watchPause
	for _, word := range strings.Fields(args) {
		if count, is := strings.CutPrefix(word, "c="); is {
			n, err := strconv.Atoi(count)
			if err != nil || n < 1 {
				return 0, 0, false
			}
			times = n
			continue
		}
		seconds, err := strconv.ParseFloat(strings.TrimPrefix(word, "i="), 64)
		if err != nil || seconds <= 0 || seconds > 1e6 {
			return 0, 0, false
		}
		pause = time.Duration(seconds * float64(time.Second))
	}
	return pause, times, true
}
