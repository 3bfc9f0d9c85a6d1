package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/internal/regular"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// systemCommands returns the commands that open another store, use the operating system,
// or only write text.
func systemCommands() []command {
	return []command{
		{name: ".open", args: "FILE", help: "go on with another store, as hindsql --store FILE does", run: byRunner(openStore), complete: paths, needs: opens},
		{name: ".shell", args: "[COMMAND]", help: "run a command of the shell; without one: a shell", aliases: []string{`\!`}, run: bySink(runShell), complete: paths, needs: acts, takesRest: true},
		{name: ".cd", args: "[DIR]", help: "change the folder that names of files begin in; without one: to the home folder", run: byConfig(changeFolder), complete: paths, needs: acts},
		{name: ".print", args: "[TEXT]", help: "write a text where results go", run: bySink(printText)},
	}
}

func runShell(ctx context.Context, s *sink, args string) error {
	if args == "" {
		if s.Editor == nil {
			return usage(".shell")
		}
		args = s.Tools.Shell
	}
	cmd := term.Program(args)
	cmd.Stdout, cmd.Stderr = term.Unescaped(s.Out), os.Stderr
	if s.Editor != nil {
		cmd.Stdin = os.Stdin
	}
	resume := s.lend()
	defer resume()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", args, err)
	}
	return ctx.Err()
}

func changeFolder(_ context.Context, c *Config, args string) error {
	list := wordsOf(args)
	switch {
	case len(list) > 1:
		return usage(".cd")
	case len(list) == 1:
		return os.Chdir(c.long(list[0]))
	case c.View.Home == "":
		return errors.New(".cd: no home folder is known")
	}
	return os.Chdir(c.View.Home)
}

// printText writes the words of its argument, without quotes.
func printText(_ context.Context, s *sink, args string) error {
	return s.deliver(func(to *term.Output) error {
		_, err := fmt.Fprintln(to, strings.Join(wordsOf(args), " "))
		return err
	})
}

// opens says why a command can't open a store; empty if it can.
func opens(c *Config) string {
	switch {
	case c.Safe:
		return acts(c)
	case c.Open == nil:
		return "not with the sample; start hindsql with --store FILE"
	}
	return ""
}

func openStore(ctx context.Context, r *runner, args string) error {
	list := wordsOf(args)
	if len(list) != 1 {
		return usage(".open")
	}
	ctx, stop := r.interruptible(ctx)
	defer stop()
	if err := r.Open(ctx, r.long(list[0])); err != nil {
		return err
	}
	r.last = ""
	r.synced = time.Now()
	return nil
}

const deepestRead = 10 // files that read each other

// readFile runs the lines of a file as if the user typed them. An error ends the file.
func readFile(ctx context.Context, p *Prompt, args string) error {
	list := wordsOf(args)
	if len(list) != 1 {
		return usage(".read")
	}
	if p.reader.depth == deepestRead {
		return errors.New(".read: files read each other, without an end")
	}
	text, err := regular.ReadNamed(p.long(list[0]))
	if err != nil {
		return err
	}
	ctx, stop := p.interruptible(ctx)
	defer stop()
	defer p.sink.flow()()
	return p.reader.nestedFile(ctx, list[0], string(text))
}

// editStatement opens the user's editor with the unfinished statement, or with the last
// one. It then runs the edited text as if the user had typed it.
func editStatement(ctx context.Context, p *Prompt, _ string) error {
	text := p.runner.writing
	if text == "" && p.runner.last != "" {
		text = p.runner.last + ";\n"
	}
	edited, err := inEditor(p.sink, text)
	if err != nil {
		return err
	}
	p.history.dropIncomplete()
	if edited = strings.TrimRight(edited, " \t\r\n"); edited == "" {
		return nil
	}
	fmt.Fprintln(p.Out, edited)
	if p.reader.source == "" {
		p.addToHistory(edited)
	}
	return p.reader.feed(ctx, edited)
}

// inEditor lets the user edit a text in $EDITOR, and returns the edited text.
func inEditor(s *sink, text string) (string, error) {
	f, err := os.CreateTemp("", "hindsql-*.sql") // with mode 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err := cmp.Or(err, f.Close()); err != nil {
		return "", err
	}
	cmd := term.Program(s.Tools.Editor, f.Name())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	resume := s.lend()
	err = cmd.Run()
	resume()
	if err != nil {
		return "", fmt.Errorf("%s: %w; name your editor in $EDITOR", s.Tools.Editor, err)
	}
	edited, err := regular.Read(f.Name(), regular.Own)
	return string(edited), err
}

func schemaCommands() []command {
	return []command{
		{name: ".tables", args: "[PATTERN]", help: "list the tables and functions, or those whose names match, such as *call*", run: byRunner(listTables), complete: completeFrom(tableNames)},
		{name: ".describe", args: "[NAME]", help: "show the columns of a table and what they mean, or what a function does", aliases: []string{`\d`}, run: byRunner(describe), complete: completeFrom(describable)},
	}
}

func listTables(ctx context.Context, r *runner, pattern string) error {
	pattern = unquoted(pattern)
	matches := func(name string) bool { // with * and ? in the pattern
		ok, err := path.Match(pattern, name)
		return pattern == "" || err == nil && ok
	}
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		if err := r.View.Tables(ctx, to, matches); err != nil || !to.ForPeople() {
			return err
		}
		own, err := ownTables(ctx, r.View.Session)
		for _, name := range own {
			if matches(name) {
				fmt.Fprintf(to, "%s (yours)\n", name)
			}
		}
		return err
	})
}

func describe(ctx context.Context, r *runner, name string) error {
	name = unquoted(name)
	if name == "" {
		return listTables(ctx, r, "")
	}
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		own, err := ownTables(ctx, r.View.Session)
		switch {
		case err != nil:
			return err
		case slices.Contains(own, name): // the user's table hides hindsql's
			return r.View.Query(ctx, to, ask.Statement{SQL: "DESCRIBE " + sqltext.Identifier(name)})
		case term.IsDescribed(name):
			return term.Describe(to, name)
		}
		return fmt.Errorf("no table or function %q; .tables lists them", name)
	})
}

// unquoted removes quotes, spaces and semicolons around a table's name.
func unquoted(name string) string { return strings.Trim(strings.ToLower(name), `"; `) }

func describable(c *completer) []string { return append(tableNames(c), tables.MacroNames()...) }

// ownTables returns the names of the tables and views that the user made.
func ownTables(ctx context.Context, s *ask.Session) (names []string, err error) {
	const query = `SELECT lower(table_name) FROM duckdb_tables() WHERE NOT internal AND database_name IN ('temp', 'memory') AND schema_name = 'main'
		UNION ALL SELECT lower(view_name) FROM duckdb_views() WHERE NOT internal AND database_name IN ('temp', 'memory') AND schema_name = 'main' ORDER BY 1`
	set, err := s.Collect(ctx, query, nil)
	for _, row := range set.Rows {
		names = append(names, fmt.Sprint(row[0]))
	}
	return names, err
}

func tableNames(c *completer) []string {
	own, err := ownTables(context.Background(), c.View.Session)
	if err != nil {
		return tables.ShownNames()
	}
	return append(tables.ShownNames(), own...)
}

func logCommands() []command {
	return []command{
		{name: ".sources", help: "show where logs are looked for", run: showRows("FROM " + engine.Ours("agents"))},
		{name: ".problems", help: "show what could not be read", run: showRows("SELECT agent, path, line, what, excerpt FROM problems ORDER BY agent, path, line")},
		{name: ".refresh", help: "load now what changed in the logs", run: byRunner(refresh)},
	}
}

func showRows(sql string) action {
	return byRunner(func(ctx context.Context, r *runner, _ string) error { return r.query(ctx, sql) })
}

func refresh(ctx context.Context, r *runner, _ string) error {
	ctx, stop := r.interruptible(ctx)
	defer stop()
	defer r.View.Session.Store().Detach(ctx)
	return r.sink.deliver(func(to *term.Output) error { return r.View.Refresh(ctx, to, false) })
}
