package prompt

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
	"hindsql/internal/words"
)

// sendCommands returns the commands that act on the unfinished statement, or on the
// last one.
func sendCommands() []command {
	return []command{
		{name: ".go", args: "[FILE | |COMMAND]", help: "run what is written, or the last statement again; its result may go to a file, or to a program", aliases: []string{`\g`}, run: byRunner(send), complete: paths, ends: true},
		{name: ".goline", args: "[FILE | |COMMAND]", help: "the same, each value on a line of its own", aliases: []string{`\gx`}, run: byRunner(sendLines), complete: paths, ends: true},
		{name: ".columns", help: "show the names and types that the result of what is written would have", aliases: []string{`\gdesc`}, run: byRunner(describeResult), ends: true},
		{name: ".watch", args: "[SECONDS] [c=TIMES]", help: "run what is written, or the last statement, every 2 seconds until Ctrl-C, with what the logs hold by then", aliases: []string{`\watch`}, run: byRunner(watch), ends: true},
		{name: ".last", help: "show the last result again: all rows, no column cut", run: byRunner(showLast)},
		{name: ".buffer", help: "show what is being written, or the last statement", aliases: []string{`\p`}, run: byRunner(showBuffer)},
		{name: ".reset", help: "give up what is being written", aliases: []string{`\r`}, run: func(context.Context, *Prompt, string) error { return nil }, ends: true},
		{name: ".write", args: "FILE", help: "write what is being written, or the last statement, to a file", aliases: []string{`\w`}, run: byRunner(writeBuffer), complete: paths, needs: acts},
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

func describeResult(ctx context.Context, r *runner, _ string) error {
	sql, err := r.current(".columns")
	if err != nil {
		return err
	}
	const ran = "SELECT column_name, column_type FROM (DESCRIBE "
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		return r.View.Query(ctx, to, ask.Instead(ran, strings.TrimRight(sql, "; \n"), "\n)"))
	})
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

// showLast shows the last result again, from memory. If the result was too large to
// keep, showLast runs the statement again.
func showLast(ctx context.Context, r *runner, _ string) error {
	if r.kept.set.Columns == nil {
		return errors.New(".last: no result was shown yet")
	}
	shown := r.kept
	return r.sink.deliver(func(to *term.Output) error {
		to.MaxRows, to.Width, to.Timed = 0, 0, false
		if shown.whole {
			return to.Set(shown.set)
		}
		return r.View.Query(ctx, to, ask.Typed(r.last))
	})
}

func showBuffer(_ context.Context, r *runner, _ string) error {
	sql, err := r.current(".buffer")
	if err == nil {
		_, err = fmt.Fprintln(r.Out, strings.TrimSpace(sql))
	}
	return err
}

func writeBuffer(_ context.Context, r *runner, args string) error {
	list := wordsOf(args)
	sql, err := r.current(".write")
	switch {
	case err != nil:
		return err
	case len(list) != 1:
		return usage(".write")
	}
	return atomicfile.Write(r.long(list[0]), []byte(strings.TrimSpace(sql)+";\n"))
}
