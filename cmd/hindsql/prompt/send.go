package prompt

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/render"
	"hindsql/internal/words"
	"hindsql/readers/files"
)

// sendCommands are those about the statement that is being written, or the last.
func sendCommands() []command {
	return []command{
		{name: ".go", args: "[FILE | |COMMAND]", help: "run what is written, or the last statement again; its result may go to a file, or to a program", aliases: []string{`\g`}, run: (*Prompt).send, complete: paths, ends: true},
		{name: ".goline", args: "[FILE | |COMMAND]", help: "the same, each value on a line of its own", aliases: []string{`\gx`}, run: (*Prompt).sendLines, complete: paths, ends: true},
		{name: ".columns", help: "show the names and types that the result of what is written would have", aliases: []string{`\gdesc`}, run: (*Prompt).resultColumns, ends: true},
		{name: ".watch", args: "[SECONDS] [c=TIMES]", help: "run what is written, or the last statement, every 2 seconds until Ctrl-C, with what the logs hold by then", aliases: []string{`\watch`}, run: (*Prompt).watch, ends: true},
		{name: ".last", help: "show the last result again: all rows, no column cut", run: (*Prompt).showLast},
		{name: ".buffer", help: "show what is being written, or the last statement", aliases: []string{`\p`}, run: (*Prompt).showBuffer},
		{name: ".reset", help: "give up what is being written", aliases: []string{`\r`}, run: func(*Prompt, context.Context, string) error { return nil }, ends: true},
		{name: ".write", args: "FILE", help: "write what is being written, or the last statement, to a file", aliases: []string{`\w`}, run: (*Prompt).writeBuffer, complete: paths, needs: acts},
	}
}

func (p *Prompt) send(ctx context.Context, args string) error {
	sql, err := p.runner.current(".go")
	if err != nil {
		return err
	}
	if args != "" {
		if err := acts(p.Config); err != "" {
			return fmt.Errorf("%s: %s", args, err)
		}
		if err := p.setOnce(ctx, args); err != nil {
			return err
		}
		defer func() { p.sink.once = "" }()
	}
	return p.runner.statement(ctx, sql)
}

func (p *Prompt) sendLines(ctx context.Context, args string) error {
	defer func(format string) { p.Settings.Format = format }(p.Settings.Format)
	p.Settings.Format = "line"
	return p.send(ctx, args)
}

func (p *Prompt) resultColumns(ctx context.Context, _ string) error {
	sql, err := p.runner.current(".columns")
	if err != nil {
		return err
	}
	const ran = "SELECT column_name, column_type FROM (DESCRIBE "
	return p.runner.show(ctx, func(ctx context.Context, to *render.Output) error {
		return p.View.Query(ctx, to, ask.Instead(ran, strings.TrimRight(sql, "; \n"), "\n)"))
	})
}

// watchPause is the time between two runs that .watch makes by default.
const watchPause = 2 * time.Second

func (p *Prompt) watch(ctx context.Context, args string) error {
	sql, err := p.runner.current(".watch")
	pause, times, ok := watchArgs(args)
	switch {
	case err != nil:
		return err
	case !ok:
		return usage(".watch")
	}
	ctx, stop := p.interruptible(ctx)
	defer stop()
	p.runner.watching = true
	defer p.sink.flow()()
	defer func() { p.runner.watching = false }()
	for n := 1; ; n++ {
		fmt.Fprintf(p.Out, "%s (every %s)\n", time.Now().Format(time.DateTime), words.Duration(pause))
		if err := p.runner.statement(ctx, sql); err != nil || n == times {
			return err
		}
		select {
		case <-ctx.Done():
			if p.Editor == nil {
				return ctx.Err()
			}
			return nil // Ctrl-C is how it ends
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

// showLast shows the last result from memory. One that was too large to keep is
// asked for anew.
func (p *Prompt) showLast(ctx context.Context, _ string) error {
	if p.runner.kept.set.Columns == nil {
		return errors.New(".last: no result was shown yet")
	}
	shown := p.runner.kept
	return p.sink.deliver(func(to *render.Output) error {
		to.MaxRows, to.Width, to.Timed = 0, 0, false
		if shown.whole {
			return to.Set(shown.set)
		}
		return p.View.Query(ctx, to, ask.Typed(p.runner.last))
	})
}

func (p *Prompt) showBuffer(context.Context, string) error {
	sql, err := p.runner.current(".buffer")
	if err == nil {
		_, err = fmt.Fprintln(p.Out, strings.TrimSpace(sql))
	}
	return err
}

func (p *Prompt) writeBuffer(_ context.Context, args string) error {
	list := wordsOf(args)
	sql, err := p.runner.current(".write")
	switch {
	case err != nil:
		return err
	case len(list) != 1:
		return usage(".write")
	}
	return files.Write(p.long(list[0]), []byte(strings.TrimSpace(sql)+";\n"))
}
