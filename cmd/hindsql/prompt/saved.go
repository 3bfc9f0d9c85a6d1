package prompt

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/queries"
)

func queryCommands() []command {
	return []command{
		{name: ".queries", help: "list the saved queries", run: (*Prompt).listQueries},
		{name: ".run", args: "NAME [param=value …]", help: "run a saved query", run: (*Prompt).runSaved, complete: completeRun},
		{name: ".save", args: "NAME", help: "save the last statement as a query of yours", run: (*Prompt).save, needs: asks},
		{name: ".read", args: "FILE", help: "run the SQL and the dot commands of a file", aliases: []string{`\i`}, run: (*Prompt).read, complete: paths, needs: acts},
		{name: ".edit", help: "edit the last statement in $VISUAL or $EDITOR, then run it", aliases: []string{`\e`}, run: (*Prompt).edit, needs: asks, ends: true},
		{name: ".explain", args: "[SQL]", help: "run a statement, or the last one, and show where its time went", run: (*Prompt).explain},
	}
}

func (p *Prompt) listQueries(context.Context, string) error {
	all, err := p.View.Session.Source().Queries()
	if err != nil {
		p.complain(err)
	}
	return p.sink.deliver(func(to *render.Output) error { return show.Queries(to, p.View.Home, all) })
}

func (p *Prompt) runSaved(ctx context.Context, args string) error {
	list := wordsOf(args)
	if len(list) == 0 {
		return usage(".run")
	}
	q, err := p.View.Session.Source().Saved(list[0])
	if err != nil {
		return err
	}
	given, err := q.Given(list[1:])
	if err != nil {
		return err
	}
	return p.runner.show(ctx, func(ctx context.Context, to *render.Output) error { return p.View.Saved(ctx, to, q, given) })
}

func completeRun(c *completer, done []string, typed string) []string {
	all, _ := c.View.Session.Source().Queries() // .queries tells errors in the user's files
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

// columnsOfParams are those in which the values of a parameter stand that is no
// closed set, by its name.
var columnsOfParams = map[string][2]string{
	"project": {"projects", "name"}, "tool": {"tool_calls", "tool_name"}, "model": {"messages", "model"},
	"session": {"sessions", "session_id"}, "session_id": {"sessions", "session_id"}, "decided_by": {"rejections", "decided_by"},
}

// paramValues completes name=value.
func paramValues(c *completer, param queries.Param) (list []string) {
	values := param.Values
	if column, ok := columnsOfParams[param.Name]; ok && values == nil {
		values = c.View.Session.Engine().Values(context.Background(), column[0], column[1])
	}
	for _, value := range values {
		if strings.ContainsAny(value, " \t") {
			continue // a word that is typed in parts is not completed
		}
		list = append(list, param.Name+"="+value+" ")
	}
	return list
}

func (p *Prompt) explain(ctx context.Context, sql string) error {
	if sql == "" {
		sql = p.runner.last
	}
	if sql == "" {
		return errors.New(".explain: no statement was run yet; write one behind it")
	}
	const ran = "EXPLAIN ANALYZE "
	return p.runner.show(ctx, func(ctx context.Context, to *render.Output) error {
		return p.View.Session.Run(ctx, ask.Instead(ran, sql, ""), func(a *ask.Answer) error {
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
