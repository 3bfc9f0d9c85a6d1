package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/tables"
)

func queryCommands() []command {
	return []command{
		{name: ".queries", help: "list the saved queries", run: byRunner(listQueries)},
		{name: ".run", args: "NAME [param=value …]", help: "run a saved query", run: byRunner(runSaved), complete: completeRun},
		{name: ".save", args: "NAME", help: "save the last statement as a query of yours", run: saveQuery, needs: asks},
		{name: ".read", args: "FILE", help: "run the SQL and the dot commands of a file", aliases: []string{`\i`}, run: readFile, complete: paths, needs: acts},
		{name: ".edit", help: "edit the last statement in $VISUAL or $EDITOR, then run it", aliases: []string{`\e`}, run: editStatement, needs: asks, endsStatement: true},
		{name: ".explain", args: "[SQL]", help: "run a statement, or the last one, and show where its time went", run: byRunner(explain)},
	}
}

func listQueries(_ context.Context, r *runner, _ string) error {
	all, _ := r.View.Session.Source().Queries() // doctor reports errors in the user's files
	return r.sink.deliver(func(to *term.Output) error { return term.Queries(to, ask.List(r.View.Home, all)) })
}

func runSaved(ctx context.Context, r *runner, args string) error {
	list := wordsOf(args)
	if len(list) == 0 {
		return usage(".run")
	}
	q, err := r.View.Session.Source().Saved(list[0])
	if err != nil {
		return err
	}
	return r.showSaved(ctx, q, list[1:], "")
}

// showSaved runs a saved query with parameters. A format other than "" replaces the
// format that the user set.
func (r *runner) showSaved(ctx context.Context, q *queries.Query, params []string, format string) error {
	given, err := q.ParseArgs(params)
	if err != nil {
		return err
	}
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		to.Format = cmp.Or(format, to.Format)
		return r.View.Saved(ctx, to, q, given)
	})
}

// isNamed reports whether a word is the name of a saved query or a table.
func (r *runner) isNamed(word string) bool {
	_, err := r.View.Session.Source().Saved(word)
	return err == nil || !errors.As(err, new(*ask.NoQuery)) || slices.Contains(tables.ShownNames(), strings.ToLower(word))
}

// runNamed runs the saved query of a name, or else shows the table's rows, as the shell
// does.
func (r *runner) runNamed(ctx context.Context, word, args string) error {
	if _, err := r.View.Session.Source().Saved(word); errors.As(err, new(*ask.NoQuery)) {
		return r.statement(ctx, "FROM "+word)
	}
	return runSaved(ctx, r, word+" "+args)
}

func completeRun(c *completer, done []string, typed string) []string {
	all, _ := c.View.Session.Source().Queries()
	var list []string
	for _, q := range all {
		switch {
		case len(done) == 0:
			list = append(list, q.Name+" ")
		case strings.EqualFold(q.Name, done[0]):
			for _, param := range q.Params {
				list = append(list, param.Name+"=")
				if strings.HasPrefix(typed, param.Name+"=") {
					return paramValues(c, param)
				}
			}
		}
	}
	return list
}

// columnsOfParams maps parameters to the table and column whose values completion
// proposes, unless the parameter has a fixed list of values.
var columnsOfParams = map[string][2]string{
	"project": {"projects", "name"}, "tool": {"tool_calls", "tool_name"}, "model": {"messages", "model"},
	"session": {"sessions", "session_id"}, "session_id": {"sessions", "session_id"}, "decided_by": {"rejections", "decided_by"},
}

// paramValues returns the completions of a parameter's value, in the form name=value.
func paramValues(c *completer, param queries.Param) (list []string) {
	values := param.Values
	if column, ok := columnsOfParams[param.Name]; ok && values == nil {
		values = c.View.Session.Engine().Values(context.Background(), column[0], column[1])
	}
	for _, value := range values {
		if strings.ContainsAny(value, " \t") {
			continue // completion can't complete a word with spaces
		}
		list = append(list, param.Name+"="+value+" ")
	}
	return list
}

func explain(ctx context.Context, r *runner, sql string) error {
	if sql == "" {
		sql = r.last
	}
	if sql == "" {
		return errors.New(".explain: no statement was run yet; write one behind it")
	}
	const ran = "EXPLAIN ANALYZE "
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		return r.View.Session.Run(ctx, ask.Instead(ran, sql, ""), func(a *ask.Answer) error {
			rows := a.Rows
			for rows.Next() {
				values := rows.Values()
				if _, err := fmt.Fprintln(to, values[len(values)-1]); err != nil {
					return err
				}
			}
			return rows.Err()
		})
	})
}

// saveQuery asks the user for the header of a saved query, and writes the query's file.
func saveQuery(_ context.Context, p *Prompt, name string) error {
	switch {
	case name == "":
		return usage(".save")
	case p.runner.last == "":
		return errors.New(".save: no statement was run yet")
	}
	path, err := p.Own.File(name)
	if err != nil {
		return fmt.Errorf(".save: %w", err)
	}
	q, err := askQuery(p, name, path)
	if errors.Is(err, ErrInterrupted) {
		return errors.New(".save: nothing was saved")
	} else if err != nil {
		return err
	}
	if path, err = p.Own.Save(name, queries.Text(q)); err != nil {
		return fmt.Errorf(".save: %w", err)
	}
	_, err = fmt.Fprintf(p.Out, "saved as %s; .run %s\n", atomicfile.Short(p.View.Home, path), name)
	return err
}

func askQuery(p *Prompt, name, path string) (*queries.Query, error) {
	if _, err := os.Stat(path); err == nil {
		if answer, err := p.reader.ask(atomicfile.Short(p.View.Home, path)+" is there; replace it?", "no"); err != nil || !strings.HasPrefix(strings.ToLower(answer), "y") {
			return nil, cmp.Or(err, ErrInterrupted)
		}
	}
	q := queries.Draft(name, p.runner.last)
	var err error
	if q.Title, err = p.reader.ask("title", q.Title); err != nil {
		return nil, err
	}
	if q.Prose, err = p.reader.ask("what it shows", words.Sentence(q.Title)); err != nil {
		return nil, err
	}
	for i := range q.Params {
		if err := askParam(p.reader, &q.Params[i]); err != nil {
			return nil, err
		}
	}
	return q, nil
}

func askParam(r *reader, param *queries.Param) (err error) {
	for _, question := range []struct {
		what, answer string
		into         *string
	}{
		{"type", param.Type, &param.Type}, {"default, as SQL", cmp.Or(param.Default, "NULL"), &param.Default},
		{"what it is for", cmp.Or(param.Doc, param.Name), &param.Doc},
	} {
		if *question.into, err = r.ask("$"+param.Name+": "+question.what, question.answer); err != nil {
			return err
		}
	}
	return nil
}

func chartCommands() []command {
	return []command{{
		name: ".chart", args: "[SQL|NAME]", help: "draw a statement's result, the last one's, or a saved query's, as a chart",
		run: byRunner(drawChart), complete: completeRun,
	}}
}

func drawChart(ctx context.Context, r *runner, sql string) error {
	if list := wordsOf(sql); len(list) > 0 && queries.IsName(list[0]) {
		if q, err := r.View.Session.Source().Saved(list[0]); err == nil {
			return r.showSaved(ctx, q, list[1:], "chart") // with the chart that the query declares
		}
	}
	if sql == "" {
		sql = r.last
	}
	if sql == "" {
		return errors.New(".chart: no statement was run yet; write one behind it")
	}
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		to.Format = "chart"
		return r.View.Query(ctx, to, ask.Typed(sql))
	})
}
