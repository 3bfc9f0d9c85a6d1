package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"hindsql/engine"
	"hindsql/queries"
)

func queryCommands() []command {
	return []command{
		{name: ".queries", help: "list the saved queries", run: (*Prompt).listQueries},
		{name: ".run", args: "NAME [param=value …]", help: "run a saved query", run: (*Prompt).runSaved, complete: completeRun},
		{name: ".save", args: "NAME", help: "save the last statement as a query of yours", run: (*Prompt).save},
		{name: ".read", args: "FILE", help: "run the SQL and the dot commands of a file", aliases: []string{`\i`}, run: (*Prompt).read, complete: files},
		{name: ".edit", help: "edit the last statement in $VISUAL or $EDITOR, then run it", aliases: []string{`\e`}, run: (*Prompt).edit},
		{name: ".explain", args: "[SQL]", help: "run a statement, or the last one, and show where its time went", run: (*Prompt).explain},
	}
}

func (p *Prompt) listQueries(context.Context, string) error { return p.deliver(p.ListSaved) }

func (p *Prompt) runSaved(ctx context.Context, args string) error {
	list := words(args)
	if len(list) == 0 {
		return p.usage(".run")
	}
	return p.show(ctx, func(ctx context.Context, to Target) error { return p.RunSaved(ctx, to, list[0], list[1:]) })
}

func completeRun(p *Prompt, done []string, _ string) []string {
	var list []string
	for _, q := range p.Saved() {
		switch {
		case len(done) == 0:
			list = append(list, q.Name+" ")
		case q.Name == done[0]:
			for _, param := range q.Params {
				list = append(list, param.Name+"=")
			}
		}
	}
	return list
}

func (p *Prompt) explain(ctx context.Context, sql string) error {
	if sql == "" {
		sql = p.last
	}
	if sql == "" {
		return errors.New(".explain: no statement was run yet; write one behind it")
	}
	return p.show(ctx, func(ctx context.Context, to Target) error {
		return p.Session.Query(ctx, "EXPLAIN ANALYZE "+sql, nil, func(rows *engine.Rows) error {
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

// save asks for what a saved query's header needs, and writes it.
func (p *Prompt) save(ctx context.Context, name string) error {
	switch {
	case name == "":
		return p.usage(".save")
	case p.last == "":
		return errors.New(".save: no statement was run yet")
	case p.Folder == "":
		return errors.New(".save: no home folder is known; name one with XDG_CONFIG_HOME")
	case !queries.IsName(name):
		return fmt.Errorf(".save: %q: a name is made of small letters and digits, with hyphens between", name)
	}
	path := filepath.Join(p.Folder, name+".sql")
	q, err := p.askQuery(ctx, name, path)
	if errors.Is(err, ErrInterrupted) {
		return errors.New(".save: nothing was saved")
	} else if err != nil {
		return err
	}
	text := queries.Text(q)
	if _, err := queries.Parse(name, text); err != nil {
		return fmt.Errorf(".save: %s:%w", name, err)
	}
	if err := p.writeWhole(path, text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Out, "saved as %s; .run %s\n", p.Short(path), name)
	return err
}

func (p *Prompt) askQuery(ctx context.Context, name, path string) (*queries.Query, error) {
	names, err := p.Session.Parameters(ctx, p.last)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err == nil {
		if answer, err := p.ask(p.Short(path)+" is there; replace it?", "no"); err != nil || !strings.HasPrefix(strings.ToLower(answer), "y") {
			return nil, cmp.Or(err, ErrInterrupted)
		}
	}
	q := &queries.Query{Name: name, SQL: p.last}
	if q.Title, err = p.ask("title", strings.ReplaceAll(name, "-", " ")); err != nil {
		return nil, err
	}
	if q.Prose, err = p.ask("what it shows", sentence(q.Title)); err != nil {
		return nil, err
	}
	for _, name := range names {
		param, err := p.askParam(name)
		if err != nil {
			return nil, err
		}
		q.Params = append(q.Params, param)
	}
	return q, nil
}

func sentence(title string) string {
	letters := []rune(title)
	letters[0] = unicode.ToUpper(letters[0])
	return strings.TrimSuffix(string(letters), ".") + "."
}

func (p *Prompt) askParam(name string) (param queries.Param, err error) {
	param.Name = name
	for _, question := range []struct {
		what, answer string
		into         *string
	}{{"type", "VARCHAR", &param.Type}, {"default, as SQL", "NULL", &param.Default}, {"what it is for", name, &param.Doc}} {
		if *question.into, err = p.ask("$"+name+": "+question.what, question.answer); err != nil {
			return param, err
		}
	}
	return param, nil
}

// ask gives the answer to a question, or the usual one for an empty line.
func (p *Prompt) ask(question, usual string) (string, error) {
	answer, err := p.Editor.ReadLine(fmt.Sprintf("%s [%s]: ", question, usual))
	if answer = strings.TrimSpace(answer); answer == "" {
		answer = usual
	}
	if err != nil && !errors.Is(err, ErrInterrupted) {
		err = cmp.Or(ErrInterrupted, err) // Ctrl-D gives up too
	}
	return answer, err
}

func (p *Prompt) writeWhole(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := p.Create(path)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if _, err := f.Write([]byte(text)); err != nil {
		return err
	}
	return f.Commit()
}
