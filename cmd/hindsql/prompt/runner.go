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
	"hindsql/internal/sqltext"
	"hindsql/internal/words"
)

// syncPause is the minimum time between two syncs with the logs.
const syncPause = time.Second

// runner runs statements. It remembers the last statement, and the
// unfinished statement during a command, because some commands act on them.
type runner struct {
	*Config
	sink     *sink
	writing  string // unfinished statement at the time of the running command
	last     string // last statement run
	synced   time.Time
	watching bool            // .watch runs
	made     map[string]bool // names, in small letters, of tables that a script created and hasn't used since
}

// statement runs a statement that the user wrote.
func (r *runner) statement(ctx context.Context, sql string) error {
	r.last = strings.TrimSpace(sql)
	if r.Editor == nil {
		r.recordTables(sql)
	}
	return r.query(ctx, sql)
}

// query runs a statement.
func (r *runner) query(ctx context.Context, sql string) error {
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		if to.Is(term.Parquet) { // the engine reads the rows
			return r.View.Query(ctx, to, ask.Typed(sql))
		}
		typed := ask.Typed(sql)
		to.Chart = typed.Chart()
		write, err := to.Results("")
		if err != nil {
			return err
		}
		return r.View.Session.Run(ctx, typed, func(a *ask.Answer) error { return write(a.Rows) })
	})
}

// current returns the statement on which a command acts: the unfinished statement,
// otherwise the last one. If no statement was run, it returns an error that begins with
// the command's name.
func (r *runner) current(name string) (string, error) {
	sql := r.writing
	if strings.TrimSpace(sql) == "" {
		sql = r.last
	}
	if sql == "" {
		return "", errors.New(name + ": no statement was run yet")
	}
	return sql, nil
}

// show syncs, and writes a result to the sink. Ctrl-C cancels both.
func (r *runner) show(ctx context.Context, write func(context.Context, *term.Output) error) error {
	ctx, stop := r.interruptible(ctx)
	defer stop()
	if err := r.sync(ctx); err != nil {
		return err
	}
	return r.sink.deliver(func(to *term.Output) error { return write(ctx, to) })
}

// sync loads changed logs, and then detaches the store: the next statement may come
// much later, and other processes may want to write. In a script, sync does nothing,
// except for statements repeated by .watch. All statements of a script thus see the
// same rows.
func (r *runner) sync(ctx context.Context) error {
	if !r.Synced || r.Editor == nil && !r.watching || time.Since(r.synced) < syncPause {
		return nil
	}
	_, err := r.View.Sync(ctx, false)
	r.View.Session.Store().Detach(ctx)
	r.synced = time.Now()
	return err
}

// created returns the name of the table that a statement creates. The name is empty for
// a temporary table, for a table in a named database, and if the statement creates no
// table.
func created(code sqltext.Code) string {
	if !code.Skip("create", "table") && !code.Skip("create", "or", "replace", "table") {
		return ""
	}
	code.Skip("if", "not", "exists")
	if behind := code.At(1).Word(); behind != "(" && behind != "as" {
		return ""
	}
	return code[0].Name()
}

// recordTables updates the list of tables that a script's statements create, and that no
// later statement uses.
func (r *runner) recordTables(sql string) {
	code := sqltext.CodeOf(sql)
	for _, token := range code {
		delete(r.made, token.Name())
	}
	if name := created(code); name != "" {
		if r.made == nil {
			r.made = map[string]bool{}
		}
		r.made[name] = true
	}
}

// warnOfTables warns about tables that a one-shot command created and never used: they
// are gone when the command ends. The notice says how to keep them. Tables in a
// database that the user attached and chose with USE are left out, because they last.
func (r *runner) warnOfTables(ctx context.Context) error {
	if len(r.made) == 0 {
		return nil
	}
	set, err := r.View.Session.Collect(ctx, "SELECT lower(table_name) FROM duckdb_tables() WHERE database_name = 'memory' AND schema_name = 'main'", nil)
	if err != nil {
		return err
	}
	for _, row := range set.Rows {
		if name := fmt.Sprint(row[0]); r.made[name] {
			term.Notice(r.Err, "table %s is gone when this command ends; to keep it, write a file (-o %s.parquet), or a database of yours (ATTACH 'my.duckdb' AS my; CREATE TABLE my.%s AS …); a view in %s is there at each start", name, name, name, r.InitFile)
		}
	}
	return nil
}

// sendCommands returns the commands that act on the unfinished statement, or on the
// last one.
func sendCommands() []command {
	return []command{
		{name: ".go", args: "[FILE | |COMMAND]", help: "run what is written, or the last statement again; its result may go to a file, or to a program", aliases: []string{`\g`}, run: byRunner(send), complete: paths, endsStatement: true},
		{name: ".goline", args: "[FILE | |COMMAND]", help: "the same, each value on a line of its own", aliases: []string{`\gx`}, run: byRunner(sendLines), complete: paths, endsStatement: true},
		{name: ".watch", args: "[SECONDS] [c=TIMES]", help: "run what is written, or the last statement, every 2 seconds until Ctrl-C, with what the logs hold by then", aliases: []string{`\watch`}, run: byRunner(watch), endsStatement: true},
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
